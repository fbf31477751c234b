import Joi from 'joi';
import type { OrderColumnNames } from '../../domain/order-file.ts';

/** What a shop's export calls the columns, as a form asks for it. */
export interface ColumnsForm {
  orderColumn?: string;
  amountColumn?: string;
  amountUnit?: AmountUnit;
  currencyColumn?: string;
  dateColumn?: string;
  refundColumn?: string;
}

export const amountUnits = ['UNITS', 'CENTS'] as const;
type AmountUnit = (typeof amountUnits)[number];

const column = Joi.string()
  .trim()
  .max(100)
  .pattern(/^\P{Cc}+$/u)
  .messages({
    'string.max': 'field.tooLong',
    'string.pattern.base': 'field.oneLine',
  });

export const columnFields = {
  orderColumn: column,
  amountColumn: column,
  amountUnit: Joi.valid(...amountUnits).messages({ 'any.*': 'field.chooseHowAmountsAre' }),
  currencyColumn: column,
  dateColumn: column,
  refundColumn: column,
};

/** What was filled in; a column that was left empty has our name. */
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
  };
}

/** The same, as it stands in the form of the next file. */
export function columnsInForm(columns: OrderColumnNames = {}): Record<string, string | undefined> {
  return {
    orderColumn: columns.externalOrderId,
    amountColumn: columns.subtotal ?? columns.subtotalCents,
    amountUnit: columns.subtotalCents === undefined ? 'UNITS' : 'CENTS',
    currencyColumn: columns.currency,
    dateColumn: columns.occurredAt,
    refundColumn: columns.refunded,
  };
}
