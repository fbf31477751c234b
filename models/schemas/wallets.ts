import type { CustomerBalance, DayUse, UsagePeriod, Wallet } from '../../domain/draft.ts';
import type { BudgetUse } from '../../domain/rule-budgets.ts';
import { indexWhatIsDue } from './due.ts';
import { collection, date, declared, number, text } from './fields.ts';

export interface WalletDoc extends Wallet {
  /** How often a commit that met another one has asked for it since it was last taken. */
  wanted: number;
}

export const walletSchema = declared<WalletDoc>('wallets');
indexWhatIsDue(walletSchema);
export const customerBalanceSchema = declared<CustomerBalance>('customer_balances');

export interface UsagePeriodDoc extends UsagePeriod {
  /** By UTC day, `yyyy-mm-dd`: what is counted in the period of the rewards that were funded on it. Absent without any. */
  days?: Record<string, DayUse>;
}

export const usagePeriodSchema = declared<UsagePeriodDoc>('usage_periods');
usagePeriodSchema.index({ partnerId: 1, start: 1 });

/** The points that a customer has earned, or redeemed, on a day with a daily limit. */
export const customerDaySchema = collection('customer_days', {
  /** `customerDayId` */
  _id: text,
  partnerId: text,
  points: number,
  expiresAt: date,
});
customerDaySchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** What counts against budgets of rules. */
export const ruleBudgetSchema = declared<BudgetUse>('rule_budgets');

for (const schema of [walletSchema, usagePeriodSchema, customerDaySchema, ruleBudgetSchema]) {
  schema.index({ partnerId: 1, _id: 1 }, { unique: true });
}
customerBalanceSchema.index({ partnerId: 1, mode: 1, customerId: 1 }, { unique: true });
/** Whose points have a notice or their end due, oldest first. */
export const endingIndex = 'points_ending';
customerBalanceSchema.index(
  { 'ending.nextAt': 1, _id: 1 },
  { name: endingIndex, partialFilterExpression: { 'ending.nextAt': { $type: 'date' } } },
);
