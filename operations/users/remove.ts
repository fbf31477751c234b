import Joi from 'joi';
import { endAccessTokens } from '../../models/identity/access-tokens.ts';
import { endInvitations } from '../../models/identity/end-invitations.ts';
import { endSessions } from '../../models/identity/sessions.ts';
import { findUser, requireOwner } from '../../models/identity/users.ts';
import { type NotifyDeps, notifyOfChange } from '../account/notify-of-change.ts';
import type { AuditDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';

/**
 * Removes a user from a partner, with all sessions, access tokens and open invitations. The name stays for
 * the audit log; the address is removed, and can be invited again.
 */
export const removeUser = operation({
  name: 'user.remove',
  permission: { operator: null, user: 'user.remove' },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ partnerId: string; userId: string }>({ partnerId: idField, userId: idField }),
  find: ({ models }, { partnerId, userId }) => findUser(models, partnerId, userId),
  approval: 'NONE',
  audit: ({ partnerId, userId: targetId }) => ({ partnerId, targetId }),

  /** @throws ServiceError CONFLICT for the last owner */
  async run(deps: AuditDeps & NotifyDeps, { partnerId, userId }, { found: user }) {
    const { models, now } = deps;
    const set = (change: object) =>
      models.users.updateOne({ _id: userId, partnerId }, { $set: change });
    await set({ disabledAt: new Date(now()) });
    await requireOwner(models, partnerId, () => set({ disabledAt: null }));
    await set({ email: null, passwordHash: null, secondFactor: null, devices: [] });
    await endSessions({ models }, userId);
    await endAccessTokens({ models }, userId);
    await endInvitations({ models }, userId);
    await notifyOfChange(deps, user, 'You were removed from your team.');
  },
});
