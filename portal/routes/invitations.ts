import Joi from 'joi';
import { findInvitation, invitedUserId } from '../../models/identity/invitations.ts';
import { readPartner } from '../../models/views/partners.ts';
import { execute } from '../../operations/execute.ts';
import { acceptInvitation } from '../../operations/users/accept-invitation.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { nameField, newPassword } from '../forms/fields.ts';
import { emptyForm, FieldError, type Filled } from '../forms/submit.ts';
import { invitationPage } from '../html/pages/invitations.ts';
import { render } from '../html/view.ts';
import type { Routes } from '../routing/route-table.ts';
import { signIn } from '../session/sign-in.ts';

const acceptSchema = Joi.object<{ name: string; password: string }>({
  name: nameField.required(),
  password: newPassword.required(),
});
const spec = {
  path: '/invitations/:token',
  params: { token: 'invitationToken' },
  audience: 'public',
  permission: null,
} as const;

/** Who was invited says who they are, and is in. */
export function invitationPages(routes: Routes): void {
  routes.page(spec, showInvitation);
  routes.action(spec, { schema: acceptSchema, act: accept, retry: showInvitation });
}

async function showInvitation(
  ctx: PageContext<'public'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const invitation = await findInvitation(deps, param(ctx, 'token'));
  const partner = await readPartner(deps, invitation.partnerId);
  render(ctx, invitationPage(ctx, invitation, partner, filled));
}

async function accept(
  ctx: PageContext<'public'>,
  deps: PageDeps,
  fields: { name: string; password: string },
): Promise<void> {
  deps.throttle.tryAddress(ctx.state.address);
  const invitation = await findInvitation(deps, param(ctx, 'token'));
  if (fields.password.toLowerCase() === invitation.email) {
    throw new FieldError('password', 'Your password must not be your address.');
  }
  const { partnerId, role } = invitation;
  const { requestId } = ctx.state;
  const id = invitedUserId(invitation);
  const actor = { kind: 'user', id, role, partnerId, requestId, factor: null } as const;
  const user = await execute(deps, acceptInvitation, actor, {
    invitationId: invitation._id,
    ...fields,
  });
  await signIn(deps, ctx, user, 'INVITATION', { tone: 'good', text: 'Welcome. You are in.' });
  redirect(ctx, '/');
}
