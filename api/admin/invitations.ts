import type { Router } from '@koa/router';
import Joi from 'joi';
import { type PartnerRole, partnerRoles } from '../../domain/partner-roles.ts';
import { findPartner } from '../../models/commands/find.ts';
import type { InvitationDoc } from '../../models/schemas/invitation.ts';
import type { ApiDeps } from '../deps.ts';
import { type AdminState, bodyOf, jsonBody, param } from './context.ts';
import type { FourEyesGuard } from './four-eyes.ts';
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
export function invitationRoutes(
  router: Router<AdminState>,
  { models }: ApiDeps,
  fourEyes: FourEyesGuard,
): void {
  const invite = fourEyes.guard('partner.invite', (invitation) => ({
    status: 201,
    body: presentInvitation(invitation),
  }));

  router.post(
    '/partners/:partnerId/invitations',
    permit('partner.invite'),
    jsonBody,
    async (ctx) => {
      const fields = bodyOf(ctx, inviteSchema);
      const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
      await invite(ctx, { partnerId, ...fields });
    },
  );
}
