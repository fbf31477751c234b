import Joi from 'joi';
import { withdraw } from '../../operations/funding.ts';
import { needsApproval } from '../../operations/needs-approval.ts';
import { maxTopUpCents } from '../../operations/wallets.ts';
import type { PageDeps } from '../deps.ts';
import { moneyField, referenceField } from './fields.ts';
import type { Problems } from './submit.ts';

/** An amount that an operator moves, and what identifies it, so that it moves once. */
export interface Money {
  amount: number;
  reference: string;
}

export interface MoneyForm extends Money {
  currency: string;
  /** Present if no second operator has to approve. */
  isChecked?: 'on';
}

export const moneyFields = {
  amount: moneyField('cents', { max: maxTopUpCents, min: 1 }).required(),
  reference: referenceField.required(),
};

/** The form of what moves real money. */
export const moneySchema = Joi.object<MoneyForm>({
  ...moneyFields,
  currency: Joi.string().max(3).required(),
  isChecked: Joi.string().valid('on'),
});

/** The form as input of an operation. */
export const moneyOf = <M extends Money>({ amount, reference, ...rest }: M) => ({
  ...rest,
  amountCents: amount,
  externalReference: reference,
});

/** Without a second operator, the first one must confirm that they checked the amount. */
export const requireConfirmation = (
  _ctx: unknown,
  { config }: PageDeps,
  { isChecked }: Partial<MoneyForm>,
): Problems =>
  isChecked === undefined && !needsApproval(config, withdraw, {})
    ? { isChecked: 'Confirm that you have checked it: nobody else will.' }
    : {};
