import type { InvitationDoc } from '../../models/schemas/people.ts';
import { invitePartner } from '../../operations/partners/invite.ts';
import type { OperationRoutes } from './operation-routes.ts';

/** An invitation without its token, which only the email contains. */
function presentInvitation({ _id, partnerId, email, role, expiresAt }: InvitationDoc) {
  return { invitationId: _id, partnerId, email, role, expiresAt };
}

/** Invites a partner's first owner, who invites the other users. */
export function invitationRoutes(operations: OperationRoutes): void {
  operations.route('post', '/partners/:partnerId/invitations', invitePartner, {
    body: true,
    respond: (invitation) => ({ status: 201, body: presentInvitation(invitation) }),
  });
}
