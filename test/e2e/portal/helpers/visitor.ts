import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Mail } from '../../../../messaging/message.ts';
import { oneTimeCodes } from './one-time-codes.ts';

export interface VisitorWish {
  width?: number;
  colorScheme?: 'light' | 'dark';
  userAgent?: string;
  /** What the browser asks for, such as `de`; else American English. */
  language?: string;
  /** The zone of the browser, by its IANA name; else the machine's. */
  timezoneId?: string;
  /** Of somebody who is signed in already: the value of the session's cookie. */
  session?: string | undefined;
}

export const narrow = 320;
/** What most phones have. */
export const phone = 390;
export const wide = 1_440;
/** Longer than any page takes on a busy machine. */
const patienceMs = 120_000;

/** Opens a browser of its own for somebody. @param url of the portal */
export async function newVisitor(
  browser: Browser,
  url: string,
  { width = wide, colorScheme = 'light', userAgent, language, timezoneId, session }: VisitorWish,
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

/** Somebody at a browser, and what went wrong in it. */
export class Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the console complains of, the policy's refusals among it; what throws; and every dialog. */
  readonly problems: string[] = [];
  /**
   * What it took them so far: each link, button and tick box that they click, or strike with a key, each
   * field that they fill in, and each address that they open, which counts as a click.
   */
  readonly effort = { clicks: 0, fields: 0 };
  private readonly codes = oneTimeCodes();
  private codeSecret = '';

  constructor(context: BrowserContext, page: Page) {
    this.context = context;
    this.page = page;
    page.on('console', (message) => {
      // The reference asks for its maker's logo, which our policy refuses it.
      if (message.text().includes('cdn.redoc.ly/redoc/logo-mini')) return;
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

  /** Where it is, as a path with its query. */
  get path(): string {
    const { pathname, search } = new URL(this.page.url());
    return pathname + search;
  }

  /** Opens a page, wherever it leads. @returns its status */
  async open(path: string): Promise<number> {
    this.effort.clicks++;
    const response = await this.page.goto(path);
    return response?.status() ?? 0;
  }

  /** Whether a path leads to a page, and not to a file. */
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

  /** Ticks a box, by its label. */
  async tick(label: string | RegExp): Promise<void> {
    this.effort.clicks++;
    await this.page.getByLabel(label).check();
  }

  /** Presses a button, and waits for the page that it leads to. */
  async press(name: string): Promise<void> {
    await this.leave(() => this.page.getByRole('button', { name, exact: true }).click());
  }

  /** Follows a link to another page. */
  async follow(name: string): Promise<void> {
    await this.leave(() => this.page.getByRole('link', { name, exact: true }).first().click());
  }

  /** Does what leads to another page, and waits for it. */
  async leave(by: () => Promise<unknown>): Promise<void> {
    this.effort.clicks++;
    await Promise.all([this.page.waitForEvent('load'), by()]);
  }

  /** What a reader sees of the page. */
  async text(): Promise<string> {
    const text: string = await this.page.evaluate('document.body.innerText');
    return text.replace(/\s+/g, ' ').trim();
  }

  async signIn(email: string, password: string): Promise<void> {
    await this.open('/sign-in');
    await this.fill({ Email: email, Password: password });
    await this.press('Sign in');
  }

  /** Sets up the second factor on the page that asks for it, after it is confirmed by mail where that is asked. */
  async enrollSecondFactor(mails: readonly Mail[]): Promise<void> {
    if (this.path.startsWith('/second-factor/email')) {
      await this.press('Send a code');
      const text = mails.findLast(({ id }) => id.startsWith('email-code-'))?.text ?? '';
      await this.fill({ Code: /^\d{6}$/m.exec(text)?.[0] ?? '' });
      await this.press('Continue');
    }
    this.codeSecret = (await this.page.locator('.steps code').first().textContent()) ?? '';
    await this.fill({ Code: this.codes.next(this.codeSecret) });
    await this.press('Set up');
  }

  /** Gives it, on the page that asks for it. */
  async giveSecondFactor(): Promise<void> {
    await this.fill({ Code: this.codes.next(this.codeSecret) });
    await this.press('Continue');
  }

  /** Goes on by the keyboard alone until something has the focus. @param name of a link, button or field */
  async tabTo(name: string, maxSteps = 60): Promise<void> {
    for (let step = 0; step <= maxSteps; step++) {
      if (step > 0) await this.page.keyboard.press('Tab');
      const { named, isVisible } = await this.focused();
      if (!isVisible) throw new Error(`on ${this.path}, nothing shows that ${named} has the focus`);
      if (named === name) return;
    }
    throw new Error(`on ${this.path}, the keyboard does not reach ${name}`);
  }

  /** Fills in fields by the keyboard alone. @param fields by their labels, in the order of the page */
  async type(fields: Record<string, string>): Promise<void> {
    for (const [label, value] of Object.entries(fields)) {
      this.effort.fields++;
      await this.tabTo(label);
      await this.page.keyboard.type(value);
    }
  }

  /** Follows a link or presses a button by the keyboard alone, and waits for the page that it leads to. */
  async strike(name: string, key: 'Enter' | 'Space' = 'Enter'): Promise<void> {
    await this.tabTo(name);
    await this.leave(() => this.page.keyboard.press(key));
  }

  /** Sends the form of the field that has the focus. */
  async enter(): Promise<void> {
    await this.leave(() => this.page.keyboard.press('Enter'));
  }

  /** Past the menu, by the keyboard alone. */
  async skipToContent(): Promise<void> {
    this.effort.clicks++;
    await this.tabTo('Skip to content', 1);
    await this.page.keyboard.press('Enter');
  }

  /** What has the focus, and whether that can be seen. */
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
