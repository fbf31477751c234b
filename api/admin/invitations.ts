import type { Router } from '@koa/router';
import Joi from 'joi';
import { type PartnerRole, partnerRoles } from '../../domain/partner-roles.ts';
import { findPartner } from '../../models/commands/find.ts';
import { inviteUser } from '../../models/commands/invite-user.ts';
import type { InvitationDoc } from '../../models/schemas/invitation.ts';
import type { ApiDeps } from '../deps.ts';
import { type AdminState, bodyOf, jsonBody, param } from './context.ts';
import { deed } from './deeds.ts';
import { permit } from './permit.ts';

const inviteSchema = Joi.object<{ email: string; role: PartnerRole }>({
  email: Joi.string().email({ tlds: false }).max(255).required(),
  role: Joi.string()
    .valid(...partnerRoles)
    .default('owner'),
});

/** Without the token: it is in the mail alone. */
function presentInvitation({ _id, partnerId, email, role, expiresAt }: InvitationDoc) {
  return { invitationId: _id, partnerId, email, role, expiresAt };
}

/** How a partner gets its first owner, who invites the others. */
export function invitationRoutes(router: Router<AdminState>, deps: ApiDeps): void {
  router.post(
    '/partners/:partnerId/invitations',
    permit('partner.invite'),
    jsonBody,
    async (ctx) => {
      const { email, role } = bodyOf(ctx, inviteSchema);
      const { _id: partnerId } = await findPartner(deps.models, param(ctx, 'partnerId'));
      const { adminId: invitedBy } = ctx.state.admin;
      const invitation = await deed(
        deps,
        ctx,
        { action: 'partner.invite', targetId: null, partnerId, details: { role } },
        () =>
          inviteUser(
            { ...deps, portalUrl: deps.config.portal.url },
            { partnerId, email, role, invitedBy },
          ),
        ({ _id: targetId }) => ({ targetId }),
      );
      ctx.status = 201;
      ctx.body = presentInvitation(invitation);
    },
  );
}
