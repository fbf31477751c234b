/**
 * A path that it is safe to redirect to. Anything but a path of ours becomes `otherwise`: another site's
 * address, also in spellings that browsers accept as one.
 */
export function safePath(text: unknown, otherwise = '/'): string {
  if (typeof text !== 'string' || text.length > 1_000) return otherwise;
  if (!/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text)) return otherwise;
  const base = 'http://portal.invalid';
  const url = URL.parse(text, base);
  if (url?.origin !== base) return otherwise;
  const path = url.pathname + url.search;
  return path.startsWith('//') ? otherwise : path;
}
