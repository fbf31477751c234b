import { giveFirstFunds } from '../../dev/first-funds.ts';
import type { Mode } from '../../domain/mode.ts';
import { scopes } from '../../domain/partners.ts';
import { system } from '../../operations/actor.ts';
import { createCredential, shownSecret } from '../../operations/credentials.ts';
import { activateRule, createRule } from '../../operations/earning-rules.ts';
import { execute } from '../../operations/execute.ts';
import { createIntegration } from '../../operations/integrations.ts';
import { createPartner } from '../../operations/partners.ts';
import {
  createPlanVersion,
  type PlanVersionFields,
  planLimits,
  publishPlanVersion,
} from '../../operations/plans.ts';
import { subscribe } from '../../operations/subscriptions.ts';
import { makeLive } from '../../test/helpers/live-partner.ts';
import type { MeasuredService } from './service.ts';

/** 100,000,000.00, so that no order of a run waits for funds. */
const ampleCents = 10_000_000_000;

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

export interface PartnerOptions {
  /** The funds of each mode, in cents; ample by default, and none with 0. */
  fundingCents?: number;
  /** The most that a customer earns in a day. */
  capPerCustomerDayPoints?: number;
}

/** A partner's keys in one mode. */
export interface BenchKeys {
  key: string;
  secret: string;
}

export interface BenchPartner {
  partnerId: string;
  integrationId: string;
  keys: Record<Mode, BenchKeys>;
  ruleIds: Record<Mode, string>;
}

/** @returns how to open partners that are live, on a plan without a noticeable rate limit */
export async function preparePartners({ deps }: MeasuredService) {
  const { _id: draft } = await execute(deps, createPlanVersion, system('seed'), plan);
  const { _id: planVersionId } = await execute(deps, publishPlanVersion, system('seed'), {
    planVersionId: draft,
  });

  return async (name: string, options: PartnerOptions = {}): Promise<BenchPartner> => {
    const { fundingCents = ampleCents, ...cap } = options;
    const { _id: partnerId } = await execute(deps, createPartner, system('seed'), { name });
    await makeLive(deps.models, partnerId);
    await execute(deps, subscribe, system('seed'), { partnerId, planVersionId, interval: 'MONTH' });
    const { _id: integrationId } = await execute(deps, createIntegration, system('seed'), {
      partnerId,
      name: 'shop',
    });
    const open = async (mode: Mode) => {
      const earning = { currency: 'USD', kind: 'PER_AMOUNT', points: 10, unitCents: 100 } as const;
      const { _id: ruleId } = await execute(deps, createRule, system('seed'), {
        partnerId,
        mode,
        ...earning,
        ...cap,
      });
      await execute(deps, activateRule, system('seed'), { ruleId });
      if (fundingCents > 0) await giveFirstFunds(deps, { partnerId, mode }, fundingCents);
      const { credential, secret } = await execute(deps, createCredential, system('seed'), {
        partnerId,
        integrationId,
        mode,
        scopes: [...scopes],
      });
      return { ruleId, keys: { key: credential.apiKey, secret: shownSecret(secret) } };
    };
    const [test, live] = [await open('TEST'), await open('LIVE')];
    const keys = { TEST: test.keys, LIVE: live.keys };
    return { partnerId, integrationId, keys, ruleIds: { TEST: test.ruleId, LIVE: live.ruleId } };
  };
}
