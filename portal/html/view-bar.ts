import type { PortalState, Viewer } from '../context.ts';
import { leavePath } from '../session/viewing.ts';
import { say } from '../words/say.ts';
import { tags } from '../words/tags.ts';
import { csrfInput } from './form.ts';
import { time } from './format.ts';
import { type Html, html, nothing } from './html.ts';

interface ViewBarContext {
  state: Pick<PortalState, 'csrf' | 'hasForm'> & { viewer?: Viewer | null };
}

/** On each page of a partner's portal that an operator looks at: whose it is, and the way out. */
export const viewBar = ({ state }: ViewBarContext): Html =>
  bar(
    state.viewer,
    () =>
      html`<form method="post" action="${leavePath}">${csrfInput({ state })}<button type="submit">${say('viewBar.leaveTheView')}</button></form>`,
  );

/** The same on a page that may have no form. */
export const viewNote = ({ state }: ViewBarContext): Html =>
  bar(state.viewer, () => html`<a href="/home">${say('viewBar.viewNote.link')}</a>`);

/** @param wayOut is asked for where there is a view to leave: a form gives a visitor a cookie */
function bar(viewer: Viewer | null | undefined, wayOut: () => Html): Html {
  if (viewer?.kind !== 'partner' || !viewer.operator) return nothing;
  const { operator, partner } = viewer;
  return html`<div class="view-bar" role="region" aria-label="${say('viewBar.bar.viewPartner')}"><p>${say('viewBar.bar.seePortal', { strong: tags.strong, name: partner.name, endsAt: time(operator.endsAt) })}</p>${wayOut()}</div>`;
}
