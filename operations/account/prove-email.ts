import Joi from 'joi';
import { findSelfInSession } from '../../models/identity/own-user.ts';
import { idField } from '../fields.ts';
import { operation, ownAccount } from '../operation.ts';
import { type ProofDeps, takeProofCode } from '../proof-codes.ts';

/** Enters the emailed code, which proves that the signed-in person can read the user's email. */
export const proveEmail = operation({
  name: 'own-email.prove',
  permission: ownAccount,
  secondFactor: 'NEVER',
  input: Joi.object<{ sessionId: string; code: string }>({
    sessionId: idField,
    code: Joi.string().trim().max(20).required(),
  }),
  find: ({ models }, { sessionId }, { id }) => findSelfInSession(models, id, sessionId),
  approval: 'NONE',
  audit: ({ sessionId: targetId }, { user: { partnerId } }) => ({ partnerId, targetId }),

  /** @throws ServiceError VALIDATION_FAILED for a wrong code, after too many attempts, and once it has expired */
  async run(deps: ProofDeps, { code }, { found: { session } }): Promise<void> {
    const proof = { kind: 'emailCode', of: session._id, code } as const;
    const { codeHash } = await takeProofCode(deps, proof);
    await deps.models.sessions.updateOne(
      { _id: session._id, 'emailCode.codeHash': codeHash },
      { $set: { emailProvenAt: new Date(deps.now()), emailCode: null } },
    );
  },
});
