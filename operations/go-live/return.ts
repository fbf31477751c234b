import Joi from 'joi';
import { findPartner } from '../../models/identity/partners.ts';
import type { AuditDeps } from '../deps.ts';
import { idField, longText } from '../fields.ts';
import { operation } from '../operation.ts';
import { moveGoLive } from './move.ts';

/** Returns a request to the partner, with a reason. */
export const returnGoLive = operation({
  name: 'partner.return-go-live',
  permission: { operator: 'partner.return-go-live', user: null },
  secondFactor: 'NEVER',
  input: Joi.object<{ partnerId: string; reason: string }>({
    partnerId: idField,
    reason: longText(500).required(),
  }),
  approval: 'NONE',
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  audit: ({ partnerId, reason }) => ({ targetId: partnerId, partnerId, details: { reason } }),

  /** @throws ServiceError CONFLICT for a partner that is not in review */
  run: ({ models, now }: AuditDeps, { reason }, { found, actor: { id: reviewerId } }) =>
    moveGoLive(models, found, 'RETURN', { reviewerId, decidedAt: new Date(now()), reason }),
});
