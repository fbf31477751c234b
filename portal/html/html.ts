import { html as tagged } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';

/** Text that is HTML already: made by `html` alone, which escapes what is put into it. */
export type Html = HtmlEscapedString;

/** What may stand in a template; anything else does not compile. Nothing shows of null, undefined and booleans. */
export type Part = Html | string | number | boolean | null | undefined | readonly Part[];

/**
 * A template. What is put into it is escaped, as text and within quotes: an attribute's value stands in
 * double quotes, always.
 */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return tagged(strings, ...parts) as Html;
}

export const nothing = html``;
