import {
  ActivityCancellationType,
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  log,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type {
  Answer,
  RecordedPurchase,
  Refused,
  ReviewDecision,
  RewardSnapshot,
} from '../domain/events.ts';
import { refusals } from '../domain/refusals.ts';
import {
  canMove,
  type RewardStatus,
  type SettlingMove,
  waitingFor,
} from '../domain/reward-states.ts';
import {
  answerPurchase,
  attributes,
  type ClaimAnswer,
  claimReward,
  type PurchaseStart,
  refundPurchase,
  rewardFunded,
  runIsClosing,
  stateQuery,
} from './messages.ts';
import { createQueue } from './queue.ts';

// The answer waits for these: tried again at once, and for as long as it takes. Whoever would have to
// wait longer than an answer may take waits by a timer, so that no worker is held up by it.
const { recordPurchase, resumePurchase } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '5 seconds',
  localRetryThreshold: '2 seconds',
  retry: { initialInterval: '50 milliseconds', maximumInterval: '5 seconds' },
  summary: 'record the purchase and answer it',
});
const { sendClaimLink, mailPartner } = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  scheduleToCloseTimeout: '3 days',
  retry: { initialInterval: '1 second', maximumInterval: '1 hour' },
  cancellationType: ActivityCancellationType.ABANDON,
  summary: 'send a message',
});
/** The admins, as an activity that one of them completes; each time it comes due it is put before them anew. */
const admins = (reviewId: string, dueMs: number) =>
  proxyActivities<Activities>({
    activityId: reviewId,
    startToCloseTimeout: dueMs,
    retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
    cancellationType: ActivityCancellationType.ABANDON,
    summary: 'an admin decides about the refund',
  });
/** Activities under the words an operator reads in the history. */
const step = (summary: string) =>
  proxyActivities<Activities>({
    startToCloseTimeout: '10 seconds',
    retry: { initialInterval: '100 milliseconds', maximumInterval: '30 seconds' },
    summary,
  });

/**
 * One purchase, one reward, its whole life (domain, Workflows). It records the purchase and answers;
 * then it waits, with the customer's claim, the partner's refund and an admin's decision reaching it
 * from outside, and the end of the claim window as a durable timer. It is the only writer of its
 * reward, and it closes when nothing is pending.
 * @returns how the reward stands, for the operator who reads the list
 */
export async function purchase(start: PurchaseStart): Promise<string> {
  // An operator's cancellation must not leave a reward that nobody watches: only business closes it.
  return await CancellationScope.nonCancellable(() => driveReward(start));
}

async function driveReward(start: PurchaseStart): Promise<string> {
  let recorded: RecordedPurchase | Refused | undefined;
  let reward: RewardSnapshot | undefined;
  let wasFunded = false;
  const mail = new CancellationScope();
  const mailed: Promise<void>[] = [];
  // A run that records starts with this attribute; one that resumes has to find out.
  let shownStatus: RewardStatus | undefined = start.kind === 'RECORD' ? 'PENDING' : undefined;
  const oneAtATime = createQueue();

  const current = (): RewardSnapshot => {
    if (reward === undefined) throw closing();
    return reward;
  };
  const show = (next: RewardSnapshot): void => {
    if (shownStatus === undefined) {
      upsertSearchAttributes([
        { key: attributes.partnerId, value: next.partnerId },
        { key: attributes.mode, value: next.mode },
        { key: attributes.externalOrderId, value: next.externalOrderId },
        { key: attributes.rewardId, value: next.rewardId },
      ]);
    }
    if (next.status !== shownStatus) {
      upsertSearchAttributes([{ key: attributes.rewardStatus, value: next.status }]);
    }
    shownStatus = next.status;
    reward = next;
    setCurrentDetails(describe(next));
  };
  const move = async (name: SettlingMove, summary: string): Promise<void> => {
    show(await step(summary).settleReward(current(), name, now()));
  };

  setHandler(stateQuery, () => ({ reward: reward ?? null, waitingFor: describeWait(reward) }));

  setHandler(rewardFunded, () => {
    wasFunded = true;
  });

  setHandler(answerPurchase, async ({ payloadHash }): Promise<Answer> => {
    await condition(() => recorded !== undefined);
    if (recorded?.kind === 'REFUSED') {
      // A refused body leaves no trace that could answer another: that one asks a run of its own.
      if (start.kind === 'RECORD' && start.command.payloadHash === payloadHash) return recorded;
      throw closing();
    }
    const { answer, payloadHash: recordedHash } = recorded as RecordedPurchase;
    return recordedHash === payloadHash ? answer : refusals.conflict();
  });

  setHandler(refundPurchase, async (command): Promise<Answer> => {
    await condition(() => isAccounted(reward) || recorded?.kind === 'REFUSED');
    return await oneAtATime(async () => {
      const result = await step('record the refund').recordRefund(command, current());
      show(result.reward);
      return result.answer;
    });
  });

  setHandler(claimReward, async (): Promise<ClaimAnswer> => {
    await condition(() => isAccounted(reward) || recorded?.kind === 'REFUSED');
    return await oneAtATime(async () => {
      if (canMove(current(), 'CLAIM') && claimWindowMs(current()) > 0) {
        await move('CLAIM', 'the customer claims');
      }
      return { reward: current() };
    });
  });

  recorded =
    start.kind === 'RECORD' ? await recordPurchase(start.command) : await resumePurchase(start);
  if (recorded.kind === 'REFUSED') {
    upsertSearchAttributes([{ key: attributes.rewardStatus, value: 'REFUSED' }]);
    await condition(allHandlersFinished);
    return `refused: ${recorded.code}`;
  }
  show(recorded.reward);
  if (!isAccounted(reward)) await account();
  do {
    while (waitingFor(current()) !== 'NOBODY') {
      if (workflowInfo().continueAsNewSuggested) await startAfresh(current());
      await nextStep();
    }
    mail.cancel();
    await Promise.all(mailed);
    await condition(allHandlersFinished);
  } while (waitingFor(current()) !== 'NOBODY');
  return current().status;

  /** What the reward waits for decides what its workflow does. */
  async function nextStep(): Promise<void> {
    switch (waitingFor(current())) {
      case 'CUSTOMER':
      case 'FUNDS':
        return await awaitClaim();
      case 'ADMIN':
        return await awaitDecision();
      case 'NOBODY':
        return;
    }
  }

  async function account(): Promise<void> {
    const { reward: next, ...news } = await step('put money behind the reward').accountReward(
      current(),
      now(),
    );
    show(next);
    if (news.missingCents !== null || news.lowBalanceCents !== null) {
      mailed.push(mail.run(() => notify('the partner', () => mailPartner(next, news))));
    }
    if (next.funded) offer(next);
  }

  /** The reward can be claimed from now on: the customer is told. */
  function offer(claimable: RewardSnapshot): void {
    mailed.push(mail.run(() => notify('the customer', () => sendClaimLink(claimable))));
  }

  async function awaitClaim(): Promise<void> {
    const { claimExpiresAt } = current();
    const canTopUp = () => wasFunded && canMove(current(), 'FUND');
    const woken = await condition(
      () => !isClaimWindowRunning(current()) || canTopUp() || workflowInfo().continueAsNewSuggested,
      Math.max(1, claimWindowMs(current())),
      { summary: `the customer may claim until ${claimExpiresAt}` },
    );
    await oneAtATime(async () => {
      if (canTopUp()) {
        show(await step('the wallet funded the reward').topUpReward(current(), now()));
        offer(current());
      } else if (!woken && isClaimWindowRunning(current()))
        await move('EXPIRE', 'the claim window is over');
    });
  }

  async function awaitDecision(): Promise<void> {
    const { review } = current();
    if (review === null) throw new Error('a reward in review has a review');
    let decision: ReviewDecision | undefined;
    const asking = new CancellationScope();
    const asked = asking.run(async () => {
      decision = await admins(review.reviewId, review.dueMs).adminReview(current(), review);
    });
    asked.catch(() => undefined);
    await condition(() => decision !== undefined || workflowInfo().continueAsNewSuggested);
    if (decision === undefined) return;
    const made = decision;
    await oneAtATime(async () => {
      show(
        await step(`an admin decided: ${made.verdict}`).closeReview(
          current(),
          review.reviewId,
          made,
        ),
      );
    });
  }
}

/** Whether the funding of the reward has been decided; until then nobody may claim or refund it. */
function isAccounted(reward: RewardSnapshot | undefined): boolean {
  return reward !== undefined && !canMove(reward, 'FUND');
}

function claimWindowMs({ claimExpiresAt }: RewardSnapshot): number {
  return Date.parse(claimExpiresAt) - Date.now();
}

/** A message goes out with patience; a mail server that never takes it does not hold the reward up. */
async function notify(whom: string, send: () => Promise<unknown>): Promise<void> {
  try {
    await send();
  } catch (error) {
    if (!isCancellation(error)) log.warn(`${whom} was not told`);
  }
}

/** Workflow time, ISO 8601: the same when an activity is repeated and when a history is replayed. */
function now(): string {
  return new Date(Date.now()).toISOString();
}

/** A reward with a long story goes on in a new run before this one's history grows too large. */
async function startAfresh({ partnerId, purchaseEventId }: RewardSnapshot): Promise<never> {
  await condition(allHandlersFinished);
  return await continueAsNew<typeof purchase>({ kind: 'RESUME', partnerId, purchaseEventId });
}

function closing(): ApplicationFailure {
  return ApplicationFailure.nonRetryable('This run is closing; ask again.', runIsClosing);
}

function isClaimWindowRunning(reward: RewardSnapshot): boolean {
  const waiting = waitingFor(reward);
  return waiting === 'CUSTOMER' || waiting === 'FUNDS';
}

/** What is awaited, in the words an operator reads. */
function describeWait(reward: RewardSnapshot | undefined): string {
  if (reward === undefined) return 'the purchase to be recorded';
  if (!isAccounted(reward)) return 'the accounting';
  switch (waitingFor(reward)) {
    case 'CUSTOMER':
      return `the customer's claim, until ${reward.claimExpiresAt}`;
    case 'FUNDS':
      return 'the partner to top up';
    case 'ADMIN':
      return "an admin's decision";
    case 'NOBODY':
      return 'nothing';
  }
}

function describe(reward: RewardSnapshot): string {
  const { rewardId, mode, points, externalOrderId, status } = reward;
  const order = externalOrderId.replace(/[`\r\n]/g, ' ');
  return `**${status}** · ${mode} · ${points} points · ${rewardId} · order \`${order}\`\n\nWaiting for ${describeWait(reward)}.`;
}
