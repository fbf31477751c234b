import Joi from 'joi';
import { linesOfText } from './lines-of-text.ts';
import { moneyField } from './money-field.ts';
import { FieldError } from './submit.ts';

/** What the test console sends; the API judges it, so that its refusals are seen too. */
export const consoleTypes = ['purchase', 'refund'] as const;
export type ConsoleType = (typeof consoleTypes)[number];

export const pathOf = { purchase: '/api/v1/partner/purchases', refund: '/api/v1/partner/refunds' };

export interface ConsoleForm {
  type: ConsoleType;
  /** By fields, or the body as it is. */
  as: 'fields' | 'json';
  step: 'preview' | 'send';
  credentialId: string;
  idempotencyKey: string;
  externalOrderId?: string;
  email?: string;
  amount?: number;
  currency?: string;
  externalRefundId?: string;
  reason?: string;
  json?: string;
}

const text = Joi.string().max(500);

export const consoleSchema = Joi.object<ConsoleForm>({
  type: Joi.string()
    .valid(...consoleTypes)
    .default('purchase'),
  as: Joi.string().valid('fields', 'json').default('fields'),
  step: Joi.string().valid('preview', 'send').default('preview'),
  credentialId: Joi.string().max(64).required().messages({ 'any.required': 'Choose a key.' }),
  // Anything that a header can carry: what the API refuses is worth seeing.
  idempotencyKey: Joi.string()
    .pattern(/^[\x20-\x7e]{1,300}$/)
    .required()
    .messages({
      'any.required': 'Enter an idempotency key.',
      'string.pattern.base': 'A header holds visible ASCII: letters, digits and signs.',
    }),
  externalOrderId: text,
  email: text,
  amount: moneyField('cents'),
  currency: text,
  externalRefundId: text,
  reason: Joi.string().max(1_000),
  json: linesOfText(20_000),
});

/** The body that is sent, byte for byte. @throws FieldError */
export function bodyOf(form: ConsoleForm): string {
  if (form.as === 'json') return required(form.json, 'json', 'Enter the body.');
  const externalOrderId = required(form.externalOrderId, 'externalOrderId', 'Enter an order id.');
  if (form.type === 'refund') {
    const { externalRefundId, reason } = form;
    return JSON.stringify({ externalOrderId, externalRefundId, reason });
  }
  const email = required(form.email, 'email', 'Enter the customer’s email address.');
  const subtotalCents = required(form.amount, 'amount', 'Enter an amount.');
  const { currency } = form;
  return JSON.stringify({
    externalOrderId,
    customer: { email },
    order: { subtotalCents, currency },
  });
}

function required<T>(value: T | undefined, field: string, message: string): T {
  if (value === undefined) throw new FieldError(field, message);
  return value;
}
