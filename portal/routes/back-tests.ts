import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { type Mode, modes } from '../../domain/events.ts';
import { backTestDays, findJobs, startBackTest } from '../../models/jobs/index.ts';
import { param, redirect } from '../context.ts';
import { deed } from '../deeds.ts';
import type { PortalDeps } from '../deps.ts';
import { backTestFound } from '../html/back-test.ts';
import { pathOfBackTest } from '../html/back-test-list.ts';
import { minuteText } from '../html/format.ts';
import { html } from '../html/html.ts';
import { jobPart } from '../html/job.ts';
import { view } from '../html/view.ts';
import { readJob, startWork } from '../jobs.ts';
import type { Routes } from '../route-table.ts';
import { earnsWords, sentenceOfRule } from '../rule-words.ts';
import { findOwnRule, ruleCrumbs } from './rules.ts';

const modeSchema = Joi.object<{ mode: Mode }>({
  mode: Joi.string()
    .valid(...modes)
    .required()
    .messages({ 'any.*': 'Choose the mode of the purchases.' }),
});

/** What purchases would have earned and cost under a rule that is not active yet. */
export function backTestPages(routes: Routes, deps: PortalDeps): void {
  routes.action(
    {
      path: '/rules/:ruleId/back-test',
      params: { ruleId: 'rule' },
      audience: 'partner',
      permission: 'job.start',
    },
    {
      schema: modeSchema,
      async act(ctx, { mode }) {
        const { partner, user } = ctx.state.viewer;
        const partnerId = partner._id;
        const rule = await findOwnRule(deps.models, partnerId, param(ctx, 'ruleId'));
        try {
          const job = await deed(
            deps,
            ctx,
            {
              ...{ action: 'back-test.start', partnerId, targetId: rule.ruleId },
              details: { mode },
            },
            () => startBackTest(deps, { partnerId, requestedBy: user._id }, { ...rule, mode }),
            ({ _id: jobId }) => ({ details: { jobId } }),
          );
          await startWork(deps, job);
          redirect(ctx, pathOfBackTest(job._id));
        } catch (error) {
          if (!(error instanceof ServiceError && error.code === 'CONFLICT')) throw error;
          const [open] = await findJobs(deps.models, partnerId, 'BACK_TEST', 1);
          if (!open) throw error;
          redirect(ctx, pathOfBackTest(open._id), `${error.message} This is it.`, 'bad');
        }
      },
    },
  );

  routes.page(
    {
      path: '/rules/back-tests/:jobId',
      params: { jobId: 'backTest' },
      audience: 'partner',
      permission: 'read',
    },
    async (ctx) => {
      const job = await readJob(deps, ctx, 'BACK_TEST');
      const { mode, createdAt, result, input } = job;
      const { rule } = input;
      view(
        ctx,
        {
          ...{ title: `Back-test of ${minuteText(createdAt)} UTC`, mode },
          crumbs: [...ruleCrumbs, [earnsWords(rule), `/rules/${rule.ruleId}`]],
          lead: html`What the ${mode} purchases of ${backTestDays} days would have earned and cost, had this been the active rule: ${sentenceOfRule(rule)}`,
        },
        jobPart(
          job,
          ctx.path,
          'Replaying the purchases, day by day',
          () => result && backTestFound(ctx, job, result),
        ),
      );
    },
  );
}
