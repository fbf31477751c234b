import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import test from 'ava';
import { webhookActivities } from '../../activities/webhooks.ts';
import { deliveryOf } from '../../models/webhooks/announce.ts';
import { removeEndpoint } from '../../models/webhooks/endpoints.ts';
import { createCredential } from '../../operations/credentials.ts';
import { newId } from '../../platform/ids.ts';
import { connectTemporal } from '../../temporal/connection.ts';
import { createTeller, type Teller } from '../../temporal/tell.ts';
import { startRelay } from '../../worker/relay.ts';
import { startCuttableProxy } from '../helpers/cuttable-proxy.ts';
import { eventually } from '../helpers/eventually.ts';
import { operate } from '../helpers/operate.ts';
import { Operator } from '../helpers/operator.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { startReceiver } from '../helpers/webhook-receiver.ts';

let service: OwnService;
let operator: Operator;
test.before(async () => {
  service = await startOwnService({}, { hasWorker: false });
  operator = new Operator(service, service.adminToken);
});
test.after.always(() => service?.stop());

/** Starts a relay while no worker runs. @param warn called with each of its warnings */
function startOwnRelay(
  wakeEndpoint: Teller['wakeEndpoint'] = async () => undefined,
  warn = () => undefined,
) {
  const none = async () => undefined;
  return startRelay({
    models: service.models,
    teller: { tell: none, wakeEndpoint, isAhead: async () => false, isReachable: async () => true },
    fund: none,
    tellOfRedemption: none,
    log: { warn, error: () => undefined },
  });
}

/** An endpoint with a number of pings to be delivered. */
async function endpointWithPings(count: number) {
  const receiver = await startReceiver();
  const partner = await service.partner();
  const { partnerId } = partner;
  const path = `/partners/${partnerId}/webhook-endpoints`;
  const { endpoint } = (await operator.post(path, { mode: 'TEST', url: receiver.url })).body;
  const ids: string[] = [];
  for (let sent = 0; sent < count; sent += 1) {
    ids.push((await operator.post(`${path}/${endpoint.id}/test`)).body.delivery.eventId);
  }
  const idsReceived = () => receiver.received.map(({ event }) => event.id as string);
  const delivered = () =>
    service.models.webhookDeliveries.countDocuments({ partnerId, state: 'DELIVERED' });
  return {
    receiver,
    partner,
    ref: { partnerId, endpointId: endpoint.id as string },
    ids,
    idsReceived,
    delivered,
  };
}

test.serial(
  'while Temporal is unreachable webhooks wait, and are delivered afterwards',
  async (t) => {
    await service.stopWorker();
    const { receiver, ids, idsReceived, delivered } = await endpointWithPings(2);
    t.teardown(() => receiver.stop());
    const { config } = service;
    const proxy = await startCuttableProxy(config.temporal.address);
    const behindProxy = { ...config.temporal, address: proxy.address };
    const client = connectTemporal(behindProxy);
    const { wakeEndpoint } = createTeller(client, config.temporal.taskQueue);
    let failures = 0;
    proxy.cut();
    const relay = startOwnRelay(wakeEndpoint, () => {
      failures += 1;
    });
    await eventually(async () => failures > 0, 'the relay cannot wake any workflow');
    t.is(await delivered(), 0);
    proxy.mend();
    await service.startWorker();
    await eventually(async () => (await delivered()) === ids.length, 'all pings are delivered');
    t.deepEqual(idsReceived().toSorted(), ids.toSorted());
    await relay.stop();
    await client.connection.close();
    await proxy.stop();
  },
);

test.serial('an endpoint that cannot be signalled does not hold up others', async (t) => {
  await service.stopWorker();
  const all = await Promise.all(Array.from({ length: 12 }, () => endpointWithPings(1)));
  t.teardown(() => Promise.all(all.map(({ receiver }) => receiver.stop())));
  const ids = all.map(({ ref }) => ref.endpointId);
  const stuck = ids.toSorted().slice(0, 3);
  const woken = new Set<string>();
  const relay = startOwnRelay(async ({ endpointId }) => {
    if (stuck.includes(endpointId)) throw new Error('the workflow cannot be signalled');
    woken.add(endpointId);
  });
  await t.notThrowsAsync(
    eventually(
      async () => ids.every((id) => stuck.includes(id) || woken.has(id)),
      'all other endpoints are woken',
    ),
  );
  await relay.stop();
});

test.serial('what is done without a worker is announced, and delivered later', async (t) => {
  await service.stopWorker();
  const { models, sealer } = service;
  const { receiver, partner } = await endpointWithPings(0);
  t.teardown(() => receiver.stop());
  const { partnerId, integrationId } = partner;
  const wish = {
    partnerId,
    integrationId,
    mode: 'TEST' as const,
    scopes: ['events:read' as const],
  };
  const made = await operate({ models, sealer, now: Date.now }, createCredential, wish);
  const of = { partnerId, type: 'credential.created', state: 'PENDING' } as const;
  t.is(await models.webhookDeliveries.countDocuments(of), 1);
  await service.startWorker();
  const isDelivered = async () =>
    receiver
      .of('credential.created')
      .some(({ event }) => event.data.credentialId === made.credential._id);
  await t.notThrowsAsync(eventually(isDelivered, 'the new key is told of'));
});

test.serial(
  'a worker killed in the middle of a batch loses no delivery, and sends none under another id',
  async (t) => {
    await service.stopWorker();
    const { receiver, ref, ids, idsReceived, delivered } = await endpointWithPings(12);
    t.teardown(() => receiver.stop());
    const { activityDeps, models } = service;
    let posted = 0;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const dying = webhookActivities({
      ...activityDeps,
      postWebhook: (target) => async (headers, body) => {
        const answer = await activityDeps.postWebhook(target)(headers, body);
        posted += 1;
        // As if the process died: from the fifth request on, no delivery is recorded.
        if (posted > 4) await released;
        return answer;
      },
    });
    const killed = new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') });
    const running = killed.run(() => dying.deliverWebhooks(ref)).catch(() => undefined);
    await eventually(
      async () => posted > 4 && (await delivered()) === 4,
      'the activity hangs after the fifth request',
    );
    // Its mark on the endpoint expires.
    await models.webhookEndpoints.updateOne(
      { _id: ref.endpointId },
      { $set: { deliveringUntil: new Date(0) } },
    );
    await service.startWorker();
    await eventually(async () => (await delivered()) === ids.length, 'all pings are delivered');
    t.deepEqual([...new Set(idsReceived())].toSorted(), ids.toSorted());
    t.true(
      idsReceived().length > ids.length,
      'a delivery that was sent but not recorded arrives twice',
    );
    killed.cancel();
    release();
    await running;
  },
);

test.serial('the backlog of a deleted endpoint is deleted a page at a time', async (t) => {
  await service.stopWorker();
  const { models } = service;
  const partnerId = newId('partner');
  const endpointId = newId('webhookEndpoint');
  const pings = Array.from({ length: 1_200 }, () =>
    deliveryOf(endpointId, {
      type: 'test.ping',
      partnerId,
      mode: 'TEST',
      at: new Date(),
      cause: newId('webhookEvent'),
      sequence: null,
      rewardId: null,
      data: { endpointId },
    }),
  );
  await models.webhookDeliveries.collection.insertMany(pings);
  await removeEndpoint(models, { partnerId, endpointId });
  t.true((await models.webhookDeliveries.countDocuments({ partnerId })) <= 200);
  const relay = startOwnRelay();
  t.teardown(() => relay.stop());
  await eventually(
    async () => (await models.webhookDeliveries.countDocuments({ partnerId })) === 0,
    'the relay deletes the rest',
  );
});
