import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js';

/** How a partner identified a customer, normalized: each field is null or not blank. */
export interface CustomerContact {
  email: string | null;
  phone: string | null;
}

/**
 * Emails are compared in lower case and without surrounding whitespace; a blank one counts as
 * absent (docs/contract.md, Requests).
 */
export function normalizeEmail(email: string | undefined): string | null {
  const trimmed = email?.trim().toLowerCase() ?? '';
  return trimmed === '' ? null : trimmed;
}

/**
 * E.164 if the number is valid, otherwise its digits; null if there are none (docs/contract.md,
 * Requests).
 * @param country ISO 3166-1 alpha-2, for a number without a country code
 */
export function normalizePhone(phone: string | undefined, country: string): string | null {
  if (phone === undefined) return null;
  const parsed = parsePhoneNumberFromString(phone, country as CountryCode);
  if (parsed?.isValid()) return parsed.number;
  // Digits of all scripts count: otherwise all customers with such numbers would be one and the
  // same.
  const digits = phone.normalize('NFKC').replace(/\P{Nd}/gu, '');
  return digits === '' ? null : digits;
}

/** The text whose keyed hash is the customer's identity: the email, or without one the phone. */
export function customerIdentity({ email, phone }: CustomerContact): string {
  return email === null ? `phone:${phone}` : `email:${email}`;
}
