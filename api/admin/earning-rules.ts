import type { Router } from '@koa/router';
import Joi from 'joi';
import { type EarningField, ruleKinds } from '../../domain/earning-rules.ts';
import { modes } from '../../domain/events.ts';
import { page, pageSchema } from '../../http/paging.ts';
import { activateRule } from '../../models/commands/activate-rule.ts';
import { createRule } from '../../models/commands/create-rule.ts';
import { deactivateRule } from '../../models/commands/deactivate-rule.ts';
import type { RuleFields } from '../../models/commands/draft-rule.ts';
import { findPartner, findRule } from '../../models/commands/find.ts';
import { findActiveRules } from '../../models/rules.ts';
import type { EarningRuleDoc } from '../../models/schemas/earning-rule.ts';
import type { ApiDeps } from '../deps.ts';
import { type AdminState, bodyOf, jsonBody, param, queryOf } from './context.ts';
import { deed } from './deeds.ts';
import { currencyCode } from './fields.ts';
import { permit } from './permit.ts';

/** Which kind has which of these is the command's to say. */
const earningFields: Record<EarningField, Joi.Schema> = {
  points: Joi.number(),
  unitCents: Joi.number(),
};

/** Names and types; the bounds are the command's, which every other way to a rule goes through too. */
const createSchema = Joi.object<RuleFields>({
  mode: Joi.string()
    .valid(...modes)
    .required(),
  integrationId: Joi.string().allow(null),
  currency: currencyCode.required(),
  kind: Joi.string()
    .valid(...ruleKinds)
    .required(),
  ...earningFields,
  minimumOrderCents: Joi.number(),
  multiplier: Joi.number(),
  campaign: Joi.object({
    startsAt: Joi.string().required(),
    endsAt: Joi.string().required(),
  }).allow(null),
  capPerOrderPoints: Joi.number().allow(null),
  capPerCustomerDayPoints: Joi.number().allow(null),
  claimWindow: Joi.string().max(64),
  pointValueMicros: Joi.number(),
});

function presentRule({ _id, createdAt, ...rule }: EarningRuleDoc, active: boolean) {
  return { ruleId: _id, active, ...rule, createdAt };
}

export function earningRuleRoutes(router: Router<AdminState>, deps: ApiDeps): void {
  const { models } = deps;

  router.post(
    '/partners/:partnerId/earning-rules',
    permit('earning-rule.create'),
    jsonBody,
    async (ctx) => {
      const input = bodyOf(ctx, createSchema);
      const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
      const rule = await deed(
        deps,
        ctx,
        { action: 'earning-rule.create', targetId: null, partnerId, details: { ...input } },
        () => createRule(deps, partnerId, input),
        ({ _id: targetId }) => ({ targetId }),
      );
      ctx.status = 201;
      ctx.body = presentRule(rule, false);
    },
  );

  router.get('/partners/:partnerId/earning-rules', permit('read'), async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    const query = queryOf(ctx, pageSchema);
    const active = await Promise.all([
      findActiveRules(models, partnerId, 'TEST'),
      findActiveRules(models, partnerId, 'LIVE'),
    ]);
    const activeIds = new Set(active.flat().map(({ ruleId }) => ruleId));
    ctx.body = await page(models.earningRules, [{ partnerId }], query, (rule) =>
      presentRule(rule, activeIds.has(rule._id)),
    );
  });

  for (const [verb, action, command] of [
    ['activate', 'earning-rule.activate', activateRule],
    ['deactivate', 'earning-rule.deactivate', deactivateRule],
  ] as const) {
    router.post(`/earning-rules/:ruleId/${verb}`, permit(action), async (ctx) => {
      const { _id: targetId, partnerId } = await findRule(models, param(ctx, 'ruleId'));
      const { rule } = await deed(
        deps,
        ctx,
        { action, targetId, partnerId },
        () => command(deps, targetId),
        ({ changed }) => ({ details: { changed } }),
      );
      ctx.body = presentRule(rule, verb === 'activate');
    });
  }
}
