import { type LookupAddress, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Mode } from '../../domain/mode.ts';

/** Where webhooks may go besides the public internet: this machine, in TEST, where configuration allows. */
export interface AddressTerms {
  allowLoopback: boolean;
}

/** All addresses of a name, as the system's resolver answers. */
export type ResolveName = (
  hostname: string,
  options: Parameters<LookupFunction>[1] & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** The address is none that a webhook may go to. */
export class ForbiddenAddressError extends Error {
  override name = 'ForbiddenAddressError';
}

/** What is routed on the public internet; all else of IPv6 is local, translated or reserved. */
const publicIPv6 = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/**
 * Whether a webhook may be sent to an address: to a public one, and to loopback where that is allowed.
 * Private, link-local, metadata and reserved ranges are not, nor what hides an IPv4 address in an IPv6
 * one, save the mapped form, which is judged as the IPv4 address that it is.
 * @param address an IPv4 or IPv6 address
 */
export function isAllowedAddress(address: string, { allowLoopback }: AddressTerms): boolean {
  const [bare = ''] = address.split('%');
  if (isIP(bare) === 0) return false;
  const parsed = ipaddr.process(bare);
  const range = parsed.range();
  if (range === 'loopback') return allowLoopback;
  if (range !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || (parsed as ipaddr.IPv6).match(publicIPv6);
}

/** The host of a URL as `net` writes addresses: without the brackets of IPv6. */
export const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

/** Whether an address names this machine. */
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
 * What is wrong with the address of an endpoint, before anything is connected; undefined where it will
 * do. Names are resolved when a connection is made, each time, and judged by what they resolve to then.
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
 * Resolves names for connections to endpoints: the addresses that are judged are those that are
 * connected to, so that a name cannot resolve to one thing for the check and to another for the
 * connection. One forbidden address among several refuses the name.
 */
export function guardedLookup(terms: AddressTerms, resolve: ResolveName = lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const forbidden = addresses.find(({ address }) => !isAllowedAddress(address, terms));
      const [first] = addresses;
      if (forbidden !== undefined || first === undefined) {
        return callback(new ForbiddenAddressError('not a public address'), '', 0);
      }
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** Resolves a name, for somebody else to connect to. @throws ForbiddenAddressError, or of the resolver */
export async function requireAllowed(
  hostname: string,
  terms: AddressTerms,
  resolve?: ResolveName,
): Promise<void> {
  await new Promise<void>((allow, refuse) => {
    guardedLookup(terms, resolve)(hostname, { all: true }, (error) =>
      error ? refuse(error) : allow(),
    );
  });
}
