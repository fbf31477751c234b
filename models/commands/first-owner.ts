import type { Models } from '../schemas/index.ts';

/**
 * Whether an owner invited now would be the partner's first: it is not live, has no owner, and nobody
 * is invited as one.
 */
export async function isFirstOwner(models: Models, partnerId: string): Promise<boolean> {
  const [isLive, hasOwner, isInvited] = await Promise.all([
    models.partners.exists({ _id: partnerId, 'goLive.state': 'LIVE' }),
    models.users.exists({ partnerId, role: 'owner', disabledAt: null }),
    models.invitations.exists({ partnerId, role: 'owner' }),
  ]);
  return !isLive && !hasOwner && !isInvited;
}
