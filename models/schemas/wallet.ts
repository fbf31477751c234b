import { Schema } from 'mongoose';
import type { CustomerBalance, UsagePeriod, Wallet } from '../../domain/draft.ts';
import { modes } from '../../domain/mode.ts';

const id = { type: String, required: true };
const count = { type: Number, required: true };

export const walletSchema = new Schema<Wallet>(
  {
    _id: id,
    partnerId: id,
    mode: { type: String, enum: modes, required: true },
    balances: { type: Schema.Types.Mixed, required: true },
    seq: count,
    hash: { type: String, default: '' },
    waiting: count,
    version: count,
  },
  { collection: 'wallets', versionKey: false, minimize: false },
);
walletSchema.index({ partnerId: 1, _id: 1 }, { unique: true });

export const customerBalanceSchema = new Schema<CustomerBalance>(
  { _id: id, partnerId: id, payableCents: count, points: count },
  { collection: 'customer_balances', versionKey: false },
);
customerBalanceSchema.index({ partnerId: 1, _id: 1 }, { unique: true });

export const usagePeriodSchema = new Schema<UsagePeriod>(
  {
    _id: id,
    partnerId: id,
    subscriptionId: { type: String, default: null },
    start: id,
    points: count,
    billedOn: { type: Schema.Types.Mixed, default: null },
  },
  { collection: 'usage_periods', versionKey: false },
);
usagePeriodSchema.index({ partnerId: 1, _id: 1 }, { unique: true });

/** The points and cost of the LIVE rewards funded on a UTC day that have not given them back. */
export interface UsageDayDoc {
  /** `<partner>/<day>` */
  _id: string;
  partnerId: string;
  /** `yyyy-mm-dd` */
  day: string;
  points: number;
  cents: number;
}

export const usageDaySchema = new Schema<UsageDayDoc>(
  { _id: id, partnerId: id, day: id, points: count, cents: count },
  { collection: 'usage_days', versionKey: false },
);
usageDaySchema.index({ partnerId: 1, day: -1 });

/** The points that a customer has earned on a day, under a rule with a daily cap. */
export interface CustomerDayDoc {
  /** `customerDayId` */
  _id: string;
  partnerId: string;
  points: number;
  expiresAt: Date;
}

export const customerDaySchema = new Schema<CustomerDayDoc>(
  { _id: id, partnerId: id, points: count, expiresAt: { type: Date, required: true } },
  { collection: 'customer_days', versionKey: false },
);
customerDaySchema.index({ partnerId: 1, _id: 1 }, { unique: true });
customerDaySchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
