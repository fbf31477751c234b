import test from 'ava';
import { createLease } from '../../../models/store/leases.ts';
import { eventually } from '../../helpers/eventually.ts';
import { type Database, openDatabase } from '../../helpers/processes.ts';

/** Longer than a test takes. */
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
  const asked = await Promise.all([one.hold(), other.hold()]);
  t.deepEqual(asked.toSorted(), [false, true], 'asked for at once');
  const [holder, waiting] = asked[0] ? [one, other] : [other, one];
  t.true(await holder.hold());
  await waiting.release();
  t.false(await waiting.hold(), 'what is not its own it cannot give up');
  await holder.release();
  t.true(await waiting.hold());
  t.false(await holder.hold());
});

test('a lease expires when its holder stops renewing it', async (t) => {
  t.true(await lease(t.title, shortMs).hold());
  const next = lease(t.title);
  await eventually(() => next.hold(), 'the lease ends');
});

test('renewing a lease extends it', async (t) => {
  const held = lease(t.title, shortMs);
  t.true(await held.hold());
  // One that has ended may have been deleted already: on a slow machine before it is looked at.
  const endsAt = async () =>
    (await database.models.leases.findById(t.title))?.endsAt ?? new Date(0);
  const first = await endsAt();
  await eventually(async () => (await held.hold()) && (await endsAt()) > first, 'it is renewed');
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
    'the others asked too long ago',
  );
});

test('leases with different names are independent', async (t) => {
  t.true(await lease(`${t.title}, one`).hold());
  t.true(await lease(`${t.title}, the other`).hold());
});
