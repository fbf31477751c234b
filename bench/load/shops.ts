import { giveFirstFunds } from '../../dev/first-funds.ts';
import type { Mode } from '../../domain/events.ts';
import { walletOf } from '../../domain/events.ts';
import { activateRule } from '../../models/commands/activate-rule.ts';
import { createCredential } from '../../models/commands/create-credential.ts';
import { createIntegration } from '../../models/commands/create-integration.ts';
import { createPartner } from '../../models/commands/create-partner.ts';
import {
  createPlanVersion,
  type PlanVersionFields,
  planLimits,
} from '../../models/commands/create-plan-version.ts';
import { createRule } from '../../models/commands/create-rule.ts';
import { publishPlanVersion } from '../../models/commands/publish-plan-version.ts';
import { subscribe } from '../../models/commands/subscribe.ts';
import { createLedger } from '../../models/ledger/index.ts';
import { buildIndexes } from '../../models/schemas/index.ts';
import { createSealer } from '../../platform/sealing.ts';
import { makeLive } from '../../test/helpers/live-partner.ts';
import type { Stage } from './stage.ts';
import type { Place } from './work.ts';

/** 100,000,000.00: no order of a run waits for funds. */
const fundingCents = 10_000_000_000;

const plan: PlanVersionFields = {
  planCode: 'bench',
  name: 'Bench',
  currency: 'USD',
  monthlyPriceCents: 99_900,
  annualPriceCents: 999_000,
  includedPoints: 5_000_000,
  overageRateMicrosPerPoint: 200,
  apiRateLimitPerMinute: planLimits.apiRateLimitPerMinute,
  supportClass: 'DEDICATED',
  features: [],
};

export type Shops = Record<Mode, Place>;

/** One partner with ample funds, on a plan that never slows it, that sells in both modes. */
export async function openShops({ config, models, baseUrl }: Stage): Promise<Shops> {
  await buildIndexes(models);
  const deps = {
    models,
    ledger: createLedger(models, config.customerHashKey),
    sealer: createSealer(config.masterKeys),
    now: () => Date.now(),
  };
  const { _id: draft } = await createPlanVersion(deps, plan);
  const { _id: planVersionId } = await publishPlanVersion(deps, draft);
  const { _id: partnerId } = await createPartner(deps, { name: 'Bench' });
  await makeLive(models, partnerId);
  await subscribe(deps, { partnerId, planVersionId, interval: 'MONTH' });
  const { _id: integrationId } = await createIntegration(deps, { partnerId, name: 'shop' });

  const open = async (mode: Mode): Promise<Place> => {
    const earning = { currency: 'USD', kind: 'PER_AMOUNT', points: 10, unitCents: 100 } as const;
    const rule = await createRule(deps, partnerId, { mode, ...earning });
    await activateRule(deps, rule._id);
    await giveFirstFunds(deps, walletOf({ partnerId, mode, integrationId }), fundingCents);
    const { credential, secret } = await createCredential(deps, {
      ...{ partnerId, integrationId, mode },
      scopes: ['events:write', 'events:read'],
    });
    return { baseUrl, key: credential.apiKey, secret };
  };
  return { TEST: await open('TEST'), LIVE: await open('LIVE') };
}
