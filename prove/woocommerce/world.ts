import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { repairConnection } from '../../connect/repair.ts';
import { createAskShop } from '../../messaging/shops/ask.ts';
import { createGet } from '../../messaging/shops/get.ts';
import {
  addConnectionSecret,
  createConnection,
  removeConnectionSecret,
  setConnectionReadKey,
} from '../../operations/connections.ts';
import { createRequestHashes } from '../../platform/hashing.ts';
import { operate } from '../../test/helpers/operate.ts';
import { startOwnService } from '../../test/helpers/own-service.ts';
import type { WordPress } from './wordpress.ts';

export type World = Awaited<ReturnType<typeof openWorld>>;

const firstSecret = 'made-up-signing-secret';

/** A service with a partner and a connection of a shop, whose webhook leads to it. */
export async function openWorld(shop: WordPress) {
  const service = await startOwnService();
  const { models, sealer, commit, config } = service;
  const { partnerId, integrationId, mode } = await service.partner();
  const deps = { models, sealer, now: Date.now };
  const made = { partnerId, integrationId, mode, platform: 'WOOCOMMERCE' as const };
  const { _id: connectionId } = await operate(deps, createConnection, {
    ...made,
    shop: `http://${shop.host}`,
    secret: firstSecret,
  });
  const key = { partnerId, connectionId };
  const recorded: Record<string, unknown>[] = [];
  let isUp = true;
  let refused = 0;
  /** Between the shop and the service, so that the service can be away at the same address. */
  const between = createServer(async (request, response) => {
    const body = await text(request);
    if (!isUp) return void request.socket.destroy();
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => /^x-wc-|^content-type$/.test(name)),
    ) as Record<string, string>;
    const url = `${service.baseUrl}${request.url}`;
    const reply = await fetch(url, { method: 'POST', headers, body });
    if (reply.status === 401) refused += 1;
    if (body.startsWith('{')) recorded.push(JSON.parse(body));
    response.writeHead(reply.status).end(await reply.text());
  }).listen(0, '127.0.0.1');
  await once(between, 'listening');
  const url = `http://127.0.0.1:${(between.address() as AddressInfo).port}/connect/${connectionId}`;
  const webhook = await shop.drive<{ id: number }>('webhook', { secret: firstSecret, url });
  const readKey = await shop.drive<{ key: string; secret: string }>('key');
  await operate(deps, setConnectionReadKey, {
    ...key,
    readSecret: readKey.key,
    consumerSecret: readKey.secret,
  });
  const repairing = {
    models,
    sealer,
    commit,
    config,
    now: Date.now,
    hashes: createRequestHashes(config.customerHashKey),
    askShop: createAskShop({ get: createGet({ allowLoopback: true }) }),
  };
  const connection = () => models.connections.findOne({ _id: connectionId }).orFail();

  return {
    async order(input: Record<string, unknown>): Promise<number> {
      const order = { status: 'processing', ...input };
      return (await shop.drive<{ id: number }>('order', order)).id;
    },
    refund: (id: number, amount: string) => shop.drive('refund', { id, amount }),
    setStatus: (id: number, status: string) => shop.drive('status', { id, status }),
    /** Has the shop deliver what it has to. */
    deliver: () => shop.drive('jobs'),
    connection,
    refused: () => refused,

    /** Whether the service is reached. */
    setUp(next: boolean) {
      isUp = next;
    },

    /** What was reported of an order: its subtotal and its refunds, in cents. */
    async reported(id: number): Promise<string> {
      const events = await models.orderEvents
        .find({ partnerId, externalOrderId: String(id) })
        .sort({ _id: 1 });
      return events
        .map(
          ({ purchase, amountCents }) => purchase?.arithmetic.subtotalCents ?? -(amountCents ?? 0),
        )
        .join(' ');
    },

    repair: async () => await repairConnection(repairing, await connection()),

    async addSecret(secret: string) {
      await operate(deps, addConnectionSecret, { ...key, secret });
    },
    /** The shop signs with another secret. */
    signWith: (secret: string) => shop.drive('webhook', { id: webhook.id, secret, url }),
    async removeOldSecret() {
      const { secrets } = await connection();
      const { secretId } = secrets.at(-1) ?? { secretId: '' };
      await operate(deps, removeConnectionSecret, { ...key, secretId });
    },

    async writeRecorded(file: string) {
      const kept = recorded.map(({ order_key: _key, _links, meta_data: _meta, ...order }) => order);
      await writeFile(file, `${JSON.stringify(kept, null, 2)}\n`);
    },

    async stop() {
      between.closeAllConnections();
      between.close();
      await service.stop();
    },
  };
}
