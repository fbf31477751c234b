import Joi from 'joi';
import {
  acceptInvitation,
  findInvitation,
  invitedUserId,
} from '../../models/commands/accept-invitation.ts';
import { carryOut } from '../../models/commands/deeds.ts';
import { findPartner } from '../../models/commands/find.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PortalDeps } from '../deps.ts';
import { nameField, newPassword } from '../fields.ts';
import { emptyForm, FieldError, type Filled } from '../forms.ts';
import { field, form } from '../html/form.ts';
import { html } from '../html/html.ts';
import { view } from '../html/view.ts';
import type { Routes } from '../route-table.ts';
import { signIn } from '../sign-in.ts';

const acceptSchema = Joi.object<{ name: string; password: string }>({
  name: nameField.required(),
  password: newPassword.required(),
});

/** Who was invited says who they are, and is in. */
export function invitationPages(routes: Routes, deps: PortalDeps): void {
  const { models } = deps;
  const spec = {
    path: '/invitations/:token',
    params: { token: 'invitationToken' },
    audience: 'public',
    permission: null,
  } as const;

  async function show(ctx: PageContext<'public'>, filled: Filled = emptyForm) {
    const invitation = await findInvitation(deps, param(ctx, 'token'));
    const partner = await findPartner(models, invitation.partnerId);
    view(
      ctx,
      {
        title: `Join ${partner.name}`,
        lead: html`You are invited as ${invitation.role}, and sign in as <strong>${invitation.email}</strong>.`,
      },
      html`<div class="card narrow">${form(
        ctx,
        { action: ctx.path, submit: 'Join', filled },
        field({
          ...{ name: 'name', label: 'Your name', autocomplete: 'name', filled },
          ...{ isRequired: true, maxLength: 100 },
        }),
        field({
          ...{ name: 'password', label: 'Password', type: 'password', filled, isRequired: true },
          ...{ autocomplete: 'new-password', hint: 'At least 12 characters.' },
        }),
      )}</div>`,
    );
  }

  routes.page(spec, (ctx) => show(ctx));

  routes.action(spec, {
    schema: acceptSchema,
    async act(ctx, fields) {
      const invitation = await findInvitation(deps, param(ctx, 'token'));
      if (fields.password.toLowerCase() === invitation.email) {
        throw new FieldError('password', 'Your password must not be your address.');
      }
      const { partnerId, role } = invitation;
      const userId = invitedUserId(invitation);
      const user = await carryOut(
        deps,
        { actorId: userId, approvedBy: null, requestId: ctx.state.requestId },
        { action: 'user.accept-invitation', partnerId, targetId: userId, details: { role } },
        () => acceptInvitation(deps, invitation, fields),
      );
      await signIn(deps, ctx, user, 'INVITATION', { tone: 'good', text: 'Welcome. You are in.' });
      redirect(ctx, '/');
    },
    retry: show,
  });
}
