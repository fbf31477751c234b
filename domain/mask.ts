const hidden = '•••';

/**
 * An email address of which its owner knows it again, and nobody else learns it: the first letters of
 * its two parts, and the end of the domain. How long it is does not show either.
 */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  if (at === -1) return hidden;
  const domain = email.slice(at + 1);
  const dot = domain.lastIndexOf('.');
  const [name, end] = dot === -1 ? [domain, ''] : [domain.slice(0, dot), domain.slice(dot)];
  return `${firstOf(email.slice(0, at))}${hidden}@${firstOf(name)}${hidden}${end}`;
}

/** A phone number of which its last two digits are left, where there are enough of them to hide the rest. */
export function maskPhone(phone: string): string {
  const digits = phone.replace(/\D/g, '');
  return digits.length < 6 ? hidden : `${hidden}${digits.slice(-2)}`;
}

/**
 * What a partner sent along, with its form alone: names of fields, and of what kind their values are.
 * A name that could be a customer's address or number is hidden too.
 * @param value JSON, of the depth and size that a request may have
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

/** The first character of a text that has more than one. */
function firstOf(text: string): string {
  const characters = [...text];
  return characters.length > 1 ? (characters[0] ?? '') : '';
}
