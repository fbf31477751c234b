import Joi from 'joi';
import { type Mode, modes } from '../domain/mode.ts';
import { auditStatuses } from '../domain/operators.ts';
import { columnNames } from '../domain/orders.ts';
import { type RecordList, recordLists } from '../domain/records.ts';
import { rewardStatuses } from '../domain/reward.ts';
import {
  type ComparisonScope,
  compareOrderFile,
  queueBackTest,
  queueExport,
  queueStatementPdf,
  takeStalled,
} from '../jobs/index.ts';
import { findPartner } from '../models/identity/partners.ts';
import type { StatementDays } from '../models/ledger/index.ts';
import { findRule, toEarningRule } from '../models/rewards/rules.ts';
import type { JobDoc } from '../models/schemas/jobs.ts';
import { utcDay } from '../platform/validation.ts';
import type { Records } from '../views/exports.ts';
import { reviewStates } from '../views/reviews.ts';
import type { OperationDeps } from './deps.ts';
import { idField, shortText } from './fields.ts';
import { operation } from './operation.ts';

/** Starts the work on a queued job. If Temporal is unavailable, the next view of the job starts it. */
export async function startJobWork(
  { messenger, log }: Pick<OperationDeps, 'messenger' | 'log'>,
  { partnerId, _id: jobId }: JobDoc,
): Promise<void> {
  await messenger
    .startJob({ partnerId, jobId })
    .catch((error: unknown) => log.warn({ err: error, jobId }, 'a job was not started'));
}

/** Starts a displayed job again that seems to have stalled. The response does not wait for it. */
export function startIfStalled(
  deps: Pick<OperationDeps, 'models' | 'messenger' | 'log' | 'now'>,
  job: JobDoc,
): void {
  const started = async () => {
    if (await takeStalled(deps.models, job, deps.now())) await startJobWork(deps, job);
  };
  started().catch((error: unknown) =>
    deps.log.warn({ err: error, jobId: job._id }, 'a stalled job was not started again'),
  );
}

type Comparison = ComparisonScope & { partnerId: string; file: AsyncIterable<Uint8Array> };

/** Compares a partner's own file of orders with what it reported. */
export const compareOrders = operation({
  name: 'order-comparison.start',
  permission: { operator: null, user: 'job.start' },
  secondFactor: 'NEVER',
  input: Joi.object<Comparison>({
    partnerId: idField,
    mode: Joi.string()
      .valid(...modes)
      .required(),
    integrationId: idField,
    range: Joi.object({ fromDay: Joi.string().required(), toDay: Joi.string().required() })
      .allow(null)
      .required(),
    columns: Joi.object().pattern(Joi.valid(...columnNames), shortText(100)),
    // A stream.
    file: Joi.any().required(),
  }),
  find: () => null,
  approval: 'NONE',
  audit: ({ partnerId, mode, integrationId, range }) => ({
    partnerId,
    targetId: null,
    details: { mode, integrationId, range },
  }),

  /** @throws ServiceError VALIDATION_FAILED, PAYLOAD_TOO_LARGE; CONFLICT while a comparison is open */
  async run(
    deps: Pick<OperationDeps, 'models' | 'now' | 'messenger' | 'log'>,
    { partnerId, file, ...scope },
    { actor: { id: requestedBy } },
  ) {
    const job = await compareOrderFile(deps, { partnerId, requestedBy }, scope, file);
    await startJobWork(deps, job);
    return job;
  },

  completion: ({ _id: targetId, input: { rows } }) => ({ targetId, details: { rows } }),
});

/** Computes what the purchases of a mode would have earned and cost under a rule. */
export const startBackTest = operation({
  name: 'back-test.start',
  permission: { operator: null, user: 'job.start' },
  secondFactor: 'NEVER',
  input: Joi.object<{ ruleId: string; mode: Mode }>({
    ruleId: idField,
    mode: Joi.string()
      .valid(...modes)
      .required(),
  }),
  find: ({ models }, { ruleId }) => findRule(models, ruleId),
  approval: 'NONE',
  audit: ({ ruleId, mode }, { partnerId }) => ({ partnerId, targetId: ruleId, details: { mode } }),

  /** @throws ServiceError CONFLICT while a back-test is open */
  async run(
    deps: Pick<OperationDeps, 'models' | 'now' | 'messenger' | 'log'>,
    { mode },
    { actor: { id: requestedBy }, found },
  ) {
    const { partnerId } = found;
    const rule = { ...toEarningRule(found), mode };
    const job = await queueBackTest(deps, { partnerId, requestedBy }, rule);
    await startJobWork(deps, job);
    return job;
  },

  completion: ({ _id: jobId }) => ({ details: { jobId } }),
});

/** An id, or an account that ends with one, so that the audit log contains no names. */
const named = Joi.string().pattern(/^[\w:-]{1,100}$/);
/** As long as an order id may be; shops choose it, and it can contain any characters. */
const orderId = Joi.string().max(255);
const mode = Joi.string().valid(...modes);
const ofAll = { partnerId: named, fromDay: utcDay, toDay: utcDay };

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
  LEDGER: Joi.object({ mode: mode.required(), account: named, rewardId: named, ...ofAll }),
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

/** Creates the PDF of a statement of funding. */
export const startStatementPdf = operation({
  name: 'statement-pdf.start',
  permission: { operator: null, user: 'read' },
  secondFactor: 'NEVER',
  input: Joi.object<StatementDays & { partnerId: string }>({
    partnerId: idField,
    fromDay: utcDay.required(),
    toDay: utcDay.required(),
  }),
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  approval: 'NONE',
  audit: ({ partnerId, fromDay, toDay }) => ({
    partnerId,
    targetId: null,
    details: { fromDay, toDay },
  }),

  /** @throws ServiceError CONFLICT while another statement of the partner is being created */
  async run(
    deps: Pick<OperationDeps, 'models' | 'now' | 'messenger' | 'log'>,
    { partnerId, ...days },
    { actor: { id: requestedBy } },
  ) {
    const job = await queueStatementPdf(deps, { partnerId, requestedBy }, days);
    await startJobWork(deps, job);
    return job;
  },

  completion: ({ _id: targetId }) => ({ targetId }),
});
