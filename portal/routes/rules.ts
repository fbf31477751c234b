import { pageSchema } from '../../http/query.ts';
import { readNewestRules, readRule, readRules } from '../../models/views/rules.ts';
import { type PageContext, param } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { allRulesPage, rulePage, rulesPage } from '../html/pages/rules.ts';
import { render } from '../html/view.ts';
import { readJobs } from '../jobs.ts';
import { renderWithNext } from '../next-step.ts';
import { modeOf } from '../routing/chosen-mode.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { Routes } from '../routing/route-table.ts';

const maxBackTests = 20;
const reading = { audience: 'partner', permission: 'read' } as const;

/** A partner's earning rules: active, past and drafts. */
export function rulePages(routes: Routes): void {
  routes.page({ ...reading, path: '/rules' }, showRules);
  routes.page({ ...reading, path: '/rules/all' }, showAllRules);
  routes.page({ ...reading, path: '/rules/:ruleId', params: { ruleId: 'rule' } }, showRule);
}

async function showRules(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const mode = modeOf(ctx);
  const [rules, backTests] = await Promise.all([
    readNewestRules(deps, ownScope(ctx), mode),
    readJobs(deps, ownScope(ctx), 'BACK_TEST', maxBackTests),
  ]);
  const ofMode = backTests.filter(({ input }) => input.rule.mode === mode);
  render(ctx, rulesPage(ctx, mode, rules, ofMode));
}

async function showAllRules(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const rules = await readRules(deps, ownScope(ctx), modeOf(ctx), queryOf(ctx, pageSchema));
  render(ctx, allRulesPage(ctx, rules));
}

async function showRule(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const [details, backTests] = await Promise.all([
    readRule(deps, ownScope(ctx), param(ctx, 'ruleId')),
    readJobs(deps, ownScope(ctx), 'BACK_TEST', maxBackTests),
  ]);
  await renderWithNext(ctx, deps, rulePage(ctx, details, { backTests, nowMs: deps.now() }));
}
