import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { answerParent } from './child.ts';
import { percentile } from './figures.ts';

/** The receiver's port, or the requests to a path since it was last reset. */
export type ReceiverQuestion = { ask: 'PORT' } | { ask: 'ARRIVED' | 'FORGET'; path: string };

export interface Arrivals {
  port: number;
  count: number;
  /** From the first arrival to the last. */
  elapsedMs: number;
  /** From the event to its arrival, in milliseconds. */
  p50: number;
  p95: number;
}

const slowMs = 1_000;

/**
 * The partners' receivers, in their own process: endpoints that are fast, slow, fail, or hang, by the prefix
 * of their path.
 */
const arrived = new Map<string, { atMs: number; lateMs: number }[]>();
const server = createServer(async (request, response) => {
  const { url = '' } = request;
  const body = await text(request).catch(() => '');
  if (body === '') return;
  const atMs = Date.now();
  const lateMs = atMs - Date.parse(JSON.parse(body).createdAt);
  const arrivals = arrived.get(url) ?? [];
  arrivals.push({ atMs, lateMs });
  arrived.set(url, arrivals);
  if (url.startsWith('/hangs')) return;
  if (url.startsWith('/fails')) response.writeHead(500).end();
  else if (url.startsWith('/slow')) setTimeout(() => response.writeHead(204).end(), slowMs);
  else response.writeHead(204).end();
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;

answerParent<ReceiverQuestion, Arrivals>(async (question) => {
  const path = question.ask === 'PORT' ? '' : question.path;
  if (question.ask === 'FORGET') arrived.delete(path);
  const arrivals = arrived.get(path) ?? [];
  const late = arrivals.map(({ lateMs }) => lateMs);
  const [first, last] = [arrivals[0]?.atMs ?? 0, arrivals.at(-1)?.atMs ?? 0];
  return {
    port,
    count: arrivals.length,
    elapsedMs: last - first,
    p50: percentile(late, 0.5),
    p95: percentile(late, 0.95),
  };
});
