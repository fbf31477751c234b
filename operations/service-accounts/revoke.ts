import { findServiceAccount } from '../../models/identity/service-accounts.ts';
import type { AuditDeps } from '../deps.ts';
import { operation } from '../operation.ts';
import { serviceAccountKey } from './key.ts';

/** Revokes a service account with its tokens, from the next request on. Revoking it again keeps the first time. */
export const revokeServiceAccount = operation({
  name: 'service-account.revoke',
  permission: { operator: 'service-account.revoke', user: 'service-account.change' },
  secondFactor: 'NEVER',
  input: serviceAccountKey,
  approval: 'NONE',
  find: ({ models }, { partnerId, serviceAccountId }) =>
    findServiceAccount(models, partnerId, serviceAccountId),
  audit: ({ serviceAccountId: targetId }, { partnerId }) => ({ partnerId, targetId }),

  async run({ models, now }: AuditDeps, { partnerId, serviceAccountId }) {
    await models.serviceAccounts.updateOne(
      { partnerId, _id: serviceAccountId, revokedAt: null },
      { $set: { revokedAt: new Date(now()) } },
    );
    return await findServiceAccount(models, partnerId, serviceAccountId);
  },
});
