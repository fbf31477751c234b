import Joi from 'joi';
import type { Mode } from '../../domain/mode.ts';
import { findCredential } from '../../models/identity/credentials.ts';
import { idField } from '../fields.ts';
import { sensitiveOperation } from '../operation.ts';
import { addSecret, type SecretDeps } from './add-secret.ts';

/** Gives a key one more signing secret, so that a partner changes over without an outage. */
export const rotateCredential = sensitiveOperation({
  name: 'credential.rotate',
  permission: {
    operator: 'credential.rotate',
    user: { TEST: 'credential.test', LIVE: 'credential.live' },
  },
  secondFactor: 'LIVE',
  input: Joi.object<{ credentialId: string }>({ credentialId: idField }),
  find: ({ models }, { credentialId }) => findCredential(models, credentialId),
  approval: {
    facts: (_deps, _input, { partnerId, mode }) => ({ partnerId, mode }),
    needed: ({ mode }: { mode: Mode }) => mode === 'LIVE',
  },
  audit: ({ credentialId }, { partnerId }) => ({ targetId: credentialId, partnerId }),

  /** @throws ServiceError CONFLICT when the key is revoked or has two secrets already */
  run: (deps: SecretDeps, { credentialId }, { idOf }) =>
    addSecret(deps, credentialId, idOf('secret')),

  completion: ({ secretId }) => ({ details: { secretId } }),
});
