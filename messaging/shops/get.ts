import http from 'node:http';
import https from 'node:https';
import { urlToHttpOptions } from 'node:url';
import type { Mode } from '../../domain/mode.ts';
import { AskError } from '../../domain/shop-repair.ts';
import { bareHost, ForbiddenAddressError } from '../webhooks/addresses.ts';
import { createDeliveryRoutes, type DeliveryRoute, type RouteOptions } from '../webhooks/routes.ts';

/** From the start of a request to the end of its response. */
const defaultTimeoutMs = 30_000;
/** A page of a hundred orders has some hundred kilobytes. */
const defaultMaxBytes = 16 * 1024 * 1024;

export interface GotAnswer {
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
}

/**
 * Reads from an address that a partner named, under the same rules as webhooks; redirects are not followed.
 * @throws AskError NO_ANSWER, ADDRESS_NOT_ALLOWED or TOO_LARGE
 */
export type Get = (
  target: { url: string; mode: Mode },
  headers: Record<string, string>,
) => Promise<GotAnswer>;

export function createGet({
  timeoutMs = defaultTimeoutMs,
  maxBytes = defaultMaxBytes,
  ...options
}: RouteOptions & { timeoutMs?: number; maxBytes?: number }): Get {
  const routeOf = createDeliveryRoutes(options);
  return async (target, headers) => {
    try {
      const route = routeOf(target);
      return await get(route, await route.address(), headers);
    } catch (error) {
      if (error instanceof AskError) throw error;
      if (error instanceof ForbiddenAddressError || error instanceof TypeError) {
        throw new AskError('ADDRESS_NOT_ALLOWED');
      }
      throw new AskError('NO_ANSWER');
    }
  };

  function get(
    { url, agent }: DeliveryRoute,
    address: string | undefined,
    headers: Record<string, string>,
  ): Promise<GotAnswer> {
    return new Promise((resolve, reject) => {
      const via = address && { hostname: address, servername: bareHost(url) };
      const request = (url.protocol === 'https:' ? https : http).request({
        ...urlToHttpOptions(url),
        ...via,
        method: 'GET',
        agent,
        signal: AbortSignal.timeout(timeoutMs),
        headers: {
          ...headers,
          host: url.host,
          accept: 'application/json',
          'user-agent': 'partner-events-shops/1',
        },
      });
      request.on('error', reject);
      request.on('response', (response) => {
        const parts: Buffer[] = [];
        let bytes = 0;
        response.on('data', (part: Buffer) => {
          parts.push(part);
          bytes += part.length;
          if (bytes > maxBytes) request.destroy(new AskError('TOO_LARGE', response.statusCode));
        });
        response.on('error', reject);
        response.on('end', () => {
          const { statusCode: status = 0, headers: received } = response;
          resolve({ status, headers: received, text: Buffer.concat(parts).toString('utf8') });
        });
      });
      request.end();
    });
  }
}
