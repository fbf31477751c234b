import { isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The address of the client that sent a request. Each of our proxies appends the address of its
 * peer to `X-Forwarded-For`; entries further to the left come from the caller and prove nothing.
 * @param forwardedFor the header; undefined if absent
 * @param proxies how many of our proxies are in front of the API
 * @returns the peer's own address if the header has too few entries or the entry is not an address
 */
export function clientAddressOf(
  peer: string,
  forwardedFor: string | undefined,
  proxies: number,
): string {
  const ends = proxies === 0 ? [] : (forwardedFor ?? '').split(',').slice(-proxies);
  const told = bareAddress(ends[0]?.trim() ?? '');
  return withoutMapping(ends.length === proxies && isIP(told) !== 0 ? told : peer);
}

/** An entry without what some proxies add: a port, quotes, the brackets of an IPv6 address, its zone. */
function bareAddress(entry: string): string {
  const unquoted = entry.replace(/^"(.*)"$/, '$1');
  const [, inBrackets, ipv4] = /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(unquoted) ?? [];
  return (inBrackets ?? ipv4 ?? unquoted).replace(/%[^%]*$/, '');
}

/**
 * The key under which a client's requests are counted: its IPv4 address, or the /64 of its IPv6
 * address, since whoever has one address of a /64 has all of them.
 */
export function callerOf(address: string): string {
  return isIPv6(address) ? prefixOf(address, 4) : address;
}

/**
 * An address shortened so that it no longer identifies a machine: the /24 of an IPv4 address, the
 * /48 of an IPv6 address.
 */
export function networkOf(address: string): string {
  if (isIPv6(address)) return prefixOf(address, 3);
  return address.replace(/\.\d+$/, '.0/24');
}

/** @param groups how many groups of 16 bits to keep */
function prefixOf(address: string, groups: number): string {
  const kept = ipaddr.IPv6.parse(address).parts.slice(0, groups);
  return `${kept.map((group) => group.toString(16)).join(':')}::/${groups * 16}`;
}

/** An IPv4 peer of a dual-stack socket appears as `::ffff:192.0.2.1`. */
function withoutMapping(address: string): string {
  if (!isIPv6(address)) return address;
  const parsed = ipaddr.IPv6.parse(address);
  return parsed.isIPv4MappedAddress() ? parsed.toIPv4Address().toString() : address;
}
