import Joi from 'joi';
import { auditStatuses } from '../../domain/audit-log.ts';
import { modes } from '../../domain/mode.ts';
import { type RecordList, recordLists } from '../../domain/records.ts';
import { rewardStatuses } from '../../domain/reward-states.ts';
import { dayStartMs } from '../../domain/utc-days.ts';
import { startExport as queueExport } from '../../models/jobs/index.ts';
import type { Records } from '../../models/views/record-export.ts';
import { reviewStates } from '../../models/views/reviews.ts';
import type { OperationDeps } from '../deps.ts';
import { operation } from '../operation.ts';
import { startJobWork } from './start-work.ts';

/** An id, or an account that ends with one, so that the audit log contains no names. */
const named = Joi.string().pattern(/^[\w:-]{1,100}$/);
/** As long as an order id may be; shops choose it, and it can contain any characters. */
const orderId = Joi.string().max(255);
const mode = Joi.string().valid(...modes);
const day = Joi.string().custom((text: string) => {
  dayStartMs(text);
  return text;
});
const ofAll = { partnerId: named, fromDay: day, toDay: day };

const filters: Record<RecordList, Joi.ObjectSchema> = {
  REVIEWS: Joi.object({
    state: Joi.valid(...reviewStates).required(),
    mode,
    assigneeId: named,
    ...ofAll,
  }),
  REWARDS: Joi.object({
    status: Joi.valid(...rewardStatuses),
    mode,
    externalOrderId: orderId,
    customerId: named,
    ...ofAll,
  }),
  LEDGER: Joi.object({ book: mode.required(), account: named, rewardId: named, ...ofAll }),
  AUDIT_LOG: Joi.object({
    actorId: named,
    targetId: named,
    status: Joi.valid(...auditStatuses),
    isAlone: Joi.valid(true),
    ...ofAll,
  }),
};

/** The given fields of a filter, without the order id, which may contain personal data. */
const filled = (filter: object) =>
  Object.fromEntries(
    Object.entries(filter).filter(
      ([name, value]) => value !== undefined && name !== 'externalOrderId',
    ),
  );

/** Exports one of the operators' lists to a file, with its filters. */
export const startExport = operation({
  name: 'export.start',
  permission: { operator: 'export.start', user: null },
  secondFactor: 'NEVER',
  input: Joi.object<Records>({
    list: Joi.string()
      .valid(...recordLists)
      .required(),
    filter: Joi.alternatives()
      .conditional('list', {
        // biome-ignore lint/suspicious/noThenProperty: what Joi calls it
        switch: recordLists.map((is) => ({ is, then: filters[is].required() })),
      })
      .required(),
  }),
  find: () => null,
  approval: 'NONE',
  audit: ({ list, filter }) => ({
    partnerId: filter.partnerId ?? null,
    targetId: null,
    details: { list, filter: filled(filter) },
  }),

  /** @throws ServiceError CONFLICT while another export of the same operator is open */
  async run(
    deps: Pick<OperationDeps, 'models' | 'now' | 'messenger' | 'log'>,
    records,
    { actor: { id } },
  ) {
    const job = await queueExport(deps, id, records);
    await startJobWork(deps, job);
    return job;
  },

  completion: ({ _id: targetId }) => ({ targetId }),
});
