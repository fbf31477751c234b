import { randomUUID } from 'node:crypto';
import type { Mode } from '../../domain/mode.ts';
import { walletOf } from '../../domain/postings.ts';
import { createCommit, ledgerKey } from '../../models/commit.ts';
import type { Models } from '../../models/schemas/index.ts';
import { system } from '../../operations/actor.ts';
import { createCredential } from '../../operations/credentials.ts';
import { activateRule, createRule } from '../../operations/earning-rules.ts';
import { execute } from '../../operations/execute.ts';
import { createIntegration } from '../../operations/integrations.ts';
import { createFirstOperator } from '../../operations/operators.ts';
import { createPartner } from '../../operations/partners.ts';
import { subscribe } from '../../operations/subscriptions.ts';
import { createWebhookEndpoint } from '../../operations/webhook-endpoints.ts';
import type { Config } from '../../platform/config.ts';
import { createSealer } from '../../platform/sealing.ts';
import { giveFirstFunds } from '../first-funds.ts';
import { goLive, profileOf } from '../go-live.ts';
import { seedPlans } from '../seed-plans.ts';
import { send } from './send.ts';
import type { SentEvent, SimulatedShop, TrafficLog } from './traffic-log.ts';

const fundings = { rich: 100_000_000, tight: 5_000 };
const earning = { currency: 'USD', kind: 'PER_AMOUNT', points: 10, unitCents: 100 } as const;

/**
 * Two partners, one rich and one with little money, each with a TEST shop and a LIVE one. The TEST events
 * that they send in order to go live are recorded in the trafficLog.
 */
export async function createShops({
  config,
  models,
  baseUrl,
  trafficLog,
  hookUrl,
}: {
  config: Config;
  models: Models;
  baseUrl: string;
  trafficLog: TrafficLog;
  /** The URL for TEST webhooks; undefined for none. */
  hookUrl?: string;
}): Promise<{ shops: SimulatedShop[]; adminToken: string }> {
  const deps = {
    models,
    commit: createCommit({
      models,
      hashKey: ledgerKey(config.customerHashKey),
      now: Date.now,
    }),
    sealer: createSealer(config.masterKeys),
    config,
    now: () => Date.now(),
  };
  const { token } = await execute(deps, createFirstOperator, system('seed'), {
    name: 'prover',
    role: 'admin',
  });
  const { scale } = await seedPlans(deps);
  const shops: SimulatedShop[] = [];
  for (const [name, amountCents] of Object.entries(fundings)) {
    const { _id: partnerId } = await execute(deps, createPartner, system('seed'), {
      ...profileOf(name),
      goLiveMinimumFundingCents: amountCents,
    });
    await execute(deps, subscribe, system('seed'), {
      partnerId,
      planVersionId: scale,
      interval: 'MONTH',
    });
    const { _id: integrationId } = await execute(deps, createIntegration, system('seed'), {
      partnerId,
      name: 'shop',
    });
    for (const mode of ['LIVE', 'TEST'] as const) {
      const rule = await execute(deps, createRule, system('seed'), { partnerId, mode, ...earning });
      await execute(deps, activateRule, system('seed'), { ruleId: rule._id });
      await giveFirstFunds(deps, walletOf({ partnerId, mode, integrationId }), amountCents);
    }
    const open = async (mode: Mode): Promise<SimulatedShop> => {
      const { credential, secret } = await execute(deps, createCredential, system('seed'), {
        partnerId,
        integrationId,
        mode,
        scopes: ['events:write'],
      });
      const isTight = name === 'tight' && mode === 'LIVE';
      return { name, partnerId, mode, key: credential.apiKey, secret, isTight };
    };
    const testing = await open('TEST');
    if (hookUrl !== undefined) {
      await execute(deps, createWebhookEndpoint, system('seed'), {
        partnerId,
        mode: 'TEST',
        url: hookUrl,
        eventTypes: ['*'],
        description: 'prover',
      });
      trafficLog.webhooks.endpoints.push({ partnerId, mode: 'TEST' });
    }
    await sendTestPurchaseAndRefund(baseUrl, testing, trafficLog);
    await goLive(deps, partnerId);
    shops.push(await open('LIVE'), testing);
  }
  return { shops, adminToken: token };
}

/** A TEST purchase and its refund, which go-live requires. */
async function sendTestPurchaseAndRefund(
  baseUrl: string,
  shop: SimulatedShop,
  trafficLog: TrafficLog,
): Promise<void> {
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
    const sent: SentEvent = {
      shop,
      kind,
      orderId,
      idempotencyKey: randomUUID(),
      body: JSON.stringify(body),
      response: undefined,
    };
    sent.response = await send(baseUrl, sent);
    trafficLog.sent.push(sent);
  }
}
