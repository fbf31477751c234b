import Joi from 'joi';
import { findOwnUser } from '../../models/identity/own-user.ts';
import { endSession, endSessions } from '../../models/identity/sessions.ts';
import { requireFound } from '../../models/store/require-found.ts';
import type { AuditDeps } from '../deps.ts';
import { operation, ownAccount } from '../operation.ts';

/** Ends one of one's own sessions, or all others. */
export const endOwnSessions = operation({
  name: 'own-session.revoke',
  permission: ownAccount,
  secondFactor: 'NEVER',
  input: Joi.object<{ sessionId: string } | { allBut: string }>({
    sessionId: Joi.string(),
    allBut: Joi.string(),
  }).xor('sessionId', 'allBut'),
  async find({ models }, which, { id }) {
    const user = await findOwnUser(models, id);
    if ('allBut' in which) return { ...user, targetId: user._id };
    const session = await models.sessions.findOne({ _id: which.sessionId, userId: user._id });
    return { ...user, targetId: requireFound(session, 'session', which.sessionId)._id };
  },
  approval: 'NONE',
  audit: (_input, { partnerId, targetId }) => ({ partnerId, targetId }),

  async run({ models }: Pick<AuditDeps, 'models'>, which, { found: { _id: userId } }) {
    if ('allBut' in which) await endSessions({ models }, userId, which.allBut);
    else await endSession({ models }, userId, which.sessionId);
  },
});
