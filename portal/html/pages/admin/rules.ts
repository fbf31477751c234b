import type { AnyRule } from '../../../../models/views/rules.ts';
import { namedRuleParts, sentenceOfRule, wordsOfRule } from '../../../words/rule-words.ts';
import { say } from '../../../words/say.ts';
import { badge, code, facts, section } from '../../components.ts';
import { time } from '../../format.ts';
import { crumbsOfPartner, toOptional } from '../../links.ts';
import { type Page, page } from '../../view.ts';

export function anyRulePage({ stored, rule, partner, isActive }: AnyRule): Page {
  const { mode } = stored;
  const words = wordsOfRule(rule);
  return page(
    {
      title: say('admin.rules.anyRule.title'),
      crumbs: crumbsOfPartner(partner),
      lead: sentenceOfRule(rule),
      mode,
    },
    section(
      say('admin.rules.section.ruleVersion'),
      facts([
        [
          say('common.state'),
          isActive ? badge('ACTIVE') : badge('ARCHIVED', say('admin.rules.notActive')),
        ],
        [say('common.mode'), badge(mode)],
        [say('common.currency'), stored.currency],
        [say('common.integration'), toOptional('INTEGRATION', stored.integrationId)],
        ...namedRuleParts().map(([part, name]) => [name, words[part]] as const),
        [say('common.created'), time(stored.createdAt)],
        [say('common.id'), code(stored._id, { canCopy: true })],
      ]),
    ),
  );
}
