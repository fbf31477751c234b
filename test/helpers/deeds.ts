import { randomUUID } from 'node:crypto';
import type { WalletRef } from '../../domain/events.ts';
import { carryOut, system } from '../../models/commands/deeds.ts';
import { deposit, depositDeed } from '../../models/commands/deposit.ts';
import { type Redemption, redeem, redemptionDeed } from '../../models/commands/redeem.ts';
import type { CustomerRef, Ledger } from '../../models/ledger/index.ts';
import type { Models } from '../../models/schemas/index.ts';

interface Books {
  models: Models;
  ledger: Ledger;
  now?: () => number;
}

/** Puts money into a wallet as the operators' API does: with its deed in the audit trail. */
export async function depositAsOperator(
  { models, ledger, now = Date.now }: Books,
  wallet: WalletRef,
  amountCents: number,
  externalReference: string = randomUUID(),
): Promise<void> {
  const money = { amountCents, externalReference };
  await carryOut({ models, now }, system('test'), depositDeed(wallet, money), () =>
    deposit({ ledger, now }, wallet, money),
  );
}

/** Lets a customer spend points, with the deed in the audit trail. */
export async function redeemAsOperator(
  { models, ledger, now = Date.now }: Books,
  customer: CustomerRef,
  redemption: Redemption,
): Promise<void> {
  await carryOut({ models, now }, system('test'), redemptionDeed(customer, redemption), () =>
    redeem({ models, ledger, now }, customer, redemption),
  );
}
