import Joi from 'joi';
import type { OrderColumnNames } from '../../domain/orders.ts';
import { tooLong } from './default-messages.ts';

/** The form fields for the column names of a shop's export. */
export interface ColumnsForm {
  orderColumn?: string;
  amountColumn?: string;
  amountUnit?: AmountUnit;
  currencyColumn?: string;
  dateColumn?: string;
  refundColumn?: string;
  refundIdColumn?: string;
}

export const amountUnits = ['UNITS', 'CENTS'] as const;
type AmountUnit = (typeof amountUnits)[number];

const column = Joi.string()
  .trim()
  .max(100)
  .pattern(/^\P{Cc}+$/u)
  .messages({
    'string.max': tooLong,
    'string.pattern.base': 'Enter one line of text.',
  });

export const columnFields = {
  orderColumn: column,
  amountColumn: column,
  amountUnit: Joi.valid(...amountUnits).messages({ 'any.only': 'Choose how amounts are written.' }),
  currencyColumn: column,
  dateColumn: column,
  refundColumn: column,
  refundIdColumn: column,
};

/** The entered names; an empty field means our name. */
export function columnsOf(form: ColumnsForm): OrderColumnNames {
  const { orderColumn, amountColumn, currencyColumn, dateColumn, refundColumn } = form;
  return {
    ...(orderColumn && { externalOrderId: orderColumn }),
    ...(amountColumn && {
      [form.amountUnit === 'CENTS' ? 'subtotalCents' : 'subtotal']: amountColumn,
    }),
    ...(currencyColumn && { currency: currencyColumn }),
    ...(dateColumn && { occurredAt: dateColumn }),
    ...(refundColumn && { refunded: refundColumn }),
    ...(form.refundIdColumn && { externalRefundId: form.refundIdColumn }),
  };
}

/** The names as form values for the next file. */
export function columnsInForm(columns: OrderColumnNames = {}): Record<string, string | undefined> {
  return {
    orderColumn: columns.externalOrderId,
    amountColumn: columns.subtotal ?? columns.subtotalCents,
    amountUnit: columns.subtotalCents === undefined ? 'UNITS' : 'CENTS',
    currencyColumn: columns.currency,
    dateColumn: columns.occurredAt,
    refundColumn: columns.refunded,
    refundIdColumn: columns.externalRefundId,
  };
}
