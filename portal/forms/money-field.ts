import Joi from 'joi';
import { numberText } from '../html/format.ts';

/** Decimals of an amount in cents and of one in micros. */
const decimals = { cents: 2, micros: 6 } as const;

const maxUnits = 1_000_000_000;

/**
 * An amount as people enter it, such as `49.90`, parsed as digits: no floating point is involved.
 * @returns a field whose value is a whole number of cents, or of millionths of the currency unit
 */
export function moneyField(
  unit: keyof typeof decimals,
  { max = maxUnits, min = 0 }: { min?: number; max?: number } = {},
): Joi.StringSchema {
  const digits = decimals[unit];
  const form = new RegExp(`^(\\d{1,10})(?:\\.(\\d{1,${digits}}))?$`);
  const example = unit === 'cents' ? '49.90' : '0.01';
  const bounds = { min: numberText(min), max: numberText(max), digits, example };
  return Joi.string()
    .trim()
    .custom((text: string, { error }) => {
      const [, units, fraction = ''] = form.exec(text.replaceAll(',', '')) ?? [];
      if (units === undefined) return error('any.custom', bounds);
      const amount = Number(units + fraction.padEnd(digits, '0'));
      if (amount < min * 10 ** digits || amount > max * 10 ** digits) {
        return error('any.custom', bounds);
      }
      return amount;
    })
    .messages({
      'any.required': 'Enter an amount.',
      'any.custom':
        'Enter an amount from {#min} to {#max} with at most {#digits} decimals, such as {#example}.',
    });
}
