import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import test from 'ava';
import { slowQueueOf } from '../../domain/workflow-names.ts';
import { activityBacklogOf } from '../../temporal/task-queues.ts';
import { workerCommand } from '../../worker/command.ts';
import { eventually } from '../helpers/eventually.ts';
import { type OwnProcess, startOwnProcess } from '../helpers/own-process.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { createScene, type Scene } from '../workflows/helpers/scene.ts';

const sockets = new Set<Socket>();
let mailServer: Server;
let service: OwnService;
let scene: Scene;
let worker: OwnProcess;
test.before(async () => {
  // Accepts every connection, and never sends anything.
  mailServer = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
  }).listen(0, '127.0.0.1');
  await once(mailServer, 'listening');
  service = await startOwnService({}, { hasWorker: false });
  scene = createScene(service);
  worker = startOwnProcess(service, workerCommand, {
    SMTP_URL: `smtp://127.0.0.1:${(mailServer.address() as AddressInfo).port}`,
    // Fewer slots than emails: if emails used the general slots, nothing else would run.
    WORKER_MAX_ACTIVITIES: '4',
    WORKER_MAX_LOCAL_ACTIVITIES: '4',
    WORKER_MAX_SLOW_ACTIVITIES: '2',
  });
});
test.after.always(async () => {
  await worker?.end();
  await service?.stop();
  for (const socket of sockets) socket.destroy();
  mailServer?.close();
});

test('a mail server that accepts connections and never responds delays only emails: refunds, claims and funding continue', async (t) => {
  t.teardown(() => {
    if (!t.passed) t.log(worker.output());
  });
  const partner = await scene.partner('LIVE', { fundingCents: 10_000_000 });
  const bought = await Promise.all(Array.from({ length: 40 }, () => scene.funded(partner)));
  const { temporal, config } = service;
  const mailQueue = slowQueueOf(config.temporal.taskQueue, 'mail');
  await eventually(
    async () => (await activityBacklogOf(temporal, mailQueue)) > 20,
    'emails are waiting for a slot',
  );
  t.true(sockets.size > 0, 'the worker connected to the mail server');
  const answers = await Promise.all([
    ...bought.slice(0, 10).map((one) => scene.refund(one)),
    ...bought.slice(10, 20).map((one) => scene.claim(one)),
  ]);
  t.deepEqual(
    answers.map(({ status }) => status),
    [...Array(10).fill(201), ...Array(10).fill(200)],
  );
  await scene.funded(partner);
  t.true((await activityBacklogOf(temporal, mailQueue)) > 0, 'emails are still waiting');
});
