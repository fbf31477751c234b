import Joi from 'joi';
import type { EarningRule } from '../../domain/earning-rules.ts';
import type { Mode } from '../../domain/mode.ts';
import { cappedByContract } from '../../domain/points.ts';
import { budgetLimits } from '../../domain/rule-budgets.ts';
import { param } from '../../http/context.ts';
import {
  activateRule,
  createRule,
  deactivateRule,
  type RuleFields,
  requireSeen,
} from '../../operations/earning-rules.ts';
import { execute } from '../../operations/execute.ts';
import { integrationChoices } from '../../views/integrations.ts';
import { findOwnRule, readRuleChange } from '../../views/rules.ts';
import { linkButton, notice, section, wordsOf } from '../components/components.ts';
import {
  amountField,
  type Choice,
  type FormOptions,
  field,
  form,
  hidden,
  numberField,
  select,
} from '../components/form.ts';
import { type Html, html, nothing, type Part } from '../components/format.ts';
import { isSameRule, ruleDiff } from '../components/rules.ts';
import { type Page, page, render } from '../components/view.ts';
import { checkedMode, type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { claimWindowUnits } from '../forms/fields.ts';
import {
  formOfRule,
  newRuleForm,
  type RuleForm,
  ruleFormSchema,
  ruleOfForm,
} from '../forms/rule-form.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { actorOf } from '../operate.ts';
import { modeOf, rulePermissions } from '../routing/modes.ts';
import { ownScope } from '../routing/own-scope.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { earnsWords } from '../words/rule-words.ts';
import { ruleCrumbs, showRule } from './rules.ts';

/** The rule that was active when the viewer reviewed the change. */
interface Seen {
  replaces: string;
}

const seenSchema = Joi.object<Seen>({ replaces: Joi.string().max(64).default('') });

/** Promoting a TEST rule changes LIVE. */
const promoting = { permission: rulePermissions.LIVE, secondFactor: true } as const;

/** Changes of rules: developers can change TEST; LIVE needs an owner and the second factor. */
export function ruleChangePages(routes: RoutesOf<'partner'>): void {
  const creating = { operation: createRule, modeOf };
  const ofRule = async (ctx: PageContext<'partner'>, deps: PageDeps) =>
    (await ownRule(ctx, deps)).mode;
  routes.page('/rules/new', showNew, creating);
  routes.action('/rules/new', { schema: ruleFormSchema, act: draft, retry: showNew }, creating);
  routes.operation('/rules/:ruleId/activate', activateRule, {
    modeOf: ofRule,
    page: showActivate,
    form: seenSchema,
    input: ({ replaces }) => ({ seen: replaces || null }),
    to: '/rules/:ruleId',
    said: (_active, _seen, ctx) => `The rule is active in ${checkedMode(ctx)}.`,
  });
  routes.operation('/rules/:ruleId/deactivate', deactivateRule, {
    modeOf: ofRule,
    on: showRule,
    to: '/rules/:ruleId',
    said: 'The rule is no longer active.',
  });
  routes.page('/rules/:ruleId/promote', showPromote, promoting);
  routes.action(
    '/rules/:ruleId/promote',
    { schema: seenSchema, act: promote, retry: showPromote },
    promoting,
  );
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

/** A change of the active rule, to be confirmed. */
interface RuleChange {
  title: string;
  lead: string;
  mode: Mode;
  /** The action of its form. */
  action: string;
  /** The active rule that it replaces. */
  current: EarningRule | null;
  /** The rule that the purchases earn by now. */
  applied: EarningRule | null;
  next: EarningRule;
  filled: Filled;
  /** Why the change is not possible; null if it is. */
  refusal: Part;
}

/** @param nowMs the time for which the worked examples are calculated */
function ruleChangePage(ctx: PageContext<'partner'>, change: RuleChange, nowMs: number): Page {
  const { title, lead, mode, action, current, applied, next, filled, refusal } = change;
  const crumbs = crumbsOfRule(next);
  return page(
    { title, lead, mode, crumbs },
    refusal,
    section(
      'What changes',
      applied === null
        ? notice('info', `No ${mode} rule is active yet: purchases are refused until one is.`)
        : current === null
          ? notice('info', 'Until now, the rule for all integrations applies.')
          : nothing,
      ruleDiff(applied, next, nowMs),
      refusal === null
        ? form(ctx, { action, submit: title, filled }, hidden('replaces', current?.ruleId ?? ''))
        : linkButton(`/rules/${next.ruleId}`, 'View rule', 'secondary'),
    ),
  );
}

function newRulePage(
  ctx: PageContext<'partner'>,
  mode: Mode,
  integrations: readonly Choice[],
  filled: Filled,
): Page {
  const liveCurrency = mode === 'LIVE' ? ctx.state.viewer.partner.currency : null;
  return page(
    {
      title: `New ${mode} rule`,
      crumbs: ruleCrumbs(),
      mode,
      lead:
        mode === 'TEST'
          ? 'How many points a purchase earns, and what they cost you. Start with these defaults; a new version can replace the rule at any time.'
          : 'It is saved as a draft and earns nothing until it is activated.',
    },
    html`<div class="card wide-form">${form(
      ctx,
      { action: '/rules/new', filled, ...buttonsOf(mode) },
      mainFields(filled, liveCurrency),
      html`<details class="more-fields" ${hasErrorIn(filled) ? html`open` : nothing}><summary>More: scope, claim window, hold, limits, campaign and budget</summary>${[
        scopeFields(filled, integrations, liveCurrency),
        limitFields(filled),
        campaignFields(filled),
        budgetFields(filled),
      ]}</details>`,
    )}</div>`,
  );
}

function buttonsOf(mode: Mode): Pick<FormOptions, 'submit' | 'steps'> {
  const saveDraft = 'Save draft';
  if (mode === 'LIVE') return { submit: saveDraft };
  return {
    submit: 'Create and activate',
    steps: { value: 'activate', other: { submit: saveDraft, value: 'draft' } },
  };
}

/** Amounts are in the currency that the form names. */
const amountOf = (filled: Filled) =>
  ({ currency: 'USD', currencyIn: '#currency', filled }) as const;

/** What almost every rule is about; the rest is folded, with its defaults. */
const mainNames = ['points', 'unitCents', 'currency', 'pointValueMicros'];

const hasErrorIn = ({ errors }: Filled): boolean =>
  Object.keys(errors).some((name) => name !== '' && !mainNames.includes(name));

/** The currency of the amounts, which the form of a TEST rule can change. */
const currencyWords = ({ values }: Filled, liveCurrency: string | null): string =>
  liveCurrency ?? `${values.currency ?? 'USD'}, or the currency you enter below`;

/** @param liveCurrency the only currency of LIVE rules; null for a TEST rule, which can use any */
function mainFields(filled: Filled, liveCurrency: string | null): Html {
  const amount = amountOf(filled);
  const currency = currencyWords(filled, liveCurrency);
  return fieldset(
    'How it earns',
    numberField({ reads: 'count', filled, name: 'points', label: 'Points', isRequired: true }),
    amountField({
      ...amount,
      name: 'unitCents',
      label: 'For every',
      hint: `In ${currency}, such as 1.00. If every order earns the same, choose that as the kind, under Scope.`,
    }),
    field({
      name: 'currency',
      label: 'Currency',
      filled,
      isRequired: true,
      maxLength: 3,
      ...(liveCurrency !== null && {
        hint: `LIVE rules are in ${liveCurrency}, like your funds.`,
      }),
    }),
    numberField({
      ...amount,
      reads: 'price',
      name: 'pointValueMicros',
      label: 'A point costs you',
      hint: `In ${currency}, with up to six decimals, such as 0.01.`,
    }),
  );
}

function scopeFields(
  filled: Filled,
  integrations: readonly Choice[],
  liveCurrency: string | null,
): Html {
  return fieldset(
    'Scope',
    select({
      name: 'kind',
      label: 'Kind',
      filled,
      choices: [
        { value: 'PER_AMOUNT', text: 'Points per amount' },
        { value: 'FIXED', text: 'The same points for every order' },
      ],
    }),
    select({
      name: 'integrationId',
      label: 'Integration',
      filled,
      choices: [{ value: '', text: 'All integrations' }, ...integrations],
      hint: 'An integration’s own rule takes priority.',
    }),
    numberField({
      reads: 'count',
      filled,
      name: 'claimWindow',
      label: 'Claim window',
      isRequired: true,
    }),
    select({
      name: 'claimWindowUnit',
      label: 'Unit of the claim window',
      filled,
      choices: claimWindowUnits.map((value) => ({ value, text: wordsOf(value) })),
    }),
    numberField({
      reads: 'count',
      filled,
      name: 'holdFor',
      label: 'Hold after the purchase',
      hint: 'The customer can claim only then, so that a return before needs no review, such as 14 days. Leave it empty for none.',
    }),
    select({
      name: 'holdForUnit',
      label: 'Unit of the hold',
      filled,
      choices: claimWindowUnits.map((value) => ({ value, text: wordsOf(value) })),
    }),
    amountField({
      ...amountOf(filled),
      name: 'minimumOrderCents',
      label: 'Minimum order',
      hint: `In ${liveCurrency ?? 'the currency of the rule'}.`,
    }),
  );
}

function limitFields(filled: Filled): Html {
  const number = { reads: 'count', filled } as const;
  return fieldset(
    'Limits',
    numberField({
      ...number,
      name: 'capPerOrderPoints',
      label: 'Limit per order',
      hint: 'In points. Leave it empty for no limit.',
    }),
    numberField({
      ...number,
      name: 'capPerCustomerDayPoints',
      label: 'Daily limit per customer',
      hint: 'In points. Leave it empty for no limit.',
    }),
  );
}

function campaignFields(filled: Filled): Html {
  const time = { type: 'datetime-local', filled } as const;
  return fieldset(
    'Campaign',
    numberField({
      reads: 'factor',
      filled,
      name: 'multiplier',
      label: 'Multiplier',
      hint: '1 for none, or with decimals, such as 1.5. Without dates, it always applies.',
    }),
    field({ ...time, name: 'startsAt', label: 'Start (UTC)' }),
    field({ ...time, name: 'endsAt', label: 'End (UTC)' }),
  );
}

function budgetFields(filled: Filled): Html {
  const number = { reads: 'count', filled } as const;
  return fieldset(
    'Budget',
    field({
      name: 'budgetName',
      label: 'Name of the budget',
      filled,
      maxLength: budgetLimits.nameChars,
      hint: 'Rules whose budgets have the same name share one count: a new version goes on with it, and a new name starts anew. Leave all three empty for no budget.',
    }),
    numberField({
      ...number,
      name: 'totalPoints',
      label: 'Points in all',
      hint: 'What purchases would earn beyond it is cut, and is not refused.',
    }),
    numberField({
      ...number,
      name: 'monthPoints',
      label: 'Points per month',
      hint: 'By calendar month, in your time zone.',
    }),
  );
}

const crumbsOfRule = (rule: EarningRule) =>
  [...ruleCrumbs(), [earnsWords(rule), `/rules/${rule.ruleId}`]] as const;

function fieldset(legend: string, ...fields: Part[]): Html {
  return html`<fieldset class="part"><legend>${legend}</legend><div class="fields">${fields}</div></fieldset>`;
}
