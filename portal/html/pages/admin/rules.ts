import type { AnyRule } from '../../../../models/views/rules.ts';
import { namedRuleParts, sentenceOfRule, wordsOfRule } from '../../../words/rule-words.ts';
import { badge, code, facts, section } from '../../components.ts';
import { time } from '../../format.ts';
import { crumbsOfPartner, toOptional } from '../../links.ts';
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
        ['Integration', toOptional('INTEGRATION', stored.integrationId)],
        ...namedRuleParts().map(([part, name]) => [name, words[part]] as const),
        ['Created', time(stored.createdAt)],
        ['ID', code(stored._id, { canCopy: true })],
      ]),
    ),
  );
}
