import Joi from 'joi';
import type { InvitationDoc } from '../../models/schemas/people.ts';
import { type InvitationEnd, readInvitation } from '../../models/views/account.ts';
import { readPartner } from '../../models/views/partners.ts';
import { execute } from '../../operations/execute.ts';
import { acceptInvitation, invitedActor } from '../../operations/users.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { nameField, newPassword } from '../forms/fields.ts';
import { emptyForm, type Filled, type Problems } from '../forms/submit.ts';
import { invitationPage } from '../html/pages/invitations.ts';
import { render } from '../html/view.ts';
import { firstPath } from '../next-step.ts';
import type { Routes } from '../routing/route-table.ts';
import { signIn } from '../session/sign-in.ts';
import { TitledError } from '../titled-error.ts';

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

/** Accepting an invitation. */
export function invitationPages(routes: Routes): void {
  routes.page(spec, showInvitation);
  routes.action(spec, {
    schema: acceptSchema,
    check: checkPassword,
    act: accept,
    retry: showInvitation,
  });
}

/** Titles and texts for invitations that can't be accepted. */
const endWords: Readonly<Record<InvitationEnd, readonly [title: string, text: string]>> = {
  ACCEPTED: [
    'This invitation was already used',
    'Sign in with the email address it was sent to. If you didn’t use it yourself, ask whoever invited you for a new one.',
  ],
  EXPIRED: [
    'This invitation has expired',
    'An invitation can be accepted for seven days. Ask whoever invited you for a new one.',
  ],
  WITHDRAWN: [
    'This invitation was revoked or replaced',
    'If you were invited again, open the link in the newest email. Otherwise, ask whoever invited you for a new one.',
  ],
  UNKNOWN: [
    'We don’t recognize this invitation',
    'Some email programs break a long link in two. Open the link from the email again, or copy all of it. If that doesn’t help, ask whoever invited you for a new invitation.',
  ],
};

/** The invitation of the link. @throws TitledError saying how it ended */
async function findOpen(ctx: PageContext<'public'>, deps: PageDeps): Promise<InvitationDoc> {
  const read = await readInvitation(deps, param(ctx, 'token'));
  if (typeof read !== 'string') return read;
  const [title, text] = endWords[read];
  throw new TitledError('NOT_FOUND', title, text);
}

async function showInvitation(
  ctx: PageContext<'public'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const invitation = await findOpen(ctx, deps);
  const partner = await readPartner(deps, invitation.partnerId);
  render(ctx, invitationPage(ctx, invitation, partner, filled));
}

async function checkPassword(
  ctx: PageContext<'public'>,
  deps: PageDeps,
  { password }: Partial<{ password: string }>,
): Promise<Problems> {
  deps.throttle.tryAddress(ctx.state.address);
  const { email } = await findOpen(ctx, deps);
  return password?.toLowerCase() === email
    ? { password: 'Your password can’t be your email address.' }
    : {};
}

async function accept(
  ctx: PageContext<'public'>,
  deps: PageDeps,
  fields: { name: string; password: string },
): Promise<void> {
  const invitation = await findOpen(ctx, deps);
  const { partnerId, role } = invitation;
  const actor = invitedActor(invitation, ctx.state.requestId);
  const user = await execute(deps, acceptInvitation, actor, {
    invitationId: invitation._id,
    ...fields,
  });
  await signIn(deps, ctx, user, 'INVITATION', {
    tone: 'good',
    text: 'Welcome. You are signed in.',
  });
  redirect(ctx, await firstPath(deps, await readPartner(deps, partnerId), role));
}
