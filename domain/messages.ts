import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { Mode } from './mode.ts';

/** How customers are sent messages. */
export const channels = ['EMAIL', 'SMS'] as const;

export type Channel = (typeof channels)[number];

/** How long sending a message is retried. Anything older was sent, or cannot be. */
export const mailPatienceMs = 3 * 86_400_000;

/**
 * Why a message did not reach its customer: the number cannot receive text messages, the carrier
 * refused it, the carrier was unavailable for days, or the customer or all of the partner's customers got
 * too many messages that day.
 */
export type UndeliveredReason = 'NOT_TEXTABLE' | 'REFUSED' | 'GIVEN_UP' | 'TOO_MANY';

/** Why customers are sent messages about a reward. */
export type MessageReason = 'OFFER' | 'REMINDER' | 'TAKEN_BACK' | 'CORRECTED';

export interface SentMessage {
  /** The same for every attempt. */
  id: string;
  channel: Channel;
  reason: MessageReason;
  at: Date;
}

export interface Undelivered {
  channel: Channel;
  reason: UndeliveredReason;
  at: Date;
}

/** The GSM 03.38 characters that take one unit, and those that take two. */
const oneUnit = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
const twoUnits = new Set('\f^{}\\[~]|€');

/**
 * The number of segments that a text message is sent and charged as: one of 160 units of GSM 03.38
 * or 70 of UCS-2, or several of 153 or 67.
 */
export function segmentsOf(text: string): number {
  const characters = [...text];
  const isGsm = characters.every((one) => oneUnit.has(one) || twoUnits.has(one));
  const units = isGsm
    ? characters.reduce((sum, one) => sum + (twoUnits.has(one) ? 2 : 1), 0)
    : text.length;
  const [alone, each] = isGsm ? [160, 153] : [70, 67];
  return units <= alone ? 1 : Math.ceil(units / each);
}

/** The kinds of phone number that cannot receive text messages. */
const typesWithoutText = new Set<string | undefined>([
  ...['FIXED_LINE', 'PREMIUM_RATE', 'TOLL_FREE', 'SHARED_COST', 'UAN', 'PAGER', 'VOICEMAIL'],
]);

/** Whether a phone number can receive text messages: it is valid E.164, and of a suitable kind. */
export function isTextable(phone: string): boolean {
  const parsed = phone.startsWith('+') ? parsePhoneNumberFromString(phone) : undefined;
  return parsed?.isValid() === true && !typesWithoutText.has(parsed.getType());
}

const maxNameChars = 40;

/** The text with characters outside GSM 03.38 reduced to their base letters. */
const inGsm = (text: string): string =>
  [...text].map((one) => (oneUnit.has(one) || twoUnits.has(one) ? one : plainOf(one))).join('');

const plainOf = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '');

/**
 * The text of a message to a customer, in one segment if possible. Characters that would need
 * another alphabet lose their accents; a merchant's name loses its accents, then is shortened, and
 * finally omitted.
 * @param said the message after the merchant's name
 */
export function merchantText({
  mode,
  merchant,
  said,
}: {
  mode: Mode;
  merchant: string;
  said: string;
}): string {
  const test = mode === 'TEST' ? '[TEST] ' : '';
  const rest = inGsm(said);
  const name = merchant.replace(/\s+/g, ' ').trim().slice(0, maxNameChars);
  const plain = plainOf(name);
  const nameless = `${test}${rest}`;
  const texts = [name, plain, plain.slice(0, 20), plain.slice(0, 11)].map(
    (one) => `${test}${one}: ${rest}`,
  );
  return texts.find((text) => segmentsOf(text) === 1) ?? nameless;
}
