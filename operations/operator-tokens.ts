import Joi from 'joi';
import { ServiceError } from '../domain/errors.ts';
import { maxActiveTokens } from '../domain/partners.ts';
import { dayMs } from '../domain/utc-days.ts';
import { findOperator } from '../models/identity/operators.ts';
import type { OperatorDoc, OperatorTokenDoc } from '../models/schemas/people.ts';
import { newToken, sha256Hex } from '../platform/hashing.ts';
import { newId } from '../platform/ids.ts';
import { type NotifyDeps, notifyOfChange } from './account.ts';
import type { AuditLogDeps } from './deps.ts';
import { idField } from './fields.ts';
import { operation } from './operation.ts';

/**
 * Notifies an operator with an email address of a change.
 * @param what a sentence
 */
export async function notifyOperator(
  deps: NotifyDeps,
  operatorId: string,
  what: string,
): Promise<void> {
  const user = await deps.models.users.findOne({ operatorId, email: { $ne: null } });
  if (!user) return;
  await notifyOfChange(deps, user, what);
}

/** How long a token is valid: a quarter, since whoever uses one can make the next without an outage. */
export const tokenDays = 90;

/** An operator with a new token in clear text, which is shown only once. */
export interface RevealedToken {
  operator: OperatorDoc;
  tokenId: string;
  token: string;
}

/** The creation time and id of a new token. */
export interface TokenTerms {
  now: () => number;
  tokenId?: string;
}

/** A new bearer token: in clear text for the response, and as a hash for the database. */
export function newOperatorToken({ now, tokenId = newId('operatorToken') }: TokenTerms): {
  token: string;
  stored: OperatorTokenDoc;
} {
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

/** The number of newest tokens, including ended ones, in an operator's document. */
const keptTokens = 20;

/**
 * Adds a token to an operator; the previous one works until it is revoked or expires. An unused token with
 * the same id is replaced, because the response with it was lost.
 * @throws ServiceError NOT_FOUND, or CONFLICT if the operator is revoked, has two active tokens, or has
 *   used the token with this id
 */
export async function addToken(
  { models, now }: AuditLogDeps,
  operatorId: string,
  tokenId?: string,
): Promise<RevealedToken> {
  await findOperator(models, operatorId);
  const { token, stored } = newOperatorToken({
    now,
    ...(tokenId !== undefined && { tokenId }),
  });
  const replaced = await models.operators.findOneAndUpdate(
    {
      _id: operatorId,
      revokedAt: null,
      tokens: { $elemMatch: { tokenId: stored.tokenId, lastUsedAt: null, revokedAt: null } },
    },
    { $set: { 'tokens.$': stored } },
    { returnDocument: 'after' },
  );
  const operator =
    replaced ??
    (await models.operators.findOneAndUpdate(
      {
        _id: operatorId,
        revokedAt: null,
        'tokens.tokenId': { $ne: stored.tokenId },
        $expr: { $lt: [activeTokenCount(now()), maxActiveTokens] },
      },
      { $push: { tokens: { $each: [stored], $slice: -keptTokens } } },
      { returnDocument: 'after' },
    ));
  if (operator) return { operator, tokenId: stored.tokenId, token };
  throw new ServiceError(
    'CONFLICT',
    `${operatorId} is revoked, or has ${maxActiveTokens} active tokens. Revoke one first.`,
  );
}

/** The write is conditional on this count, so that concurrent rotations cannot add a third token. */
function activeTokenCount(at: number) {
  const cond = {
    $and: [{ $eq: ['$$this.revokedAt', null] }, { $gt: ['$$this.expiresAt', new Date(at)] }],
  };
  return { $size: { $filter: { input: '$tokens', cond } } };
}

/** Creates another token of one's own. */
export const rotateOwnToken = operation({
  name: 'own-token.rotate',
  permission: { operator: 'own-token.rotate', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<object>({}),
  find: () => ({ tokenId: newId('operatorToken') }),
  approval: 'NONE',
  audit: (_input, { tokenId }, { id }) => ({
    partnerId: null,
    targetId: id,
    details: { tokenId },
  }),

  /** @throws ServiceError CONFLICT for an operator with two active tokens */
  async run(
    deps: NotifyDeps,
    _input,
    { actor: { id }, found: { tokenId } },
  ): Promise<RevealedToken> {
    const revealed = await addToken(deps, id, tokenId);
    await notifyOperator(deps, id, `The operator’s token ${tokenId} was created for you.`);
    return revealed;
  },
});

/**
 * Revokes a token, with immediate effect. Revoking it again keeps the first time.
 * @throws ServiceError NOT_FOUND
 */
export async function endToken(
  { models, now }: AuditLogDeps,
  { _id: operatorId, tokens }: OperatorDoc,
  tokenId: string,
): Promise<OperatorDoc> {
  if (!tokens.some((token) => token.tokenId === tokenId)) {
    throw new ServiceError('NOT_FOUND', `${operatorId} has no token ${JSON.stringify(tokenId)}.`);
  }
  await models.operators.updateOne(
    { _id: operatorId, tokens: { $elemMatch: { tokenId, revokedAt: null } } },
    { $set: { 'tokens.$.revokedAt': new Date(now()) } },
  );
  return await findOperator(models, operatorId);
}

/** Revokes one of one's own tokens. */
export const revokeOwnToken = operation({
  name: 'own-token.revoke',
  permission: { operator: 'own-token.revoke', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ tokenId: string }>({ tokenId: idField }),
  find: ({ models }, _input, { id }) => findOperator(models, id),
  approval: 'NONE',
  audit: ({ tokenId }, _found, { id }) => ({
    partnerId: null,
    targetId: id,
    details: { tokenId },
  }),

  /** @throws ServiceError NOT_FOUND */
  async run(deps: NotifyDeps, { tokenId }, { found }) {
    const operator = await endToken(deps, found, tokenId);
    await notifyOperator(
      deps,
      found._id,
      `Your operator’s token ${tokenId} was revoked from your own account.`,
    );
    return operator;
  },
});

/** Revokes another operator's token. */
export const revokeOperatorToken = operation({
  name: 'operator.revoke-token',
  permission: { operator: 'operator.revoke-token', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ operatorId: string; tokenId: string }>({
    operatorId: idField,
    tokenId: idField,
  }),
  find: ({ models }, { operatorId }) => findOperator(models, operatorId),
  approval: 'NONE',
  audit: ({ operatorId, tokenId }) => ({
    partnerId: null,
    targetId: operatorId,
    details: { tokenId },
  }),

  /** @throws ServiceError NOT_FOUND */
  async run(deps: NotifyDeps, { operatorId, tokenId }, { found }) {
    const operator = await endToken(deps, found, tokenId);
    await notifyOperator(
      deps,
      operatorId,
      `Your operator’s token ${tokenId} was revoked by another operator.`,
    );
    return operator;
  },
});
