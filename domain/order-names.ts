import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js';

/** Digits as they stand in a phone number: seven to fifteen of them, with what people put in between. */
const digits = /(?:\+|00)?\p{Nd}(?:[\s()./-]{0,2}\p{Nd}){6,14}/gu;

/** No number, however many digits happen to stand side by side in one. */
const uuid = /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/gi;

/**
 * Whether a customer's email address or phone number stands in a partner's id of an order. A number counts
 * that is a valid one with its country code, or in the partner's country; any other digits are a number of
 * the partner's own.
 * @param country ISO 3166-1 alpha-2
 */
export function hasContact(orderId: string, country: string): boolean {
  const text = orderId.normalize('NFKC');
  if (/\S(?:@|%40)\S/i.test(text)) return true;
  return [...text.replace(uuid, ' ').matchAll(digits)].some(([number]) => {
    const international = number.replace(/^00/, '+');
    return parsePhoneNumberFromString(international, country as CountryCode)?.isValid() === true;
  });
}
