import { type Html, html, nothing } from './format.ts';

/**
 * What is wrong with a form that was sent, for the top of its page: each line leads to its field. The browser puts the
 * focus on it, also without JavaScript.
 * @param problems by field; '' for the whole form
 * @param content the page with its fields
 */
export function errorSummary(problems: Readonly<Record<string, string>>, content: string): Html {
  const lines = Object.entries(problems);
  if (lines.length === 0) return nothing;
  return html`<div class="notice notice-bad error-summary" role="alert" tabindex="-1" autofocus><h2>${lines.length === 1 ? 'There is a problem' : 'There are problems'}</h2><ul>${lines.map(
    ([name, message]) => html`<li>${lineOf(content, name, message)}</li>`,
  )}</ul></div>`;
}

function lineOf(content: string, name: string, message: string): Html {
  const id = idOf(content, name);
  if (id === undefined) return html`${message}`;
  const [, label = ''] = new RegExp(`<label for="${id}">([^<]*)</label>`).exec(content) ?? [];
  return html`<a href="#${id}">${label === '' ? nothing : html`${unescapedLabel(label)}: `}${message}</a>`;
}

/** The id of the marked field of this name; undefined if the page has none. */
function idOf(content: string, name: string): string | undefined {
  if (name === '') return undefined;
  const marked = [...content.matchAll(/<(?:input|select|textarea)\b[^>]*aria-invalid="true"[^>]*>/g)];
  const [tag] = marked.find(([one]) => attribute(one, 'name') === name) ?? [];
  return tag === undefined ? undefined : attribute(tag, 'id');
}

const attribute = (tag: string, name: string): string | undefined =>
  new RegExp(`\\s${name}="([\\w-]+)"`).exec(tag)?.[1];

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };

/** A label comes from a page, where it is escaped. */
const unescapedLabel = (label: string): string =>
  label.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => entities[name] ?? '');
