import type { Mode } from '../../../domain/mode.ts';
import { walletOf } from '../../../domain/wallet.ts';
import { createLedger } from '../../../models/ledger/index.ts';
import { buildIndexes } from '../../../models/schemas/index.ts';
import { system } from '../../../operations/actor.ts';
import { createCredential } from '../../../operations/credentials/create.ts';
import { activateRule } from '../../../operations/earning-rules/activate.ts';
import { createRule } from '../../../operations/earning-rules/create.ts';
import { execute } from '../../../operations/execute.ts';
import { createIntegration } from '../../../operations/integrations/create.ts';
import { createPartner } from '../../../operations/partners/create.ts';
import type { PlanVersionFields } from '../../../operations/plans/create.ts';
import { createPlanVersion, planLimits } from '../../../operations/plans/create.ts';
import { publishPlanVersion } from '../../../operations/plans/publish.ts';
import { subscribe } from '../../../operations/subscriptions/create.ts';
import { createSealer } from '../../../platform/sealing.ts';
import { makeLive } from '../../../test/helpers/live-partner.ts';
import { giveFirstFunds } from '../../first-funds.ts';
import type { MeasuredService } from './measured-service.ts';
import type { PartnerAccess } from './work.ts';

/** 100,000,000.00, so that no order of a run waits for funds. */
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

/** One partner's credentials in both modes, and another partner's in LIVE. */
export type BenchPartners = Record<Mode, PartnerAccess> & { other: PartnerAccess };

/** Two partners with ample funds, on a plan without a noticeable rate limit. */
export async function createPartners({
  config,
  models,
  baseUrl,
}: MeasuredService): Promise<BenchPartners> {
  await buildIndexes(models);
  const deps = {
    models,
    ledger: createLedger(models, config.customerHashKey),
    sealer: createSealer(config.masterKeys),
    now: () => Date.now(),
  };
  const { _id: draft } = await execute(deps, createPlanVersion, system('seed'), plan);
  const { _id: planVersionId } = await execute(deps, publishPlanVersion, system('seed'), {
    planVersionId: draft,
  });
  const openPartner = async (name: string) => {
    const { _id: partnerId } = await execute(deps, createPartner, system('seed'), { name });
    await makeLive(models, partnerId);
    await execute(deps, subscribe, system('seed'), { partnerId, planVersionId, interval: 'MONTH' });
    const { _id: integrationId } = await execute(deps, createIntegration, system('seed'), {
      partnerId,
      name: 'shop',
    });

    const open = async (mode: Mode): Promise<PartnerAccess> => {
      const earning = { currency: 'USD', kind: 'PER_AMOUNT', points: 10, unitCents: 100 } as const;
      const rule = await execute(deps, createRule, system('seed'), { partnerId, mode, ...earning });
      await execute(deps, activateRule, system('seed'), { ruleId: rule._id });
      await giveFirstFunds(deps, walletOf({ partnerId, mode, integrationId }), fundingCents);
      const { credential, secret } = await execute(deps, createCredential, system('seed'), {
        partnerId,
        integrationId,
        mode,
        scopes: ['events:write', 'events:read'],
      });
      return { baseUrl, key: credential.apiKey, secret };
    };
    return open;
  };
  const [ours, theirs] = [await openPartner('Bench'), await openPartner('Other')];
  return { TEST: await ours('TEST'), LIVE: await ours('LIVE'), other: await theirs('LIVE') };
}
