import type { PortalState } from '../context.ts';
import { type Html, html, nothing, type Part } from './format.ts';

interface LinkContext {
  state: Pick<PortalState, 'mayOpen'>;
}

/** A link that is shown only if the viewer may open it. @param instead shown otherwise */
export function linkIfOpen(
  { state }: LinkContext,
  path: string,
  text: string,
  instead: Part = nothing,
): Html {
  return state.mayOpen(path) ? html`<a href="${path}">${text}</a>` : html`${instead}`;
}

/**
 * Links to related pages.
 * @param links those that the viewer may open are shown
 * @param first shown before them, such as a button
 */
export function onwardLinks(
  ctx: LinkContext,
  links: readonly (readonly [path: string, text: string])[],
  first: Part = nothing,
): Html {
  return html`<p class="way-on">${first} ${links.map(([path, text]) => html`${linkIfOpen(ctx, path, text)} `)}</p>`;
}
