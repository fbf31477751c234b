import Joi from 'joi';
import { formatCents } from '../../domain/money.ts';
import { newId } from '../../platform/ids.ts';
import { linesOfText, moneyField } from './fields.ts';
import type { Problems } from './submit.ts';

/** The form of the test console. It validates little, so that users also see how the API refuses a request. */
export const consoleTypes = ['purchase', 'refund'] as const;
export type ConsoleType = (typeof consoleTypes)[number];

export const pathOf = { purchase: '/api/v1/partner/purchases', refund: '/api/v1/partner/refunds' };

export interface ConsoleForm {
  type: ConsoleType;
  /** As separate fields, or as the raw JSON body. */
  as: 'fields' | 'json';
  step: 'preview' | 'send';
  credentialId: string;
  idempotencyKey: string;
  externalOrderId?: string;
  email?: string;
  amount?: number;
  currency?: string;
  externalRefundId?: string;
  refundAmount?: number;
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
  // Anything that fits in a header: what the API refuses is worth seeing.
  idempotencyKey: Joi.string()
    .pattern(/^[\x20-\x7e]{1,300}$/)
    .required()
    .messages({
      'any.required': 'Enter an idempotency key.',
      'string.pattern.base': 'Use only visible ASCII characters: letters, digits and punctuation.',
    }),
  externalOrderId: text,
  email: text,
  amount: moneyField('cents'),
  currency: text,
  externalRefundId: text,
  refundAmount: moneyField('cents'),
  reason: Joi.string().max(1_000),
  json: linesOfText(20_000),
});

const missing = {
  json: 'Enter the body.',
  externalOrderId: 'Enter an order ID.',
  email: 'Enter the customer’s email address.',
  amount: 'Enter an amount.',
} as const satisfies Partial<Record<keyof ConsoleForm, string>>;

/** Messages for the fields that the body lacks. */
export function missingIn(form: Partial<ConsoleForm>): Problems {
  const needed: readonly (keyof typeof missing)[] =
    form.as === 'json'
      ? ['json']
      : form.type === 'refund'
        ? ['externalOrderId']
        : ['externalOrderId', 'email', 'amount'];
  const left = needed.filter((name) => form[name] === undefined);
  return Object.fromEntries(left.map((name) => [name, missing[name]]));
}

export const newIdempotencyKey = (atMs: number): string =>
  `console-${newId('request', atMs).slice(-10)}`;

/** A purchase with everything that a first request needs, as fields and as JSON. */
export function purchaseToSend(currency: string, atMs: number) {
  const email = 'ann@example.com';
  const externalOrderId = `TEST-${newId('request', atMs).slice(-10)}`;
  const order = { subtotalCents: 4_990, currency };
  return {
    externalOrderId,
    email,
    amount: formatCents(order.subtotalCents, currency),
    currency,
    idempotencyKey: newIdempotencyKey(atMs),
    json: JSON.stringify({ externalOrderId, customer: { email }, order }),
  };
}

/** The exact body to send. @param form with no field missing */
export function requestBodyOf(form: ConsoleForm): string {
  const { externalOrderId, externalRefundId, refundAmount, reason } = form;
  const { email, amount, currency } = form;
  if (form.as === 'json') return form.json ?? '';
  if (form.type === 'refund') {
    const amountCents = refundAmount;
    return JSON.stringify({ externalOrderId, externalRefundId, amountCents, reason });
  }
  return JSON.stringify({
    externalOrderId,
    customer: { email },
    order: { subtotalCents: amount, currency },
  });
}
