import test from 'ava';
import { openStates } from '../../../domain/reward.ts';
import { findOpenRewards, isUnchanged } from '../../../models/rewards/open-rewards.ts';
import { type Database, openDatabase } from '../../helpers/processes.ts';

const nowMs = Date.parse('2026-05-01T12:00:00Z');
const before = new Date(nowMs);
const upTo = 'PNR_9999';
const long = new Date(nowMs - 3_600_000);

let database: Database;
test.before(async () => {
  database = await openDatabase();
});
test.after.always(() => database?.close());

const numbered = (n: number): string => String(n).padStart(4, '0');

/** Stores 1,000 rewards, of which all but a few are final. */
async function fill(): Promise<void> {
  const states: Record<number, string> = {
    100: 'FUNDED',
    300: 'FUNDED',
    500: 'AWAITING_FUNDING',
    700: 'AWAITING_FUNDING',
    800: 'AWAITING_FUNDING',
    900: 'IN_REVIEW',
  };
  await database.models.rewards.collection.insertMany(
    Array.from({ length: 1_000 }, (_, n) => ({
      _id: `PNR_${numbered(n)}`,
      partnerId: n < 750 ? 'prt_1' : 'prt_2',
      purchaseEventId: `evt_${n}`,
      state: states[n] ?? 'EXPIRED',
      version: 1,
      updatedAt: n === 300 ? new Date(nowMs + 1) : long,
    })) as never[],
  );
}

test.serial(
  'open rewards are found page by page, without reading final or fresh ones',
  async (t) => {
    const { models } = database;
    await fill();
    const db = models.connection.db;
    await db?.command({ profile: 2 });
    const found: Record<string, string[]> = {};
    for (const list of openStates) {
      const ids: string[] = [];
      for (let after = ''; ; ) {
        const page = await findOpenRewards(models, list, { before, after, upTo, limit: 2 });
        if (page.length === 0) break;
        ids.push(...page.map(({ _id }) => _id));
        after = ids.at(-1) ?? '';
      }
      found[list] = ids;
    }
    t.deepEqual(found, {
      ACCEPTED: [],
      FUNDED: ['PNR_0100'],
      AWAITING_FUNDING: ['PNR_0500', 'PNR_0700', 'PNR_0800'],
      IN_REVIEW: ['PNR_0900'],
    });
    await db?.command({ profile: 0 });
    const reads = await db?.collection('system.profile').find({ op: 'query' }).toArray();
    t.true((reads ?? []).length >= 7);
    for (const { command, docsExamined = 0, keysExamined = 0 } of reads ?? []) {
      t.true(docsExamined <= 3 && keysExamined <= 4, JSON.stringify({ command, docsExamined }));
    }
  },
);

test.serial('a reward that has moved since it was found is not treated as lost', async (t) => {
  const { models } = database;
  const [reward] = await findOpenRewards(models, 'IN_REVIEW', {
    before,
    after: '',
    upTo,
    limit: 1,
  });
  if (!reward) return t.fail();
  t.true(await isUnchanged(models, reward));
  await models.rewards.updateOne({ _id: reward._id }, { $inc: { version: 1 } });
  t.false(await isUnchanged(models, reward));
});
