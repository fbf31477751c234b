import type { ExecutionContext } from 'ava';
import { followDecision } from '../../../models/rewards/reviews.ts';
import { dyingAfter, Killed, under } from '../../helpers/faults.ts';
import type { Database } from '../../helpers/processes.ts';
import { fates, maxWrites, type Scenario } from './hold-when-repeated.ts';
import { openStage, type Stage } from './stage.ts';

/**
 * Holds an activity against the engine's forgetting: it dies in its writes, and nobody calls
 * it again. What it had recorded by then is carried through by whoever starts the workflow next; what
 * it had not recorded has not happened.
 * @returns how many writes it does
 */
export async function holdsWhenForgotten(
  t: ExecutionContext,
  database: Database,
  scenario: Scenario,
): Promise<number> {
  const begun = await openStage(database);
  await scenario(begun);
  const before = await begun.stored();
  const undisturbed = await openStage(database);
  const counting = dyingAfter(maxWrites);
  const undisturbedCall = await scenario(undisturbed);
  await under(counting, () => undisturbed.call(undisturbedCall));
  const calm = await undisturbed.stored();
  t.notDeepEqual(calm, before, 'it writes something');

  for (const fate of fates()) {
    const [writes, lastIsDone] = [fate.writesLeft, fate.lastIsDone];
    const stage = await openStage(database);
    const call = await scenario(stage);
    await under(fate, () => stage.perform(stage.newProcess(), call)).catch((error: unknown) => {
      if (!fate.isDead && !(error instanceof Killed)) throw error;
    });
    await startAgain(database, stage);
    const isRecorded = writes > 0 || lastIsDone;
    const what = `died in write ${writes + 1}, done ${lastIsDone}`;
    t.deepEqual(await stage.stored(), isRecorded ? calm : before, what);
    if (!fate.isDead) break;
  }
  return maxWrites - counting.writesLeft;
}

/** What the sweep does with decided reviews, and the workflow of each reward first, when it is started again. */
async function startAgain({ models }: Database, { partnerId, call }: Stage): Promise<void> {
  const marked = { partnerId, pendingSince: { $exists: true } };
  for (const review of await models.reviews.find(marked).lean()) {
    await followDecision(models, review);
  }
  for (const { purchaseEventId } of await models.rewards.find({ partnerId }).lean()) {
    const ref = { partnerId, purchaseEventId };
    const reward = await call((activities) => activities.createReward(ref));
    if (reward.isPending) await call((activities) => activities.carryOutPending(ref));
  }
}
