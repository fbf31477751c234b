import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js';

/** Digits as they appear in a phone number: seven to fifteen, with the usual separators. */
const digits = /(?:\+|00)?\p{Nd}(?:[\s()./-]{0,2}\p{Nd}){6,14}/gu;

/** Not a phone number, however many digits in a row it may contain. */
const uuid = /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/gi;

/**
 * Whether a partner's order id contains a customer's email address or phone number. Digits count as
 * a phone number if they are a valid one, with a country code or in the partner's country.
 * @param country ISO 3166-1 alpha-2
 */
export function containsContact(orderId: string, country: string): boolean {
  const text = orderId.normalize('NFKC');
  if (/\S(?:@|%40)\S/i.test(text)) return true;
  return [...text.replace(uuid, ' ').matchAll(digits)].some(([number]) => {
    const international = number.replace(/^00/, '+');
    return parsePhoneNumberFromString(international, country as CountryCode)?.isValid() === true;
  });
}
