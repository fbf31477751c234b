import { randomUUID } from 'node:crypto';
import type { WaitingPage } from '../../../../activities/wallet.ts';
import type { Mode } from '../../../../domain/mode.ts';
import { liveAccounts, type WalletRef, walletOf } from '../../../../domain/postings.ts';
import type { PurchaseReport } from '../../../../domain/purchase.ts';
import { canMove, type RewardSnapshot, type SettlingMove } from '../../../../domain/reward.ts';
import { createCheckpoints } from '../../../../models/audit/checkpoints.ts';
import { createUsage } from '../../../../models/billing/index.ts';
import { createLedger } from '../../../../models/ledger/index.ts';
import { readReward, toSnapshot } from '../../../../models/rewards/move.ts';
import { audited } from '../../../../operations/audit-log.ts';
import { createIntegration } from '../../../../operations/integrations.ts';
import { createPartner } from '../../../../operations/partners.ts';
import { topUpAndFund } from '../../../../operations/wallets.ts';
import { newId } from '../../../../platform/ids.ts';
import type { Messenger } from '../../../../temporal/messenger.ts';
import { apart, type Fate, immortal } from '../../../helpers/faults.ts';
import { redeemAsOperator } from '../../../helpers/ledger-operations.ts';
import { maxRemembered } from '../../../helpers/max-remembered.ts';
import { operate } from '../../../helpers/operate.ts';
import { type Database, type Process, startProcesses } from '../../../helpers/processes.ts';
import { activateRule } from '../../../helpers/service.ts';
import { topUpEntry } from '../../../helpers/top-up-entry.ts';

/** Which process performs an action, when it dies, and whether it performs the action twice. */
export interface Circumstances {
  /** The index of the process. */
  place: number;
  fate: Fate;
  isTwice: boolean;
}

/** A purchase, and its reward as last read. */
interface TrackedPurchase {
  command: PurchaseReport;
  ruleId: string;
  reward: RewardSnapshot;
}

export type World = Awaited<ReturnType<typeof createWorld>>;

/** The value of a point under each rule: a cent, a third of a cent, one and a half cents, nothing. */
const pointValuesMicros = [10_000, 3_333, 15_000, 0];

/**
 * A partner with customers, and everything that can happen to its money. This process stands in for the
 * workflows; the activities and the database are real.
 */
export async function createWorld(database: Database) {
  const { models } = database;
  const now = () => new Date().toISOString();
  const { _id: partnerId } = await operate({ models, now: Date.now }, createPartner, {
    name: 'Shop',
  });
  const { _id: integrationId } = await operate({ models, now: Date.now }, createIntegration, {
    partnerId,
    name: 'web shop',
  });
  const rules = new Map<string, Promise<string>>();
  let newestRule: Promise<unknown> = Promise.resolve();
  /** The rule for a mode and a point value, created and activated when it is first needed. */
  const ruleOf = (mode: Mode, pointValueMicros: number): Promise<string> => {
    const key = `${mode}/${pointValueMicros}`;
    const known = rules.get(key);
    if (known) return known;
    const rule = newestRule.then(() =>
      apart(() => activateRule(models, { partnerId, mode, pointValueMicros })),
    );
    newestRule = rule;
    rules.set(key, rule);
    return rule;
  };
  const purchases: TrackedPurchase[] = [];
  const topUps = { LIVE: 0, TEST: 0 };
  let spentPoints = 0;

  // Stands in for the wallets' workflows and for signals to purchases' workflows.
  const running = new Set<Promise<void>>();
  const wakes = { LIVE: 0, TEST: 0 };
  let serving: Promise<void> | undefined;
  let walletCircumstances: Circumstances = { place: 0, fate: immortal(), isTwice: false };
  const messenger: Messenger = {
    async wakeWallet({ mode }: WalletRef) {
      wakes[mode] += 1;
      if (wakes[mode] > 1) return;
      serving = serveQueue(mode);
      track(serving);
    },
    startJob: async () => undefined,
    startPointsLink: async () => undefined,
    startPurchase: async () => undefined,
    async signalPurchase({ purchaseEventId }) {
      track(apart(() => carryOutOf(purchaseEventId)));
    },
    completeReview: async () => true,
  };
  const perform = startProcesses(database, messenger);

  function track(work: Promise<void>): void {
    running.add(work);
    work.then(
      () => running.delete(work),
      () => undefined,
    );
  }

  /** Does what workflows/wallet.ts does. */
  async function serveQueue(mode: Mode): Promise<void> {
    const wallet = walletOf({ partnerId, mode, integrationId });
    while (wakes[mode] > 0) {
      wakes[mode] = 1;
      let leftCents: number | undefined;
      for (let after: string | null = null; ; ) {
        const from: string | null = after;
        const { rewardIds, fundingCents }: WaitingPage = await perform(
          walletCircumstances,
          ({ activities }) => activities.findWaiting(wallet, from),
        );
        leftCents ??= fundingCents;
        const atMostCents: number = leftCents;
        after = rewardIds.at(-1) ?? null;
        if (after === null) break;
        const at = now();
        const { isServed, fundedCents } = await perform(walletCircumstances, ({ activities }) =>
          activities.fundWaiting(wallet, rewardIds, atMostCents, at),
        );
        leftCents -= fundedCents;
        if (!isServed) break;
      }
      wakes[mode] -= 1;
    }
  }

  /** Does what workflows/purchase.ts does when it is signalled. */
  async function carryOutOf(purchaseEventId: string): Promise<void> {
    await perform(walletCircumstances, ({ activities }) =>
      activities.carryOutPending({ partnerId, purchaseEventId }),
    );
  }

  /** Does what the worker's sweep does: a process that died between a move and its signal left the reward pending. */
  async function sweep(): Promise<void> {
    const left = await apart(() =>
      models.rewards.find({
        partnerId,
        pendingSince: { $exists: true },
        status: { $ne: 'ADMIN_REVIEW' },
      }),
    );
    for (const { purchaseEventId } of left) await apart(() => carryOutOf(purchaseEventId));
    while (running.size > 0) await Promise.all(running);
  }

  /** Reads the rewards of all purchases. */
  async function refreshAll(): Promise<void> {
    const read = await apart(() => models.rewards.find({ partnerId }));
    const rewards = new Map(read.map((reward) => [reward._id, reward]));
    for (const purchase of purchases) {
      const reward = rewards.get(purchase.command.rewardId);
      if (!reward) throw new Error('a reward is lost');
      purchase.reward = toSnapshot(reward);
    }
  }

  async function refresh(purchase: TrackedPurchase): Promise<void> {
    const { rewardId } = purchase.command;
    purchase.reward = toSnapshot(
      await apart(() => readReward(models, { partnerId, _id: rewardId })),
    );
  }

  /** Makes a move of a reward, and carries it out as its workflow does. */
  async function move(
    purchase: TrackedPurchase,
    name: SettlingMove,
    how: Circumstances,
  ): Promise<void> {
    const at = now();
    const { reward, command } = purchase;
    await perform(
      how,
      async (process) => {
        await makeMove(process, reward, name, at, command);
        await process.activities.carryOutPending(reward);
      },
      command.eventId,
    );
    await refresh(purchase);
  }

  async function makeMove(
    process: Process,
    reward: RewardSnapshot,
    name: SettlingMove,
    at: string,
    command: PurchaseReport,
  ): Promise<void> {
    if (name === 'CLAIM' || name === 'EXPIRE' || name === 'CANCEL') {
      await process.move(reward, name, at);
      return;
    }
    if (name === 'REFUND') {
      const { origin, request } = refundOf(command, reward, at);
      const answer = await process.refund(origin, request);
      if (answer.kind !== 'ANSWERED') throw new Error(answer.message);
      return;
    }
    const { review } = reward;
    if (!review) throw new Error('the reward should be in review');
    await process.activities.openReview(reward, review);
    await audited(
      { models, now: Date.now },
      { actorId: 'opr_1', approvedBy: null, requestId: 'none' },
      {
        action: 'review.decide',
        partnerId,
        targetId: review.reviewId,
        details: { decision: name },
        once: name,
      },
      () => process.decide(reward, name, at),
    );
  }

  /** Chooses by a random number from the purchases whose rewards can make a move. */
  function pick(nth: number, name: SettlingMove, mode?: Mode): TrackedPurchase | undefined {
    const possible = purchases.filter(
      ({ reward }) => canMove(reward, name) && (mode ?? reward.mode) === reward.mode,
    );
    return possible[nth % possible.length];
  }

  return {
    models,
    ledger: createLedger(models, database.customerHashKey, maxRemembered),
    usage: createUsage(models, database.customerHashKey, maxRemembered),
    checkpoints: createCheckpoints(database.customerHashKey, async () => undefined),
    partnerId,
    integrationId,
    topUps,
    spentPoints: () => spentPoints,
    orders: () => purchases.map(({ reward }) => reward.externalOrderId),
    rewards: () => purchases.map(({ reward }) => reward),

    /** Sets the circumstances of the wallets' activities from now on. */
    setWalletCircumstances(how: Circumstances) {
      walletCircumstances = how;
    },

    async buy(
      {
        mode,
        customer,
        subtotalCents,
        value,
      }: {
        mode: Mode;
        customer: number;
        subtotalCents: number;
        value: number;
      },
      how: Circumstances,
    ): Promise<void> {
      const micros = pointValuesMicros[value % pointValuesMicros.length] ?? 0;
      const ruleId = await ruleOf(mode, micros);
      const base = { partnerId, integrationId, mode, subtotalCents, receivedAt: now() };
      const command = purchaseOf({ ...base, customerId: `cus_${partnerId}_${customer}` });
      const recorded = await perform(
        how,
        async ({ activities, record }) => {
          await record(command, ruleId);
          return await activities.createReward({ partnerId, purchaseEventId: command.eventId });
        },
        command.eventId,
      );
      const purchase: TrackedPurchase = { command, ruleId, reward: recorded };
      const at = now();
      purchases.push(purchase);
      await perform(how, ({ activities }) => activities.accountReward(recorded, at));
      await refresh(purchase);
    },

    /** Reports an order again. @param isSameKey whether it is a retry, or a duplicate under another key */
    async buyAgain(nth: number, isSameKey: boolean, how: Circumstances): Promise<void> {
      const purchase = purchases[nth % purchases.length];
      if (!purchase) return;
      const { command, ruleId } = purchase;
      const again = isSameKey
        ? command
        : {
            ...command,
            eventId: newId('event'),
            rewardId: newId('reward'),
            idempotencyKeyHash: randomUUID(),
          };
      const recording = await perform(how, ({ record }) => record(again, ruleId));
      if (!('answer' in recording)) throw new Error('a recorded order was recorded again');
      const { answer } = recording;
      const isRight = isSameKey
        ? answer.kind === 'ANSWERED' && answer.eventId === command.eventId
        : answer.kind === 'REFUSED' && answer.code === 'DUPLICATE_EXTERNAL_ORDER';
      if (!isRight) throw new Error(`a recorded order was answered ${JSON.stringify(answer)}`);
    },

    /** @param of the mode of the rewards to choose from, or both */
    async move(
      name: SettlingMove,
      nth: number,
      how: Circumstances,
      of: { mode?: Mode } = {},
    ): Promise<void> {
      const purchase = pick(nth, name, of.mode);
      if (purchase) await move(purchase, name, how);
    },

    async topUp(mode: Mode, amountCents: number, how: Circumstances): Promise<void> {
      const wallet = walletOf({ partnerId, mode, integrationId });
      const reference = randomUUID();
      const money = { amountCents, externalReference: reference };
      await perform(how, async ({ ledger }) => {
        await topUpAndFund({ ledger, messenger, now: Date.now }, wallet, money);
      });
      const entry = topUpEntry(wallet, { reference, amountCents });
      await apart(() => models.auditEntries.create(entry));
      topUps[mode] += amountCents;
    },

    /** @param share of the customer's points, from 0 to 1 */
    async redeem(customer: number, share: number, how: Circumstances): Promise<void> {
      const customerId = `cus_${partnerId}_${customer}`;
      const reference = randomUUID();
      let wanted = 0;
      await perform(how, async ({ ledger }) => {
        const held = await ledger.live.balanceOf(
          partnerId,
          liveAccounts.points.customer(customerId),
        );
        wanted ||= Math.ceil(held * share);
        if (wanted === 0) return;
        await redeemAsOperator(
          { models, ledger },
          { partnerId, customerId },
          { points: wanted, reference },
        );
      }).catch((error) => {
        // An upheld refund took the points first.
        if (error.code !== 'CONFLICT') throw error;
        wanted = 0;
      });
      spentPoints += wanted;
    },

    /**
     * Adds funds, and waits until the queue has been served, even if the rewards are not carried out yet. If
     * the queue is already being served, it gets the funds too, and this does not wait.
     */
    async topUpAndServe(mode: Mode, amountCents: number, how: Circumstances): Promise<void> {
      const isServing = wakes[mode] > 0;
      await this.topUp(mode, amountCents, how);
      if (!isServing) await serving;
    },

    /** Waits until no workflow has anything left to do, and no reward is pending. */
    async settled(): Promise<void> {
      while (running.size > 0) await Promise.all(running);
      await sweep();
      await refreshAll();
    },
  };
}

function purchaseOf(
  of: Pick<
    PurchaseReport,
    'partnerId' | 'integrationId' | 'mode' | 'subtotalCents' | 'customerId' | 'receivedAt'
  >,
): PurchaseReport {
  return {
    ...of,
    credentialId: `key_${of.mode}`,
    requestId: newId('request'),
    idempotencyKeyHash: randomUUID(),
    payloadHash: randomUUID(),
    address: '192.0.2.1',
    eventId: newId('event'),
    rewardId: newId('reward'),
    externalOrderId: randomUUID(),
    currency: 'USD',
    occurredAt: null,
    delivery: 'SERVICE',
    claimTokenHash: randomUUID(),
    sealed: 'sealed',
    dataKey: { dataKeyId: newId('dataKey'), wrapped: 'wrapped' },
    workflowId: randomUUID(),
    request: { method: 'POST', path: '/purchases', status: 201 },
  };
}

/** @returns the same request for the same reward and time, so that a repeat of it is a retry */
function refundOf(command: PurchaseReport, reward: RewardSnapshot, at: string) {
  const { partnerId, integrationId, credentialId, mode } = command;
  const name = `${reward.rewardId}:${reward.version}:${at}`;
  return {
    origin: {
      partnerId,
      integrationId,
      credentialId,
      mode,
      requestId: `req_${name}`,
      idempotencyKeyHash: `hash ${name}`,
      payloadHash: `payload ${name}`,
      receivedAt: at,
      address: '192.0.2.1',
      request: { method: 'POST', path: '/refunds', status: 201 },
    },
    request: { externalOrderId: reward.externalOrderId, externalRefundId: `refund ${name}` },
  };
}
