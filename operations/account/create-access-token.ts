import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { dayMs } from '../../domain/utc-days.ts';
import { maxAccessTokens } from '../../models/identity/access-tokens.ts';
import type { AccessTokenDoc } from '../../models/schemas/people.ts';
import { newToken, sha256Hex } from '../../platform/hashing.ts';
import { newId } from '../../platform/ids.ts';
import type { AuditDeps } from '../deps.ts';
import { idField, shortText } from '../fields.ts';
import { operation } from '../operation.ts';

interface AccessTokenFields {
  partnerId: string;
  userId: string;
  name: string;
  days: number;
}

/** Creates a token with which a program acts in its user's name. */
export const createAccessToken = operation({
  name: 'own-access-token.create',
  permission: { operator: null, user: 'read' },
  // It outlives the browser session, so creating one needs a fresh second factor.
  secondFactor: 'ALWAYS',
  input: Joi.object<AccessTokenFields>({
    partnerId: idField,
    userId: idField,
    name: shortText(100).required(),
    days: Joi.number().integer().min(1).max(90).required(),
  }),
  find: () => null,
  approval: 'NONE',
  audit: ({ partnerId, days }) => ({ partnerId, targetId: null, details: { days } }),

  /**
   * @returns the token in clear, which is not stored
   * @throws ServiceError CONFLICT for a user who has the maximum number of tokens
   */
  async run(
    { models, now }: AuditDeps,
    { partnerId, userId, name, days },
    { actor },
  ): Promise<{ accessToken: AccessTokenDoc; token: string }> {
    if (actor.kind === 'user' && userId !== actor.id) {
      throw new ServiceError('FORBIDDEN', 'You can create tokens only for yourself.');
    }
    const token = `pat_${newToken()}`;
    const accessToken: AccessTokenDoc = {
      _id: newId('accessToken'),
      partnerId,
      userId,
      name,
      tokenHash: sha256Hex(token),
      createdAt: new Date(now()),
      expiresAt: new Date(now() + days * dayMs),
      lastUsedAt: null,
      lastUsedFrom: null,
    };
    const { _id, createdAt } = accessToken;
    await models.accessTokens.create(accessToken);
    // Counted after the insert, so that concurrent requests cannot exceed the maximum.
    const held = await models.accessTokens.countDocuments({
      userId,
      expiresAt: { $gt: createdAt },
    });
    if (held <= maxAccessTokens) return { accessToken, token };
    await models.accessTokens.deleteOne({ _id, userId });
    throw new ServiceError(
      'CONFLICT',
      `You have ${maxAccessTokens} access tokens already. Revoke one that is no longer used.`,
    );
  },

  completion: ({ accessToken: { _id: targetId } }) => ({ targetId }),
});
