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
import { buildIndexes, type Models } from '../../models/schemas/index.ts';
import type { Config } from '../../platform/config.ts';
import { createSealer } from '../../platform/sealing.ts';
import { giveFirstFunds } from '../first-funds.ts';
import { seedPlans } from '../seed-plans.ts';

/** A partner's back end, in one mode. */
export interface Shop {
  name: string;
  partnerId: string;
  mode: Mode;
  key: string;
  secret: string;
  /** Its funds run short while it sells, so that rewards wait until an operator tops it up. */
  isTight: boolean;
}

const fundings = { rich: 100_000_000, tight: 5_000 };

/** Two partners, one rich and one tight, each with a shop that is live and one that tests. */
export async function openShops(
  config: Config,
  models: Models,
): Promise<{ shops: Shop[]; adminToken: string }> {
  await buildIndexes(models);
  const deps = {
    models,
    ledger: createLedger(models, config.customerHashKey),
    sealer: createSealer(config.masterKeys),
    now: () => Date.now(),
  };
  const { scale } = await seedPlans(deps);
  const shops: Shop[] = [];
  for (const [name, amountCents] of Object.entries(fundings)) {
    const { _id: partnerId } = await createPartner(deps, { name, live: true });
    await subscribe(deps, { partnerId, planVersionId: scale, interval: 'MONTH' });
    const { _id: integrationId } = await createIntegration(deps, { partnerId, name: 'shop' });
    for (const mode of ['LIVE', 'TEST'] as const) {
      const earning = { currency: 'USD', kind: 'PER_AMOUNT', points: 10, unitCents: 100 } as const;
      const rule = await createRule(deps, partnerId, { mode, ...earning });
      await activateRule(deps, rule._id);
      await giveFirstFunds(deps, walletOf({ partnerId, mode, integrationId }), amountCents);
      const { credential, secret } = await createCredential(deps, {
        ...{ partnerId, integrationId, mode },
        scopes: ['events:write'],
      });
      const isTight = name === 'tight' && mode === 'LIVE';
      shops.push({ name, partnerId, mode, key: credential.apiKey, secret, isTight });
    }
  }
  const { token } = await createOperator(deps, { name: 'prover', role: 'admin' });
  return { shops, adminToken: token };
}
