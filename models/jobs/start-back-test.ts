import { newId } from '../../platform/ids.ts';
import { draftRule, type RuleFields } from '../commands/draft-rule.ts';
import { toEarningRule } from '../rules.ts';
import type { Models } from '../schemas/index.ts';
import type { BackTestJob } from '../schemas/job.ts';
import { type JobOwner, openForMs, putInLine } from './start-job.ts';

/** How far back purchases are replayed. */
export const backTestDays = 90;
const dayMs = 24 * 3_600_000;

/**
 * Puts a back-test in line: what the purchases of the last 90 days would have earned and cost under a
 * rule that is being drafted. The draft must be one that could be stored; it is not.
 * @throws ServiceError as `draftRule` does; CONFLICT while a back-test is open
 */
export async function startBackTest(
  deps: { models: Models; now: () => number },
  { partnerId, requestedBy }: JobOwner,
  fields: RuleFields,
): Promise<BackTestJob> {
  const rule = toEarningRule(await draftRule(deps, partnerId, fields));
  const nowMs = deps.now();
  const job: BackTestJob = {
    _id: newId('job'),
    partnerId,
    mode: rule.mode,
    kind: 'BACK_TEST',
    status: 'QUEUED',
    isOpen: true,
    input: { rule, from: new Date(nowMs - backTestDays * dayMs), to: new Date(nowMs) },
    progress: { done: 0, total: backTestDays, of: 'DAYS' },
    result: null,
    problem: null,
    requestedBy,
    createdAt: new Date(nowMs),
    toldAt: new Date(nowMs),
    expiresAt: new Date(nowMs + openForMs),
  };
  await putInLine(deps.models, job);
  return job;
}
