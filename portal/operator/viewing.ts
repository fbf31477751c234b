import Joi from 'joi';
import { param } from '../../http/context.ts';
import { viewingMs } from '../../models/identity/viewing.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import { beginViewing } from '../../operations/viewing.ts';
import { readPartner } from '../../views/partners.ts';
import { form, textArea } from '../components/form.ts';
import { html } from '../components/format.ts';
import { crumbsOfPartner, operatorPaths } from '../components/links.ts';
import { type Page, page, render } from '../components/view.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { reasonField } from '../forms/fields.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import type { Routes } from '../routing/route-table.ts';
import { sessionCookie } from '../session/sign-in.ts';
import { leavePath, leaveView, viewingOperatorOf } from '../session/viewing.ts';

function viewAsPage(ctx: PageContext<'operator'>, partner: PartnerDoc, filled: Filled): Page {
  return page(
    {
      title: 'View as partner',
      crumbs: crumbsOfPartner(partner),
      lead: `You see the portal as a viewer of ${partner.name} does, for up to ${viewingMs / 60_000} minutes. You can’t change anything, and the operators’ pages stay closed until you stop viewing.`,
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: ctx.path, submit: 'View portal', filled },
      textArea({
        name: 'reason',
        label: 'Reason',
        filled,
        isRequired: true,
        maxLength: 500,
        rows: 3,
        hint: 'Recorded in the audit log, with the start and end of the view. Name no customer.',
      }),
    )}</div>`,
  );
}

/** Starting and ending an operator's view of a partner's portal. */
export function viewingPages(routes: Routes): void {
  routes.of('operator').operation('/admin/partners/:partnerId/view', beginViewing, {
    page: showBegin,
    form: Joi.object({
      reason: reasonField.required().messages({ 'any.required': 'Give a reason.' }),
    }),
    input: ({ reason }, { state: { viewer } }) => ({ reason, sessionId: viewer.session._id }),
    done(ctx, { config }, { token }) {
      sessionCookie(config).write(ctx, token, { lasts: true });
      redirect(ctx, '/home');
    },
  });
  routes.of('user').action(leavePath, { schema: Joi.object({}), act: leave });
}

async function showBegin(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  render(ctx, viewAsPage(ctx, await readPartner(deps, param(ctx, 'partnerId')), filled));
}

async function leave(ctx: PageContext<'user'>, deps: PageDeps): Promise<void> {
  const { viewer, requestId } = ctx.state;
  const operator = viewingOperatorOf(viewer);
  if (!operator || viewer.kind !== 'partner') return redirect(ctx, '/');
  await leaveView(deps, viewer.session, operator, requestId, 'LEFT');
  redirect(
    ctx,
    operatorPaths.PARTNER + viewer.partner._id,
    'You stopped viewing the partner’s portal.',
  );
}
