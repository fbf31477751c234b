import Joi from 'joi';
import { customerTimeZone } from '../../domain/branding.ts';
import type { EarningRule } from '../../domain/earning-rules.ts';
import { ServiceError } from '../../domain/errors.ts';
import { type Mode, modes } from '../../domain/mode.ts';
import { type BudgetLimit, leftOfLimit } from '../../domain/rule-budgets.ts';
import { dayIn } from '../../domain/time-zones.ts';
import { param } from '../../http/context.ts';
import { pageSchema } from '../../http/query.ts';
import { backTestDays } from '../../jobs/index.ts';
import type { RuleVersion, VersionState } from '../../models/rewards/rule-versions.ts';
import type { BackTestJob } from '../../models/schemas/jobs.ts';
import { execute } from '../../operations/execute.ts';
import { startBackTest } from '../../operations/jobs.ts';
import {
  findOwnRule,
  maxVersions,
  type NewestRules,
  type RuleDetails,
  type RulesOfMode,
  readBudgets,
  readNewestRules,
  readRule,
  readRules,
} from '../../views/rules.ts';
import {
  badge,
  type Columns,
  code,
  emptyState,
  linkButton,
  notice,
  section,
  table,
} from '../components/components.ts';
import { confirm } from '../components/form.ts';
import { day, type Html, html, minuteText, nothing } from '../components/format.ts';
import {
  backTestPart,
  backTestResults,
  backTestTable,
  jobPart,
  pathOfBackTest,
} from '../components/jobs.ts';
import { ruleFacts, workedExamples } from '../components/rules.ts';
import { type Page, page, render } from '../components/view.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { readJob, readJobs } from '../jobs.ts';
import { list } from '../lists/list.ts';
import { hasPermission } from '../middleware/access.ts';
import { renderWithNext } from '../next-step.ts';
import { actorOf } from '../operate.ts';
import { modeOf, rulePermissions } from '../routing/modes.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { earnsWords, sentenceOfRule } from '../words/rule-words.ts';

const maxBackTests = 20;

/** A partner's earning rules: active, past and drafts. */
export function rulePages(routes: RoutesOf<'partner'>): void {
  routes.page('/rules', showRules);
  routes.page('/rules/all', showAllRules);
  routes.page('/rules/:ruleId', showRule);
}

async function showRules(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const mode = modeOf(ctx);
  const [rules, backTests] = await Promise.all([
    readNewestRules(deps, ownScope(ctx), mode),
    readJobs(deps, ownScope(ctx), 'BACK_TEST', maxBackTests),
  ]);
  const ofMode = backTests.filter(({ input }) => input.rule.mode === mode);
  const limits = await budgetsOf(ctx, deps, rules.versions);
  render(ctx, rulesPage(ctx, mode, rules, { backTests: ofMode, limits }));
}

/** What is used of the budgets of rules, by their ids. */
type Limits = ReadonlyMap<string, readonly BudgetLimit[]>;

async function budgetsOf(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  versions: readonly Pick<RuleVersion, 'rule'>[],
): Promise<Limits> {
  const zone = customerTimeZone(ctx.state.viewer.partner);
  const today = dayIn(zone, new Date(deps.now()).toISOString());
  const rules = versions.map(({ rule }) => rule);
  return await readBudgets(deps, ownScope(ctx), rules, today);
}

async function showAllRules(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const rules = await readRules(deps, ownScope(ctx), modeOf(ctx), queryOf(ctx, pageSchema));
  render(ctx, allRulesPage(ctx, rules, await budgetsOf(ctx, deps, rules.versions)));
}

export async function showRule(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const [details, backTests] = await Promise.all([
    readRule(deps, ownScope(ctx), param(ctx, 'ruleId')),
    readJobs(deps, ownScope(ctx), 'BACK_TEST', maxBackTests),
  ]);
  const limits = await budgetsOf(ctx, deps, [details, ...details.versions]);
  const more = { backTests, limits, nowMs: deps.now(), filled };
  await renderWithNext(ctx, deps, rulePage(ctx, details, more));
}

const schema = Joi.object<{ mode: Mode }>({
  mode: Joi.string()
    .valid(...modes)
    .required()
    .messages({
      'any.only': 'Choose a mode.',
      'any.required': 'Choose a mode.',
    }),
});

/** Back-tests: what past purchases would have earned and cost under a rule that is not active. */
export function backTestPages(routes: RoutesOf<'partner'>): void {
  routes.action('/rules/:ruleId/back-test', { schema, act: start }, { operation: startBackTest });
  routes.page('/rules/back-tests/:jobId', showBackTest, { params: { jobId: 'backTest' } });
}

async function start(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { mode }: { mode: Mode },
): Promise<void> {
  const rule = await findOwnRule(deps, ownScope(ctx), param(ctx, 'ruleId'));
  try {
    const job = await execute(deps, startBackTest, actorOf(ctx), { ruleId: rule.ruleId, mode });
    redirect(ctx, pathOfBackTest(job._id));
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'CONFLICT')) throw error;
    const [open] = await readJobs(deps, ownScope(ctx), 'BACK_TEST', 1);
    if (!open) throw error;
    redirect(ctx, pathOfBackTest(open._id), `${error.message} Here it is.`, 'bad');
  }
}

async function showBackTest(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  render(ctx, backTestPage(ctx, await readJob(deps, ctx, 'BACK_TEST')));
}

export const ruleCrumbs = () => [['Rules', '/rules']] as const;

function rulesPage(
  { state: { viewer } }: PageContext<'partner'>,
  mode: Mode,
  { versions, nameOf }: NewestRules,
  { backTests, limits }: { backTests: readonly BackTestJob[]; limits: Limits },
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
      columns: versionColumns(nameOf, limits),
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

function allRulesPage(
  ctx: PageContext<'partner'>,
  { mode, versions, nextCursor, nameOf }: RulesOfMode,
  limits: Limits,
): Page {
  return page(
    { title: `All ${mode} rules`, crumbs: ruleCrumbs() },
    list(ctx, {
      caption: `${mode} rules`,
      columns: versionColumns(nameOf, limits),
      rows: versions,
      empty: emptyState('No rules', `There are no ${mode} rules.`),
      nextCursor,
    }),
  );
}

/** @param nowMs the time for which the worked examples are calculated */
function rulePage(
  ctx: PageContext<'partner'>,
  { rule, versions, state, nameOf }: RuleDetails,
  {
    backTests,
    limits,
    nowMs,
    filled,
  }: { backTests: readonly BackTestJob[]; limits: Limits; nowMs: number; filled: Filled },
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
      html`<dl class="definitions definitions-lead"><div><dt>State</dt><dd>${badge(state)}</dd></div>
<div><dt>Applies to</dt><dd>${integrationId === null ? nameOf(null) : html`<a href="/integrations/${integrationId}">${nameOf(integrationId)}</a>`}</dd></div>
<div><dt>Currency</dt><dd>${rule.currency}</dd></div>
<div><dt>ID</dt><dd>${code(ruleId, { canCopy: true })}</dd></div></dl>`,
      ruleFacts(rule),
    ),
    rule.budget === undefined ? nothing : budgetPart(rule.budget.name, limits.get(ruleId) ?? []),
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
        columns: versionColumns(nameOf, limits, ruleId),
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

const isUsedUp = (limits: readonly BudgetLimit[] = []): boolean =>
  limits.some((limit) => leftOfLimit(limit) === 0);

const usedUpWords = (limits: readonly BudgetLimit[]): string =>
  isUsedUp(limits.filter(({ of }) => of === 'TOTAL'))
    ? 'Budget used up: purchases earn no points under this rule.'
    : 'Budget of this month used up: purchases earn no points under this rule until it begins again next month.';

/** The budget of a rule: what is used of it, and what is left. */
const budgetPart = (name: string, limits: readonly BudgetLimit[]): Html =>
  section(
    'Budget',
    html`<p class="muted">“${name}”. Versions and rules whose budgets have this name share the count. Refunds give back to it, as to the limits per customer.</p>`,
    isUsedUp(limits) ? notice('warn', usedUpWords(limits)) : nothing,
    table({
      caption: 'Budget',
      columns: {
        Points: ({ of }) => (of === 'TOTAL' ? 'In all' : 'This month'),
        Budget: { number: ({ limitPoints }) => limitPoints },
        Used: { number: ({ usedPoints }) => usedPoints },
        Left: { number: leftOfLimit },
      },
      rows: limits,
    }),
  );

/** @param shownId the version whose page it is */
const versionColumns = (
  nameOf: (integrationId: string | null) => string,
  limits: Limits,
  shownId?: string,
): Columns<RuleVersion> => ({
  Rule: ({ rule }) =>
    rule.ruleId === shownId
      ? html`<strong>${earnsWords(rule)}</strong> <span class="muted">this one</span>`
      : html`<a href="/rules/${rule.ruleId}">${earnsWords(rule)}</a>`,
  State: ({ rule, state }) =>
    state === 'ACTIVE' && isUsedUp(limits.get(rule.ruleId))
      ? html`${badge(state)} ${badge('PAUSED', 'Budget used up')}`
      : badge(state),
  Currency: ({ rule }) => rule.currency,
  'Applies to': ({ rule }) => html`<span class="clip">${nameOf(rule.integrationId)}</span>`,
  Created: ({ createdAt }) => day(createdAt),
});

function backTestPage(ctx: PageContext<'partner'>, job: BackTestJob): Page {
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
