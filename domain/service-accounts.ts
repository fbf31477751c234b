import { dayMs } from './utc-days.ts';

/** What a service account may read of its partner; it never writes. */
export const serviceAccountScopes = ['log:read', 'rewards:read'] as const;
export type ServiceAccountScope = (typeof serviceAccountScopes)[number];

/** More a partner never has that work. */
export const maxServiceAccounts = 20;

/** A token that was replaced works so much longer, so that a program changes over without an outage. */
export const replacedTokenMs = dayMs;

/** Whether an account works: until it is revoked, or until the day that was chosen for it. */
export type ServiceAccountState = 'ACTIVE' | 'EXPIRED' | 'REVOKED';

export function serviceAccountState(
  { revokedAt, expiresAt }: { revokedAt: Date | null; expiresAt: Date | null },
  nowMs: number,
): ServiceAccountState {
  if (revokedAt !== null) return 'REVOKED';
  return expiresAt !== null && expiresAt.getTime() <= nowMs ? 'EXPIRED' : 'ACTIVE';
}
