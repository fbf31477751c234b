import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js';

/** A customer as a partner named them, normalized: each null or not blank. */
export interface CustomerContact {
  email: string | null;
  phone: string | null;
}

/**
 * Email is compared in lower case and without surrounding blanks; blank counts as absent
 * (docs/contract.md, Requests).
 */
export function normalizeEmail(email: string | undefined): string | null {
  const trimmed = email?.trim().toLowerCase() ?? '';
  return trimmed === '' ? null : trimmed;
}

/**
 * E.164 where the number can be read as one, else its digits; null when nothing remains
 * (docs/contract.md, Requests).
 * @param country ISO 3166-1 alpha-2, used for a number without a country code
 */
export function normalizePhone(phone: string | undefined, country: string): string | null {
  if (phone === undefined) return null;
  const parsed = parsePhoneNumberFromString(phone, country as CountryCode);
  if (parsed?.isValid()) return parsed.number;
  // Digits of every script count: without them, customers the API accepted would all become one.
  const digits = phone.normalize('NFKC').replace(/\P{Nd}/gu, '');
  return digits === '' ? null : digits;
}

/** The text whose keyed hash is the customer's identity: the email, or without one the phone. */
export function customerIdentity({ email, phone }: CustomerContact): string {
  return email === null ? `phone:${phone}` : `email:${email}`;
}
