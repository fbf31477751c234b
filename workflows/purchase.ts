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
import type { PurchaseRef, ReviewDecision, ReviewRef, RewardSnapshot } from '../domain/events.ts';
import { canMove, type SettlingMove, waitingFor } from '../domain/reward-states.ts';
import { slowQueueOf } from '../domain/workflow-names.ts';
import {
  cancelReward,
  claimReward,
  expireTestReward,
  modeKey,
  onlyInTest,
  refundPurchase,
  rewardFunded,
  rewardStatusKey,
  runIsClosing,
  stateQuery,
} from './messages.ts';
import { createQueue } from './queue.ts';

/**
 * What a purchase begins with, all within its first task: tried again at once, and for as long as it
 * takes. One that would have to wait waits by a timer, so that no worker is held up by it.
 */
const begin = (summary: string) =>
  proxyLocalActivities<Activities>({
    startToCloseTimeout: '10 seconds',
    localRetryThreshold: '2 seconds',
    retry: { initialInterval: '50 milliseconds', maximumInterval: '5 seconds' },
    summary,
  });
/** Tried once, and not for long: a mail server that is slow or away costs nothing here. */
const { tryClaimLink } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '2 seconds',
  retry: { maximumAttempts: 1 },
  summary: 'send the claim link, if the mail server takes it at once',
});
/** How long it is tried to send a mail: what is older was sent, or cannot be. */
const mailPatienceMs = 3 * 86_400_000;
/** Mails have patience, and a queue on which nothing else waits for them. */
const mails = () =>
  proxyActivities<Activities>({
    taskQueue: slowQueueOf(workflowInfo().taskQueue, 'mail'),
    startToCloseTimeout: '1 minute',
    scheduleToCloseTimeout: mailPatienceMs,
    retry: { initialInterval: '1 second', maximumInterval: '1 hour' },
    cancellationType: ActivityCancellationType.ABANDON,
    summary: 'send a message',
  });
/** The admins, as an activity that one of them completes; each time it comes due it is put before them anew. */
const admins = ({ reviewId, dueMs }: ReviewRef) =>
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
 * One purchase, one reward, its whole life (domain, The answer to a purchase, and its workflow). The
 * purchase is recorded and answered before it begins. It creates the reward and accounts for it; then
 * it waits, with the customer's claim, the partner's refund and an admin's decision reaching it from
 * outside, and the end of the claim window as a durable timer. It is the only writer of its reward,
 * and it closes when nothing is pending. Started again, it carries on from what is stored.
 * @returns how the reward stands, for the operator who reads the list
 */
export async function purchase(ref: PurchaseRef): Promise<string> {
  // An operator's cancellation must not leave a reward that nobody watches: only business closes it.
  return await CancellationScope.nonCancellable(() => driveReward(ref));
}

/** A review that is before the admins, and what one of them decided. */
interface AskedReview {
  of: ReviewRef;
  decision?: ReviewDecision;
}

async function driveReward(ref: PurchaseRef): Promise<string> {
  let reward: RewardSnapshot | undefined;
  let isAccounted = false;
  let wasFunded = false;
  /** Set while this run lets its handlers finish, to go on in a new one. */
  let isEnding = false;
  let review: AskedReview | undefined;
  const mail = new CancellationScope();
  const mailed: Promise<void>[] = [];
  let shownStatus = workflowInfo().typedSearchAttributes.get(rewardStatusKey);
  const oneAtATime = createQueue();

  const current = (): RewardSnapshot => {
    if (reward === undefined) throw new Error('the purchase has begun by now');
    return reward;
  };
  const show = (next: RewardSnapshot): void => {
    if (next.status !== shownStatus) {
      upsertSearchAttributes([{ key: rewardStatusKey, value: next.status }]);
    }
    shownStatus = next.status;
    reward = next;
    setCurrentDetails(describe(next, isAccounted));
  };
  const move = async (name: SettlingMove, summary: string): Promise<void> => {
    show(await step(summary).settleReward(current(), name, now()));
  };
  /** A run that is about to end takes nothing on: the caller asks the next one. */
  const refuseWhileEnding = (): void => {
    if (isEnding) throw closing();
  };

  setHandler(stateQuery, () => ({
    reward: reward ?? null,
    waitingFor: describeWait(reward, isAccounted),
  }));

  setHandler(rewardFunded, () => {
    wasFunded = true;
  });

  setHandler(
    refundPurchase,
    async (command) => {
      await condition(() => isAccounted);
      return await oneAtATime(async () => {
        const result = await step('record the refund').recordRefund(command, current());
        show(result.reward);
        return result.answer;
      });
    },
    { validator: (_command) => refuseWhileEnding() },
  );

  setHandler(
    claimReward,
    async () => {
      await condition(() => isAccounted);
      return await oneAtATime(async () => {
        if (canMove(current(), 'CLAIM') && claimWindowMs(current()) > 0) {
          await move('CLAIM', 'the customer claims');
        }
        return current();
      });
    },
    { validator: refuseWhileEnding },
  );

  setHandler(
    cancelReward,
    async (cancellation) => {
      await condition(() => isAccounted);
      return await oneAtATime(async () => {
        if (canMove(current(), 'CANCEL')) {
          const { cancelledAt } = cancellation;
          const cancelled = step('an operator cancels the reward');
          show(await cancelled.settleReward(current(), 'CANCEL', cancelledAt, { cancellation }));
        }
        return current();
      });
    },
    { validator: (_cancellation) => refuseWhileEnding() },
  );

  setHandler(
    expireTestReward,
    async () => {
      await condition(() => isAccounted);
      return await oneAtATime(async () => {
        if (current().mode === 'TEST' && canMove(current(), 'EXPIRE')) {
          await move('EXPIRE', 'the TEST clock ends the claim window');
        }
        return current();
      });
    },
    {
      validator: () => {
        refuseWhileEnding();
        refuseLive();
      },
    },
  );

  show(await begin('create the reward').beginPurchase(ref));
  if (current().isUnfinished) {
    show(await step('finish what was begun before').finishBegun(current()));
  }
  if (isClaimWindowRunning(current())) await account();
  isAccounted = true;
  setCurrentDetails(describe(current(), isAccounted));
  do {
    while (waitingFor(current()) !== 'NOBODY') {
      if (workflowInfo().continueAsNewSuggested) await startAfresh();
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
    const { reward: next, ...news } = await begin('put money behind the reward').accountReward(
      current(),
      now(),
    );
    show(next);
    // A run that goes on from another tells nobody anything twice; one that begins anew, because the
    // one before was lost, tells what may not have been told.
    const isOldNews = Date.now() - Date.parse(news.decidedAt) > mailPatienceMs;
    if (isOldNews || workflowInfo().continuedFromExecutionRunId !== undefined) return;
    if (news.missingCents !== null || news.lowBalanceCents !== null) {
      mailed.push(mail.run(() => notify('the partner', () => mails().mailPartner(next, news))));
    }
    // Begun so late that the window is over, there is nothing to offer.
    if (next.funded && claimWindowMs(next) > 0) await offerAtOnce(next);
  }

  /** The reward can be claimed: the customer is told, now if that is possible, else with patience. */
  async function offerAtOnce(claimable: RewardSnapshot): Promise<void> {
    const isSent = await tryClaimLink(claimable).catch(() => false);
    if (!isSent) offer(claimable);
  }

  function offer(claimable: RewardSnapshot): void {
    mailed.push(mail.run(() => notify('the customer', () => mails().sendClaimLink(claimable))));
  }

  async function awaitClaim(): Promise<void> {
    const { claimExpiresAt } = current();
    const isFundedNow = () => wasFunded && canMove(current(), 'FUND');
    const woken = await condition(
      () =>
        !isClaimWindowRunning(current()) || isFundedNow() || workflowInfo().continueAsNewSuggested,
      Math.max(1, claimWindowMs(current())),
      { summary: `the customer may claim until ${claimExpiresAt}` },
    );
    await oneAtATime(async () => {
      if (isFundedNow()) {
        show(await step('the wallet funded the reward').topUpReward(current(), now()));
        offer(current());
      } else if (!woken && isClaimWindowRunning(current())) {
        await move('EXPIRE', 'the claim window is over');
      }
    });
  }

  async function awaitDecision(): Promise<void> {
    const asked = askAdmins();
    await condition(() => asked.decision !== undefined || workflowInfo().continueAsNewSuggested);
    const { decision, of } = asked;
    if (decision === undefined) return;
    review = undefined;
    await oneAtATime(async () => {
      show(
        await step(`an admin decided: ${decision.verdict}`).closeReview(
          current(),
          of.reviewId,
          decision,
        ),
      );
    });
  }

  /** Puts the reward's review before the admins, unless it is before them already. */
  function askAdmins(): AskedReview {
    if (review) return review;
    const of = current().review;
    if (of === null) throw new Error('a reward in review has a review');
    const asked: AskedReview = { of };
    review = asked;
    new CancellationScope()
      .run(async () => {
        asked.decision = await admins(of).adminReview(current(), of);
      })
      .catch(() => undefined);
    return asked;
  }

  /**
   * A reward with a long story goes on in a new run before this one's history grows too large. What
   * was taken on is finished first, and a decision that arrives meanwhile is carried out here.
   */
  async function startAfresh(): Promise<void> {
    isEnding = true;
    await condition(allHandlersFinished);
    isEnding = false;
    if (review?.decision !== undefined || waitingFor(current()) === 'NOBODY') return;
    await continueAsNew<typeof purchase>(ref);
  }
}

function isClaimWindowRunning(reward: RewardSnapshot): boolean {
  const waiting = waitingFor(reward);
  return waiting === 'CUSTOMER' || waiting === 'FUNDS';
}

/** What is awaited, in the words an operator reads. */
function describeWait(reward: RewardSnapshot | undefined, isAccounted: boolean): string {
  if (reward === undefined) return 'the reward to be created';
  if (!isAccounted) return 'the accounting';
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

/** Only in TEST does anyone set the clock. The mode is known before the reward is. */
function refuseLive(): void {
  if (workflowInfo().typedSearchAttributes.get(modeKey) === 'TEST') return;
  throw ApplicationFailure.nonRetryable('LIVE rewards expire by the clock alone.', onlyInTest);
}

/** A message that never arrives keeps no reward from its course. */
async function notify(whom: string, send: () => Promise<unknown>): Promise<void> {
  try {
    await send();
  } catch (error) {
    if (!isCancellation(error)) log.warn(`${whom} was not told`);
  }
}

/** Milliseconds until the claim window ends; none or less once it is over. */
function claimWindowMs({ claimExpiresAt }: RewardSnapshot): number {
  return Date.parse(claimExpiresAt) - Date.now();
}

/** Workflow time, ISO 8601: the same when an activity is repeated and when a history is replayed. */
function now(): string {
  return new Date(Date.now()).toISOString();
}

function closing(): ApplicationFailure {
  return ApplicationFailure.nonRetryable('This run is closing; ask again.', runIsClosing);
}

function describe(reward: RewardSnapshot, isAccounted: boolean): string {
  const { rewardId, mode, points, externalOrderId, status } = reward;
  const order = externalOrderId.replace(/[`\r\n]/g, ' ');
  return `**${status}** · ${mode} · ${points} points · ${rewardId} · order \`${order}\`\n\nWaiting for ${describeWait(reward, isAccounted)}.`;
}
