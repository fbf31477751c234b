import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A webhook as it arrived. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came
  event: any;
}

/** A partner's receiver, which answers as a test wishes: 204 unless told otherwise. */
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
