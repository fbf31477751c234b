import type { EarningRule } from '../../domain/earning-rules.ts';
import type { Mode } from '../../domain/mode.ts';
import { backTestDays } from '../../jobs/index.ts';
import type { RuleVersion, VersionState } from '../../models/rewards/rule-versions.ts';
import type { BackTestJob } from '../../models/schemas/jobs.ts';
import {
  maxVersions,
  type NewestRules,
  type RuleDetails,
  type RulesOfMode,
} from '../../views/rules.ts';
import {
  badge,
  type Columns,
  code,
  emptyState,
  linkButton,
  section,
  table,
} from '../components/components.ts';
import { confirm } from '../components/form.ts';
import { day, type Html, html, minuteText, nothing } from '../components/format.ts';
import { backTestPart, backTestResults, backTestTable, jobPart } from '../components/jobs.ts';
import { ruleFacts, workedExamples } from '../components/rules.ts';
import { type Page, page } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { Filled } from '../forms/submit.ts';
import { list } from '../lists/list.ts';
import { hasPermission } from '../middleware/access.ts';
import { rulePermissions } from '../routing/modes.ts';
import { earnsWords, sentenceOfRule } from '../words/rule-words.ts';

export const ruleCrumbs = () => [['Rules', '/rules']] as const;

export function rulesPage(
  { state: { viewer } }: PageContext<'partner'>,
  mode: Mode,
  { versions, nameOf }: NewestRules,
  backTests: readonly BackTestJob[],
): Page {
  const create = hasPermission(viewer, rulePermissions[mode])
    ? linkButton('/rules/new', `New ${mode} rule`, mode === 'TEST' ? 'primary' : 'secondary')
    : nothing;
  return page(
    {
      title: 'Rules',
      lead: 'A rule sets how many points a purchase earns and what they cost you. One rule is active at a time for each mode and currency; an integration can have its own.',
      actions: versions.length === 0 ? nothing : create,
    },
    html`<section class="card">${table({
      caption: `${mode} rules`,
      columns: versionColumns(nameOf),
      rows: versions,
      empty: emptyState(`No ${mode} rule yet`, noRule[mode], create),
    })}${allOf(mode, versions)}</section>`,
    versions.length === 0
      ? nothing
      : section(
          'Back-tests',
          html`<p class="muted">Before you activate a draft, see what the purchases of the last 90 days would have earned and cost under it. Start one on the draft’s page.</p>`,
          backTestTable(backTests),
        ),
  );
}

const noRule: Readonly<Record<Mode, string>> = {
  TEST: 'Without an active rule, purchases are refused. Start with points for every unit of the currency.',
  LIVE: 'Try a rule in TEST, then promote it from its page after reviewing what changes.',
};

export function allRulesPage(
  ctx: PageContext<'partner'>,
  { mode, versions, nextCursor, nameOf }: RulesOfMode,
): Page {
  return page(
    { title: `All ${mode} rules`, crumbs: ruleCrumbs() },
    list(ctx, {
      caption: `${mode} rules`,
      columns: versionColumns(nameOf),
      rows: versions,
      empty: emptyState('No rules', `There are no ${mode} rules.`),
      nextCursor,
    }),
  );
}

/** @param nowMs the time for which the worked examples are calculated */
export function rulePage(
  ctx: PageContext<'partner'>,
  { rule, versions, state, nameOf }: RuleDetails,
  {
    backTests,
    nowMs,
    filled,
  }: { backTests: readonly BackTestJob[]; nowMs: number; filled: Filled },
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
      'The rule',
      html`<dl class="facts facts-lead"><div><dt>State</dt><dd>${badge(state)}</dd></div>
<div><dt>Applies to</dt><dd>${integrationId === null ? nameOf(null) : html`<a href="/integrations/${integrationId}">${nameOf(integrationId)}</a>`}</dd></div>
<div><dt>Currency</dt><dd>${rule.currency}</dd></div>
<div><dt>ID</dt><dd>${code(ruleId, { canCopy: true })}</dd></div></dl>`,
      ruleFacts(rule),
    ),
    section('What an order earns', workedExamples(rule, nowMs)),
    backTestPart(
      ctx,
      rule,
      backTests.filter(({ input }) => input.rule.ruleId === ruleId),
      state === 'ACTIVE',
    ),
    section(
      'Versions',
      html`<p class="muted">A version never changes. Of these ${mode} versions in ${rule.currency} for ${integrationId === null ? 'all integrations' : nameOf(integrationId)}, one is active at a time.</p>`,
      table({
        caption: `${mode} rules`,
        columns: versionColumns(nameOf, ruleId),
        rows: versions,
      }),
      allOf(mode, versions),
    ),
    state === 'ACTIVE' && hasPermission(viewer, rulePermissions[mode])
      ? section(
          'Deactivate the rule',
          confirm(ctx, {
            ask: 'Deactivate …',
            question:
              integrationId === null
                ? `${mode} purchases in ${rule.currency} that it applies to are refused within seconds, until another rule is active.`
                : `Within seconds, ${mode} purchases in ${rule.currency} of ${nameOf(integrationId)} earn by the rule for all integrations. Without one, they are refused.`,
            action: `/rules/${ruleId}/deactivate`,
            submit: 'Deactivate',
            filled,
          }),
        )
      : nothing,
  );
}

/** A link to all rules, if the list is cut off. */
const allOf = (mode: Mode, shown: readonly RuleVersion[]): Html =>
  shown.length < maxVersions
    ? nothing
    : html`<p class="after"><a href="/rules/all?mode=${mode}">All ${mode} rules</a></p>`;

function actionsOf(
  { mode, ruleId }: EarningRule,
  state: VersionState,
  { mayChange, mayPromote, isLive }: Record<'mayChange' | 'mayPromote' | 'isLive', boolean>,
): Html {
  const promote =
    mode === 'TEST' && mayPromote
      ? linkButton(
          `/rules/${ruleId}/promote`,
          'Promote to LIVE',
          state === 'ACTIVE' && isLive ? 'primary' : 'secondary',
        )
      : nothing;
  if (!mayChange) return promote;
  return html`${linkButton(`/rules/new?from=${ruleId}`, 'New version', 'secondary')}
${state === 'ACTIVE' ? nothing : linkButton(`/rules/${ruleId}/activate`, 'Activate')}${promote}`;
}

/** @param shownId the version whose page it is */
const versionColumns = (
  nameOf: (integrationId: string | null) => string,
  shownId?: string,
): Columns<RuleVersion> => ({
  Rule: ({ rule }) =>
    rule.ruleId === shownId
      ? html`<strong>${earnsWords(rule)}</strong> <span class="muted">this one</span>`
      : html`<a href="/rules/${rule.ruleId}">${earnsWords(rule)}</a>`,
  State: ({ state }) => badge(state),
  Currency: ({ rule }) => rule.currency,
  'Applies to': ({ rule }) => html`<span class="clip">${nameOf(rule.integrationId)}</span>`,
  Created: ({ createdAt }) => day(createdAt),
});

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
