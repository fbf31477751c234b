import test from 'ava';
import mongoose from 'mongoose';
import { createModels } from '../../models/schemas/index.ts';
import { startAnotherApi } from '../helpers/another-api.ts';
import { aPurchase } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';

let service: Service;
test.before(async () => {
  service = await startService();
});
test.after.always(() => service?.stop());

test('a purchase is answered from one read and one insert, whoever the customer is', async (t) => {
  const asked: string[] = [];
  const uri = service.config.mongodbUri;
  const mongo = await mongoose
    .createConnection(uri, { monitorCommands: true, autoIndex: false, autoCreate: false })
    .asPromise();
  mongo.getClient().on('commandStarted', ({ commandName, command }) => {
    asked.push(`${commandName} ${command[commandName]}`);
  });
  const starter = { ...service.starter, begin: () => false };
  const { config } = service;
  // A key that is looked up once is known for as long as the test takes.
  const http = { ...config.http, credentialCacheMs: 3_600_000 };
  const changes = { models: createModels(mongo), starter, config: { ...config, http } };
  const api = await startAnotherApi(service, changes);
  const partner = (await service.partner()).changed(api);
  // The key, the rules, the rate limit's block of permits and the secret's last use are known by then.
  await partner.purchase(aPurchase());
  const costOf = async (purchase: object, idempotencyKey?: string): Promise<string[]> => {
    asked.length = 0;
    await partner.purchase(purchase, { ...(idempotencyKey && { idempotencyKey }) });
    return asked.filter((one) => !one.endsWith(' rate_limits'));
  };
  const answered = ['find order_events', 'insert order_events'];
  const customer = { email: 'new@private.example' };
  t.deepEqual(await costOf(aPurchase({ customer })), answered, 'a new customer');
  const known = aPurchase({ customer });
  t.deepEqual(await costOf(known, 'one-key'), answered, 'a known customer');
  // Its row of the log is written behind the answer, and may come before we look.
  const ofRetry = (await costOf(known, 'one-key')).filter(
    (one) => !one.endsWith(' integration_events'),
  );
  t.deepEqual(ofRetry, [], 'a retry, where it was answered');
  await api.stop();
  await mongo.close();
});
