import { purchaseSignals } from '../domain/workflow-names.ts';
import { followDecision } from '../models/rewards/reviews.ts';
import type { OrderEventDoc } from '../models/schemas/events.ts';
import type { Models } from '../models/schemas/index.ts';
import type { ReviewDoc } from '../models/schemas/reviews.ts';
import type { RewardDoc } from '../models/schemas/rewards.ts';
import { createPendingQueue, type Pending, type PendingQueue } from '../models/store/pending.ts';
import type { EagerStart } from '../temporal/eager-start.ts';
import type { Messenger } from '../temporal/messenger.ts';
import { workflowRefOfEvent, workflowRefOfReward } from '../temporal/purchase-start.ts';

/** One kind of work that is pending in MongoDB and taken up by the sweep. */
export interface PendingWork<Doc extends Pending = Pending> {
  name: string;
  queue: PendingQueue<Doc>;
  /** How long it is left to the process that made it pending; 0 if only the sweep takes it up. */
  afterMs: number;
  /** How often the sweep looks for it while there is none. */
  everyMs: number;
  /** The part of the sweep's limit that it may use, from 0 to 1. */
  share: number;
  /** How long something that was started or signalled counts against the limit. */
  lateMs: number;
  /**
   * Starts or signals the workflow; safe to repeat.
   * @param mayBeEager whether this process may execute its first task
   * @returns whether it will
   */
  begin(doc: Doc, mayBeEager: boolean): Promise<boolean>;
}

export interface WorkflowStarter {
  start: EagerStart;
  messenger: Pick<Messenger, 'signalPurchase' | 'completeReview'>;
}

/** Soon enough for customers who watch what follows a response. */
const promptlyMs = 100;
/** How long the process that recorded a refund or a decision has to finish it: that takes far less. */
const leftAloneMs = 2_000;
/** How often to look for work that a process left unfinished. */
const seldomMs = 1_000;
/**
 * Work that follows refunds and claims may use half of the sweep's limit: that is fast enough, and leaves CPU time
 * on a machine that also responds to requests.
 */
const shareOfMoves = 0.5;
/** Starts wait for a worker as long as it takes. */
const lateStartMs = 60_000;
/** A signalled workflow that does nothing for this long is stuck, and must not hold up the others. */
const lateSignalMs = 5_000;
/** A workflow carries out its own moves immediately, so that they need no signal. */
const ownMoveMs = 200;

const headingFields = ['purchaseEventId', 'workflowId', 'mode', 'externalOrderId'] as const;

type PendingEvent = Pick<
  OrderEventDoc,
  keyof Pending | 'rewardId' | 'traceparent' | (typeof headingFields)[number]
>;
type PendingReward = Pick<
  RewardDoc,
  keyof Pending | 'status' | 'moves' | (typeof headingFields)[number]
>;

/**
 * All kinds of work that are swept: everything that follows a purchase or a move begins here. A start has no
 * effect on a running workflow, so a workflow that may be running is signalled.
 * @param afterMs how long the process that records a refund or a decision has to finish it
 * @param everyMs how often to look for work that follows a response
 */
export function pendingWork(
  models: Models,
  { start, messenger }: WorkflowStarter,
  { afterMs = leftAloneMs, everyMs = promptlyMs }: { afterMs?: number; everyMs?: number } = {},
): PendingWork[] {
  const { signalPurchase, completeReview } = messenger;
  const eventsOf = (type: OrderEventDoc['type']) =>
    createPendingQueue<PendingEvent>(models.orderEvents, { type }, [
      ...headingFields,
      'rewardId',
      'traceparent',
    ]);
  const signalled = { share: shareOfMoves, lateMs: lateSignalMs };
  const unfinished = { ...signalled, afterMs, everyMs: seldomMs };
  const purchases: PendingWork<PendingEvent> = {
    name: 'purchases',
    queue: eventsOf('PURCHASE'),
    afterMs: 0,
    everyMs,
    share: 1,
    lateMs: lateStartMs,
    begin: (event, mayBeEager) => start(workflowRefOfEvent(event), mayBeEager),
  };
  const rewards: PendingWork<PendingReward> = {
    name: 'rewards',
    queue: createPendingQueue<PendingReward>(models.rewards, {}, [
      ...headingFields,
      'status',
      'moves',
    ]),
    afterMs: Math.min(afterMs, ownMoveMs),
    everyMs,
    ...signalled,
    async begin(reward) {
      const { reviewId, traceparent } = reward.moves.at(-1) ?? {};
      const workflow = { ...workflowRefOfReward(reward), ...(traceparent && { traceparent }) };
      const signal = signalFor(reward);
      const isReviewOver =
        signal === 'decided' &&
        reviewId !== undefined &&
        (await completeReview(reward.workflowId, reviewId));
      if (!isReviewOver) await signalPurchase(workflow, signal);
      return false;
    },
  };
  const refunds: PendingWork<PendingEvent> = {
    name: 'refunds',
    queue: eventsOf('REFUND'),
    ...unfinished,
    async begin(event) {
      const { partnerId, rewardId } = event;
      const reward = { partnerId, _id: rewardId, pendingSince: { $exists: true } };
      // If the refund moved its reward, the reward's own mark has the workflow signalled.
      if (!(await models.rewards.exists(reward)))
        await signalPurchase(workflowRefOfEvent(event), 'refunded');
      return false;
    },
  };
  const reviews: PendingWork<ReviewDoc> = {
    name: 'reviews',
    queue: createPendingQueue<ReviewDoc>(models.reviews, {}, ['rewardId', 'decision']),
    ...unfinished,
    async begin(review) {
      const reward = await followDecision(models, review);
      await signalPurchase(workflowRefOfReward(reward), 'decided');
      return false;
    },
  };
  return [purchases, refunds, rewards, reviews] as PendingWork[];
}

/** The signal for the last move of a reward. */
function signalFor({ moves }: PendingReward) {
  const { move } = moves.at(-1) ?? {};
  return purchaseSignals[move === undefined || move === 'RUN_SHORT' ? 'REFUND' : move];
}
