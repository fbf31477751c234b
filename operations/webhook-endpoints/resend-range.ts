import Joi from 'joi';
import { invalidFields } from '../../domain/errors.ts';
import { type ResendOutcome, resendDeliveries } from '../../models/webhooks/deliveries.ts';
import { findEndpoint } from '../../models/webhooks/endpoints.ts';
import type { OperationDeps } from '../deps.ts';
import { operation } from '../operation.ts';
import { byMode, type EndpointKey, endpointKeyFields } from './fields.ts';

interface Range extends EndpointKey {
  /** ISO 8601, with an offset. */
  from: string;
  until?: string;
  /** By default, all deliveries that are not pending. */
  state?: 'FAILED';
}

const instantRule =
  '{{#label}} must be an ISO 8601 time with an offset, such as 2026-03-01T09:30:00Z';
const instant = Joi.string()
  .isoDate()
  .pattern(/T.*(Z|[+-]\d\d:\d\d)$/)
  .messages({ 'string.isoDate': instantRule, 'string.pattern.base': instantRule });

/** Resends the webhooks of a period, such as after an outage: at most 10,000, oldest first. */
export const resendWebhooks = operation({
  name: 'webhook-endpoint.resend',
  permission: { operator: 'webhook-endpoint.resend', user: byMode },
  secondFactor: 'LIVE',
  input: Joi.object<Range>({
    ...endpointKeyFields,
    from: instant.required(),
    until: instant,
    state: Joi.string().valid('FAILED'),
  }),
  approval: 'NONE',
  find: ({ models }, { partnerId, endpointId }) => findEndpoint(models, partnerId, endpointId),
  audit: ({ endpointId, from, until, state }, { partnerId }) => ({
    partnerId,
    targetId: endpointId,
    details: { from, until: until ?? null, state: state ?? null },
  }),

  /** @throws ServiceError VALIDATION_FAILED for a period that ends before it begins */
  async run(
    { models, now }: Pick<OperationDeps, 'models' | 'now'>,
    { from, until, state = null },
    { found: endpoint },
  ): Promise<ResendOutcome> {
    const range = {
      state,
      from: new Date(from),
      until: until === undefined ? null : new Date(until),
    };
    if (range.until !== null && range.until <= range.from) {
      throw invalidFields({ until: "until must be after the period's start" });
    }
    return await resendDeliveries(models, endpoint, range, new Date(now()));
  },
});
