import { type Html, html, type Part } from '../html/html.ts';

/** Renders the content of a tag in a message. */
type Tag = (parts: Part[]) => Html;

const strong: Tag = (parts) => html`<strong>${parts}</strong>`;
const code: Tag = (parts) => html`<code>${parts}</code>`;
/** Tabular figures. */
const number: Tag = (parts) => html`<span class="number">${parts}</span>`;
const link =
  (path: string): Tag =>
  (parts) =>
    html`<a href="${path}">${parts}</a>`;

/** Common tags of messages. */
export const tags = { strong, code, number, link };
