import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { NativeConnection } from '@temporalio/worker';
import test from 'ava';
import { slowQueueOf } from '../../domain/workflow-names.ts';
import { createSendMessage, withShortTimeout } from '../../messaging/send-message.ts';
import { activityBacklogOf } from '../../temporal/task-queues.ts';
import { createWorkers, type Workers } from '../../worker/run.ts';
import { eventually } from '../helpers/eventually.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { type Town, townOf } from '../helpers/town.ts';

const sockets = new Set<Socket>();
let mailServer: Server;
let service: OwnService;
let town: Town;
let connection: NativeConnection;
let workers: Workers;
let running: Promise<void>;
test.before(async () => {
  // Accepts every connection, and never sends anything.
  mailServer = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
  }).listen(0, '127.0.0.1');
  await once(mailServer, 'listening');
  service = await startOwnService({}, { hasWorker: false });
  town = townOf(service);
  const { config, activityDeps } = service;
  const smtpUrl = `smtp://127.0.0.1:${(mailServer.address() as AddressInfo).port}`;
  const sendMessage = createSendMessage({ ...config, mail: { ...config.mail, smtpUrl } });
  const deps = { ...activityDeps, sendMessage, sendMessageAtOnce: withShortTimeout(sendMessage) };
  connection = await NativeConnection.connect({ address: config.temporal.address });
  // Fewer slots than emails: if emails used the general slots, nothing else would run.
  const limits = { activities: 4, localActivities: 4, slowActivities: 2, drainMs: 0 };
  workers = await createWorkers(config, deps, connection, [], limits);
  running = workers.run();
  service.startRelay();
});
test.after.always(async () => {
  await service?.stopRelay();
  workers?.shutdown();
  mailServer?.close();
  for (const socket of sockets) socket.destroy();
  await running;
  await connection?.close();
  await service?.stop();
});

test('a mail server that accepts connections and never responds delays only emails: refunds, claims and funding continue', async (t) => {
  const partner = await town.partner('LIVE', { fundingCents: 10_000_000 });
  const bought = await Promise.all(Array.from({ length: 40 }, () => town.funded(partner)));
  const { temporal, config } = service;
  const mailQueue = slowQueueOf(config.temporal.taskQueue, 'mail');
  await eventually(
    async () => (await activityBacklogOf(temporal, mailQueue)) > 20,
    'emails are waiting for a slot',
  );
  t.true(sockets.size > 0, 'the worker connected to the mail server');
  const answers = await Promise.all([
    ...bought.slice(0, 10).map((one) => town.refund(one)),
    ...bought.slice(10, 20).map((one) => town.claim(one)),
  ]);
  t.deepEqual(
    answers.map(({ status }) => status),
    [...Array(10).fill(201), ...Array(10).fill(200)],
  );
  await town.funded(partner);
  t.true((await activityBacklogOf(temporal, mailQueue)) > 0, 'emails are still waiting');
});
