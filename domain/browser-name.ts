/** The names of browser and operating system, as far as a user agent string reveals them. */
export function browserName(userAgent: string): string {
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)\//.exec(userAgent)?.[1];
  const system = /(Windows|Mac OS X|Android|iPhone|iPad|Linux)/.exec(userAgent)?.[1];
  const names: Record<string, string> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS X': 'macOS' };
  const known = [browser, system].flatMap((one) => (one ? [names[one] ?? one] : []));
  return known.length > 0 ? known.join(' on ') : userAgent.slice(0, 40) || 'unknown';
}
