import Joi from 'joi';
import { type Mode, modes } from '../../domain/mode.ts';
import { type PageQuery, pageParameters } from '../../http/paging.ts';
import { readNewestRules, readRule, readRules } from '../../models/views/rules.ts';
import { type PageContext, param } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { allRulesPage, rulePage, rulesPage } from '../html/pages/rules.ts';
import { render } from '../html/view.ts';
import { readJobs } from '../jobs.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { Routes } from '../routing/route-table.ts';

const maxBackTests = 20;
const listSchema = Joi.object<PageQuery & { mode?: Mode }>({
  ...pageParameters,
  mode: Joi.string().valid(...modes),
});
const reading = { audience: 'partner', permission: 'read' } as const;

/** How purchases earn points: what is active, what was, and what may be. */
export function rulePages(routes: Routes): void {
  routes.page({ ...reading, path: '/rules' }, showRules);
  routes.page({ ...reading, path: '/rules/:ruleId', params: { ruleId: 'rule' } }, showRule);
}

async function showRules(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const query = queryOf(ctx, listSchema);
  const { mode } = query;
  if (mode !== undefined) {
    return render(ctx, allRulesPage(ctx, await readRules(deps, ownScope(ctx), mode, query)));
  }
  const [rules, backTests] = await Promise.all([
    readNewestRules(deps, ownScope(ctx)),
    readJobs(deps, ownScope(ctx), 'BACK_TEST', maxBackTests),
  ]);
  render(ctx, rulesPage(ctx, rules, backTests));
}

async function showRule(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const [details, backTests] = await Promise.all([
    readRule(deps, ownScope(ctx), param(ctx, 'ruleId')),
    readJobs(deps, ownScope(ctx), 'BACK_TEST', maxBackTests),
  ]);
  render(ctx, rulePage(ctx, details, { backTests, nowMs: deps.now() }));
}
