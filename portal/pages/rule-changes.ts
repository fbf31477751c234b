import type { EarningRule } from '../../domain/earning-rules.ts';
import type { Mode } from '../../domain/mode.ts';
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
import { ruleDiff } from '../components/rules.ts';
import { type Page, page } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import { claimWindowUnits } from '../forms/fields.ts';
import type { Filled } from '../forms/submit.ts';
import { earnsWords } from '../words/rule-words.ts';
import { ruleCrumbs } from './rules.ts';

/** A change of the active rule, to be confirmed. */
export interface RuleChange {
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
export function ruleChangePage(
  ctx: PageContext<'partner'>,
  change: RuleChange,
  nowMs: number,
): Page {
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

export function newRulePage(
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
      html`<details class="more-fields" ${hasErrorIn(filled) ? html`open` : nothing}><summary>More: scope, claim window, hold, limits and campaign</summary>${[
        scopeFields(filled, integrations, liveCurrency),
        limitFields(filled),
        campaignFields(filled),
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

const crumbsOfRule = (rule: EarningRule) =>
  [...ruleCrumbs(), [earnsWords(rule), `/rules/${rule.ruleId}`]] as const;

function fieldset(legend: string, ...fields: Part[]): Html {
  return html`<fieldset class="part"><legend>${legend}</legend><div class="fields">${fields}</div></fieldset>`;
}
