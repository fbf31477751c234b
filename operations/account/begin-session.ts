import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { findOwnUser } from '../../models/identity/own-user.ts';
import { endSession, startSession } from '../../models/identity/sessions.ts';
import type { Flash, SignedInBy } from '../../models/schemas/people.ts';
import type { AuditDeps } from '../deps.ts';
import { operation, ownAccount } from '../operation.ts';

/** How a user signed in, from where, and the hash of their password at that time. */
interface SignIn {
  signedInBy: SignedInBy;
  userAgent: string;
  address: string;
  passwordHash: string | null;
  /** The message on the first page. */
  flash?: Flash;
}

/** Starts a session for a user who has proven their identity. */
export const beginSession = operation({
  name: 'own-session.create',
  permission: ownAccount,
  secondFactor: 'NEVER',
  input: Joi.object<SignIn>({
    signedInBy: Joi.string().required(),
    userAgent: Joi.string().allow('').required(),
    address: Joi.string().allow('').required(),
    passwordHash: Joi.string().allow(null).required(),
    flash: Joi.object({ tone: Joi.string().required(), text: Joi.string().required() }),
  }),
  find: ({ models }, _input, { id }) => findOwnUser(models, id),
  approval: 'NONE',
  audit: ({ signedInBy }, { partnerId }) => ({
    partnerId,
    targetId: null,
    details: { signedInBy },
  }),

  /** @throws ServiceError CONFLICT if the password was changed in the meantime, which ended all other sessions */
  async run(deps: AuditDeps, { passwordHash, ...signIn }, { found: { _id } }) {
    const begun = await startSession(deps, { userId: _id, ...signIn });
    if (await deps.models.users.exists({ _id, passwordHash, disabledAt: null })) return begun;
    await endSession(deps, _id, begun.session._id);
    throw new ServiceError('CONFLICT', 'Your password was changed in the meantime. Sign in again.');
  },

  completion: ({ session }) => ({ targetId: session._id }),
});
