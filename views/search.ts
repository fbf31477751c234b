import { type Mode, modes } from '../domain/mode.ts';
import { externalIdIndexes, lookUpIndexes, type OrderEventDoc } from '../models/schemas/events.ts';
import type { Models } from '../models/schemas/index.ts';
import type { CredentialDoc } from '../models/schemas/integrations.ts';
import {
  type RedemptionDoc,
  type RedemptionEventDoc,
  redemptionIndexes,
} from '../models/schemas/redemptions.ts';
import { type LoggedRequest, refusedKeyIndex } from '../models/schemas/requests.ts';
import type { RewardDoc } from '../models/schemas/rewards.ts';
import { pastedText } from '../platform/csv.ts';
import type { RequestHashes } from '../platform/hashing.ts';
import type { ModelDeps, ViewDeps } from './deps.ts';
import { readLog } from './log.ts';
import { inScope, type ReadScope } from './partner-scope.ts';

/** Maximum number of matches. */
const maxMatches = 20;
/** Maximum number of names to choose from. */
const maxChoices = 500;

export interface NamedPartner {
  _id: string;
  name: string;
}

/** Matches values that contain the text, ignoring case. */
export const containing = (text: string) => ({
  $regex: text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
  $options: 'i',
});

/**
 * Finds partners by id, or by a part of their name or legal name, ignoring case. There are few enough
 * partners that no index is needed.
 * @returns at most 20; only one if the text is its id or whole name
 */
export async function findPartnersByName(
  { models }: ModelDeps,
  typed: string,
): Promise<NamedPartner[]> {
  const text = typed.trim();
  if (text === '') return [];
  const part = containing(text);
  const found = await models.partners
    .find({ $or: [{ _id: text }, { name: part }, { legalName: part }] }, { name: 1 })
    .sort({ _id: 1 })
    .limit(maxMatches);
  const whole = found.filter(
    ({ _id, name }) => _id === text || name.toLowerCase() === text.toLowerCase(),
  );
  return whole.length === 1 ? whole : found;
}

/** All partners to choose from, by name. */
export async function readPartnerChoices({ models }: ModelDeps): Promise<NamedPartner[]> {
  return await models.partners.find({}, { name: 1 }).sort({ name: 1 }).limit(maxChoices);
}

/** The kinds of things that a search finds. */
export type SearchResultKind =
  | 'EVENT'
  | 'REQUEST'
  | 'REWARD'
  | 'REDEMPTION'
  | 'REVIEW'
  | 'CUSTOMER'
  | 'TRANSACTION'
  | 'INVOICE'
  | 'CREDENTIAL'
  | 'RULE'
  | 'INTEGRATION'
  | 'PARTNER'
  | 'USER';

export interface SearchResult {
  kind: SearchResultKind;
  id: string;
  partnerId: string;
  mode: Mode | null;
  /** The name for people, such as an event's order. */
  label: string;
  /** The event whose page shows it; null without one. */
  eventId: string | null;
  /** Of a purchase, a refund or a reward: the order's. */
  rewardId?: string;
}

/** A result without an event. */
export function searchResult(
  kind: SearchResultKind,
  { _id, partnerId, mode = null }: { _id: string; partnerId: string; mode?: Mode | null },
  label: string,
): SearchResult {
  return { kind, id: _id, partnerId, mode, label, eventId: null };
}

const typeWords: Record<OrderEventDoc['type'], string> = { PURCHASE: 'Purchase', REFUND: 'Refund' };

export function eventResult(event: OrderEventDoc): SearchResult {
  const name = event.externalRefundId ?? event.externalOrderId;
  return {
    ...searchResult('EVENT', event, `${typeWords[event.type]} ${name}`),
    eventId: event._id,
    rewardId: event.rewardId,
  };
}

export function requestResult(event: LoggedRequest): SearchResult {
  const { code, externalOrderId, eventId, requestId } = event;
  const label = externalOrderId === null ? code : `${code} ${externalOrderId}`;
  return { ...searchResult('REQUEST', event, label), id: requestId, eventId };
}

export function rewardResult(reward: RewardDoc): SearchResult {
  return {
    ...searchResult('REWARD', reward, reward.externalOrderId),
    eventId: reward.purchaseEventId,
    rewardId: reward._id,
  };
}

export const redemptionResult = (redemption: RedemptionDoc): SearchResult =>
  searchResult('REDEMPTION', redemption, redemption.externalRedemptionId);

export const credentialResult = (credential: CredentialDoc): SearchResult =>
  searchResult('CREDENTIAL', credential, credential.apiKey);

/** The minimum length of the prefix of an API key. */
const minPrefixChars = 8;
const maxFound = 20;
/** More than the number of partners. */
const maxPartners = 5_000;

/**
 * Further searches for operators: partners by name, partners' users by email address, API keys by prefix,
 * and top-ups by the bank's reference.
 * @param typed the text as entered
 */
export async function findForOperators(
  deps: Pick<ViewDeps, 'models'>,
  typed: string,
): Promise<SearchResult[]> {
  const text = pastedText(typed.trim());
  if (text.length < 2 || text.length > 255) return [];
  const all = await Promise.all([
    findPartners(deps, text),
    findUser(deps, text),
    findKeys(deps, text),
    findTopUps(deps, text),
  ]);
  return all.flat();
}

async function findPartners(deps: Pick<ViewDeps, 'models'>, text: string): Promise<SearchResult[]> {
  const named = await findPartnersByName(deps, text);
  return named.map(({ _id, name }) => searchResult('PARTNER', { _id, partnerId: _id }, name));
}

async function findUser(
  { models }: Pick<ViewDeps, 'models'>,
  text: string,
): Promise<SearchResult[]> {
  if (!text.includes('@')) return [];
  const user = await models.users.findOne({
    email: text.toLowerCase(),
    partnerId: { $type: 'string' },
  });
  if (!user || user.partnerId === null) return [];
  return [searchResult('USER', { _id: user._id, partnerId: user.partnerId }, user.name)];
}

async function findKeys(
  { models }: Pick<ViewDeps, 'models'>,
  text: string,
): Promise<SearchResult[]> {
  if (text.length < minPrefixChars || !/^[\w-]+…?$/.test(text)) return [];
  const prefix = text.replace('…', '');
  const keys = await models.credentials
    .find({ apiKey: { $gte: prefix, $lt: `${prefix}\uffff` } })
    .sort({ apiKey: 1 })
    .limit(maxFound);
  return keys.map(credentialResult);
}

/** References are indexed by partner, so each partner costs one index look-up. */
async function findTopUps(
  { models }: Pick<ViewDeps, 'models'>,
  text: string,
): Promise<SearchResult[]> {
  const partners = await models.partners.find({}, { _id: 1 }).sort({ _id: 1 }).limit(maxPartners);
  const entries = await models.ledger
    .find({
      partnerId: { $in: partners.map(({ _id }) => _id) },
      mode: { $in: modes },
      reference: `topUp:${text}`,
    })
    .limit(maxFound);
  return entries.map((entry) => searchResult('TRANSACTION', entry, text));
}

/** A condition on the partner; empty for all partners. */
type Owner = ReturnType<typeof inScope>;

type Find = (models: Models, owner: Owner, id: string) => Promise<SearchResult[]>;

/** How to find a document by its id, by the id's prefix. */
const byPrefix: Record<string, Find> = {
  evt_: findEvent,
  iev_: async ({ requestLog }, owner, _id) =>
    (await requestLog.find({ ...owner, _id })).map(requestResult),
  req_: async ({ requestLog }, owner, requestId) =>
    (await requestLog.find({ ...owner, requestId }).limit(1)).map(requestResult),
  PNR_: async ({ rewards }, owner, _id) =>
    (await rewards.find({ ...owner, _id })).map(rewardResult),
  red_: async ({ redemptions }, owner, _id) =>
    (await redemptions.find({ ...owner, _id })).map(redemptionResult),
  rev_: async ({ reviews }, owner, _id) =>
    (await reviews.find({ ...owner, _id })).map((review) => ({
      ...searchResult('REVIEW', review, review.externalOrderId),
      eventId: review.refundEventId,
    })),
  cus_: async ({ rewards }, owner, customerId) => {
    const [reward] = await rewards.find({ ...owner, customerId }).limit(1);
    return reward ? [{ ...searchResult('CUSTOMER', reward, customerId), id: customerId }] : [];
  },
  txn_: findTransaction,
  inv_: async ({ invoices }, owner, _id) =>
    (await invoices.find({ ...owner, _id })).map((invoice) =>
      searchResult('INVOICE', invoice, invoice.number),
    ),
  key_: async ({ credentials }, owner, _id) =>
    (await credentials.find({ ...owner, _id })).map(credentialResult),
  rul_: async ({ earningRules }, owner, _id) =>
    (await earningRules.find({ ...owner, _id })).map((rule) =>
      searchResult('RULE', rule, `${rule.kind} ${rule.currency}`),
    ),
  int_: async ({ integrations }, owner, _id) =>
    (await integrations.find({ ...owner, _id })).map((integration) =>
      searchResult('INTEGRATION', integration, integration.name),
    ),
  prt_: async ({ partners }, { partnerId }, _id) => {
    if (partnerId !== undefined && partnerId !== _id) return [];
    const found = await partners.find({ _id });
    return found.map((partner) =>
      searchResult('PARTNER', { ...partner, partnerId: _id }, partner.name),
    );
  },
};

/** Finds what one of the service's ids identifies: at most one result. */
export async function findById(
  models: Models,
  scope: ReadScope,
  id: string,
): Promise<SearchResult[]> {
  return (await byPrefix[id.slice(0, 4)]?.(models, inScope(scope), id)) ?? [];
}

async function findEvent(models: Models, owner: Owner, _id: string): Promise<SearchResult[]> {
  const [event] = await models.orderEvents.find({ ...owner, _id });
  if (event) return [eventResult(event)];
  const [asked] = await models.redemptionEvents.find({ ...owner, _id });
  return asked ? await redemptionOf(models, asked) : [];
}

const redemptionOf = async (
  { redemptions }: Models,
  { partnerId, redemptionId }: RedemptionEventDoc,
): Promise<SearchResult[]> =>
  (await redemptions.find({ partnerId, _id: redemptionId })).map(redemptionResult);

async function findTransaction(models: Models, owner: Owner, _id: string): Promise<SearchResult[]> {
  const { ledger, rewards } = models;
  const [entry] = await ledger.find({ ...owner, _id });
  if (entry === undefined) return [];
  const { partnerId, rewardId, kind } = entry;
  const reward = rewardId && (await rewards.findOne({ partnerId, _id: rewardId }));
  const eventId = reward ? reward.purchaseEventId : null;
  return [{ ...searchResult('TRANSACTION', entry, kind), eventId }];
}

const refusalsShown = 5;

/** How people write an order's number: with `#` or without. */
function spellingsOf(name: string): string[] {
  const plain = name.replace(/^#\s*/, '');
  return plain === '' ? [name] : [...new Set([name, plain, `#${plain}`])];
}

/** The fewest characters of an order's beginning. */
const minBeginning = 3;
const maxBeginning = 10;

/**
 * Finds orders by the beginning of their id, the first in alphabetical order. A partner's are a range for each of their
 * integrations and modes.
 */
export async function findOrdersBeginning(
  { orderEvents, integrations }: Models,
  scope: ReadScope,
  typed: string,
): Promise<SearchResult[]> {
  const spellings = spellingsOf(typed).filter((one) => one.length >= minBeginning);
  const own =
    scope === null
      ? {}
      : {
          partnerId: scope,
          mode: { $in: modes },
          integrationId: {
            $in: (await integrations.find({ partnerId: scope }, { _id: 1 })).map(({ _id }) => _id),
          },
        };
  const hint = scope === null ? lookUpIndexes.order : externalIdIndexes.order;
  const found = await Promise.all(
    spellings.map((beginning) =>
      orderEvents
        .find({
          ...own,
          externalOrderId: { $gte: beginning, $lt: `${beginning}\uffff` },
          type: 'PURCHASE',
        })
        .sort({ externalOrderId: 1 })
        .limit(maxBeginning)
        .hint(hint),
    ),
  );
  return found.flat().map(eventResult);
}

/** The year and the place of an invoice, and of its credit note: `2026-0001`, `2026-0001-C`. */
const invoiceNumber = /^(\d{4}-(\d{4,9}))(?:-C)?$/i;
/** What a transfer names: `PE-7K3QX9F2`, and `PE-7K3QX9F2-1` for an invoice. */
const paymentReference = /^[\w.]{1,20}-([0-9A-Z]{8})(?:-(\d{1,9}))?$/i;

/** Finds invoices by their number, or by the reference of their payment; for operators also the partner of a reference. */
async function findPayable(
  models: Models,
  scope: ReadScope,
  typed: string,
): Promise<SearchResult[]> {
  const [, number, ofNumber] = invoiceNumber.exec(typed) ?? [];
  const [, ending, ofReference] = paymentReference.exec(typed) ?? [];
  const seq = ofNumber ?? ofReference;
  if (number === undefined && ending === undefined) return [];
  const partners = await models.partners
    .find(scope === null ? {} : { _id: scope }, { name: 1 })
    .sort({ _id: 1 })
    .limit(maxPartners);
  const named = partners.filter(
    ({ _id }) => ending !== undefined && _id.endsWith(ending.toUpperCase()),
  );
  const isMeant = (invoice: { number: string; paymentReference: string }) =>
    invoice.number === number || invoice.paymentReference.toUpperCase() === typed.toUpperCase();
  const among = number === undefined ? named : partners;
  const invoices =
    seq === undefined
      ? []
      : await models.invoices
          .find({ partnerId: { $in: among.map(({ _id }) => _id) }, seq: Number(seq) })
          .sort({ _id: -1 })
          .limit(maxFound);
  return [
    ...invoices.filter(isMeant).map((one) => searchResult('INVOICE', one, one.number)),
    ...(scope === null && seq === undefined
      ? named.map(({ _id, name }) => searchResult('PARTNER', { _id, partnerId: _id }, name))
      : []),
  ];
}

/**
 * Finds what a name identifies that is not one of the service's ids: an order, a refund, a redemption, an
 * Idempotency-Key, a workflow, an API key, an invoice or a payment.
 */
export async function findByName(
  models: Models,
  { ofIdempotencyKey }: Pick<RequestHashes, 'ofIdempotencyKey'>,
  scope: ReadScope,
  name: string,
): Promise<SearchResult[]> {
  const owner = inScope(scope);
  const { orderEvents, rewards, redemptions, redemptionEvents, credentials } = models;
  const ofOrder = {
    ...owner,
    externalOrderId: { $in: spellingsOf(name) },
    type: 'PURCHASE' as const,
  };
  const ofRefund = { ...owner, externalRefundId: name, type: 'REFUND' as const };
  const ofRedemption = { ...owner, externalRedemptionId: name };
  const ofKey = { ...owner, idempotencyKeyHash: ofIdempotencyKey(name) };
  const newest = (hint: string) => ({ sort: { _id: -1 as const }, limit: maxFound, hint });
  const [purchases, refunds, keyed, spent, asked, begun, signing, refused, unkeyed, payable] =
    await Promise.all([
      orderEvents.find(ofOrder, null, newest(lookUpIndexes.order)),
      orderEvents.find(ofRefund, null, newest(lookUpIndexes.refund)),
      orderEvents.find(ofKey, null, newest(lookUpIndexes.key)),
      redemptions.find(ofRedemption, null, newest(redemptionIndexes.name)),
      redemptionEvents.find(ofKey, null, newest(redemptionIndexes.key)),
      rewards.find({ ...owner, workflowId: name }).limit(maxFound),
      credentials.find({ ...owner, apiKey: name }).limit(1),
      findRefused(models, scope, name),
      refusedWithKey(models, owner, ofIdempotencyKey(name)),
      findPayable(models, scope, name),
    ]);
  return [
    ...[...purchases, ...refunds, ...keyed].map(eventResult),
    ...spent.map(redemptionResult),
    ...(await Promise.all(asked.map((event) => redemptionOf(models, event)))).flat(),
    ...begun.map(rewardResult),
    ...signing.map(credentialResult),
    ...refused,
    ...unkeyed,
    ...payable,
  ];
}

/** The refused ones among the newest requests about an order. */
async function findRefused(
  models: Models,
  partnerId: ReadScope,
  externalOrderId: string,
): Promise<SearchResult[]> {
  const { events } = await readLog({ models }, { partnerId, externalOrderId }, refusalsShown);
  return events.filter(({ eventId }) => eventId === null).map(requestResult);
}

/** The newest refused requests with an Idempotency-Key. */
async function refusedWithKey(
  { requestLog }: Models,
  owner: Owner,
  idempotencyKeyHash: string,
): Promise<SearchResult[]> {
  const found = await requestLog
    .find({ ...owner, idempotencyKeyHash: { $eq: idempotencyKeyHash, $type: 'string' } })
    .sort({ _id: -1 })
    .limit(refusalsShown)
    .hint(refusedKeyIndex);
  return found.map(requestResult);
}

/** Collections for operators only, whose documents belong to no partner, by the prefix of their ids. */
const ownKinds = {
  prp: 'proposals',
  opr: 'operators',
  pln: 'planVersions',
  aud: 'auditEntries',
  aur: 'auditRuns',
} as const satisfies Record<string, keyof Models>;

export type OperatorsKind = (typeof ownKinds)[keyof typeof ownKinds];

/** The collection that contains an id; null if none does. */
export async function findByOperatorsId(
  { models }: Pick<ViewDeps, 'models'>,
  _id: string,
): Promise<OperatorsKind | null> {
  const [, prefix = ''] = /^([a-z]{3})_[0-9A-Z]{26}$/.exec(_id) ?? [];
  const kind = Object.hasOwn(ownKinds, prefix) ? ownKinds[prefix as keyof typeof ownKinds] : null;
  if (kind === null) return null;
  const count = await models[kind].collection.countDocuments({ _id }, { limit: 1 });
  return count > 0 ? kind : null;
}
