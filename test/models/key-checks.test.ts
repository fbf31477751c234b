import { createSecretKey, randomBytes } from 'node:crypto';
import test from 'ava';
import { checkKeys, type StoredUnder } from '../../models/store/key-checks.ts';
import { ConfigError } from '../../platform/config.ts';
import { eventually } from '../helpers/eventually.ts';
import { startOwnProcess } from '../helpers/own-process.ts';
import { startOwnService } from '../helpers/own-service.ts';
import { takeDatabase } from '../helpers/test-database.ts';

const aKey = () => createSecretKey(randomBytes(32));
const own = { id: '2026', key: aKey() };
const newer = { id: '2027', key: aKey() };
const right: StoredUnder = { customerHashKey: aKey(), masterKeys: [own] };

test('a database is used with the keys that it was used with first', async (t) => {
  const { models, giveBack } = await takeDatabase();
  await checkKeys(models, right);
  await checkKeys(models, right);
  const refused = async (what: Partial<StoredUnder>, message: RegExp) => {
    const error = await t.throwsAsync(() => checkKeys(models, { ...right, ...what }));
    t.true(error instanceof ConfigError);
    t.regex(error?.message ?? '', message);
  };
  const kept = await models.keyChecks.find().sort({ _id: 1 });
  t.deepEqual(
    kept.map(({ _id }) => _id),
    ['CUSTOMER_HASH_KEY', 'MASTER_KEYS/2026'],
  );
  t.false(JSON.stringify(kept).includes(own.key.export().toString('base64url')));
  await refused({ customerHashKey: aKey() }, /^CUSTOMER_HASH_KEY has another key than this/);
  const changed = { ...own, key: aKey() };
  await refused({ masterKeys: [changed] }, /^MASTER_KEYS has another key under the id “2026”/);
  await refused({ masterKeys: [newer] }, /^MASTER_KEYS lacks the key “2026”/);
  t.deepEqual(await models.keyChecks.find().sort({ _id: 1 }), kept);

  const wrappedBy = { provider: 'vault', name: 'transit/events' } as const;
  const wrapped = { id: '2026', wrappedBy, wrapped: 'vault:v1:x' };
  await t.notThrowsAsync(() => checkKeys(models, { ...right, masterKeys: [wrapped] }));
  await t.notThrowsAsync(() => checkKeys(models, { ...right, masterKeys: [newer, own] }));
  await refused({ masterKeys: [own] }, /^MASTER_KEYS lacks the key “2027”/);
  await giveBack();
});

test('no process starts with another key: it ends, and its log names the variable', async (t) => {
  const service = await startOwnService();
  await checkKeys(service.models, service.config);
  const CUSTOMER_HASH_KEY = randomBytes(32).toString('base64');
  for (const entry of ['api/server.ts', 'portal/server.ts', 'worker/worker.ts']) {
    const child = startOwnProcess(service, [entry], { CUSTOMER_HASH_KEY });
    await eventually(async () => child.hasEnded(), `${entry} ends`);
    t.is(await child.end(), 1, entry);
    t.regex(child.output(), /CUSTOMER_HASH_KEY has another key than this database was used with/);
    t.notRegex(child.output(), /is listening/, entry);
  }
  await service.stop();
});
