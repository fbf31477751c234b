import { CompleteAsyncError } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import test from 'ava';
import { reviewActivities } from '../../activities/reviews.ts';
import { refundEventIdOf } from '../../platform/ids.ts';
import { type Database, openDatabase } from '../helpers/processes.ts';
import { openStage } from './helpers/stage.ts';

const logger = new DefaultLogger('ERROR');
const hourMs = 3_600_000;
let database: Database;
test.before(async () => {
  database = await openDatabase();
});
test.after.always(() => database?.close());

/** A claimed reward whose refund was recorded: it waits for its review to be opened. */
async function inReview() {
  const stage = await openStage(database);
  await stage.fund(1_000);
  await stage.rule();
  // Its order is not the first, which every stage has.
  await stage.begin(await stage.report(stage.purchase()));
  const reward = await stage.begin(await stage.report(stage.purchase()));
  await stage.process.move(reward, 'CLAIM');
  const { origin, request } = stage.refund(reward);
  for (const _ of ['first', 'again']) await stage.process.refund(origin, request);
  const refunded = await stage.reward(reward);
  if (!refunded.review) throw new Error('it is in review');
  return { stage, reward: refunded, review: refunded.review };
}

test('a review is opened with what the operators need, once', async (t) => {
  const { reward, review } = await inReview();
  const { partnerId, rewardId, mode, points, externalOrderId } = reward;
  const { reviewId, openedAt } = review;
  const stored = await database.models.reviews.find({ partnerId });
  t.is(stored.length, 1);
  t.like(stored[0], {
    _id: reviewId,
    partnerId,
    rewardId,
    mode,
    points,
    externalOrderId,
    refundEventId: refundEventIdOf(reviewId),
    status: 'OPEN',
    rounds: 1,
    decision: null,
    openedAt: new Date(openedAt),
    dueAt: new Date(Date.parse(openedAt) + 24 * hourMs),
  });
  t.regex(stored[0]?.workflowId ?? '', /^workflow /);
});

for (const [attempt, rounds] of [
  [1, 1],
  [2, 2],
  [3, 3],
] as const) {
  test(`a review is put to the operators once per attempt: ${attempt}`, async (t) => {
    const { reward, review } = await inReview();
    const { adminReview } = reviewActivities({ models: database.models });
    const environment = new MockActivityEnvironment({ attempt }, { logger });
    const waiting = environment.run(() => adminReview(reward, review));
    await t.throwsAsync(waiting, { instanceOf: CompleteAsyncError });
    const { partnerId } = reward;
    const stored = await database.models.reviews.findOne({ partnerId }).orFail();
    t.like(stored, { status: 'OPEN', rounds });
  });
}
