import { ApplicationFailure } from '@temporalio/common';
import test from 'ava';
import { suggestedAfterEvents } from '../../dev/throwaway-servers.ts';
import { eventually } from '../helpers/eventually.ts';
import {
  after,
  connect,
  dayMs,
  disconnect,
  funded,
  gate,
  inReview,
  isolatedWorkflow,
  review,
  waiting,
} from './helpers/isolated-workflow.ts';

test.before(connect);
test.after.always(disconnect);

test('a move made during a step is told again and follows it, and then the workflow closes', async (t) => {
  const look = gate();
  const workflow = await isolatedWorkflow(t, funded(), { look });
  await workflow.start();
  await workflow.called('offer');
  workflow.move('CLAIM');
  await workflow.signal('claimed');
  await look.reached;
  workflow.move('REFUND', { review });
  await workflow.signal('refunded');
  look.open();
  await workflow.called('review');
  workflow.move('DISMISS');
  workflow.completeReview();
  t.is(await workflow.handle().result(), 'AVAILABLE');
});

test('a move without a signal is found when the workflow is started', async (t) => {
  const workflow = await isolatedWorkflow(t, after(funded(), 'CLAIM'));
  await workflow.start();
  t.is(await workflow.handle().result(), 'AVAILABLE');
  t.deepEqual(workflow.calls, ['begin']);
});

test('a partner whose reward waits first for funds is told once', async (t) => {
  const notice = { missingCents: 99, lowBalanceCents: null };
  const workflow = await isolatedWorkflow(t, { ...waiting(), fundingNotice: notice });
  await workflow.start();
  await workflow.called('tell partner');
  workflow.move('REFUND');
  await workflow.signal('refunded');
  t.is(await workflow.handle().result(), 'CANCELLED');
  t.is(workflow.calls.filter((one) => one === 'tell partner').length, 1);
});

test('a customer is notified once per claim window', async (t) => {
  const workflow = await isolatedWorkflow(t, waiting());
  await workflow.start();
  await workflow.called('begin');
  const fundedAt = new Date().toISOString();
  workflow.move('FUND', { claimExpiresAt: new Date(Date.now() + dayMs).toISOString(), fundedAt });
  await workflow.signal('funded');
  await workflow.called('offer');
  const timesLooked = () => workflow.calls.filter((one) => one === 'look').length;
  const before = timesLooked();
  // A signal during a step is forgotten; the relay signals again.
  const signalAgain = async () => {
    await workflow.signal('funded');
    return timesLooked() > before;
  };
  await eventually(signalAgain, 'it looks again');
  workflow.move('REFUND');
  await workflow.signal('refunded');
  t.is(await workflow.handle().result(), 'CANCELLED');
  t.is(workflow.calls.filter((one) => one === 'offer').length, 1);
});

test('a customer is told of points on hold at once, and gets the claim link when the hold is over', async (t) => {
  const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
  const workflow = await isolatedWorkflow(t, funded({ claimableFrom: inMs(dayMs) }));
  await workflow.start();
  await workflow.called('tell of the hold');
  workflow.store({ ...workflow.reward, claimableFrom: inMs(1_000) });
  await workflow.signal('refunded');
  await workflow.called('offer');
  const { calls } = workflow;
  t.true(calls.indexOf('mature') < calls.indexOf('offer'));
  t.is(calls.filter((one) => one === 'tell of the hold').length, 1);
  workflow.move('CLAIM');
  await workflow.signal('claimed');
  t.is(await workflow.handle().result(), 'AVAILABLE');
});

test('a hold that ends early is followed by the claim link at once', async (t) => {
  const claimableFrom = new Date(Date.now() + dayMs).toISOString();
  const workflow = await isolatedWorkflow(t, funded({ claimableFrom }));
  await workflow.start();
  await workflow.called('tell of the hold');
  const now = new Date().toISOString();
  workflow.move('MATURE', { claimableFrom: now });
  await workflow.signal('matured');
  await workflow.called('offer');
  workflow.move('EXPIRE');
  await workflow.signal('expired');
  t.is(await workflow.handle().result(), 'EXPIRED');
});

test('a review that is left to a policy is put to no operator, and ends at its time', async (t) => {
  const upholdsAt = new Date(Date.now() + 1_000).toISOString();
  const left = inReview({ review: { ...review, policy: { policyId: 'pol_1', upholdsAt } } });
  const workflow = await isolatedWorkflow(t, left);
  await workflow.start();
  t.is(await workflow.handle().result(), 'CANCELLED');
  t.false(workflow.calls.includes('review'));
});

test('a review that a policy put to operators waits for them', async (t) => {
  const upholdsAt = new Date(Date.now() + dayMs).toISOString();
  const left = inReview({ review: { ...review, policy: { policyId: 'pol_1', upholdsAt } } });
  const workflow = await isolatedWorkflow(t, left);
  await workflow.start();
  await workflow.called('begin');
  t.false(workflow.calls.includes('review'));
  workflow.store(inReview({ ...workflow.reward, review }));
  await workflow.signal('refunded');
  await workflow.called('review');
  workflow.move('DISMISS');
  workflow.completeReview();
  t.is(await workflow.handle().result(), 'AVAILABLE');
});

test('a refund during the hold ends the workflow, and no claim link is sent', async (t) => {
  const claimableFrom = new Date(Date.now() + dayMs).toISOString();
  const workflow = await isolatedWorkflow(t, funded({ claimableFrom }));
  await workflow.start();
  await workflow.called('tell of the hold');
  workflow.move('REFUND');
  await workflow.signal('refunded');
  t.is(await workflow.handle().result(), 'CANCELLED');
  t.false(workflow.calls.includes('offer'));
});

/** A LIVE reward that was funded weeks ago. */
const fundedWeeksAgo = (untilEndMs: number) =>
  funded({
    mode: 'LIVE',
    fundedAt: new Date(Date.now() - 27 * dayMs).toISOString(),
    claimExpiresAt: new Date(Date.now() + untilEndMs).toISOString(),
  });

test('a customer who has not claimed is reminded once, three days before the window ends', async (t) => {
  const begin = gate();
  const workflow = await isolatedWorkflow(t, fundedWeeksAgo(4 * dayMs), { begin });
  await workflow.start();
  await begin.reached;
  // The reminder's time must not be over before a busy worker has looked.
  workflow.store(fundedWeeksAgo(3 * dayMs + 5_000));
  begin.open();
  await workflow.called('remind');
  await workflow.signal('funded');
  await workflow.called('look');
  workflow.move('CLAIM');
  await workflow.signal('claimed');
  t.is(await workflow.handle().result(), 'AVAILABLE');
  t.is(workflow.calls.filter((one) => one === 'remind').length, 1);
});

test('a run started after the reminder’s time sends none, and expires the reward', async (t) => {
  const workflow = await isolatedWorkflow(t, fundedWeeksAgo(1_000));
  await workflow.start();
  t.is(await workflow.handle().result(), 'EXPIRED');
  t.deepEqual(workflow.calls, ['begin', 'look']);
});

test('a claim window renewed while its timer fires continues', async (t) => {
  const look = gate();
  const soon = funded({ claimExpiresAt: new Date(Date.now() + 500).toISOString() });
  const workflow = await isolatedWorkflow(t, soon, { look });
  await workflow.start();
  await look.reached;
  workflow.store({ ...soon, claimExpiresAt: new Date(Date.now() + dayMs).toISOString() });
  look.open();
  await eventually(async () => {
    const { raw } = await workflow.handle().describe();
    return (raw.pendingActivities ?? []).length === 0 && raw.pendingWorkflowTask === null;
  }, 'the step is over');
  workflow.move('REFUND');
  await workflow.signal('refunded');
  t.is(await workflow.handle().result(), 'CANCELLED');
});

test('a failed review is requested again', async (t) => {
  const workflow = await isolatedWorkflow(t, inReview());
  await workflow.start();
  await workflow.called('review');
  workflow.failReview();
  await workflow.called('review', 2);
  workflow.move('UPHOLD');
  workflow.completeReview();
  t.is(await workflow.handle().result(), 'CANCELLED');
});

test('a customer who had claimed is notified once that points were taken back, before the workflow closes', async (t) => {
  const notifying = gate();
  const workflow = await isolatedWorkflow(t, inReview(), { 'take back': notifying });
  await workflow.start();
  await workflow.called('review');
  workflow.move('UPHOLD');
  workflow.completeReview();
  await notifying.reached;
  // The workflow still handles signals.
  const looked = workflow.calls.filter((one) => one === 'look').length;
  await workflow.signal('refunded');
  await workflow.called('look', looked + 1);
  t.is((await workflow.handle().describe()).status.name, 'RUNNING');
  notifying.open();
  t.is(await workflow.handle().result(), 'CANCELLED');
  t.is(workflow.calls.filter((one) => one === 'take back').length, 1);
});

test('a customer is not notified of points taken back if nothing was claimed', async (t) => {
  const unclaimed = await isolatedWorkflow(t, funded());
  await unclaimed.start();
  await unclaimed.called('offer');
  unclaimed.move('REFUND');
  await unclaimed.signal('refunded');
  t.is(await unclaimed.handle().result(), 'CANCELLED');
  t.false(unclaimed.calls.includes('take back'));
});

test('a decision that finds no running workflow starts one, which notifies the customer', async (t) => {
  const workflow = await isolatedWorkflow(t, after(inReview(), 'UPHOLD'));
  await workflow.signal('decided');
  t.is(await workflow.handle().result(), 'CANCELLED');
  t.is(workflow.calls.filter((one) => one === 'take back').length, 1);
});

test('a message that is given up does not hold up the purchase', async (t) => {
  const refused = gate();
  const workflow = await isolatedWorkflow(
    t,
    funded(),
    {},
    {
      async sendClaimLink() {
        await refused.pass();
        throw ApplicationFailure.nonRetryable('there is no such address');
      },
    },
    { isUnsent: true },
  );
  await workflow.start();
  await refused.reached;
  refused.open();
  workflow.move('CLAIM');
  await workflow.signal('claimed');
  t.is(await workflow.handle().result(), 'AVAILABLE');
});

/**
 * Sends more signals than the tests' server allows events before it suggests continuing as new. Temporal
 * handles those to one workflow one at a time, and refuses the last of many that had to wait too long.
 */
async function sendManySignals({ signal }: Awaited<ReturnType<typeof isolatedWorkflow>>) {
  const atOnce = 10;
  for (let sent = 0; sent <= suggestedAfterEvents; sent += atOnce) {
    await Promise.all(Array.from({ length: atOnce }, () => signal('refunded')));
  }
}

test('a large run continues as new in the same state, without losing or repeating a message', async (t) => {
  const workflow = await isolatedWorkflow(t, funded());
  const { firstExecutionRunId: runId } = await workflow.start();
  await workflow.called('offer');
  await sendManySignals(workflow);
  await eventually(
    async () => (await workflow.handle().describe()).runId !== runId,
    'the workflow continues as new',
  );
  workflow.move('CLAIM');
  await workflow.signal('claimed');
  t.is(await workflow.handle().result(), 'AVAILABLE');
  t.is(workflow.calls.filter((one) => one === 'offer').length, 1);
});

test('the contact that was wrong is told once, also by the run that continues', async (t) => {
  const workflow = await isolatedWorkflow(t, funded());
  const { firstExecutionRunId: runId } = await workflow.start();
  await workflow.called('offer');
  const correctedAt = new Date().toISOString();
  const claimExpiresAt = new Date(Date.now() + 2 * dayMs).toISOString();
  workflow.move('CORRECT', { correctedAt, fundedAt: correctedAt, claimExpiresAt });
  await workflow.signal('corrected');
  await workflow.called('tell the wrong contact');
  await workflow.called('offer', 2);
  await sendManySignals(workflow);
  await eventually(
    async () => (await workflow.handle().describe()).runId !== runId,
    'the workflow continues as new',
  );
  workflow.move('CLAIM');
  await workflow.signal('claimed');
  t.is(await workflow.handle().result(), 'AVAILABLE');
  t.is(workflow.calls.filter((one) => one === 'tell the wrong contact').length, 1);
  t.is(workflow.calls.filter((one) => one === 'offer').length, 2);
});

test('a large run first finishes notifying the customer of points taken back', async (t) => {
  const notifying = gate();
  const workflow = await isolatedWorkflow(t, inReview(), { 'take back': notifying });
  const { firstExecutionRunId: runId } = await workflow.start();
  await workflow.called('review');
  workflow.move('UPHOLD');
  workflow.completeReview();
  await notifying.reached;
  await sendManySignals(workflow);
  notifying.open();
  t.is(await workflow.handle().result(), 'CANCELLED');
  t.is((await workflow.handle().describe()).runId, runId);
});

test('the continued run shows the review to operators, and handles a signal sent meanwhile', async (t) => {
  const workflow = await isolatedWorkflow(t, inReview());
  await workflow.start();
  await workflow.called('review');
  await sendManySignals(workflow);
  await workflow.called('review', 2);
  workflow.move('UPHOLD');
  await workflow.signal('decided');
  t.is(await workflow.handle().result(), 'CANCELLED');
});
