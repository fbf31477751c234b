import Joi from 'joi';
import { type Mode, modes } from '../../domain/mode.ts';
import { startBackTest as queueBackTest } from '../../models/jobs/index.ts';
import { findRule, toEarningRule } from '../../models/rewards/rules.ts';
import type { OperationDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';
import { startJobWork } from './start-work.ts';

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
