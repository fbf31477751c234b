import type { KeyObject } from 'node:crypto';
import { modes } from '../domain/mode.ts';
import { accounts } from '../domain/postings.ts';
import { customerOfContact } from '../models/identity/customer-of-contact.ts';
import { findPartner } from '../models/identity/partners.ts';
import type { PointsLink } from '../models/identity/points-links.ts';
import { type CustomerRef, reviewedHoldings } from '../models/ledger/index.ts';
import { readHeads } from '../models/receipts/tree-heads.ts';
import { rewardOf } from '../models/rewards/create.ts';
import { findReward } from '../models/rewards/find-reward.ts';
import type { PointsLinkDoc } from '../models/schemas/customers.ts';
import { type OrderEventDoc, phoneIndex } from '../models/schemas/events.ts';
import type { Models } from '../models/schemas/index.ts';
import type { PartnerDoc } from '../models/schemas/partners.ts';
import type { RedemptionDoc } from '../models/schemas/redemptions.ts';
import type { RewardDoc } from '../models/schemas/rewards.ts';
import { databaseTime } from '../models/store/database-time.ts';
import { cursorOf } from '../models/store/paging.ts';
import { requireFound } from '../models/store/require-found.ts';
import { createBatchedReads } from '../platform/batched-reads.ts';
import { sha256Hex } from '../platform/hashing.ts';
import type { ModelDeps, ViewDeps } from './deps.ts';
import { readEventDetails } from './event.ts';
import { type PartnerScope, scopeOf } from './partner-scope.ts';
import { redemptionsOf } from './redemptions.ts';

/** The newest rows shown of each kind; the lists have all. */
export const maxCustomerRows = 25;

/** A customer's partner and newest rewards; null if the customer has none. */
export async function readRewardsOfCustomer({ models }: ModelDeps, customerId: string) {
  const rewards = await models.rewards
    .find({ customerId })
    .sort({ _id: -1 })
    .limit(maxCustomerRows);
  const partnerId = rewards[0]?.partnerId;
  return partnerId === undefined ? null : { partnerId, rewards };
}

/** A customer's balance, transactions, rewards, reviews and erasures, for operators. */
export async function readCustomer(
  { models }: ModelDeps,
  customerId: string,
  { partnerId, rewards }: { partnerId: string; rewards: RewardDoc[] },
) {
  const account = accounts.points.customer(customerId);
  const reviewIds = rewards.flatMap(({ review }) => (review ? [review.reviewId] : []));
  const [partner, holdings, redemptions, entries, reviews, erasures] = await Promise.all([
    findPartner(models, partnerId),
    reviewedHoldings(models, { partnerId, customerId }),
    redemptionsOf(models, { partnerId, customerId, modes }),
    models.ledger
      .find({ partnerId, mode: 'LIVE', 'postings.account': account })
      .sort({ _id: -1 })
      .limit(maxCustomerRows),
    models.reviews.find({ partnerId, _id: { $in: reviewIds } }).sort({ _id: -1 }),
    models.erasures.find({ partnerId, customerId }).sort({ _id: -1 }).limit(maxCustomerRows),
  ]);
  return { customerId, partner, rewards, holdings, redemptions, entries, reviews, erasures };
}

export type Customer = Awaited<ReturnType<typeof readCustomer>>;

async function isCustomerOf(
  { models }: Pick<ViewDeps, 'models'>,
  partnerId: PartnerScope,
  customerId: string,
): Promise<boolean> {
  return (await models.rewards.exists({ customerId, partnerId })) !== null;
}

/** The most customers found by one phone: those who share it, such as a family. */
const maxSharing = 10;

/**
 * The customers who gave an email and this phone, each by one look into the index however many orders they have.
 * @param phoneId the id of whoever gives only the phone
 */
async function customersWithPhone(
  { models }: Pick<ViewDeps, 'models'>,
  partnerId: PartnerScope,
  phoneId: string,
): Promise<string[]> {
  const found: string[] = [];
  while (found.length < maxSharing) {
    const next = await models.orderEvents
      .findOne({
        'purchase.phoneId': phoneId,
        'purchase.customerId': { $gt: found.at(-1) ?? '' },
        partnerId,
      })
      .sort({ 'purchase.customerId': 1 })
      .select({ _id: 0, 'purchase.customerId': 1 })
      .hint(phoneIndex);
    const customerId = next?.purchase?.customerId;
    if (customerId === undefined) break;
    found.push(customerId);
  }
  return found;
}

/**
 * Finds a partner's customers by email address or phone number, each by every contact that they gave.
 * @param partner national phone numbers are interpreted as of its country
 * @returns the id that the contact alone gives, and the ids of the customers with a reward, at most 11
 */
export async function lookUpCustomers(
  deps: Pick<ViewDeps, 'models'>,
  hashKey: KeyObject,
  partner: Pick<PartnerDoc, '_id' | 'country'>,
  contact: { email?: string | undefined; phone?: string | undefined },
): Promise<{ customerId: string; found: string[] }> {
  const customerId = customerOfContact(hashKey, partner, contact);
  const scope = scopeOf(partner);
  const sharing =
    contact.email === undefined ? await customersWithPhone(deps, scope, customerId) : [];
  const known = await Promise.all(
    [customerId, ...sharing].map(async (id) => ((await isCustomerOf(deps, scope, id)) ? [id] : [])),
  );
  return { customerId, found: known.flat() };
}

/** More than the number of partners. */
const maxPartners = 5_000;
const maxFound = 50;

/**
 * Finds the customers of all partners by every contact that they gave. The customer has a different id at each partner, and national phone numbers are interpreted as of the partner's country.
 */
export async function findCustomersByContact(
  { models }: Pick<ViewDeps, 'models'>,
  hashKey: KeyObject,
  contact: { email?: string; phone?: string },
): Promise<CustomerRef[]> {
  const partners = await models.partners
    .find({}, { country: 1 })
    .sort({ _id: 1 })
    .limit(maxPartners);
  const ids = partners.map((partner) => customerOfContact(hashKey, partner, contact));
  const sharing =
    contact.email === undefined
      ? await models.orderEvents.aggregate<{ _id: string }>(
          [
            { $match: { 'purchase.phoneId': { $in: ids } } },
            { $group: { _id: '$purchase.customerId' } },
            { $sort: { _id: 1 } },
            { $limit: maxFound },
          ],
          { hint: phoneIndex },
        )
      : [];
  const among = [...ids, ...sharing.map(({ _id }) => _id)];
  const found = await models.rewards.aggregate<{ _id: string; partnerId: string }>([
    { $match: { customerId: { $in: among } } },
    { $group: { _id: '$customerId', partnerId: { $first: '$partnerId' } } },
    { $sort: { _id: 1 } },
    { $limit: maxFound },
  ]);
  return found.map(({ _id: customerId, partnerId }) => ({ customerId, partnerId }));
}

/** The newest rewards shown; the list has all. */
export const maxCustomerRewards = 25;

/** A customer as their partner sees them. */
export interface PartnerCustomer {
  customerId: string;
  /** As reported with the newest purchase, masked; both null if the customer was erased. */
  email: string | null;
  phone: string | null;
  /** LIVE points. */
  points: number;
  /** Without those that open reviews may take back. */
  spendablePoints: number;
  /** The value of the points. */
  owedCents: number;
  /** The points that end, and when; null if none do. */
  ending: { at: Date; points: number } | null;
  /** What has ended. */
  endedPoints: number;
  /** Of both modes, newest first; never empty. */
  rewards: RewardDoc[];
  /** Where points went, in both modes, newest first. */
  redemptions: RedemptionDoc[];
}

/** A customer of a partner with their newest rewards; null if they have none. */
export async function readPartnerCustomer(
  deps: Pick<ViewDeps, 'models' | 'sealer' | 'now'>,
  partnerId: PartnerScope,
  customerId: string,
): Promise<PartnerCustomer | null> {
  const rewards = await deps.models.rewards
    .find({ partnerId, customerId })
    .sort({ _id: -1 })
    .limit(maxCustomerRewards)
    .hint({ customerId: 1, _id: -1 });
  const [newest] = rewards;
  if (!newest) return null;
  const [holding, details, redemptions] = await Promise.all([
    reviewedHoldings(deps.models, { partnerId, customerId }),
    readEventDetails(deps, partnerId, newest.purchaseEventId),
    redemptionsOf(deps.models, { partnerId, customerId, modes }),
  ]);
  const { email = null, phone = null } = details?.contact ?? {};
  const { points, owedCents, spendable, ending, endedPoints } = holding;
  const held = { points, spendablePoints: spendable.points, owedCents, ending, endedPoints };
  return { customerId, email, phone, ...held, rewards, redemptions };
}

/** Rewards on one page of a customer's history. */
export const customerPageSize = 20;

/** A customer's points at a partner, in one mode. */
export interface CustomerPoints {
  partner: PartnerDoc;
  points: number;
  /** Without those that open reviews may take back. */
  spendablePoints: number;
  /** The value of the points, in the partner's currency. */
  owedCents: number;
  /** The points that end, and when; null if none do. */
  ending: { at: Date; points: number } | null;
  /** Newest first. */
  rewards: RewardDoc[];
  /** Where points went, newest first; empty on later pages. */
  redemptions: RedemptionDoc[];
  nextCursor: string | null;
  /** The time of the newest tree head, under which older entries are; null in TEST and before the first. */
  receiptsUntil: Date | null;
}

/**
 * A customer's points at a partner, and a page of their rewards. TEST has balances of its own.
 * @param cursor the id of the last reward on the previous page
 */
export async function readCustomerPoints(
  deps: Pick<ViewDeps, 'models'>,
  { partnerId, customerId, mode }: Pick<PointsLinkDoc, 'partnerId' | 'customerId' | 'mode'>,
  cursor?: string,
): Promise<CustomerPoints> {
  const { models } = deps;
  const [partner, { points, owedCents, spendable, ending }, rewards, redemptions, [head]] =
    await Promise.all([
      models.partners.findById(partnerId),
      reviewedHoldings(models, { partnerId, customerId }, mode),
      models.rewards
        .find({
          partnerId,
          customerId,
          mode,
          ...(cursor !== undefined && { _id: { $lt: cursor } }),
        })
        .sort({ _id: -1 })
        // One more, to find out whether there is a next page.
        .limit(customerPageSize + 1)
        .hint({ customerId: 1, _id: -1 }),
      cursor === undefined ? redemptionsOf(models, { partnerId, customerId, modes: [mode] }) : [],
      mode === 'LIVE' ? readHeads(models, 1) : [],
    ]);
  const shown = rewards.slice(0, customerPageSize);
  const last = rewards.length > shown.length ? shown.at(-1) : undefined;
  return {
    partner: requireFound(partner, 'partner', partnerId),
    points,
    spendablePoints: spendable.points,
    owedCents,
    ending,
    rewards: shown,
    redemptions,
    nextCursor: cursorOf(last?._id ?? null),
    receiptsUntil: head?.signedAt ?? null,
  };
}

/** A reward of the customer of a points link, with its merchant; null for any other. */
export async function readRewardBehind(
  { models }: Pick<ViewDeps, 'models'>,
  { partnerId, customerId, mode }: Pick<PointsLinkDoc, 'partnerId' | 'customerId' | 'mode'>,
  rewardId: string,
): Promise<ReadClaim | null> {
  const [reward, partner, at] = await Promise.all([
    findReward(models, { partnerId, mode, rewardId }),
    models.partners.findById(partnerId),
    databaseTime(models),
  ]);
  return reward?.customerId === customerId && partner ? { reward, partner, at } : null;
}

/** A link to a customer's points; null if it is unknown or expired, or if the customer was erased. */
export async function findPointsLink(
  { models, now }: Pick<ViewDeps, 'models' | 'now'>,
  token: string,
): Promise<PointsLink | null> {
  const open = { _id: sha256Hex(token), expiresAt: { $gt: new Date(now()) } };
  const link = await models.pointsLinks.findOne(open);
  if (!link) return null;
  const { partnerId, purchaseEventId: _id } = link;
  const isThere = await models.orderEvents.exists({ partnerId, _id, sealed: { $ne: null } });
  return isThere ? link : null;
}

/** The maximum number of links looked up by one command. */
const maxBatch = 100;

/** The partner of a reward, as far as the customer's pages depend on it. */
export type Merchant = Pick<
  PartnerDoc,
  'name' | 'country' | 'timeZone' | 'website' | 'supportEmail' | 'status' | 'branding'
>;

export interface ReadClaim {
  reward: RewardDoc;
  partner: Merchant;
  /** When it was read, by the database's clock, which ends windows. */
  at: Date;
}

/**
 * Reads rewards with their merchants by the token of a claim link; null for an unknown one. Links that are
 * opened at the same time share a command. A partner that delivers links itself has one before the reward
 * is stored: until then, the reward is computed from its purchase, which a claim begins.
 */
export function createReadClaim(models: Models): (token: string) => Promise<ReadClaim | null> {
  const read = createBatchedReads<string, ReadClaim | null>({ maxBatch }, async (hashes) => {
    const [rewards, at] = await Promise.all([
      withMerchants<RewardDoc>(models, models.rewards, { claimTokenHash: { $in: [...hashes] } }),
      databaseTime(models),
    ]);
    const byHash = new Map(
      rewards.map(({ doc, partner }) => [doc.claimTokenHash, { reward: doc, partner, at }]),
    );
    const missing = hashes.filter((hash) => !byHash.has(hash));
    if (missing.length > 0) {
      const events = await withMerchants<OrderEventDoc>(models, models.orderEvents, {
        'purchase.delivery': 'PARTNER',
        'purchase.claimTokenHash': { $in: missing },
      });
      for (const { doc, partner } of events) {
        const reward = rewardOf(doc);
        byHash.set(reward.claimTokenHash, { reward, partner, at });
      }
    }
    return hashes.map((hash) => byHash.get(hash) ?? null);
  });
  return (token) => read('all', sha256Hex(token));
}

/** Documents, each with its partner, read by one command. */
async function withMerchants<Doc extends { partnerId: string }>(
  { partners }: Models,
  { collection }: Models['rewards'] | Models['orderEvents'],
  match: object,
): Promise<{ doc: Doc; partner: Merchant }[]> {
  const rows = await collection
    .aggregate<Doc & { partners: Merchant[] }>([
      { $match: match },
      {
        $lookup: {
          from: partners.collection.name,
          localField: 'partnerId',
          foreignField: '_id',
          as: 'partners',
        },
      },
    ])
    .toArray();
  return rows.map(({ partners: [partner], ...doc }) => ({
    doc: doc as unknown as Doc,
    partner: requireFound(partner ?? null, 'partner', doc.partnerId as string),
  }));
}
