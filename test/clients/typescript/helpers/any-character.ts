import fc from 'fast-check';

const [firstSurrogate, surrogates, last] = [0xd800, 0x800, 0x10ffff];

/** Any character of Unicode, as fast-check's unit `binary`, which takes a second and 180 MB. */
export const anyCharacter = fc.nat(last - surrogates).map(
  (nth) => String.fromCodePoint(nth < firstSurrogate ? nth : nth + surrogates),
  (value) => placeOf(String(value)),
);

/** With the place of a character, fast-check can also build the strings that it tries more often. */
function placeOf(text: string): number {
  const code = text.codePointAt(0) ?? -1;
  if (text !== String.fromCodePoint(code)) throw new Error('not a character');
  return code < firstSurrogate ? code : code - surrogates;
}
