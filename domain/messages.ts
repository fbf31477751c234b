import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { Mode } from './mode.ts';
import { dayMs } from './utc-days.ts';

/** How customers are sent messages. */
export const channels = ['EMAIL', 'SMS'] as const;

export type Channel = (typeof channels)[number];

/** How long sending a message is retried. Anything older was sent, or cannot be. */
export const mailPatienceMs = 3 * dayMs;

/**
 * Why a message did not reach its customer: the number cannot receive text messages, the carrier
 * refused it, the carrier was unavailable for days, or the customer or all of the partner's customers got
 * too many messages that day.
 */
export type UndeliveredReason = 'NOT_TEXTABLE' | 'REFUSED' | 'GIVEN_UP' | 'TOO_MANY';

/** Why customers are sent messages about a reward. */
export type MessageReason = 'ON_HOLD' | 'OFFER' | 'REMINDER' | 'TAKEN_BACK' | 'CORRECTED';

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
  const isInGsm = characters.every(isGsm);
  const units = isInGsm
    ? characters.reduce((sum, one) => sum + (twoUnits.has(one) ? 2 : 1), 0)
    : text.length;
  const [alone, each] = isInGsm ? [160, 153] : [70, 67];
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

/** How to write in GSM 03.38 what programs and keyboards set for its characters, and letters that do not decompose. */
const formsOf: Readonly<Record<string, string>> = {
  "'": '‘’‚‛′´`ʼ',
  '"': '“”„‟″«»',
  '<': '‹',
  '>': '›',
  '-': '‐‑‒–—―−•·∙',
  x: '×',
  d: 'đð',
  D: 'ĐÐ',
  h: 'ħ',
  H: 'Ħ',
  i: 'ı',
  l: 'ł',
  L: 'Ł',
  t: 'ŧ',
  T: 'Ŧ',
  oe: 'œ',
  OE: 'Œ',
  th: 'þ',
  Th: 'Þ',
};
const usualForms: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(formsOf).flatMap(([form, all]) => [...all].map((one) => [one, form])),
);

const isGsm = (character: string): boolean => oneUnit.has(character) || twoUnits.has(character);

/** The text with typographic characters, and others that GSM 03.38 lacks, in the forms and base letters it has. */
const inGsm = (text: string): string =>
  [...text].map((one) => (isGsm(one) ? one : (usualForms[one] ?? plainOf(one)))).join('');

const plainOf = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '');

/** Pictures, which say nothing about who sends a message. */
const pictures =
  /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{So}\p{Cf}\p{Variation_Selector}]/gu;

/**
 * The text of a message to a customer, which begins with who sends it. It is one segment if the name can be written
 * in GSM 03.38: first its accents go, then its end. A name in another alphabet costs a second segment.
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
  const name = nameInText(merchant);
  const plain = inGsm(name);
  const names = [name, plain, cut(plain, 20), cut(plain, 11)];
  const texts = names.map((one) => `${test}${one}: ${inGsm(said)}`);
  const fewest = Math.min(...texts.map(segmentsOf));
  return texts.find((text) => segmentsOf(text) === fewest) ?? '';
}

const cut = (text: string, characters: number): string =>
  [...text].slice(0, characters).join('').trim();

/** On one line and without pictures, unless it is nothing else. */
function nameInText(merchant: string): string {
  const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
  const written = oneLine(merchant.replace(pictures, '')) || oneLine(merchant);
  const usual = [...written].map((one) => (isGsm(one) ? one : (usualForms[one] ?? one))).join('');
  return cut(usual, maxNameChars);
}
