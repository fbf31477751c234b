import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js';
import type { Language } from './languages.ts';
import type { Mode } from './mode.ts';

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

const hidden = '•••';

/**
 * An email address masked so that only its owner recognizes it: the first letters of its two parts
 * and the top-level domain are left. The lengths are hidden too.
 */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  if (at === -1) return hidden;
  const domain = email.slice(at + 1);
  const dot = domain.lastIndexOf('.');
  const [name, end] = dot === -1 ? [domain, ''] : [domain.slice(0, dot), domain.slice(dot)];
  return `${firstOf(email.slice(0, at))}${hidden}@${firstOf(name)}${hidden}${end}`;
}

/** A phone number masked but for its last two digits, if there are enough others to hide. */
export function maskPhone(phone: string): string {
  const digits = phone.replace(/\D/g, '');
  return digits.length < 6 ? hidden : `${hidden}${digits.slice(-2)}`;
}

/**
 * The structure of JSON that a partner sent, without its content: field names, and the types of
 * their values. A name that could be a customer's address or number is masked as well.
 * @param value JSON, within the depth and size limits of requests
 */
export function maskValues(value: unknown): unknown {
  if (value === null) return null;
  if (Array.isArray(value)) return value.map(maskValues);
  if (typeof value !== 'object') return typeof value;
  const fields = Object.entries(value).map(([name, one]) => [maskName(name), maskValues(one)]);
  return Object.fromEntries(fields);
}

function maskName(name: string): string {
  return /@|\d{4}/.test(name) ? hidden : name;
}

/** The first character of a text of at least two characters, otherwise an empty string. */
function firstOf(text: string): string {
  const characters = [...text];
  return characters.length > 1 ? (characters[0] ?? '') : '';
}

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

/** The contact address in a partner's profile, and the one that was last verified. */
interface Contact {
  contactEmail: string | null;
  verifiedContactEmail?: string | null;
}

interface Support {
  supportEmail: string | null;
  verifiedSupportEmail?: string | null;
}

/** The addresses of a profile that are verified by a code, and the fields for the verified address and the code. */
export const provenAs = {
  contactEmail: { verified: 'verifiedContactEmail', code: 'contactEmailCode' },
  supportEmail: { verified: 'verifiedSupportEmail', code: 'supportEmailCode' },
} as const;

export type ProvableAddress = keyof typeof provenAs;

/** The partner's contact address, if it is verified; otherwise null. */
export const verifiedContact = ({ contactEmail, verifiedContactEmail }: Contact): string | null =>
  contactEmail !== null && contactEmail === verifiedContactEmail ? contactEmail : null;

/** The address for customers' replies: the support address, if it is verified; null for the sender's. */
export function replyAddress(partner: Contact & Support): string | null {
  const { supportEmail, verifiedSupportEmail } = partner;
  const isProven =
    supportEmail === verifiedSupportEmail || supportEmail === verifiedContact(partner);
  return supportEmail !== null && isProven ? supportEmail : null;
}

/** How long the link to a customer's points works. */
export const pointsLinkMs = 24 * 3_600_000;

/**
 * A customer's request for the link to their points. It is sent to the contact that this purchase
 * gave, and contains no contact itself.
 */
export interface PointsLinkRequest {
  partnerId: string;
  purchaseEventId: string;
  rewardId: string;
  mode: Mode;
  customerId: string;
  /** Of the message: the same for every attempt. */
  id?: string;
  /** The language of the page it was requested on; absent if the browser asked for none that we support. */
  language?: Language;
}

/** The link that shows a customer's points. @param portalUrl where customers reach the portal, without a slash at the end */
export function pointsUrlOf(portalUrl: string, token: string): string {
  return `${portalUrl}/points/${token}`;
}
