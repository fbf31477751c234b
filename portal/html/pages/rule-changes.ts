import type { EarningRule } from '../../../domain/earning-rules.ts';
import type { Mode } from '../../../domain/mode.ts';
import type { PageContext } from '../../context.ts';
import { claimWindowUnits } from '../../forms/claim-window-fields.ts';
import type { Filled } from '../../forms/submit.ts';
import { earnsWords } from '../../words/rule-words.ts';
import { linkButton, notice, section, wordsOf } from '../components.ts';
import { type Choice, field, form, hidden, select } from '../form.ts';
import { html, nothing, type Part } from '../html.ts';
import { ruleDiff } from '../rule-parts.ts';
import { type Page, page } from '../view.ts';
import { ruleCrumbs } from './rules.ts';

/** What becomes of the rules when one takes another's place. */
export interface RuleChange {
  title: string;
  lead: string;
  mode: Mode;
  /** Where its form is sent. */
  action: string;
  current: EarningRule | null;
  next: EarningRule;
  filled: Filled;
  /** Why it cannot be done; null where it can. */
  refusal: Part;
}

/** @param nowMs of the worked examples */
export function ruleChangePage(
  ctx: PageContext<'partner'>,
  change: RuleChange,
  nowMs: number,
): Page {
  const { title, lead, mode, action, current, next, filled, refusal } = change;
  const crumbs = crumbsOfRule(next);
  return page(
    { title, lead, mode, crumbs },
    refusal,
    section(
      'What changes',
      current === null
        ? notice('info', `No ${mode} rule is active here yet: purchases are refused until one is.`)
        : nothing,
      ruleDiff(current, next, nowMs),
      refusal === null
        ? form(ctx, { action, submit: title, filled }, hidden('replaces', current?.ruleId ?? ''))
        : linkButton(`/rules/${next.ruleId}`, 'View the rule', 'secondary'),
    ),
  );
}

export function deactivatePage(
  ctx: PageContext<'partner'>,
  rule: EarningRule,
  filled: Filled,
): Page {
  const { mode } = rule;
  const base = `/rules/${mode.toLowerCase()}`;
  return page(
    {
      ...{ title: 'Deactivate the rule', mode },
      crumbs: crumbsOfRule(rule),
    },
    html`<div class="card narrow">${notice('warn', `${mode} purchases in ${rule.currency} that it holds for are refused within seconds, until another rule is active.`)}${form(
      ctx,
      {
        ...{ action: `${base}/${rule.ruleId}/deactivate`, submit: 'Deactivate', filled },
        isDangerous: true,
      },
    )}</div>`,
  );
}

export function newRulePage(
  ctx: PageContext<'partner'>,
  mode: Mode,
  integrations: readonly Choice[],
  filled: Filled,
): Page {
  const { currency } = ctx.state.viewer.partner;
  const number = { inputmode: 'numeric', maxLength: 12, autocomplete: 'off', filled } as const;
  const amount = { ...number, inputmode: 'decimal', maxLength: 20 } as const;
  return page(
    {
      ...{ title: `New ${mode} rule`, crumbs: ruleCrumbs, mode },
      lead:
        mode === 'TEST'
          ? 'How many points a purchase earns, and what they cost you. Start with these defaults; a new version can replace the rule at any time.'
          : 'It is saved as a draft and earns nothing until it is activated.',
    },
    html`<div class="card wide-form">${form(
      ctx,
      {
        ...{ action: `/rules/${mode.toLowerCase()}/new`, filled },
        ...(mode === 'TEST'
          ? {
              submit: 'Create and activate',
              steps: { value: 'activate', other: { submit: 'Save draft', value: 'draft' } },
            }
          : { submit: 'Save draft' }),
      },
      fieldset(
        'How it earns',
        select({
          ...{ name: 'kind', label: 'Kind', filled },
          choices: [
            { value: 'PER_AMOUNT', text: 'Points per amount' },
            { value: 'FIXED', text: 'The same for every order' },
          ],
        }),
        field({ ...number, name: 'points', label: 'Points', isRequired: true }),
        field({
          ...{ ...amount, name: 'unitCents', label: 'For every' },
          hint: 'An amount such as 1.00. Left out where every order earns the same.',
        }),
        field({
          ...{ ...amount, name: 'pointValueMicros', label: 'A point costs you' },
          hint: 'Up to six decimals, such as 0.01.',
        }),
      ),
      fieldset(
        'Scope',
        field({
          ...{ name: 'currency', label: 'Currency', filled, isRequired: true, maxLength: 3 },
          ...(mode === 'LIVE' && { hint: `LIVE rules are in ${currency}, as your funds are.` }),
        }),
        select({
          ...{ name: 'integrationId', label: 'Integration', filled },
          choices: [{ value: '', text: 'All integrations' }, ...integrations],
          hint: 'An integration’s own rule takes priority.',
        }),
        field({ ...amount, name: 'minimumOrderCents', label: 'Minimum order' }),
        field({ ...number, name: 'claimWindow', label: 'Time to claim', isRequired: true }),
        select({
          ...{ name: 'claimWindowUnit', label: 'Unit of the time to claim', filled },
          choices: claimWindowUnits.map((value) => ({ value, text: wordsOf(value) })),
        }),
      ),
      fieldset(
        'Limits',
        field({
          ...{ ...number, name: 'capPerOrderPoints', label: 'Limit per order' },
          hint: 'Points; empty for no limit.',
        }),
        field({
          ...{ ...number, name: 'capPerCustomerDayPoints' },
          label: 'Daily limit per customer',
          hint: 'Points; empty for no limit.',
        }),
      ),
      fieldset(
        'Campaign',
        field({
          ...{ ...number, name: 'multiplier', label: 'Multiplier' },
          hint: '1 for none. Without dates it holds always.',
        }),
        field({
          ...{ name: 'startsAt', label: 'From (UTC)', type: 'datetime-local', filled },
        }),
        field({
          ...{ name: 'endsAt', label: 'Until (UTC)', type: 'datetime-local', filled },
        }),
      ),
    )}</div>`,
  );
}

const crumbsOfRule = (rule: EarningRule) =>
  [...ruleCrumbs, [earnsWords(rule), `/rules/${rule.ruleId}`]] as const;

function fieldset(legend: string, ...fields: Part[]) {
  return html`<fieldset class="part"><legend>${legend}</legend><div class="fields">${fields}</div></fieldset>`;
}
