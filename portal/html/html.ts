import { html as tagged } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';

/** Safe HTML, created only by `html`, which escapes the values inserted into it. */
export type Html = HtmlEscapedString;

/** Values allowed in a template; others do not compile. Null, undefined and booleans render nothing. */
export type Part = Html | string | number | boolean | null | undefined | readonly Part[];

/**
 * An HTML template. Inserted values are escaped for text and for quoted attributes, so attribute values
 * must be in double quotes.
 */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return tagged(strings, ...parts) as Html;
}

export const nothing = html``;
