import { isDeepStrictEqual } from 'node:util';
import Joi from 'joi';
import { defaultBranding, looksLikeLink } from '../domain/branding.ts';
import { ruleLimits } from '../domain/earning-rules.ts';
import { ServiceError } from '../domain/errors.ts';
import { clearedFields, modeOfPartner } from '../domain/go-live.ts';
import { defaultLanguage, languageOfCountry } from '../domain/languages.ts';
import type { Mode } from '../domain/mode.ts';
import { type PartnerRole, partnerRoles } from '../domain/partners.ts';
import { defaultCeilings, type RuleCeilings } from '../domain/points.ts';
import { defaultRedemptionSettings, type RedemptionSettings } from '../domain/redemption.ts';
import {
  findPartner,
  findPartnerInMode,
  verifyTeamAddresses,
} from '../models/identity/partners.ts';
import { emailKey } from '../models/identity/users.ts';
import type { Models } from '../models/schemas/index.ts';
import type { PartnerDoc } from '../models/schemas/partners.ts';
import { keyedHasher } from '../platform/hashing.ts';
import { newId } from '../platform/ids.ts';
import type { NotifyDeps } from './account.ts';
import type { AuditLogDeps, OperationDeps } from './deps.ts';
import { currencyCode, emailAddress, idField, shortText } from './fields.ts';
import { operation, sensitiveOperation } from './operation.ts';
import {
  billingAddressField,
  countryField,
  timeZoneField,
  websiteField,
} from './profile-fields.ts';
import { changed } from './proposals.ts';
import { type Invited, sendInvitation } from './users.ts';
import { maxTopUpCents } from './wallets.ts';

/** The fields of a partner that an operator or its owner can change. */
export type PartnerFields = Pick<
  PartnerDoc,
  | 'name'
  | 'status'
  | 'legalName'
  | 'billingAddress'
  | 'taxId'
  | 'website'
  | 'supportEmail'
  | 'goLiveMinimumFundingCents'
  | 'country'
  | 'timeZone'
  | 'apiRateLimitPerMinute'
  | 'currency'
  | 'contactEmail'
  | 'lowBalanceThresholdCents'
  | 'redemptions'
  | keyof RuleCeilings
>;

/** @throws ServiceError VALIDATION_FAILED for a name that email programs would turn into a link */
export function requireNoLink(name: string): void {
  if (!looksLikeLink(name)) return;
  throw new ServiceError(
    'VALIDATION_FAILED',
    'The name looks like a link, and it appears in emails to customers: put a space after each dot.',
  );
}

const email = Joi.string().email({ tlds: false }).max(255).allow(null);
const cents = Joi.number().integer().min(0).max(maxTopUpCents);

/** The fields of a new partner. */
export type NewPartnerFields = Omit<PartnerFields, keyof RuleCeilings | 'redemptions'>;

export const newPartnerFields = {
  name: shortText(100),
  status: Joi.string().valid('ACTIVE', 'SUSPENDED'),
  legalName: shortText(200).allow(null),
  billingAddress: billingAddressField.allow(null),
  taxId: shortText(50).allow(null),
  website: websiteField.allow(null),
  supportEmail: email,
  goLiveMinimumFundingCents: cents,
  country: countryField,
  timeZone: timeZoneField.allow(null),
  apiRateLimitPerMinute: Joi.number().integer().min(1).max(1_000_000),
  currency: currencyCode,
  contactEmail: email,
  lowBalanceThresholdCents: cents,
} satisfies Record<keyof NewPartnerFields, Joi.Schema>;

const redemptionSettings = Joi.object<RedemptionSettings, true>({
  isAllowed: Joi.boolean().required(),
  pointsPerUnit: Joi.number().integer().min(1).max(1_000_000).allow(null).required(),
  maxPointsPerCustomerDay: Joi.number().integer().min(1).max(1_000_000_000).allow(null).required(),
});

export const partnerFields = {
  ...newPartnerFields,
  maxPointMicros: Joi.number().integer().min(0).max(ruleLimits.pointValueMicros),
  maxRewardCents: cents,
  redemptions: redemptionSettings,
} satisfies Record<keyof PartnerFields, Joi.Schema>;

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
  country: null,
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

  async run({ models, now }: AuditLogDeps, fields, { found }): Promise<PartnerDoc> {
    const { country } = fields;
    const language = country ? languageOfCountry(country) : defaultLanguage;
    const partner: PartnerDoc = {
      ...partnerDefaults,
      ...(language !== defaultLanguage && { branding: { ...defaultBranding, language } }),
      ...fields,
      _id: found.partnerId,
      goLive: sandbox,
      createdAt: new Date(now()),
    };
    await models.partners.create(partner);
    return partner;
  },
});

/** Invites a partner's user on behalf of an operator, such as the first owner, who invites the others. */
export const invitePartner = sensitiveOperation({
  name: 'partner.invite',
  permission: { operator: 'partner.invite', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<Invited>({
    partnerId: idField,
    email: emailAddress.required(),
    role: Joi.string()
      .valid(...partnerRoles)
      .default('owner'),
  }),
  async find({ models, config }, { partnerId, email }) {
    const partner = await findPartner(models, partnerId);
    if (!config) throw new Error('hashing the address needs a key from the configuration');
    const hashOf = keyedHasher(config.customerHashKey, 'address of a user');
    return { partner, addressHash: hashOf(emailKey(email)).slice(0, 16) };
  },
  atWorst: { moves: 'what the role may do', undo: 'user.remove', two: 'for an owner, and in LIVE' },
  approval: {
    shown: (_deps, { partnerId, role }, { partner, addressHash }) => ({
      partnerId,
      partner: partner.name,
      role,
      addressHash,
      mode: modeOfPartner(partner),
    }),
    // Otherwise one admin could invite an accomplice: an owner can create LIVE keys, and whoever joins a
    // LIVE partner can hurt it.
    needed: ({ role, mode }: { role: PartnerRole; mode: Mode }) =>
      role === 'owner' || mode === 'LIVE',
  },
  // The audit log never contains the address; its hash distinguishes proposals.
  audit: ({ partnerId, role }, { addressHash }) => ({
    targetId: null,
    partnerId,
    details: { role, addressHash },
  }),

  /**
   * The owners of a LIVE partner are told.
   * @throws ServiceError CONFLICT for a user of this partner, if it has the maximum number of users, or if it
   *   went LIVE in the meantime
   */
  run: (deps: NotifyDeps, invited, { actor, approvedBy, found, shown, idOf }) =>
    sendInvitation(deps, found.partner, invited, {
      invitedBy: actor.id,
      invitationId: idOf('invitation'),
      fromOutside: { approvedBy, mode: (shown?.mode ?? modeOfPartner(found.partner)) as Mode },
    }),

  completion: ({ _id: targetId }) => ({ targetId }),
});

/** The fields that a partner's owner can change. */
const ownFields = new Set<string>([
  'name',
  'legalName',
  'billingAddress',
  'taxId',
  'website',
  'country',
  'timeZone',
  'currency',
  'contactEmail',
  'supportEmail',
  'lowBalanceThresholdCents',
  'redemptions',
] satisfies (keyof PartnerFields)[]);

/**
 * Changes the given fields. The currency can no longer change once a LIVE rule, a ledger entry or a
 * subscription uses it. What two operators reviewed, one cannot change once the partner is LIVE.
 */
export const updatePartner = sensitiveOperation({
  name: 'partner.update',
  permission: { operator: 'partner.update', user: 'partner.update' },
  secondFactor: 'LIVE',
  input: Joi.object<{ partnerId: string } & Partial<PartnerFields>>({
    partnerId: idField,
    ...partnerFields,
  }).min(2),
  async find({ models }, { partnerId, ...changes }, actor) {
    if (actor.kind === 'user' && Object.keys(changes).some((name) => !ownFields.has(name))) {
      throw new ServiceError('FORBIDDEN', 'A partner can change only its own profile.');
    }
    const partner = await findPartnerInMode(models, partnerId);
    // Older names are checked only when they are changed.
    if (changes.name !== undefined && changes.name !== partner.name) requireNoLink(changes.name);
    const reviewed = actor.kind === 'user' ? reviewedAmong(partner, changes) : [];
    if (partner.goLive.state === 'LIVE' && reviewed.length > 0) throw wasReviewed(reviewed);
    return partner;
  },
  atWorst: {
    moves: 'what points cost and pay for, and what customers are shown',
    undo: null,
    two: 'for the contract, what was reviewed, and to lift a suspension',
  },
  approval: {
    // The changes, and the previous values.
    shown: (_deps, { partnerId, ...changes }, before) => ({
      partnerId,
      partner: before.name,
      mode: modeOfPartner(before),
      changes,
      before: Object.fromEntries(
        Object.keys(changes).map((name) => [name, before[name as keyof PartnerFields] ?? null]),
      ),
    }),
    needed: ({ changes, before, mode }: ShownUpdate) =>
      takingTwo(mode).some(
        (name) => changes[name] !== undefined && !isDeepStrictEqual(changes[name], before[name]),
      ) ||
      (changes.status === 'ACTIVE' && before.status === 'SUSPENDED'),
  },
  audit: ({ partnerId, ...details }) => ({ targetId: partnerId, partnerId, details }),

  /**
   * @throws ServiceError CONFLICT for a currency in use, if a LIVE partner's profile would no longer meet the
   *   conditions of go-live, and if what an operator was shown has changed; FORBIDDEN for a LIVE partner's own
   *   users for reviewed fields
   */
  async run(
    { models, now }: Pick<OperationDeps, 'models' | 'now'>,
    { partnerId, ...changes },
    { found: before, actor, shown },
  ): Promise<PartnerDoc> {
    if (changes.currency !== undefined) {
      await requireFreeCurrency({ models, nowMs: now() }, before, changes.currency);
    }
    const emptied = clearedFields('LIVE', changes, before.country);
    const reviewed = actor.kind === 'user' ? reviewedAmong(before, changes) : [];
    const isOtherCurrency = changes.currency !== undefined && changes.currency !== before.currency;
    const { matchedCount } = await models.partners.updateOne(
      {
        _id: partnerId,
        // It may go live between the read and the write.
        ...((emptied.length > 0 || reviewed.length > 0) && {
          'goLive.state': { $ne: 'LIVE' as const },
        }),
        ...(isOtherCurrency && { isCurrencyFixed: { $ne: true } }),
        ...(shown && { $and: asShown(shown as ShownUpdate) }),
      },
      { $set: changes },
    );
    if (matchedCount > 0) await verifyTeamAddresses(models, partnerId);
    const partner = await findPartner(models, partnerId);
    if (matchedCount > 0) return partner;
    if (shown && isDone(partner, changes)) return partner;
    if (isOtherCurrency && partner.isCurrencyFixed) throw currencyIsUsed(before);
    if (reviewed.length > 0) throw wasReviewed(reviewed);
    if (emptied.length === 0) throw new ServiceError('CONFLICT', changed);
    throw new ServiceError(
      'CONFLICT',
      `The profile of a LIVE partner must stay complete: ${emptied.join(', ')} cannot be empty.`,
    );
  },
});

type Changes = Partial<PartnerFields>;
type ShownUpdate = Record<'changes' | 'before', Changes> & { mode: Mode };

const contractFields = ['maxPointMicros', 'maxRewardCents', 'redemptions'] as const;

/** What points may cost and pay for is part of the contract; the rest was reviewed for go-live. */
const takingTwo = (mode: Mode): readonly (keyof PartnerFields)[] =>
  mode === 'LIVE'
    ? [...contractFields, 'contactEmail', 'country', ...reviewedFields]
    : contractFields;

/** Conditions of a write on what an operator was shown, so that it is compared in the same write. */
const asShown = ({ before, mode }: ShownUpdate): Record<string, unknown>[] => [
  ...Object.entries(before).map(([name, value]) => ({ [name]: value })),
  { 'goLive.state': mode === 'LIVE' ? 'LIVE' : { $ne: 'LIVE' } },
];

/** Whether an approval that is repeated had been carried out. */
const isDone = (partner: PartnerDoc, changes: Changes): boolean =>
  Object.entries(changes).every(([name, value]) =>
    isDeepStrictEqual(partner[name as keyof PartnerDoc], value),
  );

/** Fields that were reviewed for go-live and that customers see: once LIVE, only operators change them. */
export const reviewedFields = ['name', 'legalName', 'website', 'supportEmail'] as const;

/** Of the changes, what was reviewed for go-live, and what customers' points are worth. */
function reviewedAmong(partner: PartnerDoc, changes: Partial<PartnerFields>): string[] {
  const fields: string[] = reviewedFields.filter(
    (name) => changes[name] !== undefined && changes[name] !== partner[name],
  );
  const rateOf = ({ redemptions = defaultRedemptionSettings }: Partial<PartnerFields>) =>
    redemptions.pointsPerUnit;
  const isOtherRate = changes.redemptions !== undefined && rateOf(changes) !== rateOf(partner);
  return isOtherRate ? [...fields, 'pointsPerUnit'] : fields;
}

const wasReviewed = (changed: readonly string[]): ServiceError =>
  new ServiceError(
    'FORBIDDEN',
    `You are LIVE: ${changed.join(', ')} was reviewed, and only an operator can change it. Contact us.`,
  );

async function requireFreeCurrency(
  { models, nowMs }: { models: Models; nowMs: number },
  partner: PartnerDoc,
  currency: string,
): Promise<void> {
  const { _id: partnerId } = partner;
  if (currency === partner.currency) return;
  const inUse = await Promise.all([
    models.earningRules.exists({ partnerId, mode: 'LIVE' }),
    models.ledger.exists({ partnerId, mode: 'LIVE' }),
    models.subscriptions.exists({ partnerId }),
  ]);
  if (inUse.some((one) => one !== null)) throw currencyIsUsed(partner);
  const open = { partnerId, status: 'PROPOSED' as const, expiresAt: { $gt: new Date(nowMs) } };
  if (!(await models.proposals.exists(open))) return;
  throw new ServiceError(
    'CONFLICT',
    'The currency cannot change while a proposal is open. Try again once it is decided.',
  );
}

const currencyIsUsed = ({ currency }: PartnerDoc): ServiceError =>
  new ServiceError(
    'CONFLICT',
    `A LIVE rule, funds or a subscription use ${currency}, so the currency cannot change.`,
  );
