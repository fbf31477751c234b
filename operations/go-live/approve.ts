import Joi from 'joi';
import { findPartner } from '../../models/identity/partners.ts';
import { idField } from '../fields.ts';
import { always, sensitiveOperation } from '../operation.ts';
import { type GoLiveDeps, moveGoLive, requireReady } from './move.ts';
import { reviewedFacts } from './reviewed-facts.ts';

/**
 * Takes a partner live, which no other operation does. The conditions of the request must still be met. A
 * repeat by the same reviewer changes nothing.
 */
export const approveGoLive = sensitiveOperation({
  name: 'partner.approve-go-live',
  permission: { operator: 'partner.approve-go-live', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ partnerId: string }>({ partnerId: idField }),
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  approval: {
    facts: (deps, _input, partner) => reviewedFacts(deps, partner),
    needed: always,
  },
  audit: ({ partnerId }) => ({ targetId: partnerId, partnerId }),

  /**
   * The proposer is recorded as the reviewer, so that repeats are the same.
   * @throws ServiceError CONFLICT naming what is missing, or for a partner that is suspended or not in review
   */
  async run(deps: GoLiveDeps, _input, { found: partner, actor: { id: reviewerId } }) {
    const { state, reviewerId: approvedBy } = partner.goLive;
    if (state === 'LIVE' && approvedBy === reviewerId) return partner;
    await requireReady(deps, partner);
    return await moveGoLive(deps.models, partner, 'APPROVE', {
      reviewerId,
      decidedAt: new Date(deps.now()),
      reason: null,
    });
  },
});
