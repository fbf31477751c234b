import { dayMs } from './utc-days.ts';

/** What a service account may read of its partner. It never writes. */
export const serviceAccountScopes = ['log:read', 'rewards:read'] as const;
export type ServiceAccountScope = (typeof serviceAccountScopes)[number];

/** The most working accounts of a partner. */
export const maxServiceAccounts = 20;

/** How long a replaced token still works, so that programs can be updated without an outage. */
export const replacedTokenMs = dayMs;

/** An account works until it is revoked or its chosen expiry passes. */
export type ServiceAccountState = 'ACTIVE' | 'EXPIRED' | 'REVOKED';

export function serviceAccountState(
  { revokedAt, expiresAt }: { revokedAt: Date | null; expiresAt: Date | null },
  nowMs: number,
): ServiceAccountState {
  if (revokedAt !== null) return 'REVOKED';
  return expiresAt !== null && expiresAt.getTime() <= nowMs ? 'EXPIRED' : 'ACTIVE';
}
