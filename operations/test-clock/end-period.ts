import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import {
  type Interval,
  intervals,
  type PeriodTerms,
  termsOf,
  useOf,
} from '../../domain/plan-arithmetic.ts';
import {
  billingStatusAt,
  periodLines,
  requireCurrencyOf,
  requirePublished,
} from '../../models/billing/index.ts';
import { findPartner } from '../../models/identity/partners.ts';
import { countFundedTestRewards } from '../../models/rewards/funded-test-rewards.ts';
import type { Models } from '../../models/schemas/index.ts';
import type { InvoiceLine } from '../../models/schemas/invoice.ts';
import type { PartnerDoc } from '../../models/schemas/partner.ts';
import type { PlanVersionDoc } from '../../models/schemas/plan-version.ts';
import type { TestPeriodDoc } from '../../models/schemas/test-period.ts';
import { insertNext } from '../../models/store/insert-next.ts';
import { newId } from '../../platform/ids.ts';
import type { AuditDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';

export interface TestPeriodFields {
  partnerId: string;
  /** Any published version; by default the subscription's. */
  planVersionId?: string | undefined;
  interval?: Interval | undefined;
}

const maxRaces = 20;

/**
 * Ends the partner's current TEST period now, and creates the invoice that it would have produced: the
 * plan's price, the overage of its funded TEST rewards, and a credit for rewards of the previous period
 * that were taken back since. It is a rehearsal of the billing with the same arithmetic: it moves no money
 * and creates no debt (docs/decisions/021).
 */
export const endTestPeriod = operation({
  name: 'test-clock.end-period',
  permission: { operator: 'test-clock', user: 'test-event.send' },
  secondFactor: 'NEVER',
  input: Joi.object<TestPeriodFields>({
    partnerId: idField,
    planVersionId: Joi.string().max(64),
    interval: Joi.string().valid(...intervals),
  }),
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  approval: 'NONE',
  audit: ({ partnerId, ...details }) => ({ targetId: null, partnerId, details }),

  /**
   * @throws ServiceError VALIDATION_FAILED for a plan version that is not published or not in the partner's
   *   currency; CONFLICT without one, for a partner without a subscription
   */
  async run({ models, now }: AuditDeps, fields, { found: partner }): Promise<TestPeriodDoc> {
    const { _id: partnerId } = partner;
    const { plan, interval, terms } = await chosenTerms(models, partner, fields, new Date(now()));
    return await insertNext({
      async newest() {
        const before = await models.testPeriods.findOne({ partnerId }).sort({ seq: -1 }).lean();
        const periodStart = before?.periodEnd ?? partner.createdAt;
        // Clocks of processes differ, but no period must end before it begins.
        const periodEnd = new Date(Math.max(now(), periodStart.getTime()));
        const [counted, stillOfBefore] = await Promise.all([
          countFundedTestRewards(models, partnerId, periodStart, periodEnd),
          before && countFundedTestRewards(models, partnerId, before.periodStart, before.periodEnd),
        ]);
        const givenBack = before && stillOfBefore ? overageLess(before, stillOfBefore.points) : 0;
        return {
          before,
          periodStart,
          periodEnd,
          counted,
          creditCents: (before?.creditLeftCents ?? 0) + givenBack,
        };
      },
      next({ before, periodStart, periodEnd, counted, creditCents }): TestPeriodDoc {
        const seq = (before?.seq ?? 0) + 1;
        const charged = periodLines(terms, plan, counted.points);
        const chargedCents = totalOf(charged);
        const usedCents = Math.min(creditCents, chargedCents);
        const lines = usedCents > 0 ? [...charged, creditLine(usedCents)] : charged;
        return {
          _id: newId('testPeriod', periodEnd.getTime()),
          partnerId,
          seq,
          planVersionId: plan._id,
          interval,
          terms,
          periodStart,
          periodEnd,
          ...counted,
          currency: plan.currency,
          lines,
          totalCents: totalOf(lines),
          creditLeftCents: creditCents - usedCents,
        };
      },
      insert: (period) => models.testPeriods.create(period),
      maxRaces,
      allLost: () => new Error(`too many TEST periods of ${partnerId} are ending at once`),
    });
  },

  completion: ({ _id: targetId }) => ({ targetId }),
});

/** The terms of a whole period on the requested plan, or on the partner's subscription. */
async function chosenTerms(
  models: Models,
  partner: PartnerDoc,
  { planVersionId, interval }: TestPeriodFields,
  at: Date,
): Promise<{ plan: PlanVersionDoc; interval: Interval; terms: PeriodTerms }> {
  if (planVersionId !== undefined) {
    const plan = await requirePublished(models, planVersionId);
    requireCurrencyOf(partner, plan);
    return { plan, interval: interval ?? 'MONTH', terms: termsOf(plan, interval ?? 'MONTH') };
  }
  const { subscription, planVersion } = await billingStatusAt(
    models,
    partner._id,
    at.toISOString(),
  );
  if (!subscription || !planVersion) {
    throw new ServiceError(
      'CONFLICT',
      `${partner._id} has no subscription. Give the planVersionId to bill the period by.`,
    );
  }
  const own = interval ?? subscription.interval;
  return { plan: planVersion, interval: own, terms: termsOf(planVersion, own) };
}

/** The reduction of a period's overage. */
function overageLess({ points, terms }: TestPeriodDoc, standing: number): number {
  const less = useOf(points, terms).overageCents - useOf(standing, terms).overageCents;
  return Math.max(0, less);
}

function creditLine(cents: number): InvoiceLine {
  const description = 'Credit for points returned to the previous period';
  return { kind: 'CREDIT', description, amountCents: -cents };
}

function totalOf(lines: readonly InvoiceLine[]): number {
  return lines.reduce((total, { amountCents }) => total + amountCents, 0);
}
