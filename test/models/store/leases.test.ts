import test from 'ava';
import { createLease } from '../../../models/store/leases.ts';
import { eventually } from '../../helpers/eventually.ts';
import { type Database, openDatabase } from '../../helpers/processes.ts';

/** Longer than any test takes. */
const longMs = 3_600_000;
const shortMs = 300;

let database: Database;
test.before(async () => {
  database = await openDatabase();
});
test.after.always(() => database?.close());

const lease = (name: string, leaseMs = longMs) => createLease(database.models, name, leaseMs);

test('one process holds a lease until it releases it', async (t) => {
  const [one, other] = [lease(t.title), lease(t.title)];
  const results = await Promise.all([one.hold(), other.hold()]);
  t.deepEqual(results.toSorted(), [false, true], 'concurrent requests');
  const [holder, waiting] = results[0] ? [one, other] : [other, one];
  t.true(await holder.hold());
  await waiting.release();
  t.false(await waiting.hold(), 'only the holder can release it');
  await holder.release();
  t.true(await waiting.hold());
  t.false(await holder.hold());
});

test('a lease expires when its holder stops renewing it', async (t) => {
  t.true(await lease(t.title, shortMs).hold());
  const next = lease(t.title);
  await eventually(() => next.hold(), 'the lease expires');
});

test('renewing a lease extends it', async (t) => {
  const held = lease(t.title, shortMs);
  t.true(await held.hold());
  // On a slow machine, an expired lease can be deleted before it is read.
  const endsAt = async () =>
    (await database.models.leases.findById(t.title))?.endsAt ?? new Date(0);
  const first = await endsAt();
  await eventually(
    async () => (await held.hold()) && (await endsAt()) > first,
    'the lease is renewed',
  );
});

test('each process knows the number of contenders, until one stops', async (t) => {
  const [one, other] = [lease(t.title), lease(t.title)];
  t.true(await one.hold());
  t.is(one.contenders(), 1);
  t.false(await other.hold());
  t.is(other.contenders(), 2);
  const third = lease(t.title, shortMs);
  await eventually(
    async () => !(await third.hold()) && third.contenders() === 1,
    'the other contenders are forgotten',
  );
});

test('leases with different names are independent', async (t) => {
  t.true(await lease(`${t.title}, one`).hold());
  t.true(await lease(`${t.title}, the other`).hold());
});
