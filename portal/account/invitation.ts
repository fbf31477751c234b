import Joi from 'joi';
import { param } from '../../http/context.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import type { InvitationDoc } from '../../models/schemas/people.ts';
import { execute } from '../../operations/execute.ts';
import { acceptInvitation, invitedActor } from '../../operations/users.ts';
import { type InvitationEnd, readInvitation } from '../../views/account.ts';
import { readPartner } from '../../views/partners.ts';
import { field, form } from '../components/form.ts';
import { html, nothing } from '../components/format.ts';
import { type Page, page, render } from '../components/view.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { nameField, newPassword } from '../forms/fields.ts';
import { type Filled, filledWith, type Problems } from '../forms/submit.ts';
import { firstPath } from '../next-step.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { signIn } from '../session/sign-in.ts';
import { TitledError } from '../titled-error.ts';

interface Accepted {
  name: string;
  /** Absent if people sign in at the identity provider. */
  password?: string;
}

const acceptSchema = Joi.object<Accepted>({ name: nameField.required(), password: newPassword });

/** Accepting an invitation. */
export function invitationPages(routes: RoutesOf<'public'>): void {
  const ofInvitation = { params: { token: 'invitationToken' } } as const;
  routes.page('/invitations/:token', showInvitation, ofInvitation);
  routes.action(
    '/invitations/:token',
    { schema: acceptSchema, check: checkPassword, act: accept, retry: showInvitation },
    ofInvitation,
  );
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
  given?: Filled,
): Promise<void> {
  const invitation = await findOpen(ctx, deps);
  const partner = await readPartner(deps, invitation.partnerId);
  const { hasPasswords } = deps.config;
  const filled = given ?? filledWith({ name: nameIn(invitation.email) });
  render(ctx, invitationPage(ctx, { invitation, partner, hasPasswords, filled }));
}

/** The name that an address probably spells: `ann.lee@…` is Ann Lee's; empty if it spells none. */
function nameIn(email: string): string {
  const [local = ''] = email.split('@');
  if (!/^\p{L}{2,}([._-]\p{L}{2,})*$/u.test(local)) return '';
  const words = local.split(/[._-]/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
}

async function checkPassword(
  ctx: PageContext<'public'>,
  deps: PageDeps,
  { password }: Partial<Accepted>,
): Promise<Problems> {
  deps.throttle.tryAddress(ctx.state.address);
  const { email } = await findOpen(ctx, deps);
  if (!deps.config.hasPasswords) return {};
  if (password === undefined) return { password: 'Enter a password.' };
  return password.toLowerCase() === email
    ? { password: 'Your password can’t be your email address.' }
    : {};
}

async function accept(
  ctx: PageContext<'public'>,
  deps: PageDeps,
  { name, password }: Accepted,
): Promise<void> {
  const invitation = await findOpen(ctx, deps);
  const { partnerId, role } = invitation;
  const actor = invitedActor(invitation, ctx.state.requestId);
  const { hasPasswords } = deps.config;
  const user = await execute(deps, acceptInvitation, actor, {
    invitationId: invitation._id,
    name,
    ...(hasPasswords && { password }),
  });
  if (!hasPasswords) return redirect(ctx, '/sign-in/sso');
  await signIn(deps, ctx, user, 'INVITATION', {
    tone: 'good',
    text: 'Welcome. You are signed in.',
  });
  redirect(ctx, await firstPath(deps, await readPartner(deps, partnerId), role));
}

interface InvitationOptions {
  invitation: InvitationDoc;
  partner: PartnerDoc;
  hasPasswords: boolean;
  filled: Filled;
}

function invitationPage(
  ctx: PageContext<'public'>,
  { invitation, partner, hasPasswords, filled }: InvitationOptions,
): Page {
  return page(
    {
      title: `Join ${partner.name}`,
      lead: html`You are invited as ${invitation.role}, and sign in as <strong>${invitation.email}</strong>.`,
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: ctx.path, submit: 'Join', filled },
      field({
        name: 'name',
        label: 'Your name',
        autocomplete: 'name',
        filled,
        isRequired: true,
        maxLength: 100,
      }),
      hasPasswords
        ? field({
            name: 'password',
            label: 'Password',
            type: 'password',
            filled,
            isRequired: true,
            autocomplete: 'new-password',
            hint: 'At least 12 characters.',
          })
        : nothing,
    )}</div>`,
  );
}
