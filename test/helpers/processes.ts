import { createSecretKey, randomBytes } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import type { ActivityDeps } from '../../activities/deps.ts';
import { type Activities, createActivities } from '../../activities/index.ts';
import { createCheckpoints } from '../../audit/checkpoints.ts';
import type { Answer } from '../../domain/answers.ts';
import { cancel, expire, mature } from '../../domain/facts.ts';
import type { Origin, PurchaseReport, RefundRequest } from '../../domain/purchase.ts';
import {
  type AskedPart,
  defaultRedemptionSettings,
  type RedemptionAction,
} from '../../domain/redemption.ts';
import type { RewardSnapshot } from '../../domain/reward.ts';
import { answerOnce } from '../../events/answer-once.ts';
import { recordPurchase } from '../../events/purchase.ts';
import {
  type CheckoutTerms,
  endRedemption,
  type RedemptionRequest,
  reportRedemption,
} from '../../events/redemptions.ts';
import { reportRefund } from '../../events/refund.ts';
import type { SendMessage } from '../../messaging/message.ts';
import { type Commit, type CommitDeps, createCommit } from '../../models/commit.ts';
import { answeredBy, findEarlierEvents } from '../../models/events/order-events.ts';
import { ledgerKey } from '../../models/ledger/index.ts';
import { commitReward } from '../../models/rewards/commit-reward.ts';
import { requireReward } from '../../models/rewards/find-reward.ts';
import { toEarningRule } from '../../models/rewards/rules.ts';
import { toSnapshot } from '../../models/rewards/snapshot.ts';
import type { RewardDoc } from '../../models/schemas/rewards.ts';
import type { OperationDeps } from '../../operations/deps.ts';
import { completeReview } from '../../operations/reviews.ts';
import { claimReward } from '../../operations/rewards.ts';
import { createSealer } from '../../platform/sealing.ts';
import { type Fate, immortal, Killed, makeFaulty, under } from './faults.ts';
import { silentMessenger } from './silent-messenger.ts';
import { takeDatabase } from './test-database.ts';
import './quiet-runtime.ts';
import { patienceMs } from './patience.ts';

const logger = new DefaultLogger('ERROR');
const dayMs = 24 * 3_600_000;

export type { Activities };

/** The response to a purchase, and whether it was recorded now. */
export interface Recording {
  answer: Answer;
  isNew: boolean;
}

/** A process: its activities, and its own group of facts. */
export interface Process {
  activities: Activities;
  commit: Commit;
  /** Records a purchase as the API does. */
  record(report: PurchaseReport, ruleId: string): Promise<Recording>;
  /** Records a refund as the API does. */
  refund(origin: Origin, request: RefundRequest): Promise<Answer>;
  /** Redeems points, or ends a redemption, as the API does. */
  redeem(origin: Origin, request: RedemptionRequest): Promise<Answer>;
  endRedemption(
    origin: Origin,
    redemptionId: string,
    action: RedemptionAction,
    part?: AskedPart,
  ): Promise<Answer>;
  /** Moves a reward as the API or the portal does, if the state table allows it. */
  move(reward: RewardSnapshot, move: RequestedMove): Promise<RewardSnapshot>;
  /** Decides a review as an operator does. */
  decide(reward: RewardSnapshot, verdict: 'UPHOLD' | 'DISMISS'): Promise<void>;
}

/** Moves that the API or the portal makes, except for decisions of reviews. MATURE: a hold is ended early. */
export type RequestedMove = 'CLAIM' | 'EXPIRE' | 'CANCEL' | 'MATURE';

export type Database = Awaited<ReturnType<typeof openDatabase>>;

/** Opens a new database on which processes can be killed and interrupted. */
export async function openDatabase() {
  const { models, giveBack } = await takeDatabase();
  makeFaulty(models);
  const customerHashKey = createSecretKey(randomBytes(32));
  return {
    models,
    customerHashKey,
    hashKey: ledgerKey(customerHashKey),
    sealer: createSealer([{ id: 'test', key: createSecretKey(randomBytes(32)) }]),
    close: giveBack,
  };
}

/** Starts two worker processes, each of which is replaced when it dies. */
export function startProcesses(database: Database, options: ProcessOptions = {}) {
  const running = [0, 1].map(() => startProcess(database, options));

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
      const process = running[slot] ?? startProcess(database, options);
      try {
        const result = await under(life, () => asActivity(workflowId, () => work(process)));
        if (isLast) return result;
        isLast = true;
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
        if (running[slot] === process) {
          running[slot] = startProcess(database, options);
        }
        if (life.isDead) life = immortal();
      }
    }
  };
}

export const checkoutTerms: CheckoutTerms = {
  country: 'US',
  currency: 'USD',
  timeZone: 'UTC',
  redemptions: defaultRedemptionSettings,
};

/** Runs work as an activity of a workflow. */
export function asActivity<T>(workflowId: string, work: () => Promise<T>): Promise<T> {
  const workflowExecution = { workflowId, runId: 'run' };
  const info = { workflowExecution, scheduledTimestampMs: Date.now() };
  return new MockActivityEnvironment(info, { logger }).run<[], T, () => Promise<T>>(work);
}

export interface ProcessOptions {
  sendMessage?: SendMessage;
  /** Gets what is due since its commits. */
  tell?: CommitDeps['tell'];
  now?: () => number;
}

export function startProcess(
  { models, customerHashKey, hashKey, sealer }: Database,
  { sendMessage = async () => undefined, tell, now = Date.now }: ProcessOptions = {},
): Process {
  const commit: Commit = createCommit({
    models,
    hashKey,
    now,
    patienceMs,
    ...(tell && { tell }),
  });
  const deps: ActivityDeps = {
    models,
    commit,
    hashKey,
    auditLog: async () => undefined,
    checkpoints: createCheckpoints(customerHashKey),
    messenger: silentMessenger,
    workflows: { isProgressing: async () => true, hasBegun: async () => true },
    sealer,
    sendMessage,
    sendMessageAtOnce: sendMessage,
    postWebhook: () => async () => {
      throw new Error('no webhook is sent in these tests');
    },
    repairConnection: async () => null,
    portalUrl: 'http://claims.example',
    config: { issuer: null, vat: null, paymentReferencePrefix: 'PE' },
    reconciliation: { afterMs: 0, perSecond: 1_000, maxInFlight: 4, maxNotStarted: 50 },
    contactRetentionDays: 365,
    now,
    databaseTime: async (notBefore) => new Date(Math.max(now(), notBefore?.getTime() ?? 0)),
  };
  const portal = {
    host: '',
    port: 0,
    trustedProxies: 0,
    url: 'https://rewards.example',
    apiUrl: '',
  };
  const config = { customerHashKey, reviewDueMs: dayMs, portal };
  const events = { models, sealer, config, commit };
  const operations = { models, sealer, commit, now } as OperationDeps;

  const moves: Record<RequestedMove, (found: RewardDoc) => Promise<RewardDoc>> = {
    CLAIM: (found) => claimReward(operations, found, { at: new Date(now()) }),
    // As the TEST clock does, so that nobody has to wait for the window to end.
    EXPIRE: (found) =>
      commitReward(commit, found, (draft, reward, terms) => expire(draft, reward, terms, true)),
    MATURE: (found) =>
      commitReward(commit, found, (draft, reward, terms) => mature(draft, reward, terms, true)),
    CANCEL: (found) =>
      commitReward(commit, found, (draft, reward, terms) =>
        cancel(draft, reward, terms, {
          operatorId: 'opr_1',
          cancelledAt: new Date(now()).toISOString(),
          sealedReason: 'sealed',
        }),
      ),
  };

  return {
    activities: createActivities(deps),
    commit,
    refund: (origin, request) => reportRefund(events, origin, request, { hasRefundPolicy: true }),
    redeem: (origin, request) => reportRedemption(events, origin, request, checkoutTerms),
    endRedemption: (origin, redemptionId, action, part) =>
      endRedemption(events, origin, { redemptionId, action, part }, checkoutTerms),
    async move({ rewardId }, move) {
      return toSnapshot(await moves[move](await requireReward(models, rewardId)));
    },
    async decide({ partnerId, customerId, review }, decision) {
      if (!review) throw new Error('the reward is not in review');
      const { reviewId } = review;
      const reason = { decision, reasonCode: 'OTHER' as const, reason: 'looked at' };
      const about = { partnerId, customerId, reviewId };
      await completeReview(operations, about, reason, 'opr_1');
    },
    async record(report, ruleId) {
      const rule = toEarningRule(await models.earningRules.findById(ruleId).orFail());
      const event = { ...report, type: 'PURCHASE' as const };
      let isNew = false;
      const answer = await answerOnce(
        () => findEarlierEvents(events, event),
        async () => {
          const recorded = await recordPurchase(events, report, rule, 'UTC');
          isNew = true;
          return answeredBy(recorded);
        },
      );
      return { answer, isNew };
    },
  };
}
