import { ServiceError } from '../../domain/errors.ts';
import { replacedTokenMs, serviceAccountState } from '../../domain/service-accounts.ts';
import { findServiceAccount, newServiceToken } from '../../models/identity/service-accounts.ts';
import type { AuditDeps } from '../deps.ts';
import { operation } from '../operation.ts';
import type { RevealedServiceAccount } from './create.ts';
import { serviceAccountKey } from './key.ts';

/**
 * Replaces the token of a service account. The previous token works for another day, so that a program can
 * switch without an outage; older ones stop immediately.
 */
export const rotateServiceAccount = operation({
  name: 'service-account.rotate',
  permission: { operator: null, user: 'service-account.change' },
  secondFactor: 'ALWAYS',
  input: serviceAccountKey,
  approval: 'NONE',
  find: ({ models }, { partnerId, serviceAccountId }) =>
    findServiceAccount(models, partnerId, serviceAccountId),
  audit: ({ serviceAccountId: targetId }, { partnerId }) => ({ partnerId, targetId }),

  /** @throws ServiceError CONFLICT for a revoked or expired account */
  async run(
    { models, now }: AuditDeps,
    { partnerId, serviceAccountId },
    { found },
  ): Promise<RevealedServiceAccount> {
    const at = new Date(now());
    const { token, stored } = newServiceToken(at);
    // One write based on the current tokens: after two concurrent rotations, the tokens of both work.
    const { matchedCount } =
      serviceAccountState(found, +at) !== 'ACTIVE'
        ? { matchedCount: 0 }
        : await models.serviceAccounts.collection.updateOne(
            { partnerId, _id: serviceAccountId, revokedAt: null },
            [
              {
                $set: {
                  tokens: {
                    $concatArrays: [
                      [stored],
                      [
                        {
                          $mergeObjects: [
                            { $arrayElemAt: ['$tokens', 0] },
                            { endsAt: new Date(+at + replacedTokenMs) },
                          ],
                        },
                      ],
                    ],
                  },
                },
              },
            ],
          );
    if (matchedCount === 0) {
      throw new ServiceError('CONFLICT', `${serviceAccountId} has ended. Create another one.`);
    }
    return { account: await findServiceAccount(models, partnerId, serviceAccountId), token };
  },
});
