import { setTimeout as delay } from 'node:timers/promises';
import pMap from 'p-map';
import { type Announcement, everyEventType, webhookExamples } from '../../domain/webhooks.ts';
import { webhookHeaders, webhookKey } from '../../messaging/webhooks/sign.ts';
import { announce, deliveryOf } from '../../models/webhooks/announce.ts';
import { system } from '../../operations/actor.ts';
import { shownSecret } from '../../operations/credentials.ts';
import { execute } from '../../operations/execute.ts';
import { createWebhookEndpoint } from '../../operations/webhook-endpoints.ts';
import { newId } from '../../platform/ids.ts';
import { startChild } from './child.ts';
import { type BenchTable, figure, median } from './figures.ts';
import { type Bench, waitUntil } from './harness.ts';
import type { Arrivals, ReceiverQuestion } from './webhook-receivers.ts';

/** As many as the service sends to one endpoint at a time. */
const atOnce = 8;
const endpointsTogether = 10;
const [perRound, backlog] = [2_000, 2_000];
const pace = { perSecond: 20, count: 300 };
const perSale = 500;
/** A change of an endpoint takes effect within this time. */
const noticedMs = 1_500;

type Receivers = Awaited<ReturnType<typeof openReceivers>>;

interface Endpoint {
  partnerId: string;
  endpointId: string;
  secret: string;
  /** Adds events for it. */
  announce(count: number): Promise<void>;
  untilArrived(count: number): Promise<Arrivals>;
  forget(): Promise<unknown>;
  become(status: 'ACTIVE' | 'PAUSED' | 'DISABLED'): Promise<void>;
}

/** Deliveries to healthy endpoints, alone and alongside those that hang, fail and are slow; and their cost. */
export async function benchWebhooks(bench: Bench): Promise<BenchTable[]> {
  const { service, rounds, count, log } = bench;
  const baseUrls = [await service.startApi()];
  await service.startWorker();
  const receivers = await openReceivers(bench);
  const tables = await measureDeliveries(bench, receivers);

  log('The cost of a purchase with and without webhooks …');
  const shop = await bench.openPartner('Bench');
  const access = { baseUrls, ...shop.keys.TEST };
  const endpoint = await receivers.add('/purchases', shop.partnerId);
  const workerMs = { without: [] as number[], withWebhooks: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    for (const kind of ['without', 'withWebhooks'] as const) {
      await endpoint.become(kind === 'without' ? 'DISABLED' : 'ACTIVE');
      const sale = { access, concurrency: 64, count: count(perSale) };
      const { cpuMs } = await bench.sell(sale);
      if (kind === 'withWebhooks') await endpoint.untilArrived(sale.count);
      // The first round warms up.
      if (round > 0) workerMs[kind].push(cpuMs.worker ?? Number.NaN);
    }
  }
  receivers.stop();
  const [without, withWebhooks] = [median(workerMs.without), median(workerMs.withWebhooks)];
  const cost = {
    title: 'Worker, CPU ms per purchase until its timer',
    columns: ['without webhooks', 'with webhooks', 'ratio'],
    rows: [[without, withWebhooks, withWebhooks / without]],
  };
  return [...tables, cost];
}

async function measureDeliveries(
  { rounds, count, log }: Bench,
  receivers: Receivers,
): Promise<BenchTable[]> {
  const healthy = await receivers.add('/fast');
  const many: Endpoint[] = [];
  for (let nth = 0; nth < endpointsTogether; nth++) many.push(await receivers.add(`/fast/${nth}`));
  const unhealthy: Endpoint[] = [];
  for (const path of ['/hangs', '/fails', '/slow']) unhealthy.push(await receivers.add(path));

  /** Paused while others are measured alone, so that both alternate. */
  async function setUnhealthy(status: 'ACTIVE' | 'PAUSED'): Promise<void> {
    for (const endpoint of unhealthy) await endpoint.become(status);
    if (status === 'PAUSED') return await delay(noticedMs);
    for (const endpoint of unhealthy) await endpoint.untilArrived(1);
  }

  log('Deliveries …');
  const size = count(perRound);
  await deliver([healthy], size);
  await setUnhealthy('PAUSED');
  for (const endpoint of unhealthy) await endpoint.announce(count(backlog));
  const rates = {
    floor: [] as number[],
    'one endpoint': [] as number[],
    'ten endpoints together': [] as number[],
    'one, alongside a hanging, a failing and a slow one': [] as number[],
  };
  for (let round = 1; round <= rounds; round++) {
    rates.floor.push(await receivers.floor(healthy, size));
    rates['one endpoint'].push(await deliver([healthy], size));
    rates['ten endpoints together'].push(await deliver(many, Math.ceil(size / endpointsTogether)));
    await setUnhealthy('ACTIVE');
    rates['one, alongside a hanging, a failing and a slow one'].push(
      await deliver([healthy], size),
    );
    await setUnhealthy('PAUSED');
    log(`  round ${round}: ${figure(rates['one endpoint'].at(-1) ?? 0)}/s`);
  }
  const alone = await paced(healthy, count(pace.count));
  await setUnhealthy('ACTIVE');
  const alongside = await paced(healthy, count(pace.count));
  await setUnhealthy('PAUSED');
  return [
    {
      title: 'Deliveries; the floor signs, sends and records each in one write, 8 at once',
      columns: ['', 'per second', 'share of floor'],
      rows: Object.entries(rates).map(([name, all]) => [
        name,
        median(all),
        median(all.map((rate, nth) => rate / (rates.floor[nth] ?? Number.NaN))),
      ]),
    },
    {
      title: `From an event to its arrival, ${pace.perSecond} a second`,
      columns: ['', 'p50 ms', 'p95 ms'],
      rows: [
        ['alone', alone.p50, alone.p95],
        ['alongside a hanging, a failing and a slow one', alongside.p50, alongside.p95],
      ],
    },
  ];
}

const rateOf = ({ count, elapsedMs }: Arrivals): number => (count * 1_000) / elapsedMs;

/** Deliveries per second of waiting events to healthy endpoints. */
async function deliver(endpoints: readonly Endpoint[], each: number): Promise<number> {
  for (const endpoint of endpoints) await endpoint.forget();
  await Promise.all(endpoints.map((endpoint) => endpoint.announce(each)));
  const seen = await Promise.all(endpoints.map((endpoint) => endpoint.untilArrived(each)));
  return seen.reduce((sum, one) => sum + rateOf(one), 0);
}

/** Sends events at a steady rate. @returns their delays */
async function paced(endpoint: Endpoint, count: number): Promise<Arrivals> {
  await endpoint.forget();
  for (let sent = 0; sent < count; sent++) {
    await endpoint.announce(1);
    await delay(1_000 / pace.perSecond);
  }
  return await endpoint.untilArrived(count);
}

/** The partners' receivers, in a process of their own. */
async function openReceivers({ service, openPartner }: Bench) {
  const { deps } = service;
  const { models } = deps;
  const receivers = startChild<ReceiverQuestion, Arrivals>('./webhook-receivers.ts');
  const { port } = await receivers.ask({ ask: 'PORT' });
  const url = `http://127.0.0.1:${port}`;

  async function untilArrived(path: string, count: number): Promise<Arrivals> {
    let seen = await receivers.ask({ ask: 'ARRIVED', path });
    await waitUntil(async () => {
      seen = await receivers.ask({ ask: 'ARRIVED', path });
      return seen.count >= count;
    }, `${count} webhooks arrive at ${path}`);
    return seen;
  }

  return {
    stop: receivers.stop,

    /** An endpoint, by default of a new partner. */
    async add(path: string, of?: string): Promise<Endpoint> {
      const partnerId = of ?? (await openPartner(`Receiver ${path}`)).partnerId;
      const { endpoint, secret } = await execute(deps, createWebhookEndpoint, system('seed'), {
        partnerId,
        mode: 'TEST',
        url: url + path,
        eventTypes: [everyEventType],
        description: '',
      });
      const forget = () => receivers.ask({ ask: 'FORGET', path });
      return {
        secret: shownSecret(secret),
        partnerId,
        endpointId: endpoint._id,
        forget,
        untilArrived: (count) => untilArrived(path, count),
        async announce(count) {
          for (let sent = 0; sent < count; sent += 500) {
            const length = Math.min(500, count - sent);
            await announce(
              models,
              Array.from({ length }, () => anEvent(partnerId)),
            );
          }
        },
        async become(status) {
          await forget();
          await models.webhookEndpoints.updateOne({ partnerId, _id: endpoint._id }, { status });
        },
      };
    },

    /** The least a delivery costs: signed, sent over a keep-alive connection, and recorded in one write. */
    async floor({ partnerId, secret, endpointId }: Endpoint, count: number): Promise<number> {
      const path = '/floor';
      await receivers.ask({ ask: 'FORGET', path });
      const rows = Array.from({ length: count }, () => ({
        ...deliveryOf(endpointId, anEvent(partnerId)),
        _id: newId('webhookDelivery'),
        state: 'DELIVERED' as const,
        nextTryAt: null,
      }));
      await models.webhookDeliveries.insertMany(rows);
      const key = webhookKey(secret);
      await pMap(
        rows,
        async ({ _id, eventId: id, body }) => {
          const headers = webhookHeaders({ id, body }, [key], Date.now() / 1_000);
          const response = await fetch(url + path, { method: 'POST', headers, body });
          await response.arrayBuffer();
          const deliveredAt = { $set: { deliveredAt: new Date() } };
          await models.webhookDeliveries.collection.updateOne(
            { partnerId, _id: _id as never },
            deliveredAt,
          );
        },
        { concurrency: atOnce },
      );
      return rateOf(await untilArrived(path, count));
    },
  };
}

function anEvent(partnerId: string): Announcement {
  return {
    type: 'reward.funded',
    partnerId,
    mode: 'TEST',
    at: new Date(),
    cause: newId('webhookEvent'),
    sequence: 1,
    rewardId: 'PNR_bench',
    data: webhookExamples['reward.funded'],
  };
}
