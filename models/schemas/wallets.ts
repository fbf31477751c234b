import type { CustomerBalance, UsagePeriod, Wallet } from '../../domain/draft.ts';
import { indexWhatIsDue } from './due.ts';
import { collection, date, declared, number, text } from './fields.ts';

export interface WalletDoc extends Wallet {
  /** How often a commit that met another one has asked for it since it was last taken. */
  wanted: number;
}

export const walletSchema = declared<WalletDoc>('wallets');
indexWhatIsDue(walletSchema);
export const customerBalanceSchema = declared<CustomerBalance>('customer_balances');
export const usagePeriodSchema = declared<UsagePeriod>('usage_periods');

/** The points and cost of the LIVE rewards funded on a UTC day that have not given them back. */
export const usageDaySchema = collection('usage_days', {
  /** `<partner>/<day>` */
  _id: text,
  partnerId: text,
  /** `yyyy-mm-dd` */
  day: text,
  points: number,
  cents: number,
});
usageDaySchema.index({ partnerId: 1, day: -1 });

/** The points that a customer has earned, or redeemed, on a day with a daily limit. */
export const customerDaySchema = collection('customer_days', {
  /** `customerDayId` */
  _id: text,
  partnerId: text,
  points: number,
  expiresAt: date,
});
customerDaySchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

for (const schema of [walletSchema, usagePeriodSchema, customerDaySchema]) {
  schema.index({ partnerId: 1, _id: 1 }, { unique: true });
}
customerBalanceSchema.index({ partnerId: 1, mode: 1, customerId: 1 }, { unique: true });
