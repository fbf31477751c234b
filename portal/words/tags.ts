import { type Html, html, type Part } from '../html/html.ts';

/** Makes markup of what stands between a tag and its end in a message. */
type Tag = (parts: Part[]) => Html;

const strong: Tag = (parts) => html`<strong>${parts}</strong>`;
const code: Tag = (parts) => html`<code>${parts}</code>`;
/** Figures that stand under each other. */
const number: Tag = (parts) => html`<span class="number">${parts}</span>`;
const link =
  (path: string): Tag =>
  (parts) =>
    html`<a href="${path}">${parts}</a>`;

/** The usual tags of messages. */
export const tags = { strong, code, number, link };
