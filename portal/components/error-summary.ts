import { type Html, html, nothing } from './format.ts';

/**
 * What is wrong with a form that was sent, for the top of its page: each line leads to its field. The browser puts the
 * focus on it, also without JavaScript.
 * @param problems by field; '' for the whole form
 * @param content the page with its fields
 */
export function errorSummary(problems: Readonly<Record<string, string>>, content: string): Html {
  const marked = markedIn(content);
  const lines = Object.entries(problems)
    .map(([name, message]) => {
      const at = marked.findIndex((one) => one.name === name);
      return { at, message, id: marked[at]?.id };
    })
    .toSorted((one, other) => one.at - other.at);
  if (lines.length === 0) return nothing;
  return html`<div class="notice notice-bad error-summary" role="alert" tabindex="-1" autofocus><h2>${lines.length === 1 ? 'There is a problem' : 'There are problems'}</h2><ul>${lines.map(
    ({ id, message }) =>
      html`<li>${id === undefined ? message : html`<a href="#${id}">${labelOf(content, id)}${message}</a>`}</li>`,
  )}</ul></div>`;
}

/** The fields of a page that are marked as wrong, in its order. */
const markedIn = (content: string) =>
  [...content.matchAll(/<(?:input|select|textarea)\b[^>]*aria-invalid="true"[^>]*>/g)].map(
    ([tag]) => ({ name: attribute(tag, 'name'), id: attribute(tag, 'id') }),
  );

function labelOf(content: string, id: string): string {
  const [, label] = new RegExp(`<label for="${id}">([^<]*)</label>`).exec(content) ?? [];
  return label === undefined ? '' : `${unescapedLabel(label)}: `;
}

const attribute = (tag: string, name: string): string | undefined =>
  new RegExp(`\\s${name}="([\\w-]+)"`).exec(tag)?.[1];

const entities: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  amp: '&',
};

/** A label comes from a page, where it is escaped. */
const unescapedLabel = (label: string): string =>
  label.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => entities[name] ?? '');
