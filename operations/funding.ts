import Joi from 'joi';
import { ServiceError } from '../domain/errors.ts';
import { references } from '../domain/facts.ts';
import {
  recordCorrection,
  recordWithdrawal,
  requireAvailable,
  requireWithin,
} from '../domain/funding.ts';
import { moneyText } from '../domain/money.ts';
import { accounts } from '../domain/postings.ts';
import { findPartner, requireCurrency } from '../models/identity/partners.ts';
import { findEntry, walletBalances } from '../models/ledger/index.ts';
import type { EntryDoc } from '../models/schemas/entries.ts';
import type { Models } from '../models/schemas/index.ts';
import { isDuplicateKey } from '../models/store/insert-once.ts';
import { requireFound } from '../models/store/require-found.ts';
import { idField } from './fields.ts';
import { type MoveDeps, type Moved, moveOnce } from './move-once.ts';
import { always, sensitiveOperation, takesTwo } from './operation.ts';
import { type BankTransfer, bankTransferFields, shownTransfer } from './wallets.ts';

/** What an entry moved in the partner's funding, in cents. */
const fundingIn = ({ postings }: EntryDoc): number =>
  postings.find(({ account }) => account === accounts.funding)?.amount ?? 0;

/** Pays unused LIVE funding back to the partner, once per reference of the transfer (docs/concepts/money.md, Entries). */
export const withdraw = sensitiveOperation({
  name: 'partner.withdraw',
  permission: { operator: 'partner.withdraw', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<BankTransfer>(bankTransferFields),
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  atWorst: { moves: 'the amount', undo: null, two: takesTwo.always },
  approval: {
    shown: (_deps, transfer, partner) => shownTransfer(transfer, partner),
    needed: always,
    possible: async ({ models }, money) => {
      const reference = references.withdrawal(money.externalReference);
      await requireFunded(models, money, reference);
    },
  },
  audit: ({ partnerId, amountCents, currency, externalReference: reference }) => ({
    targetId: partnerId,
    partnerId,
    details: { reference, amountCents, currency },
    once: 'BY_REFERENCE',
  }),

  /**
   * @throws ServiceError CONFLICT if less is available by now, if the partner's funds are in another currency,
   *   or if the reference belongs to another withdrawal
   */
  async run(deps: MoveDeps, { partnerId, currency, ...money }, { found }): Promise<Moved> {
    requireCurrency(found, currency);
    const reference = references.withdrawal(money.externalReference);
    const moved = await moveOnce(deps, { mode: 'LIVE', partnerId }, reference, {
      decide: (draft, terms) => recordWithdrawal(draft, { partnerId, currency, ...money }, terms),
    });
    if (fundingIn(moved.entry) === -money.amountCents) return moved;
    throw alreadyUsed(money.externalReference, 'withdrawal', moved.entry, currency);
  },
});

interface Correction extends BankTransfer {
  /** The top-up. */
  transactionId: string;
}

/**
 * Takes back what a top-up booked by mistake, all of it or a part, once per top-up: by an entry that names it
 * (docs/concepts/money.md, Entries).
 */
export const correctTopUp = sensitiveOperation({
  name: 'partner.correct-top-up',
  permission: { operator: 'partner.correct-top-up', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<Correction>({ ...bankTransferFields, transactionId: idField }),
  async find({ models }, { partnerId, transactionId }) {
    const partner = await findPartner(models, partnerId);
    const of = { partnerId, mode: 'LIVE', _id: transactionId, kind: 'TOP_UP' } as const;
    return {
      partner,
      topUp: requireFound(await models.ledger.findOne(of), 'top-up', transactionId),
    };
  },
  atWorst: { moves: 'the amount', undo: 'partner.top-up', two: takesTwo.always },
  approval: {
    shown: (_deps, transfer, { partner, topUp }) => {
      const { _id: transactionId, reference: topUpReference } = topUp;
      const topUpCents = fundingIn(topUp);
      return { ...shownTransfer(transfer, partner), transactionId, topUpReference, topUpCents };
    },
    needed: always,
    async possible({ models }, money, { topUp }) {
      const reference = references.correction(money.externalReference);
      const { partnerId, transactionId } = money;
      requireWithin({ amountCents: fundingIn(topUp) }, money);
      if (await findEntry(models, { mode: 'LIVE', partnerId }, reference)) return;
      const before = await correctionOf(models, partnerId, transactionId);
      if (before !== null) throw alreadyCorrected(transactionId, before, money.currency);
      await requireFunded(models, money, reference);
    },
  },
  audit: (
    { partnerId, amountCents, currency, externalReference: reference },
    { topUp: { _id: transactionId } },
  ) => ({
    targetId: partnerId,
    partnerId,
    details: { reference, amountCents, currency, transactionId },
    once: 'BY_REFERENCE',
  }),

  /**
   * @throws ServiceError CONFLICT if less is available by now, if the amount exceeds the top-up or the top-up
   *   was corrected before, or if the reference belongs to another correction
   */
  async run(
    deps: MoveDeps,
    { partnerId, amountCents, currency, externalReference },
    { found: { partner, topUp } },
  ): Promise<Moved> {
    requireCurrency(partner, currency);
    const { _id: transactionId } = topUp;
    const money = { partnerId, amountCents, currency, externalReference };
    const made = { transactionId, amountCents: fundingIn(topUp) };
    const reference = references.correction(externalReference);
    let moved: Moved;
    try {
      moved = await moveOnce(deps, { mode: 'LIVE', partnerId }, reference, {
        decide: (draft, terms) => recordCorrection(draft, money, made, terms),
      });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      const before = await correctionOf(deps.models, partnerId, transactionId);
      if (before === null) throw error;
      throw alreadyCorrected(transactionId, before, currency);
    }
    const { entry } = moved;
    if (fundingIn(entry) === -amountCents && entry.reverses === transactionId) return moved;
    throw alreadyUsed(externalReference, 'correction', entry, currency);
  },
});

/** @throws ServiceError CONFLICT for more than is available, unless the reference has moved it */
async function requireFunded(
  models: Models,
  { partnerId, ...money }: BankTransfer,
  reference: string,
): Promise<void> {
  const wallet = { mode: 'LIVE', partnerId } as const;
  const [entry, { fundingCents }] = await Promise.all([
    findEntry(models, wallet, reference),
    walletBalances(models, wallet),
  ]);
  if (entry === null) requireAvailable(fundingCents, money);
}

const correctionOf = (
  { ledger }: Models,
  partnerId: string,
  reverses: string,
): Promise<EntryDoc | null> => ledger.findOne({ partnerId, mode: 'LIVE', reverses });

const alreadyCorrected = (topUpId: string, by: EntryDoc, currency: string): ServiceError =>
  new ServiceError(
    'CONFLICT',
    `${topUpId} was already corrected, by ${by._id} (${moneyText(-fundingIn(by), currency)}).`,
  );

const alreadyUsed = (
  externalReference: string,
  what: string,
  entry: EntryDoc,
  currency: string,
): ServiceError =>
  new ServiceError(
    'CONFLICT',
    `${JSON.stringify(externalReference)} was already used for another ${what} (${entry._id}, ${moneyText(-fundingIn(entry), currency)}). Use another reference.`,
  );
