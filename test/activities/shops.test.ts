import test from 'ava';
import type { ActivityDeps } from '../../activities/deps.ts';
import { shopActivities } from '../../activities/shops.ts';
import { usualEarns } from '../../domain/connections.ts';
import type { RepairRun } from '../../domain/shop-repair.ts';
import type { ConnectionDoc } from '../../models/schemas/connections.ts';
import { newId } from '../../platform/ids.ts';
import { asActivity, type Database, openDatabase } from '../helpers/processes.ts';

let database: Database;
test.before(async () => {
  database = await openDatabase();
});
test.after.always(() => database?.close());

const at = new Date('2026-06-30T12:00:00Z');

const connection = (change: Partial<ConnectionDoc> = {}): ConnectionDoc => ({
  _id: newId('connection'),
  partnerId: newId('partner'),
  integrationId: newId('integration'),
  mode: 'TEST',
  platform: 'STRIPE',
  shop: null,
  secrets: [],
  earns: usualEarns,
  seen: { deliveries: 0, purchases: 0, refunds: 0, repeats: 0, ignored: 0, refused: 0 },
  readKey: { sealed: 'sealed', savedAt: at },
  askAt: at,
  askedUpTo: null,
  repair: null,
  resumedAt: null,
  createdAt: at,
  pausedAt: null,
  endedAt: null,
  ...change,
});

test('the shops that are due are asked once each, and an error of ours holds up no other', async (t) => {
  const { models } = database;
  const due = Array.from({ length: 60 }, () => connection());
  const [broken] = due;
  const others = [
    connection({ askAt: new Date(at.getTime() + 1) }),
    connection({ askAt: null, readKey: null }),
    connection({ pausedAt: at }),
  ];
  await models.connections.create([...due, ...others]);
  const asked: string[] = [];
  const run: RepairRun = {
    startedAt: at,
    endedAt: at,
    since: at,
    asked: 2,
    missing: 1,
    reported: 1,
    findings: [],
    problem: null,
  };
  const deps: Pick<ActivityDeps, 'models' | 'repairConnection' | 'now'> = {
    models,
    now: () => at.getTime(),
    async repairConnection({ _id }, tell) {
      asked.push(_id);
      tell();
      if (_id === broken?._id) throw new Error('the key cannot be opened');
      await models.connections.updateOne({ _id }, { askAt: new Date(at.getTime() + 2) });
      return run;
    },
  };
  const { askShops } = shopActivities(deps);
  t.deepEqual(await asActivity('shops', askShops), {
    shops: 60,
    asked: 118,
    missing: 59,
    reported: 59,
    failed: 1,
  });
  t.deepEqual(asked.toSorted(), due.map(({ _id }) => _id).toSorted());
  const later = await models.connections.findOne({ _id: broken?._id ?? '' }).orFail();
  t.true((later.askAt?.getTime() ?? 0) > at.getTime());
});
