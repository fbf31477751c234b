import { backTestDays } from '../../../models/jobs/index.ts';
import type { BackTestJob } from '../../../models/schemas/job.ts';
import type { PageContext } from '../../context.ts';
import { earnsWords, sentenceOfRule } from '../../words/rule-words.ts';
import { say } from '../../words/say.ts';
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
      title: say('backTest.title', { createdAt: minuteText(createdAt) }),
      mode,
      crumbs: [...ruleCrumbs(), [earnsWords(rule), `/rules/${rule.ruleId}`]],
      lead: say('backTest.lead', { mode, backTestDays, sentenceOfRule: sentenceOfRule(rule) }),
    },
    jobPart(job, ctx.path, say('backTest.text'), () => result && backTestResults(ctx, job, result)),
  );
}
