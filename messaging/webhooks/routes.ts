import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import type { Mode } from '../../domain/mode.ts';
import {
  addressProblem,
  allowedAddressOf,
  bareHost,
  ForbiddenAddressError,
  guardedLookup,
  isAllowedAddress,
  isLocal,
  type ResolveName,
} from './addresses.ts';

/** Idle keep-alive connections are closed after this time. */
const idleSocketMs = 10_000;

export interface RouteOptions {
  /** Whether TEST may lead to this machine. */
  allowLoopback: boolean;
  /** A forward proxy, which is not used for this machine. */
  proxyUrl?: string | undefined;
  /** Replaces the system's resolver in tests. */
  resolveName?: ResolveName;
}

/** How to reach a URL that a partner named. */
export interface DeliveryRoute {
  url: URL;
  agent: http.Agent;
  /**
   * The address that a proxy is asked to connect to; undefined without a proxy, as connecting checks it.
   * @throws ForbiddenAddressError, or the resolver's error
   */
  address(): Promise<string | undefined>;
}

/**
 * Finds the way to URLs that partners name: to public addresses over HTTPS, and in TEST to this machine if the
 * configuration allows it. A name is resolved and checked for each connection.
 * @returns throws ForbiddenAddressError, or TypeError for an invalid URL
 */
export function createDeliveryRoutes({
  allowLoopback: allowLoopbackInTest,
  proxyUrl,
  resolveName,
}: RouteOptions): (target: { url: string; mode: Mode }) => DeliveryRoute {
  // Separate agents, so that a connection that one policy allowed is not reused under another.
  const agentsFor = (allowLoopback: boolean) => {
    const options = {
      keepAlive: true,
      timeout: idleSocketMs,
      lookup: guardedLookup({ allowLoopback }, resolveName),
    };
    return { http: new http.Agent(options), https: new https.Agent(options) };
  };
  const agents = {
    TEST: agentsFor(allowLoopbackInTest),
    LIVE: agentsFor(false),
  };
  const proxied = proxyUrl === undefined ? null : proxyAgents(proxyUrl);

  function agentOf(url: URL, policy: keyof typeof agents): http.Agent {
    const isTls = url.protocol === 'https:';
    if (isTls && proxied && !isLocal(url)) return proxied[policy];
    return agents[policy][isTls ? 'https' : 'http'];
  }

  return ({ url: text, mode }) => {
    const url = new URL(text);
    const problem = addressProblem(text, mode, allowLoopbackInTest);
    if (problem !== undefined) throw new ForbiddenAddressError(problem);
    const host = bareHost(url);
    const allowLoopback = mode === 'TEST' && allowLoopbackInTest;
    if (isIP(host) !== 0 && !isAllowedAddress(host, { allowLoopback })) {
      throw new ForbiddenAddressError('not a public address');
    }
    // A proxy would resolve the name itself, so it is resolved and checked here before each request.
    const isNamed = proxied !== null && isIP(host) === 0;
    return {
      url,
      agent: agentOf(url, mode),
      address: async () =>
        isNamed ? await allowedAddressOf(host, { allowLoopback }, resolveName) : undefined,
    };
  };
}

/** Agents for the proxy, separate by mode like those without one. */
function proxyAgents(proxyUrl: string): Record<Mode, https.Agent> {
  const make = () =>
    new https.Agent({
      keepAlive: true,
      timeout: idleSocketMs,
      proxyEnv: { HTTPS_PROXY: proxyUrl },
    });
  return { TEST: make(), LIVE: make() };
}
