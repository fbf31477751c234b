import type { ExecutionContext } from 'ava';
import { followDecision } from '../../../models/rewards/reviews.ts';
import { Killed, under } from '../../helpers/faults.ts';
import type { Database } from '../../helpers/processes.ts';
import { fates, type Scenario } from './assert-repeatable.ts';
import { openStage, type Stage } from './stage.ts';

/**
 * Asserts that the next run of the workflow completes an activity that died in any of its writes and is never
 * retried. If it died before recording anything, nothing has happened.
 * @param after everything stored after an undisturbed call
 */
export async function assertRecoverable(
  t: ExecutionContext,
  database: Database,
  scenario: Scenario,
  after: string[],
): Promise<void> {
  let before: string[] | undefined;
  for (const fate of fates()) {
    const [writes, lastIsDone] = [fate.writesLeft, fate.lastIsDone];
    const stage = await openStage(database);
    const call = await scenario(stage);
    before ??= await stage.stored();
    await under(fate, () => stage.perform(stage.newProcess(), call)).catch((error: unknown) => {
      if (!fate.isDead && !(error instanceof Killed)) throw error;
    });
    await restart(database, stage);
    const isRecorded = writes > 0 || lastIsDone;
    const what = `died in write ${writes + 1}, which was ${lastIsDone ? 'applied' : 'lost'}`;
    t.deepEqual(await stage.stored(), isRecorded ? after : before, what);
    if (!fate.isDead) break;
  }
  t.notDeepEqual(after, before, 'the activity writes something');
}

/** Does what the sweep does with decided reviews, and what each reward's workflow does first when it is restarted. */
async function restart({ models }: Database, { partnerId, call }: Stage): Promise<void> {
  const marked = { partnerId, pendingSince: { $exists: true } };
  for (const review of await models.reviews.find(marked)) {
    await followDecision(models, review);
  }
  for (const { purchaseEventId } of await models.rewards.find({ partnerId })) {
    const ref = { partnerId, purchaseEventId };
    const reward = await call((activities) => activities.createReward(ref));
    if (reward.isPending) await call((activities) => activities.carryOutPending(ref));
  }
}
