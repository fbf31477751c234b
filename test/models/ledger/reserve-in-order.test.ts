import test from 'ava';
import { reserveInOrder } from '../../../models/ledger/index.ts';
import { openStage } from '../../activities/helpers/stage.ts';
import { type Database, openDatabase } from '../../helpers/processes.ts';

let database: Database;
test.before(async () => {
  database = await openDatabase();
});
test.after.always(() => database?.close());

const at = new Date().toISOString();

test('money goes to the first in the queue; a reward behind others gets only what it already has', async (t) => {
  const stage = await openStage(database);
  await stage.rule();
  const queue = [];
  for (const _ of ['first', 'second']) {
    const begun = await stage.call(async (activities) =>
      activities.createReward(await stage.report(stage.purchase())),
    );
    const { reward } = await stage.call((activities) => activities.accountReward(begun, at));
    queue.push({ reward, at });
  }
  const [first, second] = queue;
  await stage.fund(first?.reward.liabilityCents ?? 0);
  const { ledger } = stage.newProcess();
  const nobody = { isFunded: false, entry: null };
  const behind = { isBehindOthers: true };
  t.deepEqual(await reserveInOrder(ledger, stage.wallet(), queue, behind), [nobody, nobody]);
  const reserved = await reserveInOrder(ledger, stage.wallet(), queue, { isBehindOthers: false });
  t.like(reserved[0], { isFunded: true, entry: { rewardId: first?.reward.rewardId } });
  t.deepEqual(reserved[1], nobody);
  t.not(first?.reward.rewardId, second?.reward.rewardId);
  const again = await reserveInOrder(ledger, stage.wallet(), queue, behind);
  t.is(again[0]?.entry?._id, reserved[0]?.entry?._id);
  t.true(again[0]?.isFunded);
  t.deepEqual(again[1], nobody);
});
