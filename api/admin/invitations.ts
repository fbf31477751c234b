import type { InvitationDoc } from '../../models/schemas/invitation.ts';
import { invitePartner } from '../../operations/partners/invite.ts';
import type { OperationRoutes } from './operation-routes.ts';

/** Without the token: it is in the mail alone. */
function presentInvitation({ _id, partnerId, email, role, expiresAt }: InvitationDoc) {
  return { invitationId: _id, partnerId, email, role, expiresAt };
}

/** How a partner gets its first owner, who invites the others. */
export function invitationRoutes(operations: OperationRoutes): void {
  operations.route('post', '/partners/:partnerId/invitations', invitePartner, {
    body: true,
    answer: (invitation) => ({ status: 201, body: presentInvitation(invitation) }),
  });
}
