import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A received webhook. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read events of any type
  event: any;
}

/** Starts a partner's receiver of webhooks, which responds with 204 by default. */
export async function startReceiver() {
  const received: Received[] = [];
  let answer = (response: ServerResponse, _received: Received): void => {
    response.writeHead(204).end();
  };
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { url: path = '', headers } = request;
    const one = { path, headers, body, event: body === '' ? null : JSON.parse(body) };
    received.push(one);
    answer(response, one);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    of: (type: string) => received.filter(({ event }) => event.type === type),
    answerWith(next: typeof answer) {
      answer = next;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
