import { isIP } from 'node:net';

/**
 * Where a request came from. Each proxy of ours adds the address it was asked from at the right end of
 * `X-Forwarded-For`; what stands further left was written by the caller and proves nothing.
 * @param forwardedFor the header, or undefined where there is none
 * @param proxies how many proxies of ours stand before the API
 * @returns the peer itself where the header has too few entries, or no address where one should stand
 */
export function clientAddressOf(
  peer: string,
  forwardedFor: string | undefined,
  proxies: number,
): string {
  const ends = proxies === 0 ? [] : (forwardedFor ?? '').split(',').slice(-proxies);
  const [first = ''] = ends;
  const told = first.trim();
  return withoutMapping(ends.length === proxies && isIP(told) !== 0 ? told : peer);
}

/**
 * What stands for one caller where addresses are counted: an IPv4 address, or the /64 of an IPv6 one,
 * since whoever has one address of a /64 has all of them.
 */
export function callerOf(address: string): string {
  return isIP(address) === 6 ? prefixOf(address, 4) : address;
}

/** An address that no longer names one machine: the /24 of an IPv4 address, the /48 of an IPv6 one. */
export function networkOf(address: string): string {
  if (isIP(address) === 6) return prefixOf(address, 3);
  return address.replace(/\.\d+$/, '.0/24');
}

/** @param groups of 16 bits to keep */
function prefixOf(address: string, groups: number): string {
  const [head = '', tail] = address.replace(/%.*$/, '').toLowerCase().split('::');
  const written = (part: string) => (part === '' ? [] : part.split(':'));
  const left = written(head);
  const right = written(tail ?? '');
  // A dotted end stands for two groups; it is never among those that are kept.
  const width = (parts: string[]) => parts.length + (parts.at(-1)?.includes('.') ? 1 : 0);
  const zeros = Array<string>(8 - width(left) - width(right)).fill('0');
  const all = [...left, ...(tail === undefined ? [] : zeros), ...right];
  const kept = all.slice(0, groups).map((group) => Number.parseInt(group, 16).toString(16));
  return `${kept.join(':')}::/${groups * 16}`;
}

/** An IPv4 caller of a socket that takes both shows as `::ffff:192.0.2.1`. */
function withoutMapping(address: string): string {
  const [, ipv4] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  return ipv4 ?? address;
}
