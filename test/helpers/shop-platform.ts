import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Json = Record<string, unknown>;

/** What was asked of a platform. */
export interface Asked {
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
}

/** A platform of shops that answers as its documentation says, over HTTP on this machine. */
export async function startPlatform() {
  const asked: Asked[] = [];
  let answer = (response: ServerResponse, _asked: Asked): void => {
    response.writeHead(404).end();
  };
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://platform');
    const one = { path: pathname, query: searchParams, headers: request.headers };
    asked.push(one);
    answer(response, one);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const send = (response: ServerResponse, body: unknown, headers: Record<string, string> = {}) =>
    response
      .writeHead(200, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body));

  return {
    origin,
    host: `127.0.0.1:${port}`,
    asked,
    answerWith(next: typeof answer) {
      answer = next;
    },

    /** Orders of a Shopify shop: its further pages are in the header Link, and take nothing but a cursor. */
    shopify(orders: () => readonly Json[], { pageSize = 100, token = shopifyToken } = {}) {
      answer = (response, { path, query, headers }) => {
        if (headers['x-shopify-access-token'] !== token) return void response.writeHead(401).end();
        if (!path.endsWith('/orders.json')) return void response.writeHead(404).end();
        const cursor = query.get('page_info');
        if (cursor !== null && query.has('updated_at_min'))
          return void response.writeHead(400).end();
        const [from = '', to = '', start = '0'] = cursor?.split('/') ?? [
          query.get('updated_at_min') ?? '',
          query.get('updated_at_max') ?? '',
          '0',
        ];
        const found = orders().filter(({ updated_at: at }) => isIn(String(at), from, to));
        const end = Number(start) + pageSize;
        const next = new URLSearchParams({ page_info: `${from}/${to}/${end}`, limit: '100' });
        // Another host, which nobody may be led to.
        const link = `<https://elsewhere.example/admin/orders.json?${next}>; rel="next"`;
        const more = end < found.length ? { link } : {};
        send(response, { orders: found.slice(Number(start), end) }, more as Record<string, string>);
      };
    },

    /** Orders of a WooCommerce shop: pages are numbered, and their number is in a header. */
    wooCommerce(orders: () => readonly Json[], { pageSize = 100 } = {}) {
      const authorization = `Basic ${Buffer.from(`${wooKey}:${wooSecret}`).toString('base64')}`;
      answer = (response, { path, query, headers }) => {
        if (path !== '/wp-json/wc/v3/orders') return void response.writeHead(404).end();
        if (headers.authorization !== authorization) return void response.writeHead(401).end();
        const [after, before] = ['modified_after', 'modified_before'].map((name) =>
          siteTimeOf(query.get(name) ?? ''),
        );
        const found = orders().filter(
          ({ date_modified_gmt: at }) => String(at) > String(after) && String(at) < String(before),
        );
        const page = Number(query.get('page'));
        const pages = String(Math.ceil(found.length / pageSize));
        const shown = found.slice((page - 1) * pageSize, page * pageSize);
        send(response, shown, { 'x-wp-totalpages': pages });
      };
    },

    /** Events of a Stripe account, newest first, each page after the last event of the one before. */
    stripe(events: () => readonly Json[], { pageSize = 100, key = stripeKey } = {}) {
      answer = (response, { path, query, headers }) => {
        const refused = { error: { type: 'invalid_request_error', message: 'Invalid API Key' } };
        if (headers.authorization !== `Bearer ${key}`) {
          return void response
            .writeHead(401, { 'content-type': 'application/json' })
            .end(JSON.stringify(refused));
        }
        if (path !== '/v1/events') return void response.writeHead(404).end('{}');
        const [gte, lt] = [query.get('created[gte]'), query.get('created[lt]')].map(Number);
        const found = events()
          .filter(({ created }) => Number(created) >= (gte ?? 0) && Number(created) < (lt ?? 0))
          .toSorted((one, other) => Number(other.created) - Number(one.created));
        const after = found.findIndex(({ id }) => id === query.get('starting_after'));
        const shown = found.slice(after + 1, after + 1 + pageSize);
        send(response, {
          object: 'list',
          url: '/v1/events',
          data: shown,
          has_more: after + 1 + pageSize < found.length,
        });
      };
    },

    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export type Platform = Awaited<ReturnType<typeof startPlatform>>;

export const shopifyToken = 'shpat_0123456789abcdef0123456789abcdef';
export const wooKey = 'ck_0123456789abcdef0123456789abcdef01234567';
export const wooSecret = 'cs_0123456789abcdef0123456789abcdef01234567';
export const stripeKey = 'rk_test_0123456789abcdef01234567';

/** As WordPress reads a time: one with an offset is moved to the site's time zone, here five hours behind. */
const siteTimeOf = (text: string): string =>
  /[Z+]|-\d\d:\d\d$/.test(text)
    ? new Date(Date.parse(text) - 5 * 3_600_000).toISOString().slice(0, 19)
    : text;

const isIn = (at: string, from: string, to: string): boolean =>
  Date.parse(at) >= Date.parse(from) && Date.parse(at) <= Date.parse(to);
