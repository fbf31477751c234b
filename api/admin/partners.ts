import type { Router } from '@koa/router';
import Joi from 'joi';
import { page, pageSchema } from '../../http/paging.ts';
import { countryField, websiteField } from '../../http/profile-fields.ts';
import { createPartner, type PartnerFields } from '../../models/commands/create-partner.ts';
import { maxDepositCents } from '../../models/commands/deposit.ts';
import { findPartner } from '../../models/commands/find.ts';
import { updatePartner } from '../../models/commands/update-partner.ts';
import type { PartnerDoc } from '../../models/schemas/partner.ts';
import { newId } from '../../platform/ids.ts';
import type { ApiDeps } from '../deps.ts';
import { type AdminState, bodyOf, jsonBody, param, queryOf } from './context.ts';
import { deed } from './deeds.ts';
import { currencyCode, shortText } from './fields.ts';
import { permit } from './permit.ts';

const email = Joi.string().email({ tlds: false }).max(255).allow(null);
const fields = {
  name: shortText(100),
  status: Joi.string().valid('ACTIVE', 'SUSPENDED'),
  legalName: shortText(200).allow(null),
  website: websiteField.allow(null),
  supportEmail: email,
  goLiveMinimumFundingCents: Joi.number().integer().min(0).max(maxDepositCents),
  country: countryField,
  apiRateLimitPerMinute: Joi.number().integer().min(1).max(1_000_000),
  currency: currencyCode,
  contactEmail: email,
  lowBalanceThresholdCents: Joi.number().integer().min(0).max(maxDepositCents),
};
const createSchema = Joi.object<Pick<PartnerFields, 'name'> & Partial<PartnerFields>>({
  ...fields,
  name: fields.name.required(),
});
const changeSchema = Joi.object<Partial<PartnerFields>>(fields).min(1);

function presentPartner({ _id, goLive, ...partner }: PartnerDoc) {
  return { partnerId: _id, ...partner, goLiveState: goLive.state };
}

export function partnerRoutes(router: Router<AdminState>, deps: ApiDeps): void {
  const { models } = deps;

  router.post('/partners', permit('partner.create'), jsonBody, async (ctx) => {
    const input = bodyOf(ctx, createSchema);
    const partnerId = newId('partner');
    const partner = await deed(
      deps,
      ctx,
      { action: 'partner.create', targetId: partnerId, partnerId, details: { ...input } },
      () => createPartner(deps, input, partnerId),
    );
    ctx.status = 201;
    ctx.body = presentPartner(partner);
  });

  router.get('/partners', permit('read'), async (ctx) => {
    ctx.body = await page(models.partners, [], queryOf(ctx, pageSchema), presentPartner);
  });

  router.get('/partners/:partnerId', permit('read'), async (ctx) => {
    ctx.body = presentPartner(await findPartner(models, param(ctx, 'partnerId')));
  });

  router.patch('/partners/:partnerId', permit('partner.update'), jsonBody, async (ctx) => {
    const changes = bodyOf(ctx, changeSchema);
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    const partner = await deed(
      deps,
      ctx,
      { action: 'partner.update', targetId: partnerId, partnerId, details: { ...changes } },
      () => updatePartner(deps, partnerId, changes),
    );
    ctx.body = presentPartner(partner);
  });
}
