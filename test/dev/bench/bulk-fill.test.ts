import test, { type ExecutionContext } from 'ava';
import { depsOf, hashKey } from '../../../dev/bench/portal-pages.ts';
import { createPurchaseWorld, type PurchaseWorld } from '../../../dev/bench/scale/world.ts';
import { createCheckpoints } from '../../../models/audit/checkpoints.ts';
import { runAudit } from '../../../models/audit/run.ts';
import type { PortalDeps } from '../../../portal/deps.ts';
import { takeDatabase } from '../../helpers/test-database.ts';

/** 30 purchases include every outcome, both modes and every shop. */
const [size, shops] = [30, 4];

async function filled(t: ExecutionContext, fill: (world: PurchaseWorld) => Promise<void>) {
  const { models, uri, giveBack } = await takeDatabase();
  t.teardown(giveBack);
  const deps = depsOf(models, uri);
  await fill(await createPurchaseWorld(deps, shops));
  return deps;
}

/**
 * A document as text, without what depends on when it was created: ids, hashes, times, sealed data, and its
 * place in a chain, which differs if refunds come later.
 */
function comparableOf(document: unknown): string {
  const isOfPlace = /^(seq|balanceAfter|day)$/;
  return JSON.stringify(document, (key, value) => (isOfPlace.test(key) ? '' : value))
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replaceAll(/[\w-]{16,}(\.[\w-]+)*/g, 'made');
}

async function allIn({ models }: PortalDeps) {
  const { orderEvents, rewards, integrationEvents, dataKeys } = models;
  const { ledger, testFunding, usageEntries } = models;
  const collections = [
    ...[orderEvents, rewards, integrationEvents, dataKeys],
    ...[ledger, testFunding, usageEntries],
  ];
  const stored = await Promise.all(
    collections.map(async ({ collection }) => {
      const documents = await collection.find().toArray();
      return [collection.name, documents.map(comparableOf).toSorted()] as const;
    }),
  );
  return Object.fromEntries(stored);
}

/** The newest balance of each account, without the ids in the account's name. */
async function balancesIn({ models: { ledger, testFunding, usageEntries } }: PortalDeps) {
  const found = await Promise.all(
    [ledger, testFunding, usageEntries].map(async ({ collection }) => {
      const newest = new Map<string, { seq: number; balanceAfter: number }>();
      for (const { partnerId, postings } of await collection.find({}).toArray()) {
        for (const { account, seq, balanceAfter } of postings) {
          const key = `${partnerId} ${account}`;
          if (seq > (newest.get(key)?.seq ?? 0)) newest.set(key, { seq, balanceAfter });
        }
      }
      return [...newest].map(([key, head]) => comparableOf(key) + Object.values(head)).toSorted();
    }),
  );
  return found;
}

test('bulk-filled data equals that of the API and the worker, and the audit finds no fault', async (t) => {
  const together = await filled(t, (world) => world.fill(0, size));
  const byOne = await filled(t, async (world) => {
    for (let nth = 0; nth < size; nth++) await world.fillOne(nth);
  });
  const [actual, expected] = [await allIn(together), await allIn(byOne)];
  for (const [collection, documents] of Object.entries(expected)) {
    t.true(documents.length > 0, collection);
    t.deepEqual(actual[collection], documents, collection);
  }
  t.deepEqual(await balancesIn(together), await balancesIn(byOne));

  const { models, ledger, usage } = together;
  const checkpoints = createCheckpoints(hashKey, async () => undefined);
  const audited = await runAudit({ models, ledger, usage, checkpoints });
  t.is(audited.faults, 0, audited.summary);
  t.true(audited.lookedAt > size);
});
