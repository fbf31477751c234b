import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { findSelfInSession } from '../../models/identity/own-user.ts';
import { stopViewing } from '../../models/identity/viewing.ts';
import type { AuditDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';

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

  async run({ models }: AuditDeps, _input, { found: { session, viewing } }) {
    await stopViewing({ models }, session, viewing);
    return viewing;
  },
});
