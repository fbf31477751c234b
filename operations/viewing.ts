import Joi from 'joi';
import { ServiceError } from '../domain/errors.ts';
import { findSelfInSession } from '../models/identity/own-user.ts';
import { findPartner } from '../models/identity/partners.ts';
import { startViewing, stopViewing, viewingMs } from '../models/identity/viewing.ts';
import type { AuditLogDeps } from './deps.ts';
import { idField, longText } from './fields.ts';
import { operation } from './operation.ts';

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

  async run({ models, now }: AuditLogDeps, { partnerId }, { found: { session } }) {
    const [startedAt, endsAt] = [new Date(now()), new Date(now() + viewingMs)];
    const token = await startViewing({ models }, session, { partnerId, startedAt, endsAt });
    return { token, endsAt };
  },

  completion: ({ endsAt }) => ({ details: { endsAt: endsAt.toISOString() } }),
});

/** The reasons for the end of a view of a partner's portal. */
export const viewingEnds = ['LEFT', 'SIGNED_OUT', 'TIME_IS_UP', 'NOT_PERMITTED'] as const;
export type ViewingEnd = (typeof viewingEnds)[number];

/** Ends an operator's view of a partner's portal, whatever their current role. */
export const endViewing = operation({
  name: 'partner.view-as-end',
  permission: { operator: 'read', user: null },
  secondFactor: 'NEVER',
  input: Joi.object<{ sessionId: string; end: ViewingEnd }>({
    sessionId: idField,
    end: Joi.string()
      .valid(...viewingEnds)
      .required(),
  }),
  async find({ models }, { sessionId }, { id }) {
    const { session } = await findSelfInSession(models, id, sessionId);
    const { viewing } = session;
    if (!viewing) throw new ServiceError('CONFLICT', 'This view has already ended.');
    return { session, viewing };
  },
  approval: 'NONE',
  // Concurrent repeats end the same view once.
  audit: ({ end, sessionId }, { viewing: { partnerId, startedAt } }) => ({
    partnerId,
    targetId: partnerId,
    details: { end },
    once: `${sessionId} ${startedAt.toISOString()}`,
  }),

  async run({ models }: AuditLogDeps, _input, { found: { session, viewing } }) {
    await stopViewing({ models }, session, viewing);
    return viewing;
  },
});
