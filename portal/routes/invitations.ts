import Joi from 'joi';
import type { InvitationDoc } from '../../models/schemas/invitation.ts';
import { type InvitationEnd, readInvitation } from '../../models/views/invitations.ts';
import { readPartner } from '../../models/views/partners.ts';
import { execute } from '../../operations/execute.ts';
import { acceptInvitation, invitedActor } from '../../operations/users/accept-invitation.ts';
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
import { type PlainKey, say } from '../words/say.ts';

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
const endWords: Readonly<Record<InvitationEnd, readonly [title: PlainKey, text: PlainKey]>> = {
  ACCEPTED: ['invitations.accepted.title', 'invitations.accepted.text'],
  EXPIRED: ['invitations.expired.title', 'invitations.expired.text'],
  WITHDRAWN: ['invitations.withdrawn.title', 'invitations.withdrawn.text'],
  UNKNOWN: ['invitations.unknown.title', 'invitations.unknown.text'],
};

/** The invitation of the link. @throws TitledError saying how it ended */
async function findOpen(ctx: PageContext<'public'>, deps: PageDeps): Promise<InvitationDoc> {
  const read = await readInvitation(deps, param(ctx, 'token'));
  if (typeof read !== 'string') return read;
  const [title, text] = endWords[read];
  throw new TitledError('NOT_FOUND', say(title), say(text));
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
    ? { password: say('invitations.checkPassword.text') }
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
    text: say('invitations.accept.text'),
  });
  redirect(ctx, await firstPath(deps, await readPartner(deps, partnerId), role));
}
