import test from 'ava';
import { deliveryOf } from '../../../models/webhooks/announce.ts';
import { readWebhookFigures } from '../../../models/webhooks/endpoints.ts';
import { newId } from '../../../platform/ids.ts';
import { takeDatabase } from '../../helpers/test-database.ts';

const nowMs = Date.parse('2026-05-01T12:00:00Z');
const secondsAgo = (seconds: number) => new Date(nowMs - seconds * 1_000);

test('webhook figures count endpoints, and report how long due deliveries wait for a worker', async (t) => {
  const { models, giveBack } = await takeDatabase();
  t.teardown(giveBack);
  let slot = 0;
  const endpoint = async (more: object, dueSeconds?: number) => {
    slot += 1;
    const made = { _id: newId('webhookEndpoint'), partnerId: newId('partner'), slot };
    await models.webhookEndpoints.create({
      ...made,
      mode: 'TEST',
      url: 'https://shop.example/',
      eventTypes: ['*'],
      secrets: [],
      status: 'ACTIVE',
      createdAt: secondsAgo(9_000),
      updatedAt: secondsAgo(9_000),
      ...more,
    });
    if (dueSeconds === undefined) return;
    const fact = {
      type: 'test.ping',
      mode: 'TEST',
      sequence: null,
      rewardId: null,
      data: {},
    } as const;
    const { _id, partnerId } = made;
    const at = secondsAgo(dueSeconds);
    const delivery = deliveryOf(_id, { ...fact, partnerId, at, fact: _id });
    await models.webhookDeliveries.create({ ...delivery, nextTryAt: at });
  };
  const figures = () => readWebhookFigures(models, nowMs);
  t.deepEqual(await figures(), {
    endpoints: { well: 0, failing: 0, paused: 0, disabled: 0 },
    waitingMs: 0,
  });

  await endpoint({});
  await endpoint({ status: 'PAUSED' }, 900);
  await endpoint({ status: 'DISABLED' }, 900);
  await endpoint({ status: 'LISTENING', listenUntil: secondsAgo(-60) }, 900);
  await endpoint({ userId: newId('user') }, 3);
  await endpoint({ deliveringUntil: secondsAgo(-20) }, 900);
  await endpoint({ failingSince: secondsAgo(800), deliveringUntil: secondsAgo(7) }, 900);
  const endpoints = { well: 2, failing: 1, paused: 1, disabled: 1 };
  t.deepEqual(
    await figures(),
    { endpoints, waitingMs: 7_000 },
    'counted from the expiry of the abandoned batch',
  );
  await endpoint({}, 11);
  t.deepEqual(await figures(), { endpoints: { ...endpoints, well: 3 }, waitingMs: 11_000 });
  await endpoint({}, -30);
  t.is((await figures()).waitingMs, 11_000, 'a delivery that is due later is not counted');
});
