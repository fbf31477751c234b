import type { PortalState } from '../context.ts';
import { type Html, html, nothing, type Part } from './html.ts';

interface LinkContext {
  state: Pick<PortalState, 'mayOpen'>;
}

/** A link to a page of ours, where who looks may open that. @param instead what stands there else */
export function linkIfOpen(
  { state }: LinkContext,
  path: string,
  text: string,
  instead: Part = nothing,
): Html {
  return state.mayOpen(path) ? html`<a href="${path}">${text}</a>` : html`${instead}`;
}

/**
 * Where one goes from here.
 * @param links those of them show that may be opened
 * @param first stands before them, such as a button
 */
export function onwardLinks(
  ctx: LinkContext,
  links: readonly (readonly [path: string, text: string])[],
  first: Part = nothing,
): Html {
  return html`<p class="way-on">${first} ${links.map(([path, text]) => html`${linkIfOpen(ctx, path, text)} `)}</p>`;
}
