import Joi from 'joi';
import type { EarningRule } from '../../domain/earning-rules.ts';
import { ServiceError } from '../../domain/errors.ts';
import { type Mode, modes } from '../../domain/mode.ts';
import { cappedByContract } from '../../domain/points.ts';
import { pageSchema } from '../../http/query.ts';
import {
  activateRule,
  createRule,
  deactivateRule,
  type RuleFields,
  requireSeen,
} from '../../operations/earning-rules.ts';
import { execute } from '../../operations/execute.ts';
import { startBackTest } from '../../operations/jobs.ts';
import { integrationChoices } from '../../views/integrations.ts';
import {
  findOwnRule,
  readNewestRules,
  readRule,
  readRuleChange,
  readRules,
} from '../../views/rules.ts';
import { notice } from '../components/components.ts';
import type { Html } from '../components/format.ts';
import { pathOfBackTest } from '../components/jobs.ts';
import { isSameRule } from '../components/rules.ts';
import { render } from '../components/view.ts';
import { checkedMode, type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import {
  formOfRule,
  newRuleForm,
  type RuleForm,
  ruleFormSchema,
  ruleOfForm,
} from '../forms/rule-form.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { readJob, readJobs } from '../jobs.ts';
import { renderWithNext } from '../next-step.ts';
import { actorOf } from '../operate.ts';
import { newRulePage, type RuleChange, ruleChangePage } from '../pages/rule-changes.ts';
import { allRulesPage, backTestPage, rulePage, rulesPage } from '../pages/rules.ts';
import { modeOf, rulePermissions } from '../routing/modes.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { RouteSpec } from '../routing/route.ts';
import type { Routes } from '../routing/route-table.ts';
import { earnsWords } from '../words/rule-words.ts';

const maxBackTests = 20;
const reading = { audience: 'partner', permission: 'read' } as const;

/** A partner's earning rules: active, past and drafts. */
export function rulePages(routes: Routes): void {
  routes.page({ ...reading, path: '/rules' }, showRules);
  routes.page({ ...reading, path: '/rules/all' }, showAllRules);
  routes.page({ ...reading, path: '/rules/:ruleId', params: { ruleId: 'rule' } }, showRule);
}

async function showRules(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const mode = modeOf(ctx);
  const [rules, backTests] = await Promise.all([
    readNewestRules(deps, ownScope(ctx), mode),
    readJobs(deps, ownScope(ctx), 'BACK_TEST', maxBackTests),
  ]);
  const ofMode = backTests.filter(({ input }) => input.rule.mode === mode);
  render(ctx, rulesPage(ctx, mode, rules, ofMode));
}

async function showAllRules(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const rules = await readRules(deps, ownScope(ctx), modeOf(ctx), queryOf(ctx, pageSchema));
  render(ctx, allRulesPage(ctx, rules));
}

async function showRule(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const [details, backTests] = await Promise.all([
    readRule(deps, ownScope(ctx), param(ctx, 'ruleId')),
    readJobs(deps, ownScope(ctx), 'BACK_TEST', maxBackTests),
  ]);
  await renderWithNext(ctx, deps, rulePage(ctx, details, { backTests, nowMs: deps.now(), filled }));
}

/** The rule that was active when the viewer reviewed the change. */
interface Seen {
  replaces: string;
}
const seenSchema = Joi.object<Seen>({ replaces: Joi.string().max(64).default('') });

const creating = {
  audience: 'partner',
  permission: { ...rulePermissions, modeOf },
  path: '/rules/new',
} as const;
const ofRule = {
  audience: 'partner',
  permission: { ...rulePermissions, modeOf: async (ctx, deps) => (await ownRule(ctx, deps)).mode },
  params: { ruleId: 'rule' },
} as const satisfies Omit<RouteSpec<'partner'>, 'path'>;
const activating = { ...ofRule, path: '/rules/:ruleId/activate' } as const;
/** Promoting a TEST rule changes LIVE. */
const promoting = {
  path: '/rules/:ruleId/promote',
  params: { ruleId: 'rule' },
  audience: 'partner',
  permission: rulePermissions.LIVE,
  secondFactor: true,
} as const;

/** Changes of rules: developers can change TEST; LIVE needs an owner and the second factor. */
export function ruleChangePages(routes: Routes): void {
  routes.page(creating, showNew);
  routes.action(creating, { schema: ruleFormSchema, act: draft, retry: showNew });
  routes.page(activating, showActivate);
  routes.action(activating, { schema: seenSchema, act: activateSeen, retry: showActivate });
  routes.action(
    { ...ofRule, path: '/rules/:ruleId/deactivate' },
    { schema: Joi.object({}), act: deactivate, retry: showRule },
  );
  routes.page(promoting, showPromote);
  routes.action(promoting, { schema: seenSchema, act: promote, retry: showPromote });
}

const ownRule = (ctx: PageContext<'partner'>, deps: PageDeps, mode?: Mode): Promise<EarningRule> =>
  findOwnRule(deps, ownScope(ctx), param(ctx, 'ruleId'), mode);

async function showNew(ctx: PageContext<'partner'>, deps: PageDeps, given?: Filled): Promise<void> {
  const filled = given ?? (await beginning(ctx, deps));
  const integrations = await integrationChoices(deps, ownScope(ctx));
  render(ctx, newRulePage(ctx, checkedMode(ctx), integrations, filled));
}

/** The initial form of a new rule: the terms of the rule in the query, if any. */
async function beginning(ctx: PageContext<'partner'>, deps: PageDeps): Promise<Filled> {
  const { from } = ctx.query;
  if (typeof from !== 'string') return newRuleForm(ctx.state.viewer.partner.currency);
  return formOfRule(await findOwnRule(deps, ownScope(ctx), from));
}

async function draft(ctx: PageContext<'partner'>, deps: PageDeps, fields: RuleForm): Promise<void> {
  const mode = checkedMode(ctx);
  const partnerId = ctx.state.viewer.partner._id;
  const { _id } = await createDraft(ctx, deps, partnerId, ruleOfForm(mode, fields));
  if (mode === 'TEST' && fields.step === 'activate') return await activateFirst(ctx, deps, _id);
  redirect(ctx, `/rules/${_id}`, 'Draft created. It earns nothing until you activate it.');
}

/** Activates a rule in place of the active one, if there is one. */
async function activateFirst(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  ruleId: string,
): Promise<void> {
  const rule = await findOwnRule(deps, ownScope(ctx), ruleId, 'TEST');
  const { current } = await readRuleChange(deps, rule);
  await activate(ctx, deps, ruleId, current?.ruleId ?? null);
  const replaced = current === null ? '' : ` It replaces “${earnsWords(current)}”.`;
  redirect(ctx, `/rules/${ruleId}`, `The rule is active in TEST.${replaced}`);
}

async function showActivate(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const mode = checkedMode(ctx);
  const { next, current, applied } = await readRuleChange(deps, await ownRule(ctx, deps, mode));
  const isActive = current?.ruleId === next.ruleId;
  const change: RuleChange = {
    mode,
    current,
    applied,
    next,
    filled,
    title: `Activate in ${mode}`,
    action: `/rules/${next.ruleId}/activate`,
    lead: 'New purchases earn points by this rule. Existing rewards keep their points.',
    refusal: isActive ? notice('info', 'This rule is already active.') : null,
  };
  render(ctx, ruleChangePage(ctx, change, deps.now()));
}

async function activateSeen(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { replaces }: Seen,
): Promise<void> {
  const mode = checkedMode(ctx);
  const next = await ownRule(ctx, deps, mode);
  await activate(ctx, deps, next.ruleId, replaces || null);
  redirect(ctx, `/rules/${next.ruleId}`, `The rule is active in ${mode}.`);
}

async function deactivate(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { ruleId } = await ownRule(ctx, deps, checkedMode(ctx));
  await execute(deps, deactivateRule, actorOf(ctx), { ruleId });
  redirect(ctx, `/rules/${ruleId}`, 'The rule is no longer active.');
}

async function showPromote(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const { partner } = ctx.state.viewer;
  const {
    next: rule,
    current,
    applied,
  } = await readRuleChange(deps, await ownRule(ctx, deps, 'TEST'), 'LIVE');
  // The LIVE rule gets the contract's limit per order, so the preview shows it too.
  const next = cappedByContract(rule, partner);
  const change: RuleChange = {
    mode: 'LIVE',
    current,
    applied,
    next,
    filled,
    title: 'Promote to LIVE',
    action: `/rules/${next.ruleId}/promote`,
    lead: 'This creates and activates a LIVE rule with the same terms, within the limits of your contract. LIVE points cost you real money.',
    refusal: whyNotPromoted(next, current, partner),
  };
  render(ctx, ruleChangePage(ctx, change, deps.now()));
}

function whyNotPromoted(
  next: EarningRule,
  current: EarningRule | null,
  { currency }: { currency: string },
): Html | null {
  if (next.currency !== currency) {
    return notice(
      'warn',
      `This rule is in ${next.currency}, and your LIVE funds are in ${currency}: it cannot be promoted.`,
    );
  }
  return current && isSameRule(current, next)
    ? notice('info', 'LIVE already uses the same terms. There is nothing to promote.')
    : null;
}

async function promote(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { replaces }: Seen,
): Promise<void> {
  const rule = await ownRule(ctx, deps, 'TEST');
  const seen = replaces || null;
  const { current } = await readRuleChange(deps, rule, 'LIVE');
  // The operation checks this again; checked here too, so that a refusal leaves no draft behind.
  requireSeen(current?.ruleId ?? null, seen);
  const ruleId = await promoteRule(ctx, deps, rule, seen);
  redirect(ctx, `/rules/${ruleId}`, 'The rule is active in LIVE.');
}

/**
 * Creates and activates a LIVE rule with the terms of a TEST rule.
 * @param seen the LIVE rule that it was seen to replace
 * @returns its id
 */
export async function promoteRule(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { ruleId: _, partnerId, ...terms }: EarningRule,
  seen: string | null,
): Promise<string> {
  const { _id } = await createDraft(ctx, deps, partnerId, { ...terms, mode: 'LIVE' });
  await activate(ctx, deps, _id, seen);
  return _id;
}

async function createDraft(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  partnerId: string,
  rule: RuleFields,
) {
  return await execute(deps, createRule, actorOf(ctx), { partnerId, ...rule });
}

async function activate(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  ruleId: string,
  seen: string | null,
): Promise<void> {
  await execute(deps, activateRule, actorOf(ctx), { ruleId, seen });
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
export function backTestPages(routes: Routes): void {
  routes.action(
    {
      path: '/rules/:ruleId/back-test',
      params: { ruleId: 'rule' },
      audience: 'partner',
      permission: 'job.start',
    },
    { schema, act: start },
  );
  routes.page(
    {
      path: '/rules/back-tests/:jobId',
      params: { jobId: 'backTest' },
      audience: 'partner',
      permission: 'read',
    },
    showBackTest,
  );
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
