import { createSecretKey, randomBytes } from 'node:crypto';
import { dayMs } from '../domain/utc-days.ts';
import { integrationEventOf } from '../models/integration-events.ts';
import { buildIndexes, createModels, type Models } from '../models/schemas/index.ts';
import type { IntegrationEventDoc } from '../models/schemas/integration-event.ts';
import type { OrderEventDoc } from '../models/schemas/order-event.ts';
import { readLog } from '../models/views/events-log.ts';
import type { LogFilter, LogPlace } from '../models/views/log-filter.ts';
import { lookUp } from '../models/views/look-up.ts';
import { createRequestHashes } from '../platform/hashing.ts';
import { idAfter, newId } from '../platform/ids.ts';
import { connectMongo } from '../platform/mongo.ts';
import { measure, report, sizes } from './by-size.ts';

/**
 * `npm run bench:log`: what the log of requests and the look-up cost with 100 events and with 100,000,
 * or with as many as its arguments say; everything but HTTP and the page. Needs a MongoDB
 * (`MONGODB_URI`), writes into databases of its own, and drops them. It fails where the 95th percentile
 * of anything is above a tenth of a second.
 */
const pageRows = 50;
const batch = 5_000;
const days = 90;
const nowMs = Date.parse('2026-03-29T12:00:00.000Z');

const partnerId = newId('partner');
const anotherId = newId('partner');
const hashes = createRequestHashes(createSecretKey(randomBytes(32)));

for (const events of sizes) {
  const uri = new URL(
    process.env.MONGODB_URI ?? 'mongodb://127.0.0.1:27017/?directConnection=true',
  );
  uri.pathname = `/bench_log_${process.pid}_${events}`;
  const models = createModels(await connectMongo(uri.href));
  try {
    await buildIndexes(models);
    await fill(models, events);
    for (const [what, read] of readsOf(models, events)) await measure(what, read);
  } finally {
    await models.connection.dropDatabase();
    await models.connection.close();
  }
}
report();

/** Half of the events are the partner's that is asked about, spread over the days; a few are rare. */
async function fill(models: Models, events: number): Promise<void> {
  for (let from = 0; from < events; from += batch) {
    const length = Math.min(batch, events - from);
    const accepted = Array.from({ length }, (_, index) => anEvent(from + index, events));
    await models.orderEvents.collection.insertMany(accepted as never[], { ordered: false });
    await models.integrationEvents.collection.insertMany(
      accepted.map((event, index) => aRequest(event, from + index)) as never[],
      { ordered: false },
    );
  }
}

function anEvent(index: number, events: number): OrderEventDoc {
  const receivedAt = new Date(nowMs - Math.floor(((events - index) / events) * days * dayMs));
  const _id = newId('event', receivedAt.getTime());
  return {
    _id,
    partnerId: index % 2 === 0 ? partnerId : anotherId,
    integrationId: 'int_bench',
    credentialId: 'key_bench',
    mode: index % 10 < 7 ? 'LIVE' : 'TEST',
    type: 'PURCHASE',
    externalOrderId: `order-${index}`,
    idempotencyKeyHash: hashes.ofIdempotencyKey(`key-${index}`),
    payloadHash: _id,
    requestId: idAfter('request', _id),
    receivedAt,
    occurredAt: null,
    sealed: '',
    rewardId: idAfter('reward', _id),
    purchaseEventId: _id,
    workflowId: `order-${index}/LIVE/bench`,
    request: { method: 'POST', path: '/api/v1/partner/purchases', status: 201 },
    answer: '{}',
    purchase: null,
    externalRefundId: null,
    // The newest hundred wait for their workflow.
    ...(index >= events - 100 && { awaitsWorkflowSince: receivedAt }),
  };
}

/** One in a hundred is no accepted purchase; the rarest stand at the far end. */
function aRequest(event: OrderEventDoc, index: number): IntegrationEventDoc {
  const accepted = integrationEventOf(event, null);
  if (index < 4) return { ...accepted, mode: 'TEST', type: 'REFUND', code: 'TOO_MANY_REFUNDS' };
  if (index % 100 === 0) return { ...accepted, code: 'REPLAYED' };
  return accepted;
}

type Read = () => Promise<unknown>;

function readsOf(models: Models, events: number): [what: string, read: Read][] {
  const old = newId('integrationEvent', Math.round(nowMs - days * dayMs * 0.99));
  const log =
    (filter: Omit<LogFilter, 'partnerId'>, place?: LogPlace, of: string | null = partnerId) =>
    () =>
      readLog(models, { partnerId: of, ...filter }, pageRows, place);
  const find =
    (text: string, of: string | null = partnerId) =>
    () =>
      lookUp({ models, hashes }, of, text);
  const rare = { mode: 'TEST', type: 'REFUND', code: 'TOO_MANY_REFUNDS' } as const;
  const middle = 2 * Math.floor(events / 4);
  return [
    ['log, first page', log({})],
    ['log, a page near its end', log({}, { olderThan: old })],
    ['log, back from there', log({}, { newerThan: old })],
    ['log of one mode', log({ mode: 'TEST' })],
    ['log of one type, rare', log({ type: 'REFUND' })],
    ['log of one code, rare', log({ code: 'TOO_MANY_REFUNDS' })],
    ['log of mode, type and code, rare', log(rare)],
    ['log of an order', log({ externalOrderId: `order-${middle}` })],
    ['log of a day', log({ fromDay: '2026-01-15', toDay: '2026-01-15' })],
    ['log of days, mode and code', log({ ...rare, fromDay: '2026-01-01', toDay: '2026-02-15' })],
    ['log of all partners', log({}, undefined, null)],
    ['log of all partners, rare code', log({ code: 'TOO_MANY_REFUNDS' }, undefined, null)],
    ['look-up by order', find(`order-${middle}`)],
    ['look-up by Idempotency-Key', find(`key-${middle}`)],
    ['look-up by event', find(newId('event'))],
    ['look-up by request, all partners', find(newId('request'), null)],
    ['look-up of nothing', find('no such thing')],
  ];
}
