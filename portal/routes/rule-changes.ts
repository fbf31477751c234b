import Joi from 'joi';
import type { EarningRule } from '../../domain/earning-rules.ts';
import type { Mode } from '../../domain/events.ts';
import { activateRule } from '../../models/commands/activate-rule.ts';
import { createRule } from '../../models/commands/create-rule.ts';
import { deactivateRule } from '../../models/commands/deactivate-rule.ts';
import type { RuleFields } from '../../models/commands/draft-rule.ts';
import { requireSeen } from '../../models/commands/require-seen.ts';
import { findActiveRule } from '../../models/rule-versions.ts';
import { type PageContext, param, redirect } from '../context.ts';
import { deed } from '../deeds.ts';
import type { PortalDeps } from '../deps.ts';
import { emptyForm, type Filled } from '../forms.ts';
import { linkButton, notice, section } from '../html/components.ts';
import { field, form, hidden, select } from '../html/form.ts';
import { html, nothing, type Part } from '../html/html.ts';
import { isSameRule, ruleDiff } from '../html/rule-parts.ts';
import { view } from '../html/view.ts';
import type { ParamKind } from '../params.ts';
import type { Routes } from '../route-table.ts';
import {
  formOfRule,
  newRuleForm,
  type RuleForm,
  ruleFormSchema,
  ruleOfForm,
} from '../rule-form.ts';
import { earnsWords } from '../rule-words.ts';
import { findOwnRule, ruleCrumbs, rulePermissions } from './rules.ts';

/** To choose one from, the newest. */
const maxChoices = 100;

/** The rule that was active when somebody looked at what changes. */
interface Seen {
  replaces: string;
}
const seenSchema = Joi.object<Seen>({ replaces: Joi.string().max(64).default('') });

type PartnerContext = PageContext<'partner'>;

/** What changes the rules: TEST is a developer's, LIVE an owner's, with the second factor. */
export function ruleChangePages(routes: Routes, deps: PortalDeps): void {
  const { models } = deps;

  const ownRule = (ctx: PartnerContext, mode: Mode): Promise<EarningRule> =>
    findOwnRule(models, ctx.state.viewer.partner._id, param(ctx, 'ruleId'), mode);

  const create = (ctx: PartnerContext, partnerId: string, rule: RuleFields) =>
    deed(
      deps,
      ctx,
      { action: 'earning-rule.create', partnerId, targetId: null, details: { ...rule } },
      () => createRule(deps, partnerId, rule),
      ({ _id: targetId }) => ({ targetId }),
    );

  const activate = (
    ctx: PartnerContext,
    partnerId: string,
    targetId: string,
    seen: string | null,
  ) =>
    deed(
      deps,
      ctx,
      { action: 'earning-rule.activate', partnerId, targetId },
      () => activateRule(deps, targetId, { seen }),
      ({ changed }) => ({ details: { changed } }),
    );

  for (const [mode, kind] of [
    ['TEST', 'rule'],
    ['LIVE', 'liveRule'],
  ] as const satisfies [Mode, ParamKind][]) {
    const base = `/rules/${mode.toLowerCase()}`;
    const common = {
      ...({ audience: 'partner', permission: rulePermissions[mode] } as const),
      secondFactor: mode === 'LIVE',
    };
    const ofRule = { ...common, params: { ruleId: kind } };

    const creating = { ...common, path: `${base}/new` };
    const showThisNew = (ctx: PartnerContext, filled?: Filled) => showNew(ctx, mode, filled);
    routes.page(creating, (ctx) => showThisNew(ctx));
    routes.action(creating, {
      schema: ruleFormSchema,
      async act(ctx, fields: RuleForm) {
        const partnerId = ctx.state.viewer.partner._id;
        const { _id } = await create(ctx, partnerId, ruleOfForm(mode, fields));
        redirect(
          ctx,
          `/rules/${_id}`,
          'The draft is made. It earns nothing until you activate it.',
        );
      },
      retry: showThisNew,
    });

    const activating = { ...ofRule, path: `${base}/:ruleId/activate` };
    const showActivate = async (ctx: PartnerContext, filled: Filled = emptyForm) => {
      const next = await ownRule(ctx, mode);
      const current = await findActiveRule(models, next);
      showChange(ctx, {
        ...{ mode, current, next, filled },
        title: `Activate in ${mode}`,
        action: `${base}/${next.ruleId}/activate`,
        crumbs: [...ruleCrumbs, [earnsWords(next), `/rules/${next.ruleId}`]],
        lead: 'Purchases from then on earn by it. Rewards that are there already keep their points.',
        refusal:
          current?.ruleId === next.ruleId ? notice('info', 'This rule is active already.') : null,
      });
    };
    routes.page(activating, (ctx) => showActivate(ctx));
    routes.action(activating, {
      schema: seenSchema,
      async act(ctx, { replaces }) {
        const next = await ownRule(ctx, mode);
        await activate(ctx, next.partnerId, next.ruleId, replaces || null);
        redirect(ctx, `/rules/${next.ruleId}`, `The rule is active in ${mode}.`);
      },
      retry: showActivate,
    });

    const deactivating = { ...ofRule, path: `${base}/:ruleId/deactivate` };
    const showDeactivate = async (ctx: PartnerContext, filled: Filled = emptyForm) => {
      const rule = await ownRule(ctx, mode);
      view(
        ctx,
        {
          ...{ title: 'Deactivate the rule', mode },
          crumbs: [...ruleCrumbs, [earnsWords(rule), `/rules/${rule.ruleId}`]],
        },
        html`<div class="card narrow">${notice('warn', `${mode} purchases in ${rule.currency} that it holds for are refused within seconds, until another rule is active.`)}${form(
          ctx,
          {
            ...{ action: `${base}/${rule.ruleId}/deactivate`, submit: 'Deactivate', filled },
            isDangerous: true,
          },
        )}</div>`,
      );
    };
    routes.page(deactivating, (ctx) => showDeactivate(ctx));
    routes.action(deactivating, {
      schema: Joi.object({}),
      async act(ctx) {
        const { partnerId, ruleId: targetId } = await ownRule(ctx, mode);
        await deed(
          deps,
          ctx,
          { action: 'earning-rule.deactivate', partnerId, targetId },
          () => deactivateRule(deps, targetId),
          ({ changed }) => ({ details: { changed } }),
        );
        redirect(ctx, `/rules/${targetId}`, 'The rule is active no longer.');
      },
      retry: showDeactivate,
    });
  }

  const promoting = {
    path: '/rules/test/:ruleId/promote',
    params: { ruleId: 'rule' },
    audience: 'partner',
    permission: rulePermissions.LIVE,
    secondFactor: true,
  } as const;

  async function showPromote(ctx: PartnerContext, filled: Filled = emptyForm) {
    const { currency } = ctx.state.viewer.partner;
    const next = await ownRule(ctx, 'TEST');
    const current = await findActiveRule(models, { ...next, mode: 'LIVE' });
    const isForeign = next.currency !== currency;
    showChange(ctx, {
      ...{ mode: 'LIVE', current, next, filled },
      title: 'Promote to LIVE',
      action: `/rules/test/${next.ruleId}/promote`,
      crumbs: [...ruleCrumbs, [earnsWords(next), `/rules/${next.ruleId}`]],
      lead: 'A LIVE rule with the same terms is made and becomes the active one. LIVE points cost you real money.',
      refusal: isForeign
        ? notice(
            'warn',
            `This rule is in ${next.currency}, and your LIVE funds are in ${currency}: it cannot be promoted.`,
          )
        : current && isSameRule(current, next)
          ? notice('info', 'LIVE earns by the same terms already. There is nothing to promote.')
          : null,
    });
  }
  routes.page(promoting, (ctx) => showPromote(ctx));
  routes.action(promoting, {
    schema: seenSchema,
    async act(ctx, { replaces }) {
      const rule = await ownRule(ctx, 'TEST');
      const seen = replaces || null;
      const current = await findActiveRule(models, { ...rule, mode: 'LIVE' });
      // Asked again where it is written; here, so that a refusal leaves no draft.
      requireSeen(current?.ruleId ?? null, seen);
      const { ruleId: _, partnerId, ...terms } = rule;
      const { _id } = await create(ctx, partnerId, { ...terms, mode: 'LIVE' });
      await activate(ctx, partnerId, _id, seen);
      redirect(ctx, `/rules/${_id}`, 'The rule is active in LIVE.');
    },
    retry: showPromote,
  });

  async function showNew(ctx: PartnerContext, mode: Mode, given?: Filled) {
    const { _id: partnerId, currency } = ctx.state.viewer.partner;
    const from = typeof ctx.query.from === 'string' ? ctx.query.from : null;
    const filled =
      given ??
      (from === null
        ? newRuleForm(currency)
        : formOfRule(await findOwnRule(models, partnerId, from)));
    const integrations = await models.integrations
      .find({ partnerId }, { name: 1 })
      .sort({ _id: -1 })
      .limit(maxChoices)
      .lean();
    const number = { inputmode: 'numeric', maxLength: 12, autocomplete: 'off', filled } as const;
    const amount = { ...number, inputmode: 'decimal', maxLength: 20 } as const;
    view(
      ctx,
      {
        ...{ title: `New ${mode} rule`, crumbs: ruleCrumbs, mode },
        lead: 'It is kept as a draft. Nothing earns by it until it is activated.',
      },
      html`<div class="card wide-form">${form(
        ctx,
        { action: `/rules/${mode.toLowerCase()}/new`, submit: 'Make the draft', filled },
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
          'Where it holds',
          field({
            ...{ name: 'currency', label: 'Currency', filled, isRequired: true, maxLength: 3 },
            ...(mode === 'LIVE' && { hint: `LIVE rules are in ${currency}, as your funds are.` }),
          }),
          select({
            ...{ name: 'integrationId', label: 'Integration', filled },
            choices: [
              { value: '', text: 'All integrations' },
              ...integrations.map(({ _id, name }) => ({ value: _id, text: name })),
            ],
            hint: 'A rule of one integration goes before the one of all.',
          }),
          field({ ...amount, name: 'minimumOrderCents', label: 'Minimum order' }),
          field({
            ...{ name: 'claimWindow', label: 'Time to claim', filled, maxLength: 64 },
            hint: 'An ISO 8601 duration: P30D is 30 days, PT12H twelve hours.',
          }),
        ),
        fieldset(
          'Limits',
          field({
            ...{ ...number, name: 'capPerOrderPoints', label: 'Most for an order' },
            hint: 'Points; empty for no limit.',
          }),
          field({
            ...{ ...number, name: 'capPerCustomerDayPoints' },
            label: 'Most for a customer and day',
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

  function showChange(
    ctx: PartnerContext,
    change: {
      title: string;
      lead: string;
      mode: Mode;
      crumbs: readonly (readonly [string, string])[];
      action: string;
      current: EarningRule | null;
      next: EarningRule;
      filled: Filled;
      /** Why it cannot be done; null where it can. */
      refusal: Part;
    },
  ): void {
    const { title, lead, mode, crumbs, action, current, next, filled, refusal } = change;
    view(
      ctx,
      { title, lead, mode, crumbs },
      refusal,
      section(
        'What changes',
        current === null
          ? notice(
              'info',
              `No ${mode} rule is active here yet: purchases are refused until one is.`,
            )
          : nothing,
        ruleDiff(current, next, deps.now()),
        refusal === null
          ? form(ctx, { action, submit: title, filled }, hidden('replaces', current?.ruleId ?? ''))
          : linkButton(`/rules/${next.ruleId}`, 'To the rule', 'secondary'),
      ),
    );
  }
}

function fieldset(legend: string, ...fields: Part[]) {
  return html`<fieldset class="part"><legend>${legend}</legend><div class="fields">${fields}</div></fieldset>`;
}
