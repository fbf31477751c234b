import test from 'ava';
import { createPrincipals } from '../../api/principals.ts';
import { createLogger } from '../../platform/logger.ts';
import { type Service, startService } from '../helpers/service.ts';

let service: Service;
test.before(async () => {
  service = await startService();
});
test.after.always(() => service.stop());

/** A look-up that caches two keys, which do not expire during a test. */
function cachingTwoKeys() {
  const { config } = service;
  const log = createLogger('test', config.log);
  return createPrincipals({ ...service, log, now: Date.now, credentialCacheMs: 3_600_000 }, 2);
}

test('more concurrent unknown keys than the table holds are all refused as unknown', async (t) => {
  const { find } = cachingTwoKeys();
  const keys = Array.from({ length: 20 }, (_, index) => `pk_test_unknown${index}`);
  t.deepEqual(await Promise.all(keys.map(find)), Array(20).fill(null));
});

test('unknown keys do not evict a known one', async (t) => {
  const { find } = cachingTwoKeys();
  const { key } = await service.partner();
  const first = await find(key);
  t.truthy(first);
  for (const stranger of ['a', 'b', 'c', 'd']) t.is(await find(stranger), null);
  t.is(await find(key), first);
});

test('concurrent requests with one key share one look-up', async (t) => {
  const { find } = cachingTwoKeys();
  const { key } = await service.partner();
  const found = await Promise.all(Array.from({ length: 10 }, () => find(key)));
  t.is(new Set(found).size, 1);
});
