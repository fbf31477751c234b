import type { PartnerRole } from '../domain/partner-roles.ts';
import { inviteUser } from '../models/commands/invite-user.ts';
import type { PartnerDoc } from '../models/schemas/partner.ts';
import { invitationMail } from '../platform/portal-mails.ts';
import type { PageContext } from './context.ts';
import { deed } from './deeds.ts';
import type { PortalDeps } from './deps.ts';

/** Invites somebody to a partner and sends the mail. The trail keeps the role, never the address. */
export async function invite(
  deps: PortalDeps,
  ctx: PageContext<'user'>,
  { _id: partnerId, name: partnerName }: PartnerDoc,
  { email, role }: { email: string; role: PartnerRole },
): Promise<void> {
  const { kind, actorId: invitedBy } = ctx.state.viewer;
  const action = kind === 'partner' ? 'user.invite' : 'partner.invite';
  await deed(
    deps,
    ctx,
    { action, partnerId, targetId: null, details: { role } },
    async () => {
      const made = await inviteUser(deps, { partnerId, email, role, invitedBy });
      const { url } = deps.config.portal;
      await deps.sendMail(invitationMail(url, { to: email, partnerName, role }, made.token));
      return made;
    },
    ({ invitation }) => ({ targetId: invitation._id }),
  );
}
