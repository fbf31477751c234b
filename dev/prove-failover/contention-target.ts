import { walletOf } from '../../domain/postings.ts';
import { createLedger } from '../../models/ledger/index.ts';
import type { Models } from '../../models/schemas/index.ts';
import { system } from '../../operations/actor.ts';
import { createCredential } from '../../operations/credentials.ts';
import { activateRule, createRule } from '../../operations/earning-rules.ts';
import { execute } from '../../operations/execute.ts';
import { createIntegration, updateIntegration } from '../../operations/integrations.ts';
import { createPartner } from '../../operations/partners.ts';
import { subscribe } from '../../operations/subscriptions.ts';
import type { Config } from '../../platform/config.ts';
import { createSealer } from '../../platform/sealing.ts';
import { giveFirstFunds } from '../first-funds.ts';
import { profileOf } from '../go-live.ts';
import { seedPlans } from '../seed-plans.ts';
import type { ContentionTarget } from './contend.ts';

const walletCount = 90;
const fundsCents = 100_000_000;

/** A separate TEST partner: one shop that delivers its claim links itself, and empty wallets. */
export async function createContentionTarget(
  config: Config,
  models: Models,
): Promise<Pick<ContentionTarget, 'shop' | 'wallets'>> {
  const deps = {
    models,
    ledger: createLedger(models, config.customerHashKey),
    sealer: createSealer(config.masterKeys),
    now: () => Date.now(),
  };
  const seed = system('seed');
  const name = 'contended';
  const mode = 'TEST';
  const { scale } = await seedPlans(deps);
  const { _id: partnerId } = await execute(deps, createPartner, seed, profileOf(name));
  const plan = { partnerId, planVersionId: scale, interval: 'MONTH' } as const;
  await execute(deps, subscribe, seed, plan);
  const addIntegration = async (one: string) =>
    (await execute(deps, createIntegration, seed, { partnerId, name: one }))._id;
  const integrationId = await addIntegration('shop');
  await execute(deps, updateIntegration, seed, { partnerId, integrationId, delivery: 'PARTNER' });
  const earning = { currency: 'USD', kind: 'PER_AMOUNT', points: 10, unitCents: 100 } as const;
  const rule = await execute(deps, createRule, seed, { partnerId, mode, ...earning });
  await execute(deps, activateRule, seed, { ruleId: rule._id });
  await giveFirstFunds(deps, walletOf({ partnerId, mode, integrationId }), fundsCents);
  const { credential, secret } = await execute(deps, createCredential, seed, {
    partnerId,
    integrationId,
    mode,
    scopes: ['events:write'],
  });
  const wallets: string[] = [];
  for (let number = 1; number <= walletCount; number++) {
    wallets.push(await addIntegration(`wallet ${number}`));
  }
  const shop = { name, partnerId, mode, key: credential.apiKey, secret, isTight: false } as const;
  return { shop, wallets };
}
