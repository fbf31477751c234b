import Joi, { type ObjectSchema } from 'joi';
import { digitsOf, isCurrency } from '../../domain/currencies.ts';
import { formatCents, formatMicros, parseCents, parseMicros } from '../../domain/money.ts';
import { type DecimalMark, isReadTwoWays, parseCount } from '../../domain/numbers.ts';
import { maxNoteChars } from '../../domain/review.ts';
import { numberText } from '../components/format.ts';
import { isCommonPassword } from './common-passwords.ts';
import { tooLarge, tooLong, tooSmall, withLimit } from './default-messages.ts';

/** Fields that several forms share, with their messages. */

export const emailField = Joi.string().trim().lowercase().email({ tlds: false }).max(255).messages({
  'any.required': 'Enter an email address.',
  'string.email': 'Enter a valid email address.',
});

/** An existing password, of any length. */
export const currentPassword = Joi.string()
  .max(200)
  .messages({ 'any.required': 'Enter your password.' });

const minPasswordChars = 12;

export const newPassword = Joi.string()
  .min(minPasswordChars)
  .max(200)
  .custom((password: string, { error }) =>
    isCommonPassword(password) ? error('password.common') : password,
  )
  .messages({
    'any.required': 'Choose a password.',
    'string.min': withLimit('Choose a password of at least {limit} characters.'),
    'string.max': tooLong,
    'password.common': 'This password is too common. Choose another.',
  });

export const nameField = Joi.string()
  .trim()
  .max(100)
  .pattern(/^\P{Cc}+$/u)
  .messages({
    'any.required': 'Enter a name.',
    'string.max': tooLong,
    'string.pattern.base': 'Enter one line of text.',
  });

/** Where a form returns to; `safePath` checks it on use. */
export const backField = Joi.string().max(1_000);

/** Identifies a movement of money or points, so that repeating it moves nothing. */
export const referenceField = Joi.string()
  .trim()
  .max(160)
  .pattern(/^\P{Cc}+$/u)
  .messages({
    'any.required': 'Enter a reference.',
    'string.max': tooLong,
    'string.pattern.base': 'Enter one line of text.',
  });

/** A reason in the actor's own words. */
export const reasonField = Joi.string().trim().max(500).messages({
  'any.required': 'Give a reason.',
  'string.max': tooLong,
});

/** A note, question or answer about a review. */
export const noteField = Joi.string().trim().max(maxNoteChars).required().messages({
  'any.required': 'Enter some text.',
  'string.empty': 'Enter some text.',
  'string.max': tooLong,
});

export const noteSchema = Joi.object<{ text: string }>({ text: noteField });

/**
 * The names of a form's fields. `schema.describe()` lists them too, but is slow, since it describes every
 * rule.
 */
export const fieldNames = (schema: ObjectSchema): string[] =>
  ((schema.$_terms.keys ?? []) as { key: string }[]).map(({ key }) => key);

/**
 * Text of several lines. Browsers send every line end as CR LF; it becomes LF again, since that is what
 * gets signed.
 * @param maxLength in characters, before the conversion
 */
export function linesOfText(maxLength: number): Joi.StringSchema {
  return Joi.string()
    .max(maxLength)
    .custom((text: string) => text.replaceAll('\r\n', '\n'))
    .messages({ 'string.max': tooLong });
}

/** The code of a currency, in upper case. */
export const currencyField = Joi.string()
  .trim()
  .uppercase()
  .custom((code: string, { error }) => (isCurrency(code) ? code : error('currency')))
  .messages({ currency: 'Enter the three letters of a currency, such as USD.' });

/** In minor units of any currency. */
const maxMinorUnits = 100_000_000_000;

/** What `submit` tells the fields of a form besides. */
export interface FieldContext {
  /** Of the amounts in a form that has no field for it. */
  currency?: string | undefined;
  /** Of the reader's language. */
  mark?: DecimalMark | undefined;
}

/**
 * An amount as people enter it, such as `49.90`. Its currency is the form's own field `currency`, or else that of the
 * partner whom the form is about (`Submission.currency`).
 * @param bounds in minor units of the currency, or millionths of its unit
 * @returns a field whose value is a whole number of minor units, or of millionths of the currency unit
 */
export function moneyField(
  unit: 'cents' | 'micros',
  { max = maxMinorUnits, min = 0 }: { min?: number; max?: number } = {},
): Joi.StringSchema {
  return Joi.string()
    .trim()
    .custom((text: string, { error, prefs, state }) => {
      const [form] = (state.ancestors ?? []) as { currency?: unknown }[];
      const { currency: usual = 'USD', mark } = (prefs.context ?? {}) as FieldContext;
      const own = typeof form?.currency === 'string' ? form.currency.trim().toUpperCase() : '';
      const currency = isCurrency(own) ? own : usual;
      const isMicros = unit === 'micros';
      const amount = isMicros ? parseMicros(text, mark) : parseCents(text, currency, mark);
      if (amount !== undefined && amount >= min && amount <= max) return amount;
      if (amount === undefined && isReadTwoWays(text)) return error('number.twoWays', waysOf(text));
      const write = (value: number) =>
        isMicros ? formatMicros(value) : formatCents(value, currency);
      const digits = isMicros ? 6 : digitsOf(currency);
      return error('any.custom', {
        min: grouped(write(min)),
        max: grouped(write(max)),
        decimals: digits === 0 ? 'without decimals' : `with at most ${digits} decimals`,
        example: isMicros ? '0.01' : formatCents(4_990, currency),
      });
    })
    .messages({
      'any.required': 'Enter an amount.',
      'any.custom': 'Enter an amount from {#min} to {#max} {#decimals}, such as {#example}.',
      'number.twoWays':
        'This can be read as {#grouped} or as {#decimal}. Write {#whole} or {#decimal}.',
    });
}

/** The two numbers that a text such as `1.000` can be, and how to write them. */
function waysOf(text: string) {
  const [units = '', fraction = ''] = text.split(/[.,]/);
  const rest = fraction.replace(/0+$/, '');
  return {
    whole: units + fraction,
    grouped: numberText(Number(units + fraction)),
    decimal: rest === '' ? units : `${units}.${rest}`,
  };
}

/** A count as people enter it, such as `1,000`. @returns a field whose value is a whole number */
export const countField = (min: number, max: number = Number.MAX_SAFE_INTEGER): Joi.StringSchema =>
  Joi.string()
    .trim()
    .custom((text: string, { error }) => {
      const count = parseCount(text);
      if (count === undefined) return error('any.custom');
      if (count < min) return error('number.min', { limit: min });
      return count > max ? error('number.max', { limit: max }) : count;
    })
    .messages({
      'any.required': 'Enter a number.',
      'any.custom': 'Enter a whole number, such as 10 or 1,000.',
      'number.min': tooSmall,
      'number.max': tooLarge,
    });

/** One of some numbers to choose from. Not `valid`, after which Joi runs no `custom`: the text would stay a text. */
export const chosenNumber = (of: readonly number[]): Joi.StringSchema =>
  Joi.string().custom(
    (text: string, { error }) => of.find((one) => String(one) === text) ?? error('any.only'),
  );

/** Without decimals that say nothing, and with thousands separators. */
function grouped(amount: string): string {
  const [units = '', fraction = ''] = amount.split('.');
  const rest = /^0*$/.test(fraction) ? '' : `.${fraction}`;
  return `${numberText(Number(units))}${rest}`;
}

/** The form that finds a customer. It is a POST, so that no URL contains a contact. */
export const contactSchema = Joi.object<{ contact: string }>({
  contact: Joi.string().trim().max(255).required().messages({
    'any.required': 'Enter an email address or a phone number.',
  }),
});

/** Whether a text may be an email address, or a phone number in the form of any country. */
export const looksLikeContact = (text: string): boolean =>
  /^\s*\S+@\S+\s*$/.test(text) || /^\s*\+?[\d\s()./-]{6,}$/.test(text);

/** The entered text as an email address or a phone number. */
export const contactOfText = (contact: string) =>
  contact.includes('@') ? { email: contact } : { phone: contact };

/** The units in which a claim window or a hold is entered, as parts of an ISO 8601 duration, shortest first. */
const isoParts = {
  SECONDS: ['PT', 'S'],
  MINUTES: ['PT', 'M'],
  HOURS: ['PT', 'H'],
  DAYS: ['P', 'D'],
  WEEKS: ['P', 'W'],
  MONTHS: ['P', 'M'],
  YEARS: ['P', 'Y'],
} as const;

export type ClaimWindowUnit = keyof typeof isoParts;
export const claimWindowUnits = Object.keys(isoParts) as ClaimWindowUnit[];

/** @returns an ISO 8601 duration, such as `P30D` */
export function claimWindowOf(count: number, unit: ClaimWindowUnit): string {
  const [begin, end] = isoParts[unit];
  return `${begin}${count}${end}`;
}

/**
 * The number and unit of a claim window.
 * @param iso an ISO 8601 duration
 * @returns no number for a duration of several parts, such as `P1DT12H`, which has to be entered again
 */
export function claimWindowFields(iso: string): {
  claimWindow: string;
  claimWindowUnit: ClaimWindowUnit;
} {
  const { count, unit } = partsOf(iso);
  return { claimWindow: count, claimWindowUnit: unit };
}

/** The number and unit of a hold, in the same way; no number without one. */
export function holdFields(iso: string | undefined): {
  holdFor: string;
  holdForUnit: ClaimWindowUnit;
} {
  const { count, unit } = partsOf(iso ?? '');
  return { holdFor: count, holdForUnit: unit };
}

function partsOf(iso: string): { count: string; unit: ClaimWindowUnit } {
  const [, count = ''] = /^PT?([1-9]\d*)[A-Z]$/.exec(iso) ?? [];
  const unit = claimWindowUnits.find((one) => claimWindowOf(Number(count), one) === iso);
  return unit === undefined ? { count: '', unit: 'DAYS' } : { count, unit };
}
