import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js';
import { invalidFields } from './errors.ts';
import type { Language } from './languages.ts';
import type { Mode } from './mode.ts';

/** How a partner identified a customer, normalized: each field is null or not blank. */
export interface CustomerContact {
  email: string | null;
  phone: string | null;
}

/**
 * E.164 if the number is valid, with letters read by the keypad; otherwise its digits. Null if it has fewer than seven,
 * or one digit only, so that a placeholder such as `0` or `9999999999` does not make strangers one customer (docs/integrate/requests.md, Requests).
 * @param country ISO 3166-1 alpha-2, for a number without a country code; null if it is not known
 */
export function normalizePhone(phone: string | undefined, country: string | null): string | null {
  if (phone === undefined) return null;
  const plain = phone
    .normalize('NFKC')
    .replace(/\p{Nd}/gu, latinDigit)
    .trim();
  const bare = plain.replace(extension, '');
  const isSpelled = spelled.test(bare);
  const dialled = isSpelled ? byKeypad(bare) : plain;
  for (const text of [plain, dialled]) {
    const parsed = parsePhoneNumberFromString(text, countryCode(country));
    // What comes before the first letter may be a shorter number, and somebody else's.
    const isWhole = !isSpelled || text === dialled || digitsOf(text).length >= leastDigits;
    if (parsed && (parsed.isValid() || oldMobile.test(parsed.number)) && isWhole) {
      return parsed.number.replace(oldMobile, '+52$1');
    }
  }
  const digits = digitsOf(dialled);
  return digits.length < leastDigits || /^(.)\1*$/.test(digits) ? null : digits;
}

const countryCode = (country: string | null) => (country ?? undefined) as CountryCode | undefined;

/** Mexican mobile numbers had a 1 after the country's code until 2019; many still write it. */
const oldMobile = /^\+521(\d{10})$/;

/** The fewest digits that identify somebody if they are no valid number. */
const leastDigits = 7;
/** A number with letters, as in 1-800-FLOWERS: at least three digits come first. */
const spelled = /^(?:[^A-Za-z0-9]*[0-9]){3}.*[A-Za-z]/s;
const extension = /[\s,;]*(?:ext(?:ension)?|x)[\s.:]*[0-9]{1,7}$/i;
const keys = ['', '', 'ABC', 'DEF', 'GHI', 'JKL', 'MNO', 'PQRS', 'TUV', 'WXYZ'];

const byKeypad = (text: string): string =>
  text.replace(/[A-Za-z]/g, (letter) =>
    String(keys.findIndex((letters) => letters.includes(letter.toUpperCase()))),
  );

const digitsOf = (text: string): string => text.replace(/[^0-9]/g, '');

/** A digit of any script. Each script's ten begin at a multiple of sixteen, or six after it. */
function latinDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  const place = code % 16;
  const first = String.fromCodePoint(code - place);
  return String(place < 6 || (place < 10 && /\p{Nd}/u.test(first)) ? place : place - 6);
}

/**
 * The text whose keyed hash is the customer's identity: the email, or without one the phone.
 * @throws ServiceError VALIDATION_FAILED if neither identifies anybody
 */
export function customerIdentity({ email, phone }: CustomerContact): string {
  if (email !== null) return `email:${email}`;
  if (phone !== null) return `phone:${phone}`;
  throw invalidFields({
    'customer.phone':
      'customer.phone is no phone number and has fewer than seven digits, so it identifies nobody; give another, or customer.email',
  });
}

/** The identity that the phone alone would give, if the email is the customer's: by it, they are found, too. */
export const phoneIdentity = ({ email, phone }: CustomerContact): string | null =>
  email === null || phone === null ? null : customerIdentity({ email: null, phone });

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
export function containsContact(orderId: string, country: string | null): boolean {
  const text = orderId.normalize('NFKC');
  if (/\S(?:@|%40)\S/i.test(text)) return true;
  return [...text.replace(uuid, ' ').matchAll(digits)].some(([number]) => {
    const international = number.replace(/^00/, '+');
    return parsePhoneNumberFromString(international, countryCode(country))?.isValid() === true;
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

/** How long the link to a customer's points works, and one in a notice that points end, which nobody has asked for. */
export const pointsLinkMs = 24 * 3_600_000;
export const endingLinkMs = 7 * pointsLinkMs;

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
