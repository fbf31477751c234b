import Joi from 'joi';
import { findSelfInSession } from '../../models/identity/own-user.ts';
import { findPartner } from '../../models/identity/partners.ts';
import { beginViewing as beginIn, viewingMs } from '../../models/identity/viewing.ts';
import type { AuditDeps } from '../deps.ts';
import { idField, longText } from '../fields.ts';
import { operation } from '../operation.ts';

interface ViewingInput {
  partnerId: string;
  /** The operator's session. */
  sessionId: string;
  reason: string;
}

/** Lets an operator see a partner's portal with the permissions of a viewer, in one session, for 30 minutes. */
export const beginViewing = operation({
  name: 'partner.view-as',
  permission: { operator: 'partner.view-as', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<ViewingInput>({
    partnerId: idField,
    sessionId: idField,
    reason: longText(500).required(),
  }),
  find: async ({ models }, { partnerId, sessionId }, { id }) => ({
    partner: await findPartner(models, partnerId),
    ...(await findSelfInSession(models, id, sessionId)),
  }),
  approval: 'NONE',
  audit: ({ partnerId, reason }) => ({ partnerId, targetId: partnerId, details: { reason } }),

  async run({ models, now }: AuditDeps, { partnerId }, { found: { session } }) {
    const [startedAt, endsAt] = [new Date(now()), new Date(now() + viewingMs)];
    const token = await beginIn({ models }, session, { partnerId, startedAt, endsAt });
    return { token, endsAt };
  },

  completion: ({ endsAt }) => ({ details: { endsAt: endsAt.toISOString() } }),
});
