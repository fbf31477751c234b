import { dayMs } from '../../domain/utc-days.ts';
import type { OperatorDoc, OperatorTokenDoc } from '../../models/schemas/people.ts';
import { newToken, sha256Hex } from '../../platform/hashing.ts';
import { newId } from '../../platform/ids.ts';

/** An operator with a new token in clear text, which is shown only once. */
export interface RevealedToken {
  operator: OperatorDoc;
  tokenId: string;
  token: string;
}

/** The creation time, lifetime in days, and id of a new token. */
export interface TokenTerms {
  now: () => number;
  tokenDays: number;
  tokenId?: string;
}

/** A new bearer token: in clear text for the response, and as a hash for the database. */
export function newOperatorToken({
  now,
  tokenDays,
  tokenId = newId('operatorToken'),
}: TokenTerms): { token: string; stored: OperatorTokenDoc } {
  const token = `admin_${newToken()}`;
  const stored: OperatorTokenDoc = {
    tokenId,
    hash: sha256Hex(token),
    createdAt: new Date(now()),
    expiresAt: new Date(now() + tokenDays * dayMs),
    lastUsedAt: null,
    lastUsedFrom: null,
    revokedAt: null,
  };
  return { token, stored };
}
