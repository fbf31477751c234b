import type { AnyRule } from '../../../../models/views/rules.ts';
import { ruleParts, sentenceOfRule, wordsOfRule } from '../../../words/rule-words.ts';
import { badge, code, facts, section } from '../../components.ts';
import { time } from '../../format.ts';
import { crumbsOfPartner, toAny } from '../../links.ts';
import { type Page, page } from '../../view.ts';

export function anyRulePage({ stored, rule, partner, isActive }: AnyRule): Page {
  const { mode } = stored;
  const words = wordsOfRule(rule);
  return page(
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
        ['Created', time(stored.createdAt)],
        ['Id', code(stored._id, { canCopy: true })],
      ]),
    ),
  );
}
