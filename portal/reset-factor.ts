import { resetSecondFactor } from '../models/commands/reset-second-factor.ts';
import type { UserDoc } from '../models/schemas/user.ts';
import type { PageContext } from './context.ts';
import { deed } from './deeds.ts';
import type { PortalDeps } from './deps.ts';

/** Takes the second factor from a partner's user, under the name of who is signed in. */
export async function resetFactor(
  deps: PortalDeps,
  ctx: PageContext<'partner' | 'operator'>,
  user: UserDoc & { partnerId: string },
): Promise<void> {
  const { kind, actorId } = ctx.state.viewer;
  const by = { actorIds: [actorId], kind: kind === 'partner' ? 'owner' : 'operator' } as const;
  const { partnerId, _id: targetId } = user;
  await deed(deps, ctx, { action: 'user.reset-second-factor', partnerId, targetId }, () =>
    resetSecondFactor({ ...deps, portalUrl: deps.config.portal.url }, user, by),
  );
}
