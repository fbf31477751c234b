import Joi from 'joi';
import { defaultCeilings } from '../../domain/rule-ceilings.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import { newId } from '../../platform/ids.ts';
import type { AuditDeps } from '../deps.ts';
import { operation } from '../operation.ts';
import {
  type NewPartnerFields,
  newPartnerFields,
  type PartnerFields,
  partnerFields,
  requireNoLink,
} from './fields.ts';

/** Defaults of a new partner. */
export const partnerDefaults = {
  status: 'ACTIVE',
  legalName: null,
  billingAddress: null,
  taxId: null,
  website: null,
  supportEmail: null,
  goLiveMinimumFundingCents: 10_000,
  ...defaultCeilings,
  country: 'US',
  apiRateLimitPerMinute: 600,
  currency: 'USD',
  isCurrencyFixed: false,
  contactEmail: null,
  lowBalanceThresholdCents: 0,
} as const;

export const sandbox: PartnerDoc['goLive'] = {
  state: 'SANDBOX',
  requestedAt: null,
  reviewerId: null,
  decidedAt: null,
  reason: null,
};

/** Creates a partner, which is active but only in TEST: only the approval of its go-live makes it live. */
export const createPartner = operation({
  name: 'partner.create',
  permission: { operator: 'partner.create', user: null },
  secondFactor: 'NEVER',
  // Without the contract's limits, which need two operators.
  input: Joi.object<Pick<PartnerFields, 'name'> & Partial<NewPartnerFields>>({
    ...newPartnerFields,
    name: partnerFields.name.required(),
  }),
  approval: 'NONE',
  find(_deps, { name }) {
    requireNoLink(name);
    return { partnerId: newId('partner') };
  },
  audit: (input, { partnerId }) => ({ targetId: partnerId, partnerId, details: { ...input } }),

  async run({ models, now }: AuditDeps, fields, { found }): Promise<PartnerDoc> {
    const partner: PartnerDoc = {
      ...partnerDefaults,
      ...fields,
      _id: found.partnerId,
      goLive: sandbox,
      createdAt: new Date(now()),
    };
    await models.partners.create(partner);
    return partner;
  },
});
