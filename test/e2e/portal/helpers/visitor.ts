import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Mail } from '../../../../messaging/message.ts';
import { oneTimeCodes } from './one-time-codes.ts';

export interface VisitorOptions {
  width?: number;
  colorScheme?: 'light' | 'dark';
  userAgent?: string;
  /** The browser's preferred language, such as `de`; by default American English. */
  language?: string;
  /** The browser's IANA time zone; by default the machine's. */
  timezoneId?: string;
  /** The session cookie of a user who is already signed in. */
  session?: string | undefined;
}

export const narrow = 320;
/** The width of most phones. */
export const phone = 390;
export const laptop = 1_280;
export const wide = 1_440;
/** Longer than any page takes, even on a busy machine. */
const patienceMs = 120_000;

/** Opens a separate browser session. @param url of the portal */
export async function newVisitor(
  browser: Browser,
  url: string,
  { width = wide, colorScheme = 'light', userAgent, language, timezoneId, session }: VisitorOptions,
): Promise<Visitor> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width, height: 900 },
    colorScheme,
    reducedMotion: 'reduce',
    ...(language !== undefined && { locale: language }),
    ...(timezoneId !== undefined && { timezoneId }),
    ...(userAgent !== undefined && { userAgent }),
  });
  context.setDefaultTimeout(patienceMs);
  if (session !== undefined) {
    await context.addCookies([{ name: 'session', value: session, url, httpOnly: true }]);
  }
  return new Visitor(context, await context.newPage());
}

/** A user of a browser, with the problems that the browser reported. */
export class Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Console errors and warnings, among them blocked content; uncaught exceptions; and dialogs. */
  readonly problems: string[] = [];
  /**
   * The interactions so far. A click is a link, button or checkbox, used by mouse or keyboard, or an opened
   * URL.
   */
  readonly effort = { clicks: 0, fields: 0 };
  private readonly codes = oneTimeCodes();
  private codeSecret = '';

  constructor(context: BrowserContext, page: Page) {
    this.context = context;
    this.page = page;
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') {
        this.problems.push(`${message.text()} (${page.url()})`);
      }
    });
    page.on('pageerror', (error) => this.problems.push(`${error.message} (${page.url()})`));
    page.on('dialog', async (dialog) => {
      this.problems.push(`dialog: ${dialog.message()} (${page.url()})`);
      await dialog.dismiss();
    });
  }

  /** The current path, with its query. */
  get path(): string {
    const { pathname, search } = new URL(this.page.url());
    return pathname + search;
  }

  /** Opens a page, following redirects. @returns its status */
  async open(path: string): Promise<number> {
    this.effort.clicks++;
    const response = await this.page.goto(path);
    return response?.status() ?? 0;
  }

  /** Whether a path is an HTML page, not a file. */
  async isPage(path: string): Promise<boolean> {
    const response = await this.context.request.head(path);
    return (response.headers()['content-type'] ?? '').startsWith('text/html');
  }

  /** Fills in fields, by their labels. */
  async fill(fields: Record<string, string>): Promise<void> {
    for (const [label, value] of Object.entries(fields)) {
      this.effort.fields++;
      await this.page.getByLabel(label, { exact: true }).fill(value);
    }
  }

  /** Checks a checkbox, by its label. */
  async check(label: string | RegExp): Promise<void> {
    this.effort.clicks++;
    await this.page.getByLabel(label).check();
  }

  /** Clicks a button, and waits for the next page. */
  async press(name: string): Promise<void> {
    await this.navigate(() => this.page.getByRole('button', { name, exact: true }).click());
  }

  /** Clicks a link, and waits for the next page. */
  async follow(name: string): Promise<void> {
    await this.navigate(() => this.page.getByRole('link', { name, exact: true }).first().click());
  }

  /** Runs an action that opens another page, and waits for it to load. */
  async navigate(by: () => Promise<unknown>): Promise<void> {
    this.effort.clicks++;
    await Promise.all([this.page.waitForEvent('load'), by()]);
  }

  /** The visible text of the page. */
  async text(): Promise<string> {
    const text: string = await this.page.evaluate('document.body.innerText');
    return text.replace(/\s+/g, ' ').trim();
  }

  async signIn(email: string, password: string): Promise<void> {
    await this.open('/sign-in');
    await this.fill({ Email: email, Password: password });
    await this.press('Sign in');
  }

  /** Enters the emailed code that setting up a first factor takes. */
  async proveEmail(mails: readonly Mail[]): Promise<void> {
    await this.press('Send a code');
    const text = mails.findLast(({ id }) => id.startsWith('email-code-'))?.text ?? '';
    await this.fill({ Code: /^\d{6}$/m.exec(text)?.[0] ?? '' });
    await this.press('Continue');
  }

  /** Sets up the second factor on its page, after entering an emailed code if the page requires it. */
  async enrollSecondFactor(mails: readonly Mail[]): Promise<void> {
    if (this.path.startsWith('/second-factor/email')) await this.proveEmail(mails);
    this.codeSecret = (await this.page.locator('.steps code').first().textContent()) ?? '';
    await this.fill({ Code: this.codes.next(this.codeSecret) });
    await this.press('Set up');
  }

  /** Enters a code on the page that asks for the second factor. */
  async enterSecondFactor(): Promise<void> {
    await this.fill({ Code: this.codes.next(this.codeSecret) });
    await this.press('Continue');
  }

  /** Presses Tab until an element has the focus. @param name of a link, button or field */
  async tabTo(name: string, maxSteps = 60): Promise<void> {
    for (let step = 0; step <= maxSteps; step++) {
      if (step > 0) await this.page.keyboard.press('Tab');
      const { named, isVisible } = await this.focused();
      if (!isVisible) throw new Error(`on ${this.path}, the focus on ${named} is not visible`);
      if (named === name) return;
    }
    throw new Error(`on ${this.path}, Tab does not reach ${name}`);
  }

  /** Fills in fields with the keyboard only. @param fields by their labels, in the order of the page */
  async type(fields: Record<string, string>): Promise<void> {
    for (const [label, value] of Object.entries(fields)) {
      this.effort.fields++;
      await this.tabTo(label);
      await this.page.keyboard.type(value);
    }
  }

  /** Activates a link or button with the keyboard only, and waits for the next page. */
  async activate(name: string, key: 'Enter' | 'Space' = 'Enter'): Promise<void> {
    await this.tabTo(name);
    await this.navigate(() => this.page.keyboard.press(key));
  }

  /** Submits the form of the focused field by pressing Enter. */
  async submitWithEnter(): Promise<void> {
    await this.navigate(() => this.page.keyboard.press('Enter'));
  }

  /** Skips the menu, with the keyboard only. */
  async skipToContent(): Promise<void> {
    this.effort.clicks++;
    await this.tabTo('Skip to content', 1);
    await this.page.keyboard.press('Enter');
  }

  /** The name of the focused element, and whether its focus is visible. */
  private async focused(): Promise<{ named: string; isVisible: boolean }> {
    return await this.page.evaluate(`(() => {
      const on = document.activeElement ?? document.body;
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(on);
      const { width, height } = on.getBoundingClientRect();
      const named = on.labels?.[0]?.innerText ?? on.innerText ?? '';
      const isMarked = (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none';
      return { named: named.trim(), isVisible: on === document.body || (isMarked && width > 0 && height > 0) };
    })()`);
  }

  async close(): Promise<void> {
    await this.context.close();
  }
}
