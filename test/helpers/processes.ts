import { createSecretKey, randomBytes } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import type { ActivityDeps } from '../../activities/deps.ts';
import { type Activities as AllActivities, createActivities } from '../../activities/index.ts';
import { createPurchaseParts, type PurchaseParts } from '../../activities/purchases.ts';
import type { Answer } from '../../domain/answers.ts';
import type { Origin, PurchaseReport, RefundRequest } from '../../domain/purchase.ts';
import type { RewardSnapshot } from '../../domain/reward.ts';
import { type Recording, recordPurchase } from '../../events/record-purchase.ts';
import { reportRefund } from '../../events/refund.ts';
import type { SendMessage } from '../../messaging/message.ts';
import { createCheckpoints } from '../../models/audit/checkpoints.ts';
import { createUsage, type Usage } from '../../models/billing/index.ts';
import { createInsertEvent } from '../../models/events/insert-event.ts';
import { createEarlierEvents } from '../../models/events/order-events.ts';
import { createLedger, type Ledger } from '../../models/ledger/index.ts';
import { createBatchedRewards } from '../../models/rewards/batched-rewards.ts';
import { readReward, toSnapshot } from '../../models/rewards/move.ts';
import { followDecision, writeDecision } from '../../models/rewards/reviews.ts';
import { cancelUnclaimed, claimReward, expireReward } from '../../models/rewards/reward-moves.ts';
import { toEarningRule } from '../../models/rewards/rules.ts';
import { createAnnounce } from '../../models/webhooks/announce.ts';
import { createSealer } from '../../platform/sealing.ts';
import type { Messenger } from '../../temporal/messenger.ts';
import { type Fate, immortal, Killed, makeFaulty, under } from './faults.ts';
import { maxRemembered } from './max-remembered.ts';
import { takeDatabase } from './test-database.ts';
import './quiet-runtime.ts';

const logger = new DefaultLogger('ERROR');
const dayMs = 24 * 3_600_000;

/** All activities, and the parts that the activities of a purchase combine. */
export type Activities = AllActivities & PurchaseParts;

/** A process: its activities, and its own caches of the ledger. */
export interface Process {
  activities: Activities;
  ledger: Ledger;
  usage: Usage;
  /** Records a purchase as the API does. */
  record(report: PurchaseReport, ruleId: string): Promise<Recording>;
  /** Records a refund as the API does. */
  refund(origin: Origin, request: RefundRequest): Promise<Answer>;
  /** Moves a reward as the API or the portal does, if the state table allows it. */
  move(reward: RewardSnapshot, move: RequestedMove, at: string): Promise<RewardSnapshot>;
  /** Decides a review as an operator does. The review must be open. */
  decide(reward: RewardSnapshot, verdict: 'UPHOLD' | 'DISMISS', at: string): Promise<void>;
}

/** Moves that the API or the portal makes, except for decisions of reviews. */
export type RequestedMove = 'CLAIM' | 'EXPIRE' | 'CANCEL';

export type Database = Awaited<ReturnType<typeof openDatabase>>;

/** Opens a new database on which processes can be killed and interrupted. */
export async function openDatabase() {
  const { models, giveBack } = await takeDatabase();
  makeFaulty(models);
  return {
    models,
    customerHashKey: createSecretKey(randomBytes(32)),
    sealer: createSealer([{ id: 'test', key: createSecretKey(randomBytes(32)) }]),
    close: giveBack,
  };
}

/** Starts two worker processes, each of which is replaced when it dies. */
export function startProcesses(database: Database, messenger: Messenger) {
  const running = [0, 1].map(() => startProcess(database, messenger));

  /**
   * Runs work as Temporal runs an activity: repeatedly until it completes.
   * @param isTwice whether it is repeated once after it completed, as if its completion was lost
   */
  return async function perform<T>(
    { place, fate, isTwice }: { place: number; fate: Fate; isTwice: boolean },
    work: (process: Process) => Promise<T>,
    workflowId = 'none',
  ): Promise<T> {
    const slot = place % running.length;
    let isLast = !isTwice;
    let life = fate.isDead ? immortal() : fate;
    for (;;) {
      const process = running[slot] ?? startProcess(database, messenger);
      try {
        const result = await under(life, () => asActivity(workflowId, () => work(process)));
        if (isLast) return result;
        isLast = true;
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
        if (running[slot] === process) {
          running[slot] = startProcess(database, messenger);
        }
        if (life.isDead) life = immortal();
      }
    }
  };
}

/** Runs work as an activity of a workflow. */
export function asActivity<T>(workflowId: string, work: () => Promise<T>): Promise<T> {
  const info = { workflowExecution: { workflowId, runId: 'run' } };
  return new MockActivityEnvironment(info, { logger }).run<[], T, () => Promise<T>>(work);
}

export function startProcess(
  { models, customerHashKey, sealer }: Database,
  messenger: Messenger,
  sendMessage: SendMessage = async () => undefined,
): Process {
  const ledger = createLedger(models, customerHashKey, maxRemembered);
  const usage = createUsage(models, customerHashKey, maxRemembered);
  const deps: ActivityDeps = {
    models,
    ledger,
    usage,
    checkpoints: createCheckpoints(customerHashKey),
    messenger,
    workflows: { isProgressing: async () => true, hasBegun: async () => true },
    sealer,
    sendMessage,
    sendMessageAtOnce: sendMessage,
    announce: createAnnounce(models),
    postWebhook: () => async () => {
      throw new Error('no webhook is sent in these tests');
    },
    portalUrl: 'http://claims.example',
    config: { issuer: null },
    reviewDueMs: dayMs,
    reconciliation: { afterMs: 0, perSecond: 1_000, maxInFlight: 4, maxUnbegun: 50 },
    contactRetentionDays: 365,
    // Activities get the time from their workflow.
    now: () => 0,
    // A single activity must not wait for others to join its batch.
    batchOptions: { maxBatch: 100, maxWaitMs: 0 },
  };
  const insertEvent = createInsertEvent(models);
  const readOf = ({ partnerId, rewardId }: RewardSnapshot) =>
    readReward(models, { partnerId, _id: rewardId });
  return {
    async refund(origin, request) {
      const earlierEvents = createEarlierEvents(models, maxRemembered);
      const portal = { host: '', port: 0, url: 'https://rewards.example', apiUrl: '' };
      const config = { customerHashKey, reviewDueMs: dayMs, portal };
      const rewards = createBatchedRewards(models);
      const own = { models, sealer, config, earlierEvents, insertEvent, rewards, now: Date.now };
      return await reportRefund(own, origin, request);
    },
    async move(reward, move, at) {
      const read = await readOf(reward);
      const when = new Date(at);
      const moved = {
        CLAIM: () => claimReward(models, read, when),
        EXPIRE: () => expireReward(models, read, when, { isEndedEarly: true }),
        CANCEL: () =>
          cancelUnclaimed(models, read, {
            operatorId: 'opr_1',
            cancelledAt: at,
            sealedReason: 'sealed',
          }),
      };
      return toSnapshot(await moved[move]());
    },
    async decide(reward, verdict, at) {
      const { reviewId = '' } = reward.review ?? {};
      const review = await writeDecision(
        models,
        { partnerId: reward.partnerId, _id: reviewId },
        {
          verdict,
          reasonCode: 'OTHER',
          operatorId: 'opr_1',
          decidedAt: at,
          sealedReason: 'sealed',
        },
      );
      if (review.pendingSince) await followDecision(models, review);
    },
    activities: { ...createActivities(deps), ...createPurchaseParts(deps) },
    ledger,
    usage,
    async record(report, ruleId) {
      const rule = await models.earningRules.findById(ruleId).orFail();
      return await recordPurchase({ models, sealer, insertEvent }, report, toEarningRule(rule));
    },
  };
}
