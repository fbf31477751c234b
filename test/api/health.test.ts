import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import test from 'ava';
import mongoose from 'mongoose';
import { due } from '../../domain/due.ts';
import { createModels } from '../../models/schemas/index.ts';
import { startAnotherAdminApi, startAnotherApi } from '../helpers/another-api.ts';
import { eventually } from '../helpers/eventually.ts';
import { overridden } from '../helpers/overridden.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { toReply } from '../helpers/partner-backend.ts';
import { openDatabase } from '../helpers/processes.ts';

let service: OwnService;

test.before(async () => {
  service = await startOwnService();
});
test.after.always(async () => await service.stop());

const get = async (url: string) => toReply(await fetch(url));

/** The same client, which calls `count` for every request to the server. */
function counted(client: Client, count: () => void): Client {
  const workflowService = new Proxy(client.workflowService, {
    get(target, name, receiver) {
      count();
      return Reflect.get(target, name, receiver);
    },
  });
  return overridden(client, { workflowService });
}

test.serial('each check of the servers runs at most once a second', async (t) => {
  let ofTemporal = 0;
  const ofMongodb = new Map<string, number>();
  const uri = service.config.mongodbUri;
  const mongo = await mongoose.createConnection(uri, { monitorCommands: true }).asPromise();
  mongo.getClient().on('commandStarted', ({ commandName }) => {
    ofMongodb.set(commandName, (ofMongodb.get(commandName) ?? 0) + 1);
  });
  const api = await startAnotherApi(service, {
    models: createModels(mongo),
    temporal: counted(service.temporal, () => ofTemporal++),
  });
  const startedAt = performance.now();
  for (let round = 0; round < 15; round++) {
    const paths = ['/healthz', '/readyz', '/statusz'].flatMap((path) => Array(4).fill(path));
    await Promise.all(paths.map((path) => get(api.baseUrl + path)));
    await delay(100);
  }
  const mostTimes = 1 + Math.floor((performance.now() - startedAt) / 1_000);
  t.true((ofMongodb.get('ping') ?? 0) >= 1);
  t.true((ofMongodb.get('ping') ?? 0) <= mostTimes, `${ofMongodb.get('ping')} pings`);
  t.true((ofMongodb.get('find') ?? 0) <= mostTimes, `${ofMongodb.get('find')} finds`);
  t.true(ofTemporal >= 2 && ofTemporal <= 2 * mostTimes, `${ofTemporal} calls to Temporal`);
  await api.stop();
  await mongo.close();
});

test.serial('a purchase that waits too long for its workflow shows only in /statusz', async (t) => {
  const database = await openDatabase();
  const { models } = database;
  const api = await startAnotherApi(service, { models });
  const waitsFor = async (ms: number) => {
    await models.orderEvents.collection.updateOne(
      { _id: 'evt_1' },
      { $set: { mode: 'TEST', due: due('START', new Date(Date.now() - ms)) } },
      { upsert: true },
    );
  };
  const status = (expected: Record<string, unknown>) =>
    eventually(
      async () => {
        const reply = await get(`${api.baseUrl}/statusz`);
        return Object.entries(expected).every(([name, is]) => reply.body[name] === is) && reply;
      },
      `/statusz returns ${JSON.stringify(expected)}`,
    );

  await waitsFor(30_000);
  t.is((await status({ status: 'ok', workflowsStart: true })).status, 200);
  await waitsFor(61_000);
  const others = { mongodb: true, temporal: true, worker: true };
  t.is((await status({ status: 'not ok', workflowsStart: false, ...others })).status, 503);
  await eventually(
    async () => (await get(`${api.baseUrl}/readyz`)).status === 200,
    '/readyz is 200',
  );
  await models.orderEvents.collection.deleteMany({});
  t.is((await status({ status: 'ok' })).status, 200);
  await api.stop();
  await database.close();
});

test.serial(
  'the operators’ /statusz reports whether approvals are on, off, or were off at any time; the partners’ does not',
  async (t) => {
    const database = await openDatabase();
    const { models } = database;
    const approvalsIf = async (isOn: boolean) => {
      const config = { ...service.config, approvals: { ...service.config.approvals, isOn } };
      const api = await startAnotherApi(service, { models, config });
      const admin = await startAnotherAdminApi(service, { models, config });
      const { body: partners } = await get(`${api.baseUrl}/statusz`);
      const { body } = await get(new URL('/statusz', admin.adminUrl).href);
      await Promise.all([api.stop(), admin.stop()]);
      t.false('approvals' in partners);
      return body.approvals;
    };
    t.is(await approvalsIf(true), 'ON');
    t.is(await approvalsIf(false), 'OFF');
    const at = new Date(0);
    await models.auditEntries.create({
      _id: 'aud_1',
      actorId: 'opr_1',
      approvedBy: null,
      isAlone: true,
      requestId: 'req_1',
      action: 'partner.top-up',
      partnerId: null,
      targetId: null,
      details: {},
      once: null,
      status: 'DONE',
      at,
      completedAt: at,
    });
    t.is(await approvalsIf(true), 'WERE_OFF');
    await database.close();
  },
);
