import Joi from 'joi';
import { ServiceError } from '../domain/errors.ts';
import { recordTopUp, references } from '../domain/facts.ts';
import { moneyText } from '../domain/money.ts';
import { accounts, type WalletRef } from '../domain/postings.ts';
import { findPartner, fixCurrency, requireCurrency } from '../models/identity/partners.ts';
import type { PartnerDoc } from '../models/schemas/partners.ts';
import { currencyCode, idField, movementReference } from './fields.ts';
import { type MoveDeps, type Moved, moveOnce } from './move-once.ts';
import { always, operation, sensitiveOperation, takesTwo } from './operation.ts';

/** 1,000,000,000.00; a larger top-up is probably mistyped. */
export const maxTopUpCents = 100_000_000_000;

export const topUpFields = {
  amountCents: Joi.number().integer().min(1).max(maxTopUpCents).required(),
  externalReference: movementReference.required(),
};

export interface TopUpMoney {
  /** Cents, from 1 to `maxTopUpCents`. */
  amountCents: number;
  /** An external reference such as the bank's, once per wallet. */
  externalReference: string;
}

/**
 * Tops up a wallet, once per external reference (docs/concepts/money.md). Rewards that wait for it are funded
 * in the same commit, as many as fit into it.
 * @param limit of the funding afterwards, compared in the commit
 * @throws ServiceError CONFLICT if the reference belongs to another amount, or to a top-up that was corrected
 */
export async function topUpWallet(
  deps: MoveDeps,
  wallet: WalletRef,
  money: TopUpMoney,
  limit: { maxCents: number; refusal: ServiceError } | null = null,
): Promise<Moved> {
  const { amountCents, externalReference } = money;
  const { funding } = accounts;
  const { entry, isNew } = await moveOnce(deps, wallet, references.topUp(externalReference), {
    decide(draft, terms) {
      if (limit !== null && draft.balanceOf(funding) + amountCents > limit.maxCents) {
        throw limit.refusal;
      }
      recordTopUp(draft, wallet, money, terms);
    },
  });
  const arrivedCents = entry.postings.find(({ account }) => account === funding)?.amount;
  const { currency } = await findPartner(deps.models, wallet.partnerId);
  if (arrivedCents === amountCents) {
    const { partnerId } = wallet;
    const correction =
      wallet.mode === 'LIVE' && !isNew
        ? await deps.models.ledger.findOne({ partnerId, mode: 'LIVE', reverses: entry._id })
        : null;
    if (correction === null) return { entry, isNew };
    throw new ServiceError(
      'CONFLICT',
      `The top-up ${JSON.stringify(externalReference)} (${entry._id}) was corrected by ${correction._id}. Record what arrives under another reference.`,
    );
  }
  throw new ServiceError(
    'CONFLICT',
    `${JSON.stringify(externalReference)} was already used for another top-up (${entry._id}, ${moneyText(arrivedCents ?? 0, currency)}). Use another reference.`,
  );
}

/** A partner's LIVE money, as the bank's statement has it. */
export interface BankTransfer extends TopUpMoney {
  partnerId: string;
  /** Must be the partner's. */
  currency: string;
}

export const bankTransferFields = {
  partnerId: idField,
  ...topUpFields,
  currency: currencyCode.required(),
};

/** What the approval of a transfer is bound to. @throws ServiceError CONFLICT in another currency than the partner's */
export function shownTransfer(
  { partnerId, amountCents, externalReference, currency }: BankTransfer,
  partner: PartnerDoc,
) {
  requireCurrency(partner, currency);
  return { partnerId, partner: partner.name, amountCents, currency, externalReference };
}

/** Tops up a partner's LIVE funds, once per reference (docs/concepts/money.md). */
export const topUp = sensitiveOperation({
  name: 'partner.top-up',
  permission: { operator: 'partner.top-up', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<BankTransfer>(bankTransferFields),
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  atWorst: { moves: 'the amount', undo: 'partner.correct-top-up', two: takesTwo.always },
  approval: {
    shown: (_deps, transfer, partner) => shownTransfer(transfer, partner),
    needed: always,
  },
  audit: ({ partnerId, amountCents, currency, externalReference: reference }) => ({
    targetId: partnerId,
    partnerId,
    details: { reference, amountCents, currency },
    once: 'BY_REFERENCE',
  }),

  /**
   * @throws ServiceError CONFLICT if the partner's funds are in another currency, or the reference belongs
   *   to another amount
   */
  async run(deps: MoveDeps, { partnerId, currency, ...money }) {
    // From now on the currency cannot change, because the amounts depend on it.
    await fixCurrency(deps.models, partnerId, currency);
    return await topUpWallet(deps, { mode: 'LIVE', partnerId }, money);
  },
});

/** 10,000,000.00: the maximum of available test funding up to which partners can add it themselves. */
export const maxTestFundingCents = 1_000_000_000;

/**
 * Adds test funding, once per reference (docs/integrate/going-live.md, Set-up and go-live). It is not real money, so
 * partners can add it as well, up to a limit. From the first on, TEST rewards that it does not cover wait.
 */
export const addTestFunding = operation({
  name: 'test-funding.add',
  permission: { operator: 'test-funding.add', user: 'test-funding.add' },
  secondFactor: 'NEVER',
  input: Joi.object<TopUpMoney & { partnerId: string }>({ partnerId: idField, ...topUpFields }),
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  approval: 'NONE',
  audit: ({ partnerId, amountCents, externalReference: reference }) => ({
    targetId: partnerId,
    partnerId,
    details: { reference, amountCents },
    once: 'BY_REFERENCE',
  }),

  /** @throws ServiceError CONFLICT above a partner's limit, or if the reference belongs to another amount */
  async run(deps: MoveDeps, { partnerId, ...money }, { actor, found: { currency } }) {
    const wallet = { mode: 'TEST', partnerId } as const;
    if (actor.kind !== 'user') return await topUpWallet(deps, wallet, money);
    const most = moneyText(maxTestFundingCents, currency);
    const because = `A partner has at most ${most} of available TEST funding.`;
    const refusal = new ServiceError('CONFLICT', because);
    return await topUpWallet(deps, wallet, money, { maxCents: maxTestFundingCents, refusal });
  },
});
