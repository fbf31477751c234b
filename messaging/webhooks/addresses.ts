import { type LookupAddress, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Mode } from '../../domain/mode.ts';

export interface AddressPolicy {
  /** Whether this machine is allowed, too, and not only the public internet: only in TEST, if configured. */
  allowLoopback: boolean;
}

/** Resolves a name to all its addresses, as `dns.lookup` does. */
export type ResolveName = (
  hostname: string,
  options: Parameters<LookupFunction>[1] & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Webhooks must not be sent to this address. */
export class ForbiddenAddressError extends Error {
  override name = 'ForbiddenAddressError';
}

/** The public IPv6 internet; all other IPv6 addresses are local, translated or reserved. */
const publicIPv6 = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/**
 * Whether webhooks may be sent to an address: if it is public, or loopback where the policy allows it.
 * Private, link-local, metadata and reserved ranges are forbidden. An IPv6 address that embeds an IPv4
 * address (mapped, NAT64, 6to4) is judged as that one, since that is where it leads.
 * @param address an IPv4 or IPv6 address, possibly with a zone
 */
export function isAllowedAddress(address: string, { allowLoopback }: AddressPolicy): boolean {
  const [bare = ''] = address.split('%');
  if (isIP(bare) === 0) return false;
  const parsed = embedded(ipaddr.process(bare));
  const range = parsed.range();
  if (range === 'loopback') return allowLoopback;
  if (range !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(publicIPv6);
}

/** The IPv4 address that translators of the network make of an IPv6 address; otherwise the address itself. */
function embedded(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (!(address instanceof ipaddr.IPv6)) return address;
  const range = address.range();
  const at = range === 'rfc6052' ? 12 : range === '6to4' ? 2 : undefined;
  return at === undefined ? address : new ipaddr.IPv4(address.toByteArray().slice(at, at + 4));
}

/** The host of a URL, without the brackets around an IPv6 address. */
export const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

/** Whether the host of a URL is this machine. */
export function isLocal(url: URL): boolean {
  const host = bareHost(url);
  return (
    host === 'localhost' ||
    (isIP(host) !== 0 &&
      isAllowedAddress(host, { allowLoopback: true }) &&
      !isAllowedAddress(host, { allowLoopback: false }))
  );
}

/**
 * What is wrong with the URL of an endpoint; undefined if it is allowed. Names are not resolved here but
 * for each connection, by `guardedLookup`.
 */
export function addressProblem(
  text: string,
  mode: Mode,
  allowLoopbackInTest: boolean,
): string | undefined {
  const url = URL.parse(text);
  if (url === null) return 'must be an absolute URL';
  if (url.username !== '' || url.password !== '') return 'must not contain a user or password';
  if (url.hash !== '') return 'must not contain a fragment';
  const allowLoopback = mode === 'TEST' && allowLoopbackInTest;
  const host = bareHost(url);
  if (isLocal(url)) {
    if (!allowLoopback) return 'must not lead to this machine';
    return ['https:', 'http:'].includes(url.protocol) ? undefined : 'must begin with https://';
  }
  if (url.protocol !== 'https:') return 'must begin with https://';
  if (isIP(host) !== 0 && !isAllowedAddress(host, { allowLoopback })) {
    return 'must lead to a public address';
  }
  return undefined;
}

/**
 * Resolves names for connections to endpoints, to their allowed addresses alone, and refuses a name without any.
 * The checked addresses are the ones connected to, so that a name cannot resolve to one address for the
 * check and to another for the connection.
 */
export function guardedLookup(
  policy: AddressPolicy,
  resolve: ResolveName = lookup,
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const allowed = addresses.filter(({ address }) => isAllowedAddress(address, policy));
      const [first] = allowed;
      if (first === undefined) {
        return callback(new ForbiddenAddressError('not a public address'), '', 0);
      }
      if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

/**
 * The address that a proxy is asked to connect to: asked for the name, it could find another one.
 * @throws ForbiddenAddressError, or the resolver's error
 */
export async function allowedAddressOf(
  hostname: string,
  policy: AddressPolicy,
  resolve?: ResolveName,
): Promise<string> {
  return await new Promise<string>((found, refuse) => {
    guardedLookup(policy, resolve)(hostname, { all: false }, (error, address) =>
      error ? refuse(error) : found(String(address)),
    );
  });
}
