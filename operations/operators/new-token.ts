import { dayMs } from '../../domain/utc-days.ts';
import type { OperatorDoc, OperatorTokenDoc } from '../../models/schemas/operator.ts';
import { newToken, sha256Hex } from '../../platform/hashing.ts';
import { newId } from '../../platform/ids.ts';

/** An operator with a fresh token, shown this once. */
export interface RevealedToken {
  operator: OperatorDoc;
  tokenId: string;
  token: string;
}

/** How a token is made: when, for how many days, and under which id. */
export interface TokenTerms {
  now: () => number;
  tokenDays: number;
  tokenId?: string;
}

/** A fresh bearer token: in clear for the one who asked, as its hash for the database. */
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
