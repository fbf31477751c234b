import { randomUUID } from 'node:crypto';
import type { WalletRef } from '../../domain/postings.ts';
import type { Commit } from '../../models/commit.ts';
import type { CustomerRef } from '../../models/ledger/index.ts';
import type { Models } from '../../models/schemas/index.ts';
import { system } from '../../operations/actor.ts';
import { type OperatorRedemption, redeem } from '../../operations/customers.ts';
import { execute } from '../../operations/execute.ts';
import { addTestFunding, topUp } from '../../operations/wallets.ts';

interface ModelDeps {
  models: Models;
  commit: Commit;
  now?: () => number;
}

/** Tops up a wallet as an operator does, with an audit entry. */
export async function topUpAsOperator(
  { models, commit, now = Date.now }: ModelDeps,
  { partnerId, mode }: WalletRef,
  amountCents: number,
  externalReference: string = randomUUID(),
): Promise<void> {
  const deps = { models, commit, now };
  const money = { amountCents, externalReference };
  if (mode === 'LIVE') {
    const partner = await models.partners.findById(partnerId);
    const currency = partner?.currency ?? 'USD';
    await execute(deps, topUp, system('test'), { partnerId, currency, ...money });
  } else {
    await execute(deps, addTestFunding, system('test'), { partnerId, ...money });
  }
}

/** Redeems a customer's points, with an audit entry. */
export async function redeemAsOperator(
  { models, commit, now = Date.now }: ModelDeps,
  { customerId }: CustomerRef,
  redemption: Omit<OperatorRedemption, 'customerId'>,
): Promise<void> {
  await execute({ models, commit, now }, redeem, system('test'), { customerId, ...redemption });
}
