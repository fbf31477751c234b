import { randomUUID } from 'node:crypto';
import type { WaitingPage } from '../../../../activities/wallet.ts';
import { liveAccounts } from '../../../../domain/accounts.ts';
import type { Mode } from '../../../../domain/mode.ts';
import type { PurchaseReport } from '../../../../domain/purchase.ts';
import type { RewardSnapshot } from '../../../../domain/reward.ts';
import { canMove, type SettlingMove } from '../../../../domain/reward-states.ts';
import type { WalletRef } from '../../../../domain/wallet.ts';
import { walletOf } from '../../../../domain/wallet.ts';
import { createCheckpoints } from '../../../../models/audit/checkpoints.ts';
import { createUsage } from '../../../../models/billing/index.ts';
import { createLedger } from '../../../../models/ledger/index.ts';
import { readReward, toSnapshot } from '../../../../models/rewards/move.ts';
import { audited } from '../../../../operations/audit-log.ts';
import { createIntegration } from '../../../../operations/integrations/create.ts';
import { createPartner } from '../../../../operations/partners/create.ts';
import { newId } from '../../../../platform/ids.ts';
import type { Messenger } from '../../../../temporal/messenger.ts';
import { apart, type Fate, immortal } from '../../../helpers/faults.ts';
import { redeemAsOperator, topUpAsOperator } from '../../../helpers/ledger-operations.ts';
import { maxRemembered } from '../../../helpers/max-remembered.ts';
import { operate } from '../../../helpers/operate.ts';
import { type Database, type Process, startProcesses } from '../../../helpers/processes.ts';
import { activateRule } from '../../../helpers/service.ts';

/** Where and how one thing is done. */
export interface Circumstances {
  /** Which of the processes does it. */
  place: number;
  fate: Fate;
  isTwice: boolean;
}

/** A purchase and its reward, as it was seen last. */
interface Life {
  command: PurchaseReport;
  ruleId: string;
  reward: RewardSnapshot;
}

export type World = Awaited<ReturnType<typeof createWorld>>;

/** What points are worth in the rules of the world: a cent, a third of one, three halves, nothing. */
const pointValuesMicros = [10_000, 3_333, 15_000, 0];

/**
 * One partner with customers, and everything that can happen to the money. The workflows are played
 * in this process; what they call is the real thing, on the real database.
 */
export async function createWorld(database: Database) {
  const { models } = database;
  const now = () => new Date().toISOString();
  const { _id: partnerId } = await operate({ models, now: Date.now }, createPartner, {
    name: 'Shop',
  });
  const { _id: integrationId } = await operate({ models, now: Date.now }, createIntegration, {
    ...{ partnerId, name: 'web shop' },
  });
  const rules = new Map<string, Promise<string>>();
  let newestRule: Promise<unknown> = Promise.resolve();
  /** The active rule of a mode and a value, made when it is first needed. */
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
  const lives: Life[] = [];
  const topUps = { LIVE: 0, TEST: 0 };
  let spentPoints = 0;

  // The wallet's workflow, and the signals that reach workflows: each wakes what has to run.
  const going = new Set<Promise<void>>();
  const wakes = { LIVE: 0, TEST: 0 };
  let serving: Promise<void> | undefined;
  let ofWallet: Circumstances = { place: 0, fate: immortal(), isTwice: false };
  const messenger: Messenger = {
    async wakeWallet({ mode }: WalletRef) {
      wakes[mode] += 1;
      if (wakes[mode] > 1) return;
      serving = serve(mode);
      keep(serving);
    },
    startJob: async () => undefined,
    startPointsLink: async () => undefined,
    startPurchase: async () => undefined,
    async signalPurchase({ purchaseEventId }) {
      keep(apart(() => carryOutOf(purchaseEventId)));
    },
    completeReview: async () => true,
  };
  const perform = startProcesses(database, messenger);

  function keep(work: Promise<void>): void {
    going.add(work);
    work.then(
      () => going.delete(work),
      () => undefined,
    );
  }

  /** As workflows/wallet.ts does. */
  async function serve(mode: Mode): Promise<void> {
    const wallet = walletOf({ partnerId, mode, integrationId });
    while (wakes[mode] > 0) {
      wakes[mode] = 1;
      let leftCents: number | undefined;
      for (let after: string | null = null; ; ) {
        const from: string | null = after;
        const { rewardIds, fundingCents }: WaitingPage = await perform(ofWallet, ({ activities }) =>
          activities.findWaiting(wallet, from),
        );
        leftCents ??= fundingCents;
        const atMostCents: number = leftCents;
        after = rewardIds.at(-1) ?? null;
        if (after === null) break;
        const at = now();
        const { isServed, fundedCents } = await perform(ofWallet, ({ activities }) =>
          activities.fundWaiting(wallet, rewardIds, atMostCents, at),
        );
        leftCents -= fundedCents;
        if (!isServed) break;
      }
      wakes[mode] -= 1;
    }
  }

  /** As workflows/purchase.ts does when it is woken. */
  async function carryOutOf(purchaseEventId: string): Promise<void> {
    await perform(ofWallet, ({ activities }) =>
      activities.carryOutPending({ partnerId, purchaseEventId }),
    );
  }

  /** As the worker's sweep does: whoever died between a move and its signal left the reward marked. */
  async function sweep(): Promise<void> {
    const left = await apart(() =>
      models.rewards
        .find({ partnerId, pendingSince: { $exists: true }, status: { $ne: 'ADMIN_REVIEW' } })
        .lean(),
    );
    for (const { purchaseEventId } of left) await apart(() => carryOutOf(purchaseEventId));
    while (going.size > 0) await Promise.all(going);
  }

  async function look(life: Life): Promise<void> {
    const { rewardId } = life.command;
    life.reward = toSnapshot(
      await apart(async () => await readReward(models, { partnerId, _id: rewardId })),
    );
  }

  /** Something happens to a reward, and its workflow carries it out. */
  async function move(life: Life, name: SettlingMove, how: Circumstances): Promise<void> {
    const at = now();
    const { reward, command } = life;
    await perform(
      how,
      async (process) => {
        await makeMove(process, reward, name, at, command);
        await process.activities.carryOutPending(reward);
      },
      command.eventId,
    );
    await look(life);
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
    if (!review) throw new Error('it is in review');
    await process.activities.openReview(reward, review);
    await audited(
      { models, now: Date.now },
      { actorId: 'opr_1', approvedBy: null, requestId: 'none' },
      {
        ...{ action: 'review.decide', partnerId, targetId: review.reviewId },
        ...{ details: { decision: name }, once: name },
      },
      () => process.decide(reward, name, at),
    );
  }

  /** The one that a random number means, among those it can happen to. */
  function pick(nth: number, name: Parameters<typeof move>[1], mode?: Mode): Life | undefined {
    const possible = lives.filter(
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
    orders: () => lives.map(({ reward }) => reward.externalOrderId),
    rewards: () => lives.map(({ reward }) => reward),

    /** How the wallets' activities are done until this is said anew. */
    setWalletCircumstances(how: Circumstances) {
      ofWallet = how;
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
      const life: Life = { command, ruleId, reward: recorded };
      const at = now();
      lives.push(life);
      await perform(how, ({ activities }) => activities.accountReward(recorded, at));
      await look(life);
    },

    /** The same order once more. @param isSameKey a retry; else a duplicate under another key */
    async buyAgain(nth: number, isSameKey: boolean, how: Circumstances): Promise<void> {
      const life = lives[nth % lives.length];
      if (!life) return;
      const { command } = life;
      const again = isSameKey
        ? command
        : {
            ...command,
            eventId: newId('event'),
            rewardId: newId('reward'),
            idempotencyKeyHash: randomUUID(),
          };
      const recording = await perform(how, ({ record }) => record(again, life.ruleId));
      if (!('answer' in recording)) throw new Error('an order that is there was recorded anew');
      const { answer } = recording;
      const isRight = isSameKey
        ? answer.kind === 'ANSWERED' && answer.eventId === command.eventId
        : answer.kind === 'REFUSED' && answer.code === 'DUPLICATE_EXTERNAL_ORDER';
      if (!isRight) throw new Error(`an order that is there was answered ${answer.kind}`);
    },

    /** @param of the mode of the rewards to choose from; without one, either */
    async move(
      name: Parameters<typeof move>[1],
      nth: number,
      how: Circumstances,
      of: { mode?: Mode } = {},
    ): Promise<void> {
      const life = pick(nth, name, of.mode);
      if (life) await move(life, name, how);
    },

    async topUp(mode: Mode, amountCents: number, how: Circumstances): Promise<void> {
      const wallet = walletOf({ partnerId, mode, integrationId });
      const reference = randomUUID();
      await perform(how, async ({ ledger }) => {
        await topUpAsOperator({ models, ledger }, wallet, amountCents, reference);
        await messenger.wakeWallet(wallet);
      });
      topUps[mode] += amountCents;
    },

    /** @param share of what the customer holds, from 0 to 1 */
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
        // An upheld refund was faster.
        if (error.code !== 'CONFLICT') throw error;
        wanted = 0;
      });
      spentPoints += wanted;
    },

    /**
     * Adds funds, and waits until the line was served with them: the rewards need not know it yet. A
     * wallet that is at it already hears of the funds, and is not waited for.
     */
    async topUpAndServe(mode: Mode, amountCents: number, how: Circumstances): Promise<void> {
      const isServing = wakes[mode] > 0;
      await this.topUp(mode, amountCents, how);
      if (!isServing) await serving;
    },

    /** Waits until no workflow has anything left to do, and nothing that is marked is left to the sweep. */
    async settled(): Promise<void> {
      while (going.size > 0) await Promise.all(going);
      await sweep();
      for (const life of lives) await look(life);
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

/** @returns the same for a repeat of the request */
function refundOf(command: PurchaseReport, reward: RewardSnapshot, at: string) {
  const { partnerId, integrationId, credentialId, mode } = command;
  const name = `${reward.rewardId}:${reward.version}:${at}`;
  return {
    origin: {
      ...{ partnerId, integrationId, credentialId, mode },
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
