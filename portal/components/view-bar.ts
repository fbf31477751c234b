import type { PortalState, Viewer } from '../context.ts';
import { leavePath } from '../session/viewing.ts';
import { csrfInput } from './form.ts';
import { type Html, html, nothing, time } from './format.ts';

interface ViewBarContext {
  state: Pick<PortalState, 'csrf' | 'hasForm'> & { viewer?: Viewer | null };
}

/** The bar on each page that an operator views as a partner: whose portal it is, and how to stop. */
export const viewBar = ({ state }: ViewBarContext): Html =>
  bar(
    state.viewer,
    () =>
      html`<form method="post" action="${leavePath}">${csrfInput({ state })}<button type="submit">Stop viewing</button></form>`,
  );

/** @param exit called only during a view, since rendering a form gives a visitor a cookie */
function bar(viewer: Viewer | null | undefined, exit: () => Html): Html {
  if (viewer?.kind !== 'partner' || !viewer.operator) return nothing;
  const { operator, partner } = viewer;
  return html`<div class="view-bar" role="region" aria-label="View as a partner"><p><strong>You are viewing the portal of ${partner.name} as a viewer.</strong> Read-only, until ${time(operator.endsAt)}.</p>${exit()}</div>`;
}
