import Joi from 'joi';
import { findCredential } from '../../models/identity/credentials.ts';
import type { AuditDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';

/** Ends an API key with all its secrets. Revoking it again keeps the first time. */
export const revokeCredential = operation({
  name: 'credential.revoke',
  permission: {
    operator: 'credential.revoke',
    user: { TEST: 'credential.test', LIVE: 'credential.live' },
  },
  secondFactor: 'LIVE',
  input: Joi.object<{ credentialId: string }>({ credentialId: idField }),
  approval: 'NONE',
  find: ({ models }, { credentialId }) => findCredential(models, credentialId),
  audit: ({ credentialId }, { partnerId }) => ({ targetId: credentialId, partnerId }),

  async run({ models, now }: AuditDeps, { credentialId }, { found: { partnerId } }) {
    await models.credentials.updateOne(
      { partnerId, _id: credentialId, revokedAt: null },
      { $set: { revokedAt: new Date(now()) } },
    );
    return await findCredential(models, credentialId);
  },
});
