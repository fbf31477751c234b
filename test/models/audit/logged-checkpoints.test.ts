import test from 'ava';
import type { Checkpoint } from '../../../models/audit/checkpoints.ts';
import type { LoggedCheckpoint } from '../../../models/audit/index.ts';
import {
  type AuditDatabase,
  openAuditDatabase,
  type TestPartner,
} from './helpers/audit-database.ts';

const check = 'log: each of its checkpoints is in the database';

let database: AuditDatabase;
test.before(async () => {
  database = await openAuditDatabase();
});
test.after.always(() => database?.close());

/** The checkpoints of a partner that audits have logged so far. */
const loggedOf = ({ partnerId }: TestPartner): Checkpoint[] =>
  database.logged.filter((one) => one.partnerId === partnerId);

async function* asLog(checkpoints: readonly Checkpoint[]): AsyncGenerator<LoggedCheckpoint> {
  for (const [index, checkpoint] of checkpoints.entries()) yield { line: index + 1, checkpoint };
}

/** Audits a partner against a log of checkpoints. @returns the log's check */
async function auditAgainst(partner: TestPartner, checkpoints: readonly Checkpoint[]) {
  const { checks } = await partner.audit({ logged: asLog(checkpoints) });
  const row = checks.find(({ name }) => name === check);
  return { lookedAt: row?.lookedAt, faults: row?.faults, culprits: row?.culprits.join('\n') ?? '' };
}

async function auditedTwice(): Promise<TestPartner> {
  const partner = database.partner();
  await partner.topUp(1);
  await partner.audit();
  await partner.topUp(2);
  await partner.audit();
  return partner;
}

test('each audit logs its checkpoints, and a later one finds all of them', async (t) => {
  const partner = await auditedTwice();
  const lines = loggedOf(partner);
  t.deepEqual(
    lines.map(({ seq }) => seq),
    [1, 2],
  );
  t.deepEqual(await auditAgainst(partner, lines), {
    lookedAt: lines.length,
    faults: 0,
    culprits: '',
  });
  t.deepEqual(loggedOf(partner), lines, 'unchanged wallets are not logged again');
});

test('an older database in place of a newer one is found, although it is consistent', async (t) => {
  const partner = database.partner();
  const { partnerId } = partner;
  await partner.topUp(1);
  await partner.audit();
  const { ledger, wallets, auditCheckpoints } = database.models;
  const backup = {
    entries: await ledger.find({ partnerId }),
    wallets: await wallets.find({ partnerId }),
    checkpoints: await auditCheckpoints.find({ partnerId }),
  };
  await partner.topUp(2);
  await partner.audit();
  const lines = loggedOf(partner);
  await ledger.deleteMany({ partnerId });
  await ledger.insertMany(backup.entries);
  await wallets.deleteMany({ partnerId });
  await wallets.insertMany(backup.wallets);
  await auditCheckpoints.deleteMany({ partnerId });
  await auditCheckpoints.insertMany(backup.checkpoints);
  // Within the database, only the second top-up's audit entry reveals it.
  const { checks } = await partner.audit();
  const anchors = checks.find(({ name }) =>
    name.endsWith('what earlier audits saw is still there'),
  );
  t.is(anchors?.faults, 0);
  const behind = await auditAgainst(partner, lines);
  t.is(behind.faults, 1);
  t.regex(behind.culprits, /number 2: the database has an older checkpoint, number 1/);

  // Continuing from the older state does not hide it.
  await partner.topUp(3);
  await partner.topUp(4);
  await partner.audit();
  const rewritten = await auditAgainst(partner, lines);
  t.is(rewritten.faults, 1);
  t.regex(rewritten.culprits, /number 2: its entry is missing or different/);
});

test('a removed, replaced or changed checkpoint line is found and named', async (t) => {
  const partner = await auditedTwice();
  const { partnerId } = partner;
  const { auditCheckpoints } = database.models;
  const lines = loggedOf(partner);
  const ofFunding = { partnerId, walletId: partnerId };
  const kept = await auditCheckpoints.findOne(ofFunding).orFail();
  await auditCheckpoints.updateOne(ofFunding, { $set: { hash: 'another' } });
  const changed = await auditAgainst(partner, lines);
  t.regex(changed.culprits, /number 2: the database has another checkpoint/);
  await auditCheckpoints.updateOne(ofFunding, { $set: { hash: kept.hash } });

  const forged = lines.map((one) => (one.seq === 2 ? { ...one, seq: 1 } : one));
  t.regex((await auditAgainst(partner, forged)).culprits, /no audit wrote this line/);
  const broken = [{ walletId: partnerId, partnerId } as unknown as Checkpoint];
  t.regex((await auditAgainst(partner, broken)).culprits, /line 1, .*: no audit wrote this line/);

  await database.models.ledger.deleteMany({ partnerId });
  await auditCheckpoints.deleteMany({ partnerId });
  const gone = await auditAgainst(partner, lines);
  t.is(gone.faults, lines.length);
  t.regex(gone.culprits, /the database has no checkpoint of this wallet/);
});

test('one partner’s ledger is compared only with that partner’s lines', async (t) => {
  const [partner, other] = [await auditedTwice(), await auditedTwice()];
  await database.models.auditCheckpoints.deleteMany({ partnerId: other.partnerId });
  const { lookedAt, faults } = await auditAgainst(partner, [
    ...loggedOf(other),
    ...loggedOf(partner),
  ]);
  t.is(faults, 0);
  t.is(lookedAt, loggedOf(partner).length);
});
