import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { Mode } from './mode.ts';

/** The characters of GSM 03.38 that take one place, and those that take two. */
const oneUnit = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
const twoUnits = new Set('\f^{}\\[~]|€');

/**
 * How many segments a text message is sent, and paid, in: 160 units of GSM 03.38 or 70 of UCS-2 in one,
 * 153 or 67 in each of several.
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

/** The kinds of numbers at which nobody reads a text message. */
const silentTypes = new Set<string | undefined>([
  ...['FIXED_LINE', 'PREMIUM_RATE', 'TOLL_FREE', 'SHARED_COST', 'UAN', 'PAGER', 'VOICEMAIL'],
]);

/** Whether a text message can be sent to a phone number: it is E.164, and of a kind that takes one. */
export function isTextable(phone: string): boolean {
  const parsed = phone.startsWith('+') ? parsePhoneNumberFromString(phone) : undefined;
  return parsed?.isValid() === true && !silentTypes.has(parsed.getType());
}

const maxNameChars = 40;

/** The same in characters of GSM 03.38, where they differ from it by a mark alone, or are a blank. */
const inGsm = (text: string): string =>
  [...text].map((one) => (oneUnit.has(one) || twoUnits.has(one) ? one : plainOf(one))).join('');

const plainOf = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '');

/**
 * The text of a message to a customer. One segment where that is possible: what is said loses the marks
 * that need another alphabet; a merchant's name loses its accents for it, then what is too long, and
 * then goes.
 * @param said what follows the merchant's name
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
