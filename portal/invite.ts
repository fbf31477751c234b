import type { PartnerRole } from '../domain/partner-roles.ts';
import { inviteUser } from '../models/commands/invite-user.ts';
import type { PageContext } from './context.ts';
import { deed } from './deeds.ts';
import type { PortalDeps } from './deps.ts';

/** Invites somebody to a partner. The trail keeps the role, never the address. */
export async function invite(
  deps: PortalDeps,
  ctx: PageContext<'user'>,
  { partnerId, email, role }: { partnerId: string; email: string; role: PartnerRole },
): Promise<void> {
  const { kind, actorId: invitedBy } = ctx.state.viewer;
  const action = kind === 'partner' ? 'user.invite' : 'partner.invite';
  await deed(
    deps,
    ctx,
    { action, partnerId, targetId: null, details: { role } },
    () =>
      inviteUser(
        { ...deps, portalUrl: deps.config.portal.url },
        { partnerId, email, role, invitedBy },
      ),
    ({ _id: targetId }) => ({ targetId }),
  );
}
