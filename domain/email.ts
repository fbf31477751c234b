/**
 * Customers' email addresses (docs/integrate/requests.md, Requests). The rule is one pattern, which the reference repeats, so that
 * partners can check before they send.
 */

/** What is printed of the Basic Multilingual Plane beyond ASCII: nothing invisible, no control characters. */
const beyondAscii =
  '\\u00a1-\\u00ac\\u00ae-\\u034e\\u0350-\\u037d\\u037f-\\u05ff\\u0606-\\u061b\\u061d-\\u06dc\\u06de-\\u070e\\u0710-\\u088f\\u0892-\\u08e1\\u08e3-\\u115e\\u1161-\\u167f\\u1681-\\u17b3\\u17b6-\\u180a\\u1810-\\u1fff\\u2010-\\u2027\\u2030-\\u205e\\u2070-\\u27ff\\u2801-\\u2fff\\u3001-\\u3163\\u3165-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\ufdff\\ufe10-\\ufefe\\uff00-\\uff9f\\uffa1-\\uffef\\ufffc-\\ufffd';
const blanks = '[\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]*';
const atom = `[A-Za-z0-9!#$%&'*+/=?^_\`{|}~\\-${beyondAscii}]+`;
const quoted = `"(?:[ !#-\\[\\]-~${beyondAscii}]|\\\\[ -~])+"`;
const label = `[A-Za-z0-9${beyondAscii}](?:[A-Za-z0-9\\-${beyondAscii}]{0,61}[A-Za-z0-9${beyondAscii}])?`;
const topLevel = `[A-Za-z${beyondAscii}](?:[A-Za-z0-9\\-${beyondAscii}]{0,61}[A-Za-z0-9${beyondAscii}])?`;
const byte = '(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])';
const literal = `\\[(?:${byte}(?:\\.${byte}){3}|IPv6:[0-9A-Fa-f:.]{2,45})\\]`;
const address = `(?:${atom}(?:\\.${atom})*|${quoted})@(?:(?:${label}\\.)+${topLevel}|${literal})`;

/** An email address with blanks around it, or a blank text: a regular expression that JavaScript and Python read alike. */
export const emailPattern = `^${blanks}(?:${address})?${blanks}$`;

/** In characters, with the blanks around it. */
export const maxEmailChars = 254;

const valid = new RegExp(emailPattern, 'u');

/** Whether a text is blank, or an email address as the reference describes it. */
export const isEmail = (text: string): boolean => valid.test(text);

/**
 * The form in which addresses are compared and used: without the blanks around it, in Unicode NFC and lower case, the
 * domain in its ASCII form, without needless quotation marks. A blank one is null.
 * @param email may also be something that somebody typed and nobody has checked
 */
export function normalizeEmail(email: string | undefined): string | null {
  const text = email?.trim().normalize('NFC').toLowerCase().normalize('NFC') ?? '';
  if (text === '') return null;
  const at = text.lastIndexOf('@');
  return at === -1 ? text : `${bareLocal(text.slice(0, at))}@${asciiDomain(text.slice(at + 1))}`;
}

const bare = new RegExp(`^${atom}(?:\\.${atom})*$`, 'u');

/** `"jo"` is `jo`; where a blank or a comma needs the quotation marks, they stay. */
function bareLocal(local: string): string {
  const [, inner] = /^"(.*)"$/s.exec(local) ?? [];
  if (inner === undefined) return local;
  const meant = inner.replace(/\\(.)/gs, '$1');
  return bare.test(meant) ? meant : `"${meant.replace(/["\\]/g, '\\$&')}"`;
}

/** `müller.de` is `xn--mller-kva.de`. What has no ASCII form stays as it is. */
function asciiDomain(domain: string): string {
  if (domain.startsWith('[') || /[/?#@:\\%]/.test(domain)) return domain;
  return URL.parse(`http://${domain}/`)?.hostname.replace(/\.$/, '') || domain;
}
