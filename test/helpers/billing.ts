import { createSecretKey, randomBytes } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { type BillingRound, billingActivities } from '../../activities/invoices.ts';
import { closePeriodsOf } from '../../models/billing/periods.ts';
import { type PeriodRef, periodPoints, usageOfLastDays } from '../../models/billing/usage.ts';
import { createCommit } from '../../models/commit.ts';
import { findEntry } from '../../models/ledger/index.ts';
import type { InvoiceDoc } from '../../models/schemas/billing.ts';
import { createPartner } from '../../operations/partners.ts';
import {
  createPlanVersion,
  type PlanVersionFields,
  publishPlanVersion,
} from '../../operations/plans.ts';
import { subscribe } from '../../operations/subscriptions.ts';
import { metering } from './metering.ts';
import { operate } from './operate.ts';
import { patienceMs } from './patience.ts';
import { takeDatabase } from './test-database.ts';
import './quiet-runtime.ts';

const logger = new DefaultLogger('ERROR');

export type Billing = Awaited<ReturnType<typeof startBilling>>;

/** 10.00 a month for 1,000 points, and 0.01 for each further point. */
export const smallPlan: PlanVersionFields = {
  planCode: 'small',
  name: 'Small',
  currency: 'USD',
  monthlyPriceCents: 1_000,
  annualPriceCents: 10_000,
  includedPoints: 1_000,
  overageRateMicrosPerPoint: 10_000,
  apiRateLimitPerMinute: 60,
  supportClass: 'EMAIL',
  features: ['one'],
};

/** 40.00 a month for 9,000 points, and 0.004 for each further point. */
export const largePlan: PlanVersionFields = {
  ...smallPlan,
  planCode: 'large',
  name: 'Large',
  monthlyPriceCents: 4_000,
  annualPriceCents: 40_000,
  includedPoints: 9_000,
  overageRateMicrosPerPoint: 4_000,
  apiRateLimitPerMinute: 240,
};

/**
 * Metering and billing with their own database.
 * @param clock the current time, which only the test changes
 */
export async function startBilling(clock: { at: string }) {
  const { models, giveBack } = await takeDatabase();
  const hashKey = createSecretKey(randomBytes(32));
  /** As in another process: the same database, with its own groups of facts. */
  const anotherCommit = (at = () => Date.parse(clock.at)) =>
    createCommit({ patienceMs, models, hashKey, now: at });
  const deps = { models, commit: anotherCommit(), now: () => Date.parse(clock.at) };
  const meter = metering({ models, hashKey });
  const { depsAt } = meter;
  return {
    models,
    hashKey,
    ...meter,
    deps,
    anotherCommit,
    periodPoints: (partnerId: string, period: PeriodRef) => periodPoints(models, partnerId, period),
    lastDays: (partnerId: string, at: string, count: number) =>
      usageOfLastDays(models, partnerId, at, count),
    /** What the partner's newest subscription has saved and not used, in cents. */
    async creditCents(partnerId: string) {
      const subscription = await models.subscriptions.findOne({ partnerId }).sort({ anchorAt: -1 });
      return subscription?.creditCents ?? 0;
    },
    /** The revenue that the ledger has for an invoice, in cents; undefined if it has none. */
    async postedCents({ _id, partnerId }: Pick<InvoiceDoc, '_id' | 'partnerId'>) {
      const entry = await findEntry(models, { mode: 'LIVE', partnerId }, `invoice:${_id}`);
      return entry?.postings.find(({ account }) => account === 'revenue')?.amount;
    },
    /** One round of the billing activity. */
    async round(at: string, changes: Partial<typeof deps> = {}): Promise<BillingRound> {
      const { closeDuePeriods } = billingActivities({ ...deps, ...changes });
      return await new MockActivityEnvironment({}, { logger }).run(closeDuePeriods, at);
    },
    /** Bills only one partner, up to an instant. */
    async bill(
      partnerId: string,
      at: string,
      by: Pick<typeof deps, 'models' | 'commit'> = depsAt(at),
    ) {
      const subscription = await models.subscriptions.findOne({ partnerId }).orFail();
      return await closePeriodsOf(by, subscription, new Date(at));
    },
    async plan(fields: PlanVersionFields): Promise<string> {
      return (
        await operate(deps, publishPlanVersion, {
          planVersionId: (await operate(deps, createPlanVersion, fields))._id,
        })
      )._id;
    },
    async partner(): Promise<string> {
      return (await operate(deps, createPartner, { name: 'Corner Shop' }))._id;
    },
    /** Creates a partner that subscribes at an instant. */
    async subscriber(planVersionId: string, at: string, interval: 'MONTH' | 'YEAR' = 'MONTH') {
      const partnerId = (await operate(deps, createPartner, { name: 'Corner Shop' }))._id;
      const now = () => Date.parse(at);
      const { _id } = await operate({ ...deps, now }, subscribe, {
        partnerId,
        planVersionId,
        interval,
      });
      return { partnerId, subscriptionId: _id };
    },
    async invoices(partnerId: string) {
      return await models.invoices.find({ partnerId }).sort({ seq: 1 });
    },
    async subscription(partnerId: string) {
      return await models.subscriptions.findOne({ partnerId }).sort({ anchorAt: -1 }).orFail();
    },
    stop: giveBack,
  };
}
