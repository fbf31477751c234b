import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { type Mode, modes } from '../../domain/mode.ts';
import { findOwnRule } from '../../models/views/rules.ts';
import { execute } from '../../operations/execute.ts';
import { startBackTest } from '../../operations/jobs.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { pathOfBackTest } from '../html/back-test-list.ts';
import { backTestPage } from '../html/pages/back-test.ts';
import { render } from '../html/view.ts';
import { readJob, readJobs } from '../jobs.ts';
import { actorOf } from '../operate.ts';
import { ownScope } from '../routing/own-scope.ts';
import type { Routes } from '../routing/route-table.ts';

const schema = Joi.object<{ mode: Mode }>({
  mode: Joi.string()
    .valid(...modes)
    .required()
    .messages({
      'any.only': 'Choose a mode.',
      'any.required': 'Choose a mode.',
    }),
});

/** Back-tests: what past purchases would have earned and cost under a rule that is not active. */
export function backTestPages(routes: Routes): void {
  routes.action(
    {
      path: '/rules/:ruleId/back-test',
      params: { ruleId: 'rule' },
      audience: 'partner',
      permission: 'job.start',
    },
    { schema, act: start },
  );
  routes.page(
    {
      path: '/rules/back-tests/:jobId',
      params: { jobId: 'backTest' },
      audience: 'partner',
      permission: 'read',
    },
    showBackTest,
  );
}

async function start(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { mode }: { mode: Mode },
): Promise<void> {
  const rule = await findOwnRule(deps, ownScope(ctx), param(ctx, 'ruleId'));
  try {
    const job = await execute(deps, startBackTest, actorOf(ctx), { ruleId: rule.ruleId, mode });
    redirect(ctx, pathOfBackTest(job._id));
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'CONFLICT')) throw error;
    const [open] = await readJobs(deps, ownScope(ctx), 'BACK_TEST', 1);
    if (!open) throw error;
    redirect(ctx, pathOfBackTest(open._id), `${error.message} Here it is.`, 'bad');
  }
}

async function showBackTest(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  render(ctx, backTestPage(ctx, await readJob(deps, ctx, 'BACK_TEST')));
}
