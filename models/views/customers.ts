import type { KeyObject } from 'node:crypto';
import { liveAccounts } from '../../domain/accounts.ts';
import { modes } from '../../domain/mode.ts';
import { customerOfContact } from '../identity/customer-of-contact.ts';
import { findPartner } from '../identity/partners.ts';
import { type CustomerRef, customerHoldings, findCustomer } from '../ledger/index.ts';
import type { PartnerDoc } from '../schemas/partners.ts';
import type { RewardDoc } from '../schemas/rewards.ts';
import type { LedgerDeps, ViewDeps } from './deps.ts';
import { type PartnerScope, scopeOf } from './partner-scope.ts';

/** The newest rows shown of each kind; the lists have all. */
export const maxCustomerRows = 25;

/** A customer's partner and newest rewards; null if the customer has none. */
export async function readRewardsOfCustomer({ models }: LedgerDeps, customerId: string) {
  const rewards = await models.rewards
    .find({ customerId })
    .sort({ _id: -1 })
    .limit(maxCustomerRows);
  const partnerId = rewards[0]?.partnerId;
  return partnerId === undefined ? null : { partnerId, rewards };
}

/** A customer's balance, transactions, rewards and reviews, for operators. */
export async function readCustomer(
  { models }: LedgerDeps,
  customerId: string,
  { partnerId, rewards }: { partnerId: string; rewards: RewardDoc[] },
) {
  const account = liveAccounts.points.customer(customerId);
  const reviewIds = rewards.flatMap(({ review }) => (review ? [review.reviewId] : []));
  const [partner, holdings, entries, reviews] = await Promise.all([
    findPartner(models, partnerId),
    customerHoldings(models, { partnerId, customerId }),
    models.ledger
      .find({ partnerId, 'postings.account': account })
      .sort({ _id: -1 })
      .limit(maxCustomerRows),
    models.reviews.find({ partnerId, _id: { $in: reviewIds } }).sort({ _id: -1 }),
  ]);
  return { customerId, partner, rewards, holdings, entries, reviews };
}

export type Customer = Awaited<ReturnType<typeof readCustomer>>;

/** A customer's partner and balance, for operators. @throws ServiceError NOT_FOUND */
export async function readHoldings({ models }: LedgerDeps, customerId: string) {
  const customer = await findCustomer(models, customerId, modes);
  const [partner, holdings] = await Promise.all([
    findPartner(models, customer.partnerId),
    customerHoldings(models, customer),
  ]);
  return { customerId, partner, holdings };
}

export type Holdings = Awaited<ReturnType<typeof readHoldings>>;

async function isCustomerOf(
  { models }: Pick<ViewDeps, 'models'>,
  partnerId: PartnerScope,
  customerId: string,
): Promise<boolean> {
  return (await models.rewards.exists({ customerId, partnerId })) !== null;
}

/**
 * Finds a partner's customer by email address or phone number.
 * @param partner national phone numbers are interpreted as of its country
 * @returns the id of the customer with this contact, and whether they have a reward
 */
export async function lookUpCustomer(
  deps: Pick<ViewDeps, 'models'>,
  hashKey: KeyObject,
  partner: Pick<PartnerDoc, '_id' | 'country'>,
  contact: { email?: string; phone?: string },
): Promise<{ customerId: string; isKnown: boolean }> {
  const customerId = customerOfContact(hashKey, partner, contact);
  return { customerId, isKnown: await isCustomerOf(deps, scopeOf(partner), customerId) };
}

/** More than the number of partners. */
const maxPartners = 5_000;
const maxFound = 50;

/**
 * Finds the customers of all partners with an email address or phone number. The customer has a different
 * id at each partner, and national phone numbers are interpreted as of the partner's country.
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
  const found = await models.rewards.aggregate<{ _id: string; partnerId: string }>([
    { $match: { customerId: { $in: ids } } },
    { $group: { _id: '$customerId', partnerId: { $first: '$partnerId' } } },
    { $sort: { _id: 1 } },
    { $limit: maxFound },
  ]);
  return found.map(({ _id: customerId, partnerId }) => ({ customerId, partnerId }));
}
