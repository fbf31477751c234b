import { randomUUID } from 'node:crypto';
import type { Mode } from '../../domain/events.ts';
import { walletOf } from '../../domain/events.ts';
import { activateRule } from '../../models/commands/activate-rule.ts';
import { createCredential } from '../../models/commands/create-credential.ts';
import { createIntegration } from '../../models/commands/create-integration.ts';
import { createOperator } from '../../models/commands/create-operator.ts';
import { createPartner } from '../../models/commands/create-partner.ts';
import { createRule } from '../../models/commands/create-rule.ts';
import { subscribe } from '../../models/commands/subscribe.ts';
import { createLedger } from '../../models/ledger/index.ts';
import type { Models } from '../../models/schemas/index.ts';
import type { Config } from '../../platform/config.ts';
import { createSealer } from '../../platform/sealing.ts';
import { giveFirstFunds } from '../first-funds.ts';
import { goLive, profileOf } from '../go-live.ts';
import { seedPlans } from '../seed-plans.ts';
import type { Diary, Sent, Shop } from './diary.ts';
import { send } from './send.ts';

const fundings = { rich: 100_000_000, tight: 5_000 };
const earning = { currency: 'USD', kind: 'PER_AMOUNT', points: 10, unitCents: 100 } as const;

/**
 * Two partners, one rich and one tight, each with a shop that tests and one that is live. What they
 * send in TEST to become live is noted in the diary.
 */
export async function openShops({
  config,
  models,
  baseUrl,
  diary,
}: {
  config: Config;
  models: Models;
  baseUrl: string;
  diary: Diary;
}): Promise<{ shops: Shop[]; adminToken: string }> {
  const deps = {
    models,
    ledger: createLedger(models, config.customerHashKey),
    sealer: createSealer(config.masterKeys),
    now: () => Date.now(),
  };
  const { admin, token } = await createOperator(deps, { name: 'prover', role: 'admin' });
  const { scale } = await seedPlans(deps);
  const shops: Shop[] = [];
  for (const [name, amountCents] of Object.entries(fundings)) {
    const { _id: partnerId } = await createPartner(deps, {
      ...profileOf(name),
      goLiveMinimumFundingCents: amountCents,
    });
    await subscribe(deps, { partnerId, planVersionId: scale, interval: 'MONTH' });
    const { _id: integrationId } = await createIntegration(deps, { partnerId, name: 'shop' });
    for (const mode of ['LIVE', 'TEST'] as const) {
      const rule = await createRule(deps, partnerId, { mode, ...earning });
      await activateRule(deps, rule._id);
      await giveFirstFunds(deps, walletOf({ partnerId, mode, integrationId }), amountCents);
    }
    const open = async (mode: Mode): Promise<Shop> => {
      const { credential, secret } = await createCredential(deps, {
        ...{ partnerId, integrationId, mode },
        scopes: ['events:write'],
      });
      const isTight = name === 'tight' && mode === 'LIVE';
      return { name, partnerId, mode, key: credential.apiKey, secret, isTight };
    };
    const testing = await open('TEST');
    await tryOut(baseUrl, testing, diary);
    await goLive(deps, partnerId, admin._id);
    shops.push(await open('LIVE'), testing);
  }
  return { shops, adminToken: token };
}

/** A TEST purchase and its refund, which the go-live asks for. */
async function tryOut(baseUrl: string, shop: Shop, diary: Diary): Promise<void> {
  const orderId = `first-${randomUUID()}`;
  const purchase = {
    externalOrderId: orderId,
    customer: { email: 'first@customers.example' },
    order: { subtotalCents: 1_000, currency: 'USD' },
  };
  for (const [kind, body] of [
    ['purchases', purchase],
    ['refunds', { externalOrderId: orderId }],
  ] as const) {
    const sent: Sent = {
      ...{ shop, kind, orderId, idempotencyKey: randomUUID() },
      ...{ body: JSON.stringify(body), answer: undefined },
    };
    sent.answer = await send(baseUrl, sent);
    diary.sent.push(sent);
  }
}
