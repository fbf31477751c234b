import type { EarningRule } from '../../../domain/earning-rules.ts';
import type { Mode } from '../../../domain/mode.ts';
import type { RuleVersion, VersionState } from '../../../models/rewards/rule-versions.ts';
import type { BackTestJob } from '../../../models/schemas/job.ts';
import {
  maxVersions,
  type NewestRules,
  type RuleDetails,
  type RulesOfMode,
} from '../../../models/views/rules.ts';
import type { PageContext } from '../../context.ts';
import { hasPermission } from '../../middleware/authorize.ts';
import { rulePermissions } from '../../words/rule-permissions.ts';
import { earnsWords, sentenceOfRule } from '../../words/rule-words.ts';
import { type PlainKey, say } from '../../words/say.ts';
import { backTestPart, backTestTable } from '../back-test-list.ts';
import { badge, code, emptyState, linkButton, section, table } from '../components.ts';
import { day } from '../format.ts';
import { type Html, html, nothing } from '../html.ts';
import { pager } from '../pager.ts';
import { ruleFacts, workedExamples } from '../rule-parts.ts';
import { type Page, page } from '../view.ts';

export const ruleCrumbs = () => [[say('rules.earningRules'), '/rules']] as const;

export function rulesPage(
  { state: { viewer } }: PageContext<'partner'>,
  mode: Mode,
  { versions, nameOf }: NewestRules,
  backTests: readonly BackTestJob[],
): Page {
  const create = hasPermission(viewer, rulePermissions[mode])
    ? linkButton(
        `/rules/${mode.toLowerCase()}/new`,
        say('rules.newRule', { mode }),
        mode === 'TEST' ? 'primary' : 'secondary',
      )
    : nothing;
  return page(
    {
      title: say('rules.title'),
      lead: say('rules.lead'),
      actions: versions.length === 0 ? nothing : create,
    },
    html`<section class="card">${versionTable(versions, nameOf, emptyState(say('rules.empty.title', { mode }), say(noRule[mode]), create))}${allOf(mode, versions)}</section>`,
    versions.length === 0
      ? nothing
      : section(
          say('rules.section.backTests'),
          html`<p class="muted">${say('rules.text')}</p>`,
          backTestTable(backTests),
        ),
  );
}

const noRule: Readonly<Record<Mode, PlainKey>> = {
  TEST: 'rules.noRule.test',
  LIVE: 'rules.noRule.live',
};

export function allRulesPage(
  ctx: PageContext<'partner'>,
  { mode, versions, nextCursor, nameOf }: RulesOfMode,
): Page {
  return page(
    { title: say('rules.allRules.title', { mode }), crumbs: ruleCrumbs() },
    html`<section class="card">${versionTable(
      versions,
      nameOf,
      emptyState(say('rules.allRules.empty.title'), say('rules.allRules.empty.text', { mode })),
    )}${pager(ctx, nextCursor)}</section>`,
  );
}

/** @param nowMs the time for which the worked examples are calculated */
export function rulePage(
  ctx: PageContext<'partner'>,
  { rule, versions, state, nameOf }: RuleDetails,
  { backTests, nowMs }: { backTests: readonly BackTestJob[]; nowMs: number },
): Page {
  const { viewer } = ctx.state;
  const { mode, ruleId, integrationId } = rule;
  return page(
    {
      title: earnsWords(rule),
      crumbs: ruleCrumbs(),
      mode,
      lead: sentenceOfRule(rule),
      actions: actionsOf(rule, state, {
        mayChange: hasPermission(viewer, rulePermissions[mode]),
        mayPromote: hasPermission(viewer, rulePermissions.LIVE),
        // Until then, the set-up steps say when to promote.
        isLive: viewer.partner.goLive.state === 'LIVE',
      }),
    },
    section(
      say('rules.section.theRule'),
      html`<dl class="facts facts-lead"><div><dt>${say('rules.state')}</dt><dd>${badge(state)}</dd></div>
<div><dt>${say('rules.appliesTo')}</dt><dd>${integrationId === null ? nameOf(null) : html`<a href="/integrations/${integrationId}">${nameOf(integrationId)}</a>`}</dd></div>
<div><dt>${say('rules.currency')}</dt><dd>${rule.currency}</dd></div>
<div><dt>${say('rules.id')}</dt><dd>${code(ruleId, { canCopy: true })}</dd></div></dl>`,
      ruleFacts(rule),
    ),
    section(say('rules.section.orderEarns'), workedExamples(rule, nowMs)),
    backTestPart(
      ctx,
      rule,
      backTests.filter(({ input }) => input.rule.ruleId === ruleId),
      state === 'ACTIVE',
    ),
    section(
      say('rules.section.versions'),
      html`<p class="muted">${say('rules.rule.versionNever', { mode, currency: rule.currency, integration: integrationId === null ? say('rules.allIntegrations') : nameOf(integrationId) })}</p>`,
      versionTable(versions, nameOf, nothing, ruleId),
      allOf(mode, versions),
    ),
    state === 'ACTIVE' && hasPermission(viewer, rulePermissions[mode])
      ? section(
          say('rules.section.endTheRule'),
          html`<p>${say('rules.rule.unlessAnother')}</p>
<a class="button danger" href="/rules/${mode.toLowerCase()}/${ruleId}/deactivate">${say('rules.deactivate')}</a>`,
        )
      : nothing,
  );
}

/** A link to all rules, if the list is cut off. */
const allOf = (mode: Mode, shown: readonly RuleVersion[]): Html =>
  shown.length < maxVersions
    ? nothing
    : html`<p class="after"><a href="/rules/all?mode=${mode}">${say('rules.allRules', { mode })}</a></p>`;

function actionsOf(
  { mode, ruleId }: EarningRule,
  state: VersionState,
  { mayChange, mayPromote, isLive }: Record<'mayChange' | 'mayPromote' | 'isLive', boolean>,
): Html {
  const path = `/rules/${mode.toLowerCase()}`;
  const promote =
    mode === 'TEST' && mayPromote
      ? linkButton(
          `${path}/${ruleId}/promote`,
          say('rules.promoteToLive'),
          state === 'ACTIVE' && isLive ? 'primary' : 'secondary',
        )
      : nothing;
  if (!mayChange) return promote;
  return html`${linkButton(`${path}/new?from=${ruleId}`, say('rules.newVersion'), 'secondary')}
${state === 'ACTIVE' ? nothing : linkButton(`${path}/${ruleId}/activate`, say('rules.activate'))}${promote}`;
}

function versionTable(
  versions: readonly RuleVersion[],
  nameOf: (integrationId: string | null) => string,
  empty: Html,
  shownId?: string,
): Html {
  const mode = versions[0]?.rule.mode ?? '';
  return table({
    caption: say('rules.versionTable.caption', { mode }),
    columns: [
      { heading: say('common.state'), cell: ({ state }) => badge(state) },
      {
        heading: say('rules.rule'),
        cell: ({ rule }) =>
          rule.ruleId === shownId
            ? html`<strong>${earnsWords(rule)}</strong> <span class="muted">${say('rules.thisOne')}</span>`
            : html`<a href="/rules/${rule.ruleId}">${earnsWords(rule)}</a>`,
      },
      { heading: say('common.currency'), cell: ({ rule }) => rule.currency },
      {
        heading: say('rules.appliesTo'),
        cell: ({ rule }) => html`<span class="clip">${nameOf(rule.integrationId)}</span>`,
      },
      { heading: say('common.created'), cell: ({ createdAt }) => day(createdAt) },
    ],
    rows: versions,
    empty,
  });
}
