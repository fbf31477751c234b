import { ApplicationFailure } from '@temporalio/common';
import test from 'ava';
import { eventually } from '../helpers/eventually.ts';
import {
  after,
  closeTheatre,
  dayMs,
  door,
  funded,
  inReview,
  openTheatre,
  review,
  stage,
  waiting,
} from './helpers/stage.ts';

/** The moments in which two things meet inside a purchase's workflow. */
test.before(openTheatre);
test.after.always(closeTheatre);

test('moves made while an earlier one is carried out follow it, and then the workflow closes', async (t) => {
  const carryOut = door();
  const scene = await stage(t, funded(), { carryOut });
  await scene.start();
  await scene.askedFor('offer');
  scene.move('CLAIM');
  await scene.signal('claimed');
  await carryOut.reached;
  scene.move('REFUND', { review });
  await scene.signal('refunded');
  carryOut.open();
  await scene.askedFor('review');
  scene.move('DISMISS');
  scene.completeReview();
  t.is(await scene.handle().result(), 'AVAILABLE');
});

test('a move without a signal is carried out when the workflow is started', async (t) => {
  const scene = await stage(t, after(funded(), 'CLAIM'));
  await scene.start();
  t.is(await scene.handle().result(), 'AVAILABLE');
  t.deepEqual(scene.asked, ['begin', 'carryOut']);
});

test('a signal that arrives with the start is handled after accounting', async (t) => {
  const scene = await stage(t, waiting());
  await scene.signal('funded');
  await scene.askedFor('carryOut');
  t.deepEqual(scene.asked, ['begin', 'carryOut']);
});

test('a customer is notified once per claim window', async (t) => {
  const scene = await stage(t, waiting());
  await scene.start();
  await scene.askedFor('begin');
  const fundedAt = new Date().toISOString();
  scene.move('FUND', { claimExpiresAt: new Date(Date.now() + dayMs).toISOString(), fundedAt });
  await scene.signal('funded');
  await scene.askedFor('offer');
  await scene.signal('funded');
  await scene.askedFor('carryOut', 2);
  scene.move('REFUND');
  await scene.signal('refunded');
  t.is(await scene.handle().result(), 'CANCELLED');
  t.is(scene.asked.filter((one) => one === 'offer').length, 1);
});

/** Money was put behind a LIVE reward weeks ago, and its window ends in so long. */
const longAgo = (untilEndMs: number) =>
  funded({
    mode: 'LIVE',
    fundedAt: new Date(Date.now() - 27 * dayMs).toISOString(),
    claimExpiresAt: new Date(Date.now() + untilEndMs).toISOString(),
  });

test('a customer who has not claimed is reminded once, three days before the window ends', async (t) => {
  const begin = door();
  const scene = await stage(t, longAgo(4 * dayMs), { begin });
  await scene.start();
  await begin.reached;
  scene.store(longAgo(3 * dayMs + 500));
  begin.open();
  await scene.askedFor('remind');
  await scene.signal('funded');
  await scene.askedFor('carryOut');
  scene.move('CLAIM');
  await scene.signal('claimed');
  t.is(await scene.handle().result(), 'AVAILABLE');
  t.is(scene.asked.filter((one) => one === 'remind').length, 1);
});

test('a run started after the reminder’s time sends none, and expires the reward', async (t) => {
  const scene = await stage(t, longAgo(1_000));
  await scene.start();
  t.is(await scene.handle().result(), 'EXPIRED');
  t.deepEqual(scene.asked, ['begin', 'carryOut']);
});

test('a claim window renewed while its timer fires continues', async (t) => {
  const carryOut = door();
  const soon = funded({ claimExpiresAt: new Date(Date.now() + 500).toISOString() });
  const scene = await stage(t, soon, { carryOut });
  await scene.start();
  await carryOut.reached;
  scene.store({ ...soon, claimExpiresAt: new Date(Date.now() + dayMs).toISOString() });
  carryOut.open();
  scene.move('REFUND');
  await scene.signal('refunded');
  t.is(await scene.handle().result(), 'CANCELLED');
});

test('a failed review shows in the current details, and is requested again', async (t) => {
  const scene = await stage(t, inReview());
  await scene.start();
  await scene.askedFor('review');
  scene.failReview();
  await eventually(async () => {
    const { currentDetails } = await scene
      .handle()
      .query<{ currentDetails: string }>('__temporal_workflow_metadata');
    return currentDetails.includes('The review failed');
  }, 'the current details say so');
  await scene.askedFor('review', 2);
  scene.move('UPHOLD');
  scene.completeReview();
  t.is(await scene.handle().result(), 'CANCELLED');
});

test('a customer who had claimed is notified once that points were taken back, before the workflow closes', async (t) => {
  const telling = door();
  const scene = await stage(t, inReview(), { 'take back SMS': telling });
  await scene.start();
  await scene.askedFor('review');
  scene.move('UPHOLD');
  scene.completeReview();
  await telling.reached;
  // What comes meanwhile is looked at.
  const looks = scene.asked.filter((one) => one === 'carryOut').length;
  await scene.signal('refunded');
  await scene.askedFor('carryOut', looks + 1);
  t.is((await scene.handle().describe()).status.name, 'RUNNING');
  telling.open();
  t.is(await scene.handle().result(), 'CANCELLED');
  const told = scene.asked.filter((one) => one.startsWith('take back'));
  t.deepEqual(told, ['take back EMAIL', 'take back SMS']);
});

test('a customer is not notified of points taken back if nothing was claimed, or an earlier run may have done so', async (t) => {
  const unclaimed = await stage(t, funded());
  await unclaimed.start();
  await unclaimed.askedFor('offer');
  unclaimed.move('REFUND');
  await unclaimed.signal('refunded');
  t.is(await unclaimed.handle().result(), 'CANCELLED');
  const again = await stage(t, after(inReview(), 'UPHOLD'));
  await again.signal('refunded');
  t.is(await again.handle().result(), 'CANCELLED');
  for (const { asked } of [unclaimed, again]) {
    t.false(asked.some((one) => one.startsWith('take back')));
  }
});

test('a customer who cannot be notified is noted as such, and the purchase continues', async (t) => {
  const noted: string[] = [];
  const scene = await stage(
    t,
    funded(),
    {},
    {
      async sendClaimLink() {
        throw ApplicationFailure.nonRetryable('there is no such address');
      },
      async noteUndelivered(_reward: unknown, channel: string) {
        noted.push(channel);
      },
    },
    { unsent: ['EMAIL'] },
  );
  await scene.start();
  await eventually(async () => noted.length > 0, 'it is noted');
  scene.move('CLAIM');
  await scene.signal('claimed');
  t.is(await scene.handle().result(), 'AVAILABLE');
  t.deepEqual([...new Set(noted)], ['EMAIL']);
});

/** So many events make the tests' server ask for a new run. */
const manyEvents = 500;

test('a large run continues as new in the same state, without losing or repeating a message', async (t) => {
  const scene = await stage(t, funded());
  const { firstExecutionRunId: runId } = await scene.start();
  await scene.askedFor('offer');
  for (let sent = 0; sent < manyEvents; sent += 100) {
    await Promise.all(Array.from({ length: 100 }, () => scene.signal('refunded')));
  }
  await eventually(
    async () => (await scene.handle().describe()).runId !== runId,
    'another run goes on',
  );
  scene.move('CLAIM');
  await scene.signal('claimed');
  t.is(await scene.handle().result(), 'AVAILABLE');
  t.is(scene.asked.filter((one) => one === 'offer').length, 1);
});

test('a large run first finishes notifying the customer of points taken back', async (t) => {
  const telling = door();
  const scene = await stage(t, inReview(), { 'take back EMAIL': telling });
  const { firstExecutionRunId: runId } = await scene.start();
  await scene.askedFor('review');
  scene.move('UPHOLD');
  scene.completeReview();
  await telling.reached;
  for (let sent = 0; sent < manyEvents; sent += 100) {
    await Promise.all(Array.from({ length: 100 }, () => scene.signal('refunded')));
  }
  telling.open();
  t.is(await scene.handle().result(), 'CANCELLED');
  t.is((await scene.handle().describe()).runId, runId);
});

test('the continued run shows the review to operators, and handles a signal sent meanwhile', async (t) => {
  const scene = await stage(t, inReview());
  await scene.start();
  await scene.askedFor('review');
  for (let sent = 0; sent < manyEvents; sent += 100) {
    await Promise.all(Array.from({ length: 100 }, () => scene.signal('refunded')));
  }
  await scene.askedFor('review', 2);
  scene.move('UPHOLD');
  await scene.signal('decided');
  t.is(await scene.handle().result(), 'CANCELLED');
});
