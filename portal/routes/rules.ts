import Joi from 'joi';
import type { EarningRule } from '../../domain/earning-rules.ts';
import { ServiceError } from '../../domain/errors.ts';
import { type Mode, modes } from '../../domain/events.ts';
import type { PartnerPermission } from '../../domain/partner-roles.ts';
import { type PageQuery, page, pageParameters } from '../../http/paging.ts';
import { findJobs } from '../../models/jobs/index.ts';
import {
  findRulesOf,
  findVersions,
  type RuleVersion,
  type VersionState,
  withStates,
} from '../../models/rule-versions.ts';
import { findActiveRules, toEarningRule } from '../../models/rules.ts';
import type { Models } from '../../models/schemas/index.ts';
import { type PageContext, param } from '../context.ts';
import type { PortalDeps } from '../deps.ts';
import { backTestPart, backTestTable } from '../html/back-test-list.ts';
import { badge, code, emptyState, linkButton, section, table } from '../html/components.ts';
import { day } from '../html/format.ts';
import { type Html, html, nothing } from '../html/html.ts';
import { pager } from '../html/pager.ts';
import { ruleFacts, workedExamples } from '../html/rule-parts.ts';
import { view } from '../html/view.ts';
import { integrationNames } from '../integration-names.ts';
import { hasPermission } from '../middleware/authorize.ts';
import { queryOf } from '../query.ts';
import type { Routes } from '../route-table.ts';
import { earnsWords, sentenceOfRule } from '../rule-words.ts';

export const ruleCrumbs = [['Earning rules', '/rules']] as const;
/** Of each mode, besides those that are active; and of one rule's versions. The pages have them all. */
const maxVersions = 25;
const maxBackTests = 20;

const listSchema = Joi.object<PageQuery & { mode?: Mode }>({
  ...pageParameters,
  mode: Joi.string().valid(...modes),
});

/** What a user must be to change the rules of a mode. */
export const rulePermissions = {
  TEST: 'earning-rule.test',
  LIVE: 'earning-rule.live',
} as const satisfies Record<Mode, PartnerPermission>;

/** @throws ServiceError NOT_FOUND, for another partner's too */
export async function findOwnRule(
  models: Models,
  partnerId: string,
  _id: string,
  mode?: Mode,
): Promise<EarningRule> {
  const rule = await models.earningRules.findOne({ partnerId, _id, ...(mode && { mode }) }).lean();
  if (rule) return toEarningRule(rule);
  throw new ServiceError('NOT_FOUND', 'There is no such rule.');
}

/** How purchases earn points: what is active, what was, and what may be. */
export function rulePages(routes: Routes, { models, now }: PortalDeps): void {
  routes.page({ path: '/rules', audience: 'partner', permission: 'read' }, async (ctx) => {
    const { viewer } = ctx.state;
    const partnerId = viewer.partner._id;
    const query = queryOf(ctx, listSchema);
    if (query.mode !== undefined) return await showAll(ctx, query.mode, query);
    const [live, test, backTests] = await Promise.all([
      findRulesOf(models, partnerId, 'LIVE', maxVersions),
      findRulesOf(models, partnerId, 'TEST', maxVersions),
      findJobs(models, partnerId, 'BACK_TEST', maxBackTests),
    ]);
    const rules = [...live, ...test].map(({ rule }) => rule);
    const nameOf = await integrationNames(models, partnerId, rules);
    const newTest = hasPermission(viewer, rulePermissions.TEST)
      ? linkButton('/rules/test/new', 'New TEST rule', 'secondary')
      : nothing;
    view(
      ctx,
      {
        title: 'Earning rules',
        lead: 'A rule says how many points a purchase earns, and what they cost you. One is active at a time for each mode and currency; an integration may have its own.',
        actions: test.length === 0 ? nothing : newTest,
      },
      section(
        'LIVE',
        versionTable(
          live,
          nameOf,
          emptyState(
            'No LIVE rule yet',
            'Try a rule out in TEST; then promote it from its page, with a look at what changes.',
          ),
        ),
        allOf('LIVE', live),
      ),
      section(
        'TEST',
        versionTable(
          test,
          nameOf,
          emptyState(
            'No TEST rule yet',
            'Without an active rule purchases are refused. Begin with points for every unit of the currency.',
            newTest,
          ),
        ),
        allOf('TEST', test),
      ),
      test.length + live.length === 0
        ? nothing
        : section(
            'Back-tests',
            html`<p class="muted">Before a draft becomes active: what the purchases of the last 90 days would have earned and cost under it. Start one on the draft’s page.</p>`,
            backTestTable(backTests),
          ),
    );
  });

  /** Every rule of a mode, the newest first. */
  async function showAll(ctx: PageContext<'partner'>, mode: Mode, query: PageQuery) {
    const partnerId = ctx.state.viewer.partner._id;
    const { items, nextCursor } = await page(
      models.earningRules,
      [{ partnerId, mode }],
      query,
      (rule) => rule,
    );
    const active = await findActiveRules(models, partnerId, mode);
    const versions = await withStates(
      models,
      items,
      active.map(({ ruleId }) => ruleId),
    );
    const rules = versions.map(({ rule }) => rule);
    const nameOf = await integrationNames(models, partnerId, rules);
    view(
      ctx,
      { title: `All ${mode} rules`, crumbs: ruleCrumbs, mode },
      html`<section class="card">${versionTable(
        versions,
        nameOf,
        emptyState('No rule', `There is no ${mode} rule here.`),
      )}${pager(ctx, nextCursor)}</section>`,
    );
  }

  routes.page(
    {
      path: '/rules/:ruleId',
      params: { ruleId: 'rule' },
      audience: 'partner',
      permission: 'read',
    },
    async (ctx) => {
      const { viewer } = ctx.state;
      const partnerId = viewer.partner._id;
      const rule = await findOwnRule(models, partnerId, param(ctx, 'ruleId'));
      const { mode, ruleId, integrationId } = rule;
      const [versions, backTests] = await Promise.all([
        findVersions(models, rule, maxVersions),
        findJobs(models, partnerId, 'BACK_TEST', maxBackTests),
      ]);
      const state = versions.find((one) => one.rule.ruleId === ruleId)?.state ?? 'REPLACED';
      const nameOf = await integrationNames(models, partnerId, [rule]);
      view(
        ctx,
        {
          ...{ title: earnsWords(rule), crumbs: ruleCrumbs, mode },
          lead: sentenceOfRule(rule),
          actions: actionsOf(rule, state, {
            mayChange: hasPermission(viewer, rulePermissions[mode]),
            mayPromote: hasPermission(viewer, rulePermissions.LIVE),
          }),
        },
        section(
          'The rule',
          html`<dl class="facts facts-lead"><div><dt>State</dt><dd>${badge(state)}</dd></div>
<div><dt>Holds for</dt><dd>${integrationId === null ? nameOf(null) : html`<a href="/integrations/${integrationId}">${nameOf(integrationId)}</a>`}</dd></div>
<div><dt>Currency</dt><dd>${rule.currency}</dd></div>
<div><dt>Id</dt><dd>${code(ruleId, { canCopy: true })}</dd></div></dl>`,
          ruleFacts(rule),
        ),
        section('What an order earns', workedExamples(rule, now())),
        backTestPart(
          ctx,
          rule,
          backTests.filter(({ input }) => input.rule.ruleId === ruleId),
          state === 'ACTIVE',
        ),
        section(
          'Versions',
          html`<p class="muted">A version never changes. Of these, ${mode} in ${rule.currency} for ${integrationId === null ? 'all integrations' : nameOf(integrationId)}, one is active at a time.</p>`,
          versionTable(versions, nameOf, nothing, ruleId),
          allOf(mode, versions),
        ),
        state === 'ACTIVE' && hasPermission(viewer, rulePermissions[mode])
          ? section(
              'End the rule',
              html`<p>Without another in its place, the purchases it holds for are refused from then on.</p>
<a class="button danger" href="/rules/${mode.toLowerCase()}/${ruleId}/deactivate">Deactivate …</a>`,
            )
          : nothing,
      );
    },
  );
}

/** The way to the others, where a list is cut off. */
const allOf = (mode: Mode, shown: readonly RuleVersion[]): Html =>
  shown.length < maxVersions
    ? nothing
    : html`<p class="after"><a href="/rules?mode=${mode}">All ${mode} rules</a></p>`;

function actionsOf(
  { mode, ruleId }: EarningRule,
  state: VersionState,
  { mayChange, mayPromote }: { mayChange: boolean; mayPromote: boolean },
): Html {
  const path = `/rules/${mode.toLowerCase()}`;
  const promote =
    mode === 'TEST' && mayPromote
      ? linkButton(
          `${path}/${ruleId}/promote`,
          'Promote to LIVE',
          state === 'ACTIVE' ? 'primary' : 'secondary',
        )
      : nothing;
  if (!mayChange) return promote;
  return html`${linkButton(`${path}/new?from=${ruleId}`, 'New version', 'secondary')}
${state === 'ACTIVE' ? nothing : linkButton(`${path}/${ruleId}/activate`, 'Activate')}${promote}`;
}

function versionTable(
  versions: readonly RuleVersion[],
  nameOf: (integrationId: string | null) => string,
  empty: Html,
  shownId?: string,
): Html {
  const mode = versions[0]?.rule.mode ?? '';
  return table({
    caption: `${mode} rules`,
    columns: [
      { heading: 'State', cell: ({ state }) => badge(state) },
      {
        heading: 'Rule',
        cell: ({ rule }) =>
          rule.ruleId === shownId
            ? html`<strong>${earnsWords(rule)}</strong> <span class="muted">this one</span>`
            : html`<a href="/rules/${rule.ruleId}">${earnsWords(rule)}</a>`,
      },
      { heading: 'Currency', cell: ({ rule }) => rule.currency },
      {
        heading: 'Holds for',
        cell: ({ rule }) => html`<span class="clip">${nameOf(rule.integrationId)}</span>`,
      },
      { heading: 'Made', cell: ({ createdAt }) => day(createdAt) },
    ],
    rows: versions,
    empty,
  });
}
