import { purchaseSignals } from '../domain/workflow-names.ts';
import { followDecision } from '../models/rewards/reviews.ts';
import type { Models } from '../models/schemas/index.ts';
import type { OrderEventDoc } from '../models/schemas/order-event.ts';
import type { ReviewDoc } from '../models/schemas/review.ts';
import type { RewardDoc } from '../models/schemas/reward.ts';
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
  /**
   * Starts or signals the workflow; safe to repeat.
   * @param mayBeEager whether this process may execute its first task
   * @returns whether it will
   */
  begin(doc: Doc, mayBeEager: boolean): Promise<boolean>;
}

export interface Reaching {
  start: EagerStart;
  signal: Messenger['signalPurchase'];
}

const headingFields = ['purchaseEventId', 'workflowId', 'mode', 'externalOrderId'] as const;

type PendingEvent = Pick<
  OrderEventDoc,
  '_id' | 'partnerId' | 'rewardId' | 'traceparent' | (typeof headingFields)[number]
>;
type PendingReward = Pick<
  RewardDoc,
  '_id' | 'partnerId' | 'status' | 'moves' | (typeof headingFields)[number]
>;

/**
 * All kinds of work that are swept. A start has no effect on a running workflow, so one that may be
 * running is signalled.
 */
export function pendingWork(
  models: Models,
  { start, signal }: Reaching,
  { afterMs }: { afterMs: number },
): PendingWork[] {
  const eventsOf = (type: OrderEventDoc['type']) =>
    createPendingQueue<PendingEvent>(models.orderEvents, { type }, [
      ...headingFields,
      'rewardId',
      'traceparent',
    ]);
  const purchases: PendingWork<PendingEvent> = {
    name: 'purchases',
    queue: eventsOf('PURCHASE'),
    afterMs: 0,
    begin: (event, mayBeEager) => start(workflowRefOfEvent(event), mayBeEager),
  };
  const refunds: PendingWork<PendingEvent> = {
    name: 'refunds',
    queue: eventsOf('REFUND'),
    afterMs,
    async begin(event) {
      await signal(workflowRefOfEvent(event), 'refunded');
      return false;
    },
  };
  const rewards: PendingWork<PendingReward> = {
    name: 'rewards',
    queue: createPendingQueue<PendingReward>(models.rewards, {}, [
      ...headingFields,
      'status',
      'moves',
    ]),
    afterMs,
    async begin(reward) {
      await signal(workflowRefOfReward(reward), wordFor(reward));
      return false;
    },
  };
  const reviews: PendingWork<ReviewDoc> = {
    name: 'reviews',
    queue: createPendingQueue<ReviewDoc>(models.reviews, {}, ['rewardId', 'decision']),
    afterMs,
    async begin(review) {
      const reward = await followDecision(models, review);
      await signal(workflowRefOfReward(reward), 'decided');
      return false;
    },
  };
  return [purchases, refunds, rewards, reviews] as PendingWork[];
}

/** The signal for the last move of a reward. */
function wordFor({ moves }: PendingReward) {
  const { move } = moves.at(-1) ?? {};
  return purchaseSignals[move === undefined || move === 'RUN_SHORT' ? 'REFUND' : move];
}
