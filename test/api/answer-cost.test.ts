import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import mongoose from 'mongoose';
import { close, listen } from '../../http/listen.ts';
import { createCommit } from '../../models/commit.ts';
import { createModels } from '../../models/schemas/index.ts';
import { createLogger } from '../../platform/logger.ts';
import { createPortal } from '../../portal/app.ts';
import { startAnotherApi } from '../helpers/another-api.ts';
import { claimTokenOf } from '../helpers/claim-token.ts';
import { metering } from '../helpers/metering.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { aPurchase } from '../helpers/partner-backend.ts';
import { townOf } from '../helpers/town.ts';

let service: OwnService;
test.before(async () => {
  service = await startOwnService();
});
test.after.always(() => service?.stop());

/** The request log is written after the response, which can be before the test reads the commands. */
const withoutRequestLog = (commands: string[]) =>
  commands.filter((one) => !one.endsWith(' request_log'));

/** Starts an API and a portal of their own, and records the commands that they send to MongoDB. */
async function watchedApi(t: ExecutionContext) {
  const commands: string[] = [];
  const uri = service.config.mongodbUri;
  const mongo = await mongoose
    .createConnection(uri, { monitorCommands: true, autoIndex: false, autoCreate: false })
    .asPromise();
  mongo.getClient().on('commandStarted', ({ commandName, command }) => {
    commands.push(`${commandName} ${command[commandName]}`);
  });
  const { config, hashKey } = service;
  const models = createModels(mongo);
  const commit = createCommit({ models, hashKey, now: Date.now });
  const api = await startAnotherApi(service, {
    models,
    commit,
    // A key is looked up once and stays cached during the test.
    credentialCacheMs: 3_600_000,
  });
  const { sealer, sendMessage, messenger, temporal } = service;
  const portal = await listen(
    createPortal({
      config,
      models,
      commit,
      sealer,
      sendMessage,
      messenger,
      temporal,
      now: Date.now,
      log: createLogger('test', config.log),
      apiUrl: api.baseUrl,
    }).app,
    '127.0.0.1',
    0,
  );
  t.teardown(async () => {
    await api.stop();
    await close(portal);
    await mongo.close();
  });
  return {
    api,
    portalUrl: `http://127.0.0.1:${(portal.address() as AddressInfo).port}`,
    async costOf(work: () => Promise<unknown>): Promise<string[]> {
      commands.length = 0;
      await work();
      return commands.filter((one) => !one.endsWith(' rate_limits'));
    },
  };
}

test.serial(
  'a purchase costs one read and one insert, also for a returning customer',
  async (t) => {
    const { api, costOf } = await watchedApi(t);
    const partner = (await service.partner()).changed(api);
    // Warms the caches: the key, the rules, the rate limit's block, and the secret's last use.
    await partner.purchase(aPurchase());
    const expected = ['find order_events', 'insert order_events'];
    const customer = { email: 'new@private.example' };
    const first = await costOf(() => partner.purchase(aPurchase({ customer })));
    t.deepEqual(withoutRequestLog(first), expected, 'a new customer');
    const known = aPurchase({ customer });
    const send = () => partner.purchase(known, { idempotencyKey: 'one-key' });
    t.deepEqual(withoutRequestLog(await costOf(send)), expected, 'a known customer');
    t.deepEqual(withoutRequestLog(await costOf(send)), ['find order_events'], 'a retry');
  },
);

test.serial('a refund costs one read and one commit, its retry one read', async (t) => {
  const { api, costOf } = await watchedApi(t);
  const partner = (await service.partner()).changed(api);
  // Until it is funded, its workflow moves it too, and a refund that loses this race reads it again.
  const { externalOrderId } = await townOf(service).funded(partner);
  const send = () => partner.refund({ externalOrderId }, { idempotencyKey: 'one-refund' });
  t.deepEqual(withoutRequestLog(await costOf(send)), [
    'find order_events',
    'findAndModify wallets',
    'find rewards',
    'update wallets',
    'find webhook_endpoints',
    'insert ledger_transactions',
    'update rewards',
    'insert order_events',
    'commitTransaction 1',
  ]);
  t.deepEqual(withoutRequestLog(await costOf(send)), ['find order_events'], 'a retry');
});

test.serial('a claim costs one read and one commit, its repeat one read', async (t) => {
  const { api, portalUrl, costOf } = await watchedApi(t);
  const partner = (await service.partner()).changed(api);
  const { eventId } = await townOf(service).funded(partner);
  const token = await claimTokenOf(service, eventId);
  const claim = async () => {
    const headers = { Accept: 'application/json' };
    const { status } = await fetch(`${portalUrl}/claim/${token}`, { method: 'POST', headers });
    t.is(status, 200);
  };
  t.deepEqual(await costOf(claim), [
    'aggregate rewards',
    'hello 1',
    'findAndModify wallets',
    'find rewards',
    'find customer_balances',
    'update wallets',
    'find webhook_endpoints',
    'insert ledger_transactions',
    'update rewards',
    'update customer_balances',
    'commitTransaction 1',
  ]);
  t.deepEqual(await costOf(claim), ['aggregate rewards', 'hello 1']);
});

test.serial(
  'GET usage reads its figures in parallel, and published plans are rarely read',
  async (t) => {
    const { api, costOf } = await watchedApi(t);
    const partner = (await service.partner({ mode: 'LIVE' })).changed(api);
    const { partnerId } = partner;
    const fundedAt = new Date().toISOString();
    await metering(service).count(partnerId, 1, fundedAt);
    const get = async (name: string) => {
      const options = { method: 'GET', path: `/api/v1/partner/${name}`, idempotencyKey: undefined };
      const { status, text } = await partner.send(undefined, options);
      t.is(status, 200, text);
    };
    for (const name of ['plans', 'usage']) await get(name);
    const usage = await costOf(() => get('usage'));
    t.deepEqual(withoutRequestLog(usage).toSorted(), [
      'find order_events',
      'find usage_periods',
      'find usage_periods',
      'find usage_periods',
      'find wallets',
    ]);
    t.deepEqual(withoutRequestLog(await costOf(() => get('plans'))), []);
  },
);
