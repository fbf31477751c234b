import type { Interval, PeriodTerms } from './billing.ts';

/** A partner's subscription to one plan version. */
export interface Subscription {
  _id: string;
  partnerId: string;
  planVersionId: string;
  interval: Interval;
  status: 'ACTIVE' | 'CANCELLED';
  /** When it began; all periods are counted from here. */
  anchorAt: Date;
  /** A cancelled subscription runs to the end of its period. */
  endsAt: Date | null;
  currentPeriodStart: Date;
  currentPeriodEnd: Date;
  /** The terms of the current period: those of the plan it began with, changed by upgrades. */
  terms: PeriodTerms;
  /** Credit for points given back after their period was billed, in cents; the next invoice uses it. */
  creditCents: number;
  /** The plan of the next period, if a different one was chosen. */
  pendingPlanVersionId: string | null;
  createdAt: Date;
}
