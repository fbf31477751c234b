import { findPartner, findRule } from '../../../models/commands/find.ts';
import { findActiveRules, toEarningRule } from '../../../models/rules.ts';
import { param } from '../../context.ts';
import type { PortalDeps } from '../../deps.ts';
import { badge, code, facts, section } from '../../html/components.ts';
import { time } from '../../html/format.ts';
import { crumbsOfPartner, toAny } from '../../html/links.ts';
import { view } from '../../html/view.ts';
import type { Routes } from '../../route-table.ts';
import { ruleParts, sentenceOfRule, wordsOfRule } from '../../rule-words.ts';

/** A rule version, in words. */
export function adminRulePages(routes: Routes, { models }: PortalDeps): void {
  routes.page(
    {
      path: '/admin/rules/:ruleId',
      params: { ruleId: 'rule' },
      audience: 'operator',
      permission: 'read',
    },
    async (ctx) => {
      const stored = await findRule(models, param(ctx, 'ruleId'));
      const { partnerId, mode } = stored;
      const [partner, active] = await Promise.all([
        findPartner(models, partnerId),
        findActiveRules(models, partnerId, mode),
      ]);
      const rule = toEarningRule(stored);
      const words = wordsOfRule(rule);
      const isActive = active.some(({ ruleId }) => ruleId === stored._id);
      view(
        ctx,
        {
          title: 'Earning rule',
          crumbs: crumbsOfPartner(partner),
          lead: sentenceOfRule(rule),
          mode,
        },
        section(
          'Rule version',
          facts([
            ['State', isActive ? badge('ACTIVE') : badge('ARCHIVED', 'Not active')],
            ['Mode', badge(mode)],
            ['Currency', stored.currency],
            ['Integration', toAny('INTEGRATION', stored.integrationId)],
            ...Object.entries(ruleParts).map(
              ([part, name]) => [name, words[part as keyof typeof words]] as const,
            ),
            ['Made', time(stored.createdAt)],
            ['Id', code(stored._id, { canCopy: true })],
          ]),
        ),
      );
    },
  );
}
