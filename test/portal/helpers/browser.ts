/** A response, as the browser shows it. */
export interface Shown {
  status: number;
  headers: Headers;
  html: string;
  /** The path after redirects, with its query. */
  path: string;
}

type Fields = Record<string, string | readonly string[]>;

const maxRedirects = 5;

/** A browser without JavaScript: keeps cookies, follows redirects, and submits the forms on the page. */
export class Browser {
  readonly url: string;
  readonly cookies = new Map<string, string>();
  /** Sent with every request. */
  readonly headers: Record<string, string>;
  shown: Shown | undefined;

  constructor({ url }: { url: string }, headers: Record<string, string> = {}) {
    this.url = url;
    this.headers = headers;
  }

  /** Sends one request, without following redirects. */
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

  /** Opens a page, following redirects. */
  async open(path: string, headers: Record<string, string> = {}): Promise<Shown> {
    return await this.follow(await this.ask('GET', path, { headers }));
  }

  /** Posts fields, by default with the CSRF token of the current page, without following redirects. */
  async post(path: string, fields: Fields = {}, headers: Record<string, string> = {}) {
    const csrf = 'csrf' in fields ? {} : { csrf: csrfIn(this.shown?.html ?? '') };
    return await this.ask('POST', path, {
      body: bodyOf({ ...csrf, ...fields }),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });
  }

  /** Like `post`, with a file after the fields; without `name` and `bytes`, as if no file was chosen. */
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

  /** Posts fields in the encoding that a route takes; its file has one order, which was never reported. */
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

  /** Fills in the current page's form for `action`, submits it, and follows redirects. */
  async submit(action: string, fields: Fields = {}): Promise<Shown> {
    const html = this.shown?.html ?? '';
    const form = formsIn(html).find((one) => one.action === action);
    if (!form) throw new Error(`no form on ${this.shown?.path} submits to ${action}`);
    const unknown = Object.keys(fields).filter((name) => !form.names.includes(name));
    if (unknown.length > 0) throw new Error(`${action} has no field ${unknown.join(', ')}`);
    return await this.follow(await this.post(form.address, { ...form.values, ...fields }));
  }

  async follow(first: Shown): Promise<Shown> {
    let shown = first;
    for (let step = 0; shown.status === 303; step++) {
      if (step === maxRedirects)
        throw new Error(`${first.path} redirects more than ${maxRedirects} times`);
      shown = await this.ask('GET', shown.headers.get('location') ?? '');
    }
    return shown;
  }
}

export interface ShownForm {
  /** The path that it submits to, without the mode. */
  action: string;
  /** The same, with the mode. */
  address: string;
  /** The names of all fields and buttons. */
  names: string[];
  /** The values sent without any input: hidden and prefilled fields. */
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

/** Removes the mode from a URL. */
const withoutMode = (address: string): string =>
  address.replace(/\?mode=(TEST|LIVE)$/, '').replace(/&mode=(TEST|LIVE)\b/, '');

/** The value of a select: the selected option's, or the first one's. */
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

/** Decodes HTML entities. */
export function unescaped(text: string): string {
  const named: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
  return text.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => named[name] ?? '');
}

/** The visible text of a page, without tags. */
export function textOf(html: string): string {
  return unescaped(html.replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' ');
}

function bodyOf(fields: Fields): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, String(one)] as [string, string]),
  );
  return new URLSearchParams(pairs).toString();
}
