import test from 'ava';
import {
  type DeliveryState,
  type WebhookEventType,
  webhookExamples,
} from '../../../domain/webhooks.ts';
import type { WebhookDeliveryDoc, WebhookEndpointDoc } from '../../../models/schemas/webhooks.ts';
import { type DeliveryFilter, readDeliveries } from '../../../models/views/webhooks.ts';
import { deliveryOf } from '../../../models/webhooks/announce.ts';
import { newId } from '../../../platform/ids.ts';
import { takeDatabase } from '../../helpers/test-database.ts';

const partnerId = newId('partner');
const endpointId = newId('webhookEndpoint');
const endpoint = { _id: endpointId, partnerId } as WebhookEndpointDoc;
const dayMs = 86_400_000;
const oldestMs = Date.UTC(2026, 2, 1, 12);

function aDelivery(type: WebhookEventType, state: DeliveryState, atMs: number): WebhookDeliveryDoc {
  const made = deliveryOf(endpointId, {
    type,
    partnerId,
    mode: 'TEST',
    at: new Date(atMs),
    fact: newId('webhookEvent'),
    sequence: null,
    rewardId: null,
    data: webhookExamples[type],
  });
  const nextTryAt = state === 'PENDING' ? made.nextTryAt : null;
  return { ...made, state, nextTryAt };
}

test('a page of deliveries costs the same by event, state or day, however many there are', async (t) => {
  const { models, giveBack } = await takeDatabase();
  t.teardown(giveBack);
  const few = 5;
  const rare: [WebhookEventType, DeliveryState][] = [
    ['reward.funded', 'FAILED'],
    ['reward.funded', 'PENDING'],
    ['invoice.issued', 'DELIVERED'],
  ];
  // The matching deliveries are older than thousands of others.
  await models.webhookDeliveries.insertMany([
    ...rare.flatMap(([type, state]) =>
      Array.from({ length: few }, (_, nth) => aDelivery(type, state, oldestMs + nth)),
    ),
    ...Array.from({ length: 4_000 }, (_, nth) =>
      aDelivery('reward.funded', 'DELIVERED', oldestMs + dayMs + nth),
    ),
  ]);
  const { db } = models.connection;
  await db?.command({ profile: 2 });
  const found = async (filter: DeliveryFilter) =>
    (await readDeliveries({ models }, endpoint, filter, { limit: 25 })).items.length;
  t.is(await found({ state: 'FAILED' }), few);
  t.is(await found({ state: 'PENDING' }), few);
  t.is(await found({ type: 'invoice.issued' }), few);
  t.is(await found({ type: 'invoice.issued', state: 'DELIVERED' }), few);
  t.is(await found({ type: 'reward.funded', state: 'FAILED' }), few);
  t.is(await found({ fromDay: '2026-03-01', toDay: '2026-03-01' }), few * rare.length);
  t.is(await found({ fromDay: '2026-03-01', toDay: '2026-03-01', state: 'FAILED' }), few);
  t.is(await found({ state: 'DELIVERED' }), 25);
  await db?.command({ profile: 0 });
  const reads = await db
    ?.collection<{ docsExamined: number; keysExamined: number; command: object }>('system.profile')
    .find({ ns: /webhook_deliveries$/, 'command.find': { $exists: true } })
    .toArray();
  t.is(reads?.length, 8);
  for (const { docsExamined, keysExamined, command } of reads ?? []) {
    t.true(Math.max(docsExamined, keysExamined) <= 100, JSON.stringify(command));
  }
});
