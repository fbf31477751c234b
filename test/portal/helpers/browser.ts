/** What a browser shows. */
export interface Shown {
  status: number;
  headers: Headers;
  html: string;
  /** Where it is after redirects, as a path with its query. */
  path: string;
}

type Fields = Record<string, string | readonly string[]>;

const maxRedirects = 5;

/** A browser without JavaScript: keeps cookies, follows redirects, submits the forms that it is shown. */
export class Browser {
  readonly url: string;
  readonly cookies = new Map<string, string>();
  /** What every request carries besides. */
  readonly headers: Record<string, string>;
  shown: Shown | undefined;

  constructor({ url }: { url: string }, headers: Record<string, string> = {}) {
    this.url = url;
    this.headers = headers;
  }

  /** One request, without following where it leads. */
  async ask(method: string, path: string, init: RequestInit = {}): Promise<Shown> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(this.url + path, {
      method,
      redirect: 'manual',
      ...init,
      headers: {
        ...(cookie !== '' && { cookie }),
        ...this.headers,
        ...(init.headers as Record<string, string>),
      },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    const html = await response.text();
    this.shown = { status: response.status, headers: response.headers, html, path };
    return this.shown;
  }

  /** Opens a page, wherever it leads. */
  async open(path: string, headers: Record<string, string> = {}): Promise<Shown> {
    return await this.follow(await this.ask('GET', path, { headers }));
  }

  /** Sends a form by hand; its CSRF token is that of the page that is shown, unless it is given. */
  async post(path: string, fields: Fields = {}, headers: Record<string, string> = {}) {
    const csrf = 'csrf' in fields ? {} : { csrf: csrfIn(this.shown?.html ?? '') };
    return await this.ask('POST', path, {
      body: bodyOf({ ...csrf, ...fields }),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });
  }

  /** The same with a file, last of all; without a name and bytes, none was chosen. */
  async upload(
    path: string,
    fields: Fields = {},
    { name = '', bytes = '' as string | Uint8Array<ArrayBuffer> } = {},
    headers: Record<string, string> = {},
  ): Promise<Shown> {
    const body = new FormData();
    const csrf = 'csrf' in fields ? {} : { csrf: csrfIn(this.shown?.html ?? '') };
    for (const [field, value] of Object.entries({ ...csrf, ...fields })) {
      for (const one of [value].flat()) body.append(field, String(one));
    }
    body.append('file', new Blob([bytes], { type: 'text/csv' }), name);
    return await this.ask('POST', path, { body, headers });
  }

  /** The same for whatever form a route takes; a file is an order that was never reported. */
  async send(
    { takesFile }: { takesFile: boolean },
    path: string,
    fields: Fields = {},
    headers: Record<string, string> = {},
  ): Promise<Shown> {
    if (!takesFile) return await this.post(path, fields, headers);
    const file = { name: 'orders.csv', bytes: 'externalOrderId,subtotal\nA1,1\n' };
    return await this.upload(path, fields, file, headers);
  }

  /** Fills in the form that is shown and leads to `action`, submits it, and goes where that leads. */
  async submit(action: string, fields: Fields = {}): Promise<Shown> {
    const html = this.shown?.html ?? '';
    const form = formsIn(html).find((one) => one.action === action);
    if (!form) throw new Error(`no form leads to ${action} on ${this.shown?.path}`);
    const unknown = Object.keys(fields).filter((name) => !form.names.includes(name));
    if (unknown.length > 0) throw new Error(`${action} has no field ${unknown.join(', ')}`);
    return await this.follow(await this.post(form.address, { ...form.values, ...fields }));
  }

  async follow(first: Shown): Promise<Shown> {
    let shown = first;
    for (let step = 0; shown.status === 303; step++) {
      if (step === maxRedirects) throw new Error(`${first.path} leads on and on`);
      shown = await this.ask('GET', shown.headers.get('location') ?? '');
    }
    return shown;
  }
}

export interface ShownForm {
  /** Where it leads, whichever mode it keeps. */
  action: string;
  /** The same with the mode. */
  address: string;
  /** Of every field. */
  names: string[];
  /** What is sent where nothing is typed: hidden fields, and what is filled in. */
  values: Record<string, string>;
}

/** The forms of a page. */
export function formsIn(html: string): ShownForm[] {
  return [...html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].map(([, head = '', inside = '']) => {
    const names = new Set<string>();
    const values: Record<string, string> = {};
    for (const [, tag, text = ''] of inside.matchAll(
      /<(input|textarea|select|button)\b([^>]*)>/g,
    )) {
      const name = attribute(text, 'name');
      if (name === undefined) continue;
      names.add(name);
      const value = attribute(text, 'value');
      const isOff = /type="(checkbox|radio)"/.test(text) && !/\bchecked\b/.test(text);
      if (tag === 'input' && value !== undefined && !isOff) values[name] = value;
      if (tag === 'select') values[name] = chosenIn(inside, name);
    }
    const address = attribute(head, 'action') ?? '';
    return { action: withoutMode(address), address, names: [...names], values };
  });
}

/** An address as it is without a mode to keep. */
const withoutMode = (address: string): string =>
  address.replace(/\?mode=(TEST|LIVE)$/, '').replace(/&mode=(TEST|LIVE)\b/, '');

/** What a select of a form has chosen: what is marked, else the first. */
function chosenIn(form: string, name: string): string {
  const [, options = ''] =
    new RegExp(`<select[^>]*name="${name}"[^>]*>(.*?)</select>`, 's').exec(form) ?? [];
  const all = [...options.matchAll(/<option\b([^>]*)>/g)].map(([, text = '']) => text);
  const chosen = all.find((text) => /\bselected\b/.test(text)) ?? all[0] ?? '';
  return attribute(chosen, 'value') ?? '';
}

/** The CSRF token of a page's first form. */
export function csrfIn(html: string): string {
  return /name="csrf" value="([^"]*)"/.exec(html)?.[1] ?? '';
}

function attribute(text: string, name: string): string | undefined {
  const [, value] = new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(text) ?? [];
  return value === undefined ? undefined : unescaped(value);
}

/** What a reader sees of escaped text. */
export function unescaped(text: string): string {
  const named: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
  return text.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => named[name] ?? '');
}

/** What a reader sees of a page, without tags. */
export function textOf(html: string): string {
  return unescaped(html.replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' ');
}

function bodyOf(fields: Fields): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, String(one)] as [string, string]),
  );
  return new URLSearchParams(pairs).toString();
}
