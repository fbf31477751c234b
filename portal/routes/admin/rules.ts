import { readAnyRule } from '../../../models/views/rules.ts';
import { type PageContext, param } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import { anyRulePage } from '../../html/pages/admin/rules.ts';
import { render } from '../../html/view.ts';
import type { Routes } from '../../routing/route-table.ts';

/** The page of a rule version. */
export function operatorRulePages(routes: Routes): void {
  routes.page(
    {
      path: '/admin/rules/:ruleId',
      params: { ruleId: 'rule' },
      audience: 'operator',
      permission: 'read',
    },
    showRule,
  );
}

async function showRule(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  render(ctx, anyRulePage(await readAnyRule(deps, param(ctx, 'ruleId'))));
}
