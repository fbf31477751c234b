import test from 'ava';
import { due } from '../../domain/due.ts';
import type { AuditRunDoc } from '../../models/schemas/audit.ts';
import { eraseUpTo } from '../../operations/customers.ts';
import {
  type AuditDatabase,
  openAuditDatabase,
  type TestPartner,
} from './helpers/audit-database.ts';

const oneRewardEach = 'purchases: one reward each';

let database: AuditDatabase;
test.before(async () => {
  database = await openAuditDatabase();
});
test.after.always(() => database?.close());

/** With this patience, a check that has to be repeated would hold up the test for an hour. */
const audit = (partner: TestPartner) => partner.audit({ patienceMs: 3_600_000 });

const rowOf = ({ checks }: AuditRunDoc, name: string) => checks.find((one) => one.name === name);

/** Records a purchase whose workflow is still to begin. @returns its event's id */
async function waitingPurchase(partner: TestPartner, at = new Date()): Promise<string> {
  const event = await partner.report(100);
  const { _id } = event;
  await database.models.orderEvents.updateOne({ _id }, { $set: { due: due('START', at) } });
  return _id;
}

test('work waiting to start is counted with the age of the oldest, and is no fault', async (t) => {
  const partner = database.partner();
  const waitingSince = new Date(Date.now() - 60_000);
  await waitingPurchase(partner);
  await waitingPurchase(partner, waitingSince);
  await waitingPurchase(partner);
  const run = await audit(partner);
  t.is(run.faults, 0, run.summary);
  t.like(rowOf(run, oneRewardEach), { faults: 0, waiting: 3, waitingSince });
  t.regex(run.summary, /^Clean.* Pending, which is not a fault: 3 of .*, the oldest for \d+ s\.$/);
});

test('an audit during erasures is clean', async (t) => {
  const { models } = database;
  const partner = database.partner();
  const { partnerId } = partner;
  const { customerId } = await partner.purchase(100);
  const _id = await waitingPurchase(partner);
  await models.orderEvents.updateOne({ _id }, { $set: { 'purchase.customerId': customerId } });
  const erasure = { partnerId, customerId, reference: 'asked for it' };
  await eraseUpTo({ models, now: Date.now }, erasure, new Date());
  const run = await audit(partner);
  t.is(run.faults, 0, run.summary);
});

test('a purchase that is neither to begin nor has a reward is a fault', async (t) => {
  const partner = database.partner();
  const _id = await waitingPurchase(partner);
  await database.models.orderEvents.updateOne({ _id }, { $set: { due: null } });
  const run = await partner.audit();
  const { faults, culprits = [] } = rowOf(run, oneRewardEach) ?? {};
  t.is(faults, 1);
  t.regex(culprits[0] ?? '', new RegExp(`${_id}.*does not exist`));
});
