import type { EarningRule } from '../../../domain/earning-rules.ts';
import type { Mode } from '../../../domain/mode.ts';
import type { PageContext } from '../../context.ts';
import { claimWindowUnits } from '../../forms/claim-window-fields.ts';
import type { Filled } from '../../forms/submit.ts';
import { earnsWords } from '../../words/rule-words.ts';
import { say } from '../../words/say.ts';
import { linkButton, notice, section, wordsOf } from '../components.ts';
import { type Choice, type FormOptions, field, form, hidden, select } from '../form.ts';
import { type Html, html, nothing, type Part } from '../html.ts';
import { ruleDiff } from '../rule-parts.ts';
import { type Page, page } from '../view.ts';
import { ruleCrumbs } from './rules.ts';

/** A change of the active rule, to be confirmed. */
export interface RuleChange {
  title: string;
  lead: string;
  mode: Mode;
  /** The action of its form. */
  action: string;
  current: EarningRule | null;
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
  const { title, lead, mode, action, current, next, filled, refusal } = change;
  const crumbs = crumbsOfRule(next);
  return page(
    { title, lead, mode, crumbs },
    refusal,
    section(
      say('ruleChanges.section.whatChanges'),
      current === null ? notice('info', say('ruleChanges.ruleChange.notice', { mode })) : nothing,
      ruleDiff(current, next, nowMs),
      refusal === null
        ? form(ctx, { action, submit: title, filled }, hidden('replaces', current?.ruleId ?? ''))
        : linkButton(`/rules/${next.ruleId}`, say('ruleChanges.viewTheRule'), 'secondary'),
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
      title: say('ruleChanges.deactivate.title'),
      mode,
      crumbs: crumbsOfRule(rule),
    },
    html`<div class="card narrow">${notice('warn', say('ruleChanges.deactivate.notice', { mode, currency: rule.currency }))}${form(
      ctx,
      {
        action: `${base}/${rule.ruleId}/deactivate`,
        submit: say('ruleChanges.deactivate.submit'),
        filled,
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
  return page(
    {
      title: say('ruleChanges.newRule.title', { mode }),
      crumbs: ruleCrumbs(),
      mode,
      lead:
        mode === 'TEST'
          ? say('ruleChanges.newRule.lead')
          : say('ruleChanges.newRule.lead.savedDraft'),
    },
    html`<div class="card wide-form">${form(
      ctx,
      { action: `/rules/${mode.toLowerCase()}/new`, filled, ...buttonsOf(mode) },
      earningFields(filled),
      scopeFields(filled, {
        integrations,
        liveCurrency: mode === 'LIVE' ? ctx.state.viewer.partner.currency : null,
      }),
      limitFields(filled),
      campaignFields(filled),
    )}</div>`,
  );
}

function buttonsOf(mode: Mode): Pick<FormOptions, 'submit' | 'steps'> {
  const saveDraft = say('ruleChanges.newRule.submit.saveDraft');
  if (mode === 'LIVE') return { submit: saveDraft };
  return {
    submit: say('ruleChanges.newRule.submit'),
    steps: { value: 'activate', other: { submit: saveDraft, value: 'draft' } },
  };
}

const numberOf = (filled: Filled) =>
  ({ inputmode: 'numeric', maxLength: 12, autocomplete: 'off', filled }) as const;

const amountOf = (filled: Filled) =>
  ({ inputmode: 'decimal', maxLength: 20, autocomplete: 'off', filled }) as const;

function earningFields(filled: Filled): Html {
  const amount = amountOf(filled);
  return fieldset(
    say('ruleChanges.howItEarns'),
    select({
      name: 'kind',
      label: say('common.kind'),
      filled,
      choices: [
        { value: 'PER_AMOUNT', text: say('ruleChanges.choice.perAmount') },
        { value: 'FIXED', text: say('ruleChanges.choice.fixed') },
      ],
    }),
    field({ ...numberOf(filled), name: 'points', label: say('common.points'), isRequired: true }),
    field({
      ...amount,
      name: 'unitCents',
      label: say('ruleChanges.unitCents'),
      hint: say('ruleChanges.unitCents.hint'),
    }),
    field({
      ...amount,
      name: 'pointValueMicros',
      label: say('ruleChanges.pointValueMicros'),
      hint: say('ruleChanges.pointValueMicros.hint'),
    }),
  );
}

/** @param liveCurrency the only currency of LIVE rules; null for a TEST rule, which can use any */
function scopeFields(
  filled: Filled,
  { integrations, liveCurrency }: { integrations: readonly Choice[]; liveCurrency: string | null },
): Html {
  return fieldset(
    say('ruleChanges.scope'),
    field({
      name: 'currency',
      label: say('common.currency'),
      filled,
      isRequired: true,
      maxLength: 3,
      ...(liveCurrency !== null && {
        hint: say('ruleChanges.newRule.hint', { currency: liveCurrency }),
      }),
    }),
    select({
      name: 'integrationId',
      label: say('common.integration'),
      filled,
      choices: [{ value: '', text: say('ruleChanges.allIntegrations') }, ...integrations],
      hint: say('ruleChanges.integrationId.hint'),
    }),
    field({
      ...numberOf(filled),
      name: 'claimWindow',
      label: say('ruleChanges.claimWindow'),
      isRequired: true,
    }),
    select({
      name: 'claimWindowUnit',
      label: say('ruleChanges.claimWindowUnit'),
      filled,
      choices: claimWindowUnits.map((value) => ({ value, text: wordsOf(value) })),
    }),
    field({
      ...amountOf(filled),
      name: 'minimumOrderCents',
      label: say('ruleChanges.minimumOrderCents'),
    }),
  );
}

function limitFields(filled: Filled): Html {
  const number = numberOf(filled);
  return fieldset(
    say('ruleChanges.limits'),
    field({
      ...number,
      name: 'capPerOrderPoints',
      label: say('ruleChanges.capPerOrderPoints'),
      hint: say('ruleChanges.capPerOrderPoints.hint'),
    }),
    field({
      ...number,
      name: 'capPerCustomerDayPoints',
      label: say('ruleChanges.capPerCustomerDayPoints'),
      hint: say('ruleChanges.capPerCustomerDayPoints.hint'),
    }),
  );
}

function campaignFields(filled: Filled): Html {
  const time = { type: 'datetime-local', filled } as const;
  return fieldset(
    say('ruleChanges.campaign'),
    field({
      ...numberOf(filled),
      name: 'multiplier',
      label: say('ruleChanges.multiplier'),
      hint: say('ruleChanges.multiplier.hint'),
    }),
    field({ ...time, name: 'startsAt', label: say('ruleChanges.startsAt') }),
    field({ ...time, name: 'endsAt', label: say('ruleChanges.endsAt') }),
  );
}

const crumbsOfRule = (rule: EarningRule) =>
  [...ruleCrumbs(), [earnsWords(rule), `/rules/${rule.ruleId}`]] as const;

function fieldset(legend: string, ...fields: Part[]): Html {
  return html`<fieldset class="part"><legend>${legend}</legend><div class="fields">${fields}</div></fieldset>`;
}
