import { setTimeout as delay } from 'node:timers/promises';
import { NativeConnection } from '@temporalio/worker';
import test from 'ava';
import type { Message } from '../../messaging/message.ts';
import { workerCommand } from '../../worker/command.ts';
import { createWorkers } from '../../worker/run.ts';
import { type CuttableProxy, startCuttableProxy } from '../helpers/cuttable-proxy.ts';
import { eventually } from '../helpers/eventually.ts';
import { startOwnProcess } from '../helpers/own-process.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { aPurchase } from '../helpers/partner-backend.ts';

const drainMs = 2_000;
/** Long enough for the slowest machine: the tests assert that the worker stops, not when. */
const stopPatienceMs = 300_000;

let service: OwnService;
let proxy: CuttableProxy;
let connection: NativeConnection;
test.before(async () => {
  service = await startOwnService({}, { workerLimits: { drainMs }, hasWorker: false });
  proxy = await startCuttableProxy(service.config.temporal.address);
  connection = await NativeConnection.connect({ address: service.config.temporal.address });
});
test.after.always(async () => {
  await service?.stop();
  await connection?.close();
  await proxy?.stop();
});

/** Starts a purchase's workflow, because no relay runs here. */
async function begin(eventId: string): Promise<void> {
  const event = await service.models.orderEvents.findById(eventId).orFail();
  await service.messenger.startPurchase(event);
}

test.serial('a worker told to stop finishes its current activity', async (t) => {
  let begun = 0;
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const sent: Message[] = [];
  const sendMessage = async (mail: Message): Promise<void> => {
    begun += 1;
    await released;
    sent.push(mail);
  };
  const sendMessageAtOnce = async (): Promise<never> => {
    throw new Error('not now');
  };
  const deps = { ...service.activityDeps, sendMessage, sendMessageAtOnce };
  // Long enough for the slowest machine to finish after the email is sent.
  const limits = { drainMs: stopPatienceMs };
  const workers = await createWorkers(service.config, deps, connection, [], limits);
  const running = workers.run();
  const partner = await service.partner();
  const { body } = await partner.purchase();
  await begin(body.eventId);
  await eventually(async () => begun === 1, 'an email is being sent');

  workers.shutdown();
  await delay(drainMs / 4);
  release();
  await running;
  t.is(sent.length, 1);
  const { workflowId } = await service.models.orderEvents.findById(body.eventId).orFail();
  const { events } = await service.temporal.workflow.getHandle(workflowId).fetchHistory();
  const completed = (events ?? []).flatMap(
    ({ activityTaskCompletedEventAttributes: one }) => one?.result?.payloads?.[0]?.data ?? [],
  );
  const results = completed.map((data) => Buffer.from(data).toString());
  t.true(results.includes('"SENT"'), `Temporal should have the result: ${results}`);
});

test.serial('a worker stops even if purchases keep failing to start', async (t) => {
  let tried = 0;
  const commit = async (): Promise<never> => {
    tried += 1;
    throw new Error('the database is down');
  };
  const workers = await createWorkers(
    service.config,
    { ...service.activityDeps, commit },
    connection,
    [],
    { drainMs },
  );
  const running = workers.run();
  const partner = await service.partner();
  const purchase = aPurchase();
  const { body } = await partner.purchase(purchase);
  await begin(body.eventId);
  await eventually(async () => tried > 2, 'the workflow retries the purchase');
  workers.shutdown();
  const ended = await Promise.race([
    running.then(() => 'ended'),
    delay(stopPatienceMs, 'hangs', { ref: false }),
  ]);
  t.is(ended, 'ended');
  // The workflow's own timers make the retries: a retry by the SDK could panic once the worker is gone.
  const { workflowId } = await service.models.orderEvents.findById(body.eventId).orFail();
  const { events } = await service.temporal.workflow.getHandle(workflowId).fetchHistory();
  const timers = (events ?? []).filter((one) => one.timerStartedEventAttributes).length;
  t.true(timers >= tried - 1, `${timers} timers for ${tried} attempts`);

  await service.startWorker();
  const { externalOrderId } = await service.rewardOf(body.reward.id);
  t.is(externalOrderId, purchase.externalOrderId);
  await service.stopWorker();
});

test.serial(
  'API and worker exit with 0 while Temporal is unreachable, and finish the current request',
  async (t) => {
    const env = { TEMPORAL_ADDRESS: proxy.address };
    const api = startOwnProcess(service, ['api/server.ts'], {
      ...env,
      METRICS_PORT: '0',
    });
    const worker = startOwnProcess(service, workerCommand, env);
    const baseUrl = await api.address('API is listening');
    const metricsUrl = await api.address('metrics are served');
    const output = () => api.output() + worker.output();
    await eventually(async () => {
      if (api.hasEnded() || worker.hasEnded()) throw new Error(output());
      return (await fetch(`${baseUrl}/statusz`).catch(() => undefined))?.ok;
    }, 'the service is ready');

    const partner = (await service.partner()).changed({ baseUrl });
    const purchase = aPurchase();
    const { externalOrderId } = purchase;
    const sent = { idempotencyKey: externalOrderId };
    await eventually(
      async () => (await partner.purchase(purchase, sent)).status === 201,
      'the purchase is answered',
    );
    proxy.cut();
    const isAnswered = new AbortController();
    const asked = partner
      .refund({ externalOrderId })
      .catch(() => undefined)
      .finally(() => isAnswered.abort());
    await eventually(async () => {
      const metrics = await fetch(`${metricsUrl}/metrics`);
      const isUnderWay = /^partner_events_requests_in_flight [1-9]/m.test(await metrics.text());
      return isUnderWay || isAnswered.signal.aborted;
    }, 'the request is in flight');
    t.deepEqual(await Promise.all([api.end(), worker.end()]), [0, 0], output());
    t.is((await asked)?.status, 201, 'the request in flight is answered');
    t.notRegex(output(), /uncaught|unhandled|gave up waiting/i);
  },
);
