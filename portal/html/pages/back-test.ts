import { backTestDays } from '../../../models/jobs/index.ts';
import type { BackTestJob } from '../../../models/schemas/jobs.ts';
import type { PageContext } from '../../context.ts';
import { earnsWords, sentenceOfRule } from '../../words/rule-words.ts';
import { backTestResults } from '../back-test.ts';
import { minuteText } from '../format.ts';
import { jobPart } from '../job.ts';
import { type Page, page } from '../view.ts';
import { ruleCrumbs } from './rules.ts';

export function backTestPage(ctx: PageContext<'partner'>, job: BackTestJob): Page {
  const { mode, createdAt, result, input } = job;
  const { rule } = input;
  return page(
    {
      title: `Back-test of ${minuteText(createdAt)}`,
      mode,
      crumbs: [...ruleCrumbs(), [earnsWords(rule), `/rules/${rule.ruleId}`]],
      lead: `What the ${mode} purchases of ${backTestDays} days would have earned and cost, had this been the active rule: ${sentenceOfRule(rule)}`,
    },
    jobPart(
      job,
      ctx.path,
      'Replaying the purchases, day by day',
      () => result && backTestResults(ctx, job, result),
    ),
  );
}
