import Joi from 'joi';
import { findPartner } from '../../models/identity/partners.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';
import { type GoLiveDeps, moveGoLive, requireReady } from './move.ts';

/** Submits a partner for review, once it meets all conditions that it can meet itself. */
export const requestGoLive = operation({
  name: 'partner.request-go-live',
  permission: { operator: 'partner.request-go-live', user: 'partner.request-go-live' },
  secondFactor: 'NEVER',
  input: Joi.object<{ partnerId: string }>({ partnerId: idField }),
  approval: 'NONE',
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  audit: ({ partnerId }) => ({ targetId: partnerId, partnerId }),

  /** @throws ServiceError CONFLICT naming what is missing, or for a partner that is suspended, in review or live */
  async run(deps: GoLiveDeps, _input, { found: partner }) {
    await requireReady(deps, partner);
    return await moveGoLive(deps.models, partner, 'REQUEST', {
      requestedAt: new Date(deps.now()),
      reviewerId: null,
      decidedAt: null,
      reason: null,
    });
  },
});
