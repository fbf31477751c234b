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
