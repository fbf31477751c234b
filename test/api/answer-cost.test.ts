import test from 'ava';
import mongoose from 'mongoose';
import { createModels } from '../../models/schemas/index.ts';
import { startAnotherApi } from '../helpers/another-api.ts';
import { aPurchase } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';

let service: Service;
test.before(async () => {
  service = await startService({ CREDENTIAL_CACHE_MS: '10000' });
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
  const api = await startAnotherApi(service, { models: createModels(mongo), starter });
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
  t.deepEqual(await costOf(known, 'one-key'), [], 'a retry, where it was answered');
  await api.stop();
  await mongo.close();
});
