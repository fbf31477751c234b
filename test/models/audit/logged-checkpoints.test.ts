import test from 'ava';
import type { Checkpoint } from '../../../models/audit/checkpoints.ts';
import type { LoggedCheckpoint } from '../../../models/audit/index.ts';
import { type Library, openLibrary, type TestBook } from './helpers/book.ts';

const check = 'log: each of its checkpoints is in the database';

let library: Library;
test.before(async () => {
  library = await openLibrary();
});
test.after.always(() => library?.close());

/** What audits wrote down of a book until now. */
const noted = ({ partnerId }: TestBook): Checkpoint[] =>
  library.noted.filter((one) => one.partnerId === partnerId);

async function* asLog(checkpoints: readonly Checkpoint[]): AsyncGenerator<LoggedCheckpoint> {
  for (const [index, checkpoint] of checkpoints.entries()) yield { line: index + 1, checkpoint };
}

/** What an audit that is given a log says about it. */
async function against(book: TestBook, checkpoints: readonly Checkpoint[]) {
  const { checks } = await book.audit({ logged: asLog(checkpoints) });
  const row = checks.find(({ name }) => name === check);
  return { lookedAt: row?.lookedAt, faults: row?.faults, culprits: row?.culprits.join('\n') ?? '' };
}

/** A book that two audits have seen. */
async function auditedTwice(): Promise<TestBook> {
  const book = library.book();
  await book.topUp(1);
  await book.audit();
  await book.topUp(2);
  await book.audit();
  return book;
}

test('each audit logs its checkpoints, and a later one finds all of them', async (t) => {
  const book = await auditedTwice();
  const lines = noted(book);
  t.deepEqual(
    lines.filter(({ account }) => account === 'funding').map(({ seq }) => seq),
    [1, 2],
  );
  t.deepEqual(await against(book, lines), { lookedAt: lines.length, faults: 0, culprits: '' });
  t.deepEqual(noted(book), lines, 'what has not moved is not written down again');
});

test('an older database in place of a newer one is found, although it is consistent', async (t) => {
  const book = library.book();
  const { partnerId } = book;
  await book.topUp(1);
  await book.audit();
  const { ledger, auditCheckpoints } = library.models;
  const backup = {
    entries: await ledger.find({ partnerId }).lean(),
    checkpoints: await auditCheckpoints.find({ partnerId }).lean(),
  };
  await book.topUp(2);
  await book.audit();
  const lines = noted(book);
  await ledger.deleteMany({ partnerId });
  await ledger.insertMany(backup.entries);
  await auditCheckpoints.deleteMany({ partnerId });
  await auditCheckpoints.insertMany(backup.checkpoints);
  // The operation of the second top-up aside, nothing within the database tells.
  const { checks } = await book.audit();
  const anchors = checks.find(({ name }) =>
    name.endsWith('what earlier audits saw is still there'),
  );
  t.is(anchors?.faults, 0);
  const behind = await against(book, lines);
  t.is(behind.faults, 2);
  t.regex(behind.culprits, /account funding, seq 2: the database has an older checkpoint, seq 1/);

  // Nor does it help to go on from there.
  await book.topUp(3);
  await book.topUp(4);
  await book.audit();
  const rewritten = await against(book, lines);
  t.is(rewritten.faults, 2);
  t.regex(rewritten.culprits, /account funding, seq 2: its posting is missing or different/);
});

test('a removed, replaced or changed checkpoint line is found and named', async (t) => {
  const book = await auditedTwice();
  const { partnerId } = book;
  const { auditCheckpoints } = library.models;
  const lines = noted(book);
  const ofFunding = { partnerId, account: 'funding' };
  const kept = await auditCheckpoints.findOne(ofFunding).lean().orFail();
  await auditCheckpoints.updateOne(ofFunding, { $set: { hash: 'another' } });
  const changed = await against(book, lines);
  t.regex(changed.culprits, /account funding, seq 2: the database has another checkpoint/);
  await auditCheckpoints.updateOne(ofFunding, { $set: { hash: kept.hash } });

  const forged = lines.map((one) => (one.seq === 2 ? { ...one, seq: 1 } : one));
  t.regex((await against(book, forged)).culprits, /no audit wrote this line/);
  const broken = [{ account: 'funding', partnerId } as unknown as Checkpoint];
  t.regex((await against(book, broken)).culprits, /line 1, .*: no audit wrote this line/);

  await library.models.ledger.deleteMany({ partnerId });
  await auditCheckpoints.deleteMany({ partnerId });
  const gone = await against(book, lines);
  t.is(gone.faults, lines.length);
  t.regex(gone.culprits, /the database has no checkpoint of this account/);
});

test('one partner’s ledger is compared only with that partner’s lines', async (t) => {
  const [book, other] = [await auditedTwice(), await auditedTwice()];
  await library.models.auditCheckpoints.deleteMany({ partnerId: other.partnerId });
  const { lookedAt, faults } = await against(book, [...noted(other), ...noted(book)]);
  t.is(faults, 0);
  t.is(lookedAt, noted(book).length);
});
