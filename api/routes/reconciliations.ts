import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import type { OrderFault } from '../../domain/orders.ts';
import { dayMs, dayStartMs } from '../../domain/utc-days.ts';
import {
  faultPagesOf,
  findFaultPage,
  findJob,
  findOpenComparison,
  type HappenedIn,
  parseOrderFile,
  parseOrderLines,
  queueComparison,
} from '../../jobs/index.ts';
import type { ComparisonJob } from '../../models/schemas/jobs.ts';
import { startIfStalled, startJobWork } from '../../operations/jobs.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import { check } from '../../platform/validation.ts';
import { type ApiContext, type ApiMiddleware, requireState } from '../context.ts';
import type { ApiDeps } from '../deps.ts';
import { orderListTypes } from '../middleware/file-body.ts';

type Deps = Pick<ApiDeps, 'models' | 'now' | 'messenger' | 'log'>;

/** How long a partner's comparison usually takes, at most. */
const retryAfterSeconds = '5';

/**
 * POST reconciliations: compares the shop's own list of orders and refunds with what its integration
 * reported. The same list again, while it is being compared, is the same reconciliation.
 * @throws ServiceError VALIDATION_FAILED naming the wrong rows, PAYLOAD_TOO_LARGE; RATE_LIMITED while
 *   another of the partner is being compared
 */
export function postReconciliation(deps: Deps): ApiMiddleware {
  return async (ctx) => {
    const { partnerId } = requireState(ctx, 'principal');
    const list = requireState(ctx, 'rawBody');
    const range = rangeOf(ctx);
    const fileHash = sha256Hex(
      range === 'OF_FILE' ? list : Buffer.concat([list, Buffer.from(`\n${JSON.stringify(range)}`)]),
    );
    let job: ComparisonJob | null = null;
    while (job === null) {
      job = await findRunning(deps, ctx, fileHash);
      job ??= await queue(deps, ctx, { list, range, fileHash }).catch(unlessAnotherBegan);
    }
    ctx.status = 202;
    ctx.body = {
      success: true,
      mode: job.mode,
      reconciliation: await present(deps, partnerId, job),
    };
  };
}

const timeField = Joi.string()
  .custom((text: string) => {
    const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
    const ms = isDay ? dayStartMs(text) : Date.parse(text);
    const isWhole = isDay || /^\d{4}-\d\d-\d\dT[\d:.]{5,12}(Z|[+-]\d\d:\d\d)$/.test(text);
    if (!isWhole || Number.isNaN(ms)) throw new Error('form');
    return { ms, isDay };
  })
  .messages({
    'any.custom':
      '{{#label}} must be a day (UTC), such as 2026-03-24, or a time with its offset, in ISO 8601',
  });

interface Given {
  ms: number;
  isDay: boolean;
}
const rangeSchema = Joi.object<{ from?: Given; to?: Given }>({ from: timeField, to: timeField })
  .and('from', 'to')
  .messages({ 'object.and': 'Give both from and to, or neither' });

/**
 * When the orders of the list happened, as `from` and `to` of the query say, both inclusive. The signature does not
 * cover them: they only choose which of the integration's own orders are looked for in the list.
 * @throws ServiceError VALIDATION_FAILED, UNEXPECTED_QUERY
 */
function rangeOf(ctx: ApiContext): HappenedIn | 'OF_FILE' {
  const unknown = Object.keys(ctx.query).find((name) => name !== 'from' && name !== 'to');
  if (unknown !== undefined) {
    throw new ServiceError(
      'UNEXPECTED_QUERY',
      'A list takes from and to in its query, and nothing else.',
    );
  }
  const { from, to } = check(rangeSchema, { ...ctx.query });
  if (from === undefined || to === undefined) return 'OF_FILE';
  return { fromMs: from.ms, toMs: to.isDay ? to.ms + dayMs - 1 : to.ms };
}

interface SentList {
  list: Buffer;
  range: HappenedIn | 'OF_FILE';
  fileHash: string;
}

async function queue(deps: Deps, ctx: ApiContext, { list, range, fileHash }: SentList) {
  const principal = requireState(ctx, 'principal');
  const { partnerId, integrationId, mode, credentialId: requestedBy } = principal;
  const isCsv = orderListTypes[ctx.request.type] === 'CSV';
  const read = (currency: string) =>
    isCsv ? parseOrderFile(once(list), {}, currency) : parseOrderLines(list, currency);
  const scope = { mode, integrationId, range };
  const job = await queueComparison(deps, { partnerId, requestedBy }, scope, read, fileHash);
  await startJobWork(deps, job);
  return job;
}

function unlessAnotherBegan(error: unknown): null {
  if (error instanceof ServiceError && error.code === 'CONFLICT') return null;
  throw error;
}

async function* once(list: Buffer) {
  yield list;
}

/** The partner's open comparison, if it is of this list; null if none is open. @throws ServiceError RATE_LIMITED */
async function findRunning(deps: Deps, ctx: ApiContext, fileHash: string) {
  const { partnerId, integrationId, mode } = requireState(ctx, 'principal');
  const open = await findOpenComparison(deps.models, partnerId);
  if (open === null) return null;
  const { input } = open;
  const isSame = input.fileHash === fileHash && input.integrationId === integrationId;
  if (isSame && open.mode === mode) return open;
  const message = 'Another list of yours is being compared. Send this one once that is done.';
  throw new ServiceError('RATE_LIMITED', message, { 'Retry-After': retryAfterSeconds });
}

/** GET reconciliations/{id}: its counts, and the first page of its differences. @throws ServiceError NOT_FOUND */
export function getReconciliation(deps: Deps): ApiMiddleware {
  return async (ctx) => {
    const { partnerId, mode } = requireState(ctx, 'principal');
    const job = await findOwn(deps, ctx);
    ctx.body = { success: true, mode, reconciliation: await present(deps, partnerId, job) };
  };
}

/** GET reconciliations/{id}/pages/{page}: a page of its differences, from 1. @throws ServiceError NOT_FOUND */
export function getDifferences({ models, ...deps }: Deps): ApiMiddleware {
  return async (ctx) => {
    const { partnerId, mode } = requireState(ctx, 'principal');
    const { _id: jobId, status } = await findOwn({ models, ...deps }, ctx);
    const page = /^[1-9]\d{0,3}$/.test(ctx.params.page ?? '') ? Number(ctx.params.page) : 0;
    const found =
      status === 'DONE' ? await findFaultPage(models, { partnerId, jobId, page }) : null;
    if (found === null) {
      const message = 'This reconciliation has no such page. Its pages are numbered from 1.';
      throw new ServiceError('NOT_FOUND', message);
    }
    ctx.body = { success: true, mode, page, differences: found.map(presentDifference) };
  };
}

async function findOwn(deps: Deps, ctx: ApiContext): Promise<ComparisonJob> {
  const { partnerId, integrationId, mode } = requireState(ctx, 'principal');
  const job = await findJob(deps.models, partnerId, ctx.params.reconciliationId ?? '');
  const isOwn = job?.kind === 'ORDER_COMPARISON' && job.mode === mode;
  if (!isOwn || job.input.integrationId !== integrationId) {
    const message = `Your integration has no reconciliation with this id in ${mode} mode. They are kept for a month.`;
    throw new ServiceError('NOT_FOUND', message);
  }
  startIfStalled(deps, job);
  return job;
}

async function present({ models }: Pick<Deps, 'models'>, partnerId: string, job: ComparisonJob) {
  const { _id: jobId, status, input, result, problem, createdAt, finishedAt, expiresAt } = job;
  const pages = result === null ? 0 : faultPagesOf(result);
  const first = pages === 0 ? [] : await findFaultPage(models, { partnerId, jobId, page: 1 });
  return {
    id: jobId,
    status,
    createdAt: createdAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
    expiresAt: expiresAt.toISOString(),
    counts: result && {
      rows: input.rows,
      matched: result.matched,
      missing: result.faults.MISSING,
      notInFile: result.faults.NOT_IN_FILE,
      duplicate: result.faults.DUPLICATE,
      mismatched: result.faults.MISMATCHED,
      unknownStatus: input.unknownRows,
    },
    unknownStatuses: input.unknownStatuses,
    checkedFrom: input.between && new Date(input.between.fromMs).toISOString(),
    checkedTo: input.between && new Date(input.between.toMs).toISOString(),
    differences: (first ?? []).map(presentDifference),
    pages,
    isCut: result?.isCut ?? false,
    problem,
  };
}

const pathOf = {
  PURCHASE: '/api/v1/partner/purchases',
  REFUND: '/api/v1/partner/refunds',
} as const;

function presentDifference({ repair, ...difference }: OrderFault) {
  if (repair === null) return { ...difference, repair };
  const { report, body, add } = repair;
  return { ...difference, repair: { method: 'POST', path: pathOf[report], body, add } };
}
