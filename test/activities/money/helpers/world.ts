import { randomUUID } from 'node:crypto';
import { fundNextRewards } from '../../../../activities/purchases.ts';
import { createCheckpoints } from '../../../../audit/checkpoints.ts';
import type { DueDocument } from '../../../../domain/due-documents.ts';
import { ServiceError } from '../../../../domain/errors.ts';
import { type Mode, modes } from '../../../../domain/mode.ts';
import { noticeDays } from '../../../../domain/points-end.ts';
import { endPointsOf, noteEndTold } from '../../../../domain/points-end-facts.ts';
import type { Origin, PurchaseReport } from '../../../../domain/purchase.ts';
import { holdMs, type Redemption, type RedemptionAction } from '../../../../domain/redemption.ts';
import { canMove, type RewardSnapshot, type SettlingMove } from '../../../../domain/reward.ts';
import { dayMs } from '../../../../domain/utc-days.ts';
import { clearDue } from '../../../../models/due.ts';
import { customerOfContact } from '../../../../models/identity/customer-of-contact.ts';
import { requireReward } from '../../../../models/rewards/find-reward.ts';
import { toSnapshot } from '../../../../models/rewards/snapshot.ts';
import { system } from '../../../../operations/actor.ts';
import { audited } from '../../../../operations/audit-log.ts';
import { execute } from '../../../../operations/execute.ts';
import { withdraw } from '../../../../operations/funding.ts';
import { createIntegration } from '../../../../operations/integrations.ts';
import { createPartner } from '../../../../operations/partners.ts';
import { changePointsEnd } from '../../../../operations/points-end.ts';
import { topUpWallet } from '../../../../operations/wallets.ts';
import { newId } from '../../../../platform/ids.ts';
import { allDue } from '../../../helpers/due.ts';
import { apart, type Fate, immortal } from '../../../helpers/faults.ts';
import { redeemAsOperator } from '../../../helpers/ledger-operations.ts';
import { operate } from '../../../helpers/operate.ts';
import {
  checkoutTerms,
  type Database,
  type Process,
  startProcesses,
} from '../../../helpers/processes.ts';
import { anOrigin, aReport } from '../../../helpers/reports.ts';
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

/** A redemption at the checkout. */
export interface Spending {
  mode: Mode;
  customer: number;
  /** Of the customer's points, from 0 to 1. */
  share: number;
  isHeld: boolean;
}

export type World = Awaited<ReturnType<typeof createWorld>>;

const budget = { name: 'Spring', totalPoints: 1_500, monthPoints: 1_200 };

/** The rules of each mode. A point is worth a cent, a third of a cent, one and a half cents, or nothing. */
const ruleTerms = [
  { pointValueMicros: 10_000 },
  { pointValueMicros: 3_333, budget },
  { pointValueMicros: 15_000, budget: { ...budget, totalPoints: null }, holdFor: 'P14D' },
  { pointValueMicros: 0, holdFor: 'PT1H' },
];

/** What a refund policy upholds: small amounts, three times a customer. */
const policyTerms = {
  maxCents: 300,
  perCustomer: { count: 3, days: 90 },
  withinDays: 30,
  graceHours: 1,
};

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
  for (const mode of modes) {
    const of = { partnerId, mode };
    const policyId = newId('policy');
    const activation = { _id: newId('activation'), seq: 1, policyId, activatedAt: new Date() };
    await models.refundPolicies.create({
      ...of,
      ...policyTerms,
      _id: policyId,
      createdAt: new Date(),
    });
    await models.policyActivations.create({ ...of, ...activation });
  }
  const rules = new Map<string, Promise<string>>();
  let newestRule: Promise<unknown> = Promise.resolve();
  /** One of the rules of a mode, created and activated when it is first needed. */
  const ruleOf = (mode: Mode, nth: number): Promise<string> => {
    const terms = ruleTerms[nth % ruleTerms.length];
    const key = `${mode}/${terms?.pointValueMicros}`;
    const known = rules.get(key);
    if (known) return known;
    const rule = newestRule.then(() =>
      apart(() => activateRule(models, { partnerId, mode, ...terms })),
    );
    newestRule = rule;
    rules.set(key, rule);
    return rule;
  };
  const purchases: TrackedPurchase[] = [];
  const topUps = { LIVE: 0, TEST: 0 };
  /** The ids of the redemptions that were answered, and whether they can still be captured or reversed. */
  const redemptions = new Map<string, Pick<Redemption, 'mode' | 'status'>>();
  const customers = [0, 1, 2].map((nth) => ({ email: `customer-${nth}@example.com` }));
  const customerOf = (nth: number): string =>
    customerOfContact(
      database.customerHashKey,
      { _id: partnerId, country: checkoutTerms.country },
      customers[nth] ?? {},
    );

  /** When what is there now has ended, by any setting. */
  const inTwoYears = () => Date.now() + 740 * dayMs;

  // Stands in for the relay and the purchases' workflows.
  const running = new Set<Promise<void>>();
  let workersCircumstances: Circumstances = { place: 0, fate: immortal(), isTwice: false };
  const tell = (due: readonly DueDocument[]) => {
    for (const one of due) if (one.of !== 'orderEvents') track(apart(() => act(one)));
  };
  const perform = startProcesses(database, { tell });
  const performLater = startProcesses(database, { tell, now: inTwoYears });

  function track(work: Promise<void>): void {
    running.add(work);
    work.then(
      () => running.delete(work),
      () => undefined,
    );
  }

  const step = () => ({ at: now(), offeredUntil: null });

  /** Does what the relay and the workflows do about what is due. */
  async function act(one: DueDocument): Promise<void> {
    const { of, document } = one;
    const { _id, mode } = document;
    await perform(workersCircumstances, async ({ activities, commit }) => {
      if (of === 'wallets') return await fundNextRewards({ commit }, { mode, partnerId });
      if (of === 'redemptions') {
        // No message is sent in these tests.
        if (document.due?.what === 'TELL') return await clearDue(models, one);
        return void (await activities.beginHold({ partnerId, redemptionId: _id }));
      }
      if (of === 'orderEvents') {
        return void (await activities.begin({ partnerId, purchaseEventId: _id }, step()));
      }
      const { purchaseEventId } = document;
      await activities.look({ partnerId, purchaseEventId }, step());
    });
  }

  /** Acts on all that is due: a process that died right after a commit told nobody. */
  async function sweep(): Promise<void> {
    for (;;) {
      while (running.size > 0) await Promise.all(running);
      const due = await apart(() => allDue(models, partnerId));
      if (due.length === 0) return;
      for (const one of due) await apart(() => act(one));
    }
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
    for (const { _id, mode, status } of await apart(() => models.redemptions.find({ partnerId }))) {
      if (redemptions.has(_id)) redemptions.set(_id, { mode, status });
    }
  }

  async function refresh(purchase: TrackedPurchase): Promise<void> {
    const { rewardId } = purchase.command;
    purchase.reward = toSnapshot(await apart(() => requireReward(models, rewardId)));
  }

  /** Makes a move of a reward. */
  async function move(
    purchase: TrackedPurchase,
    name: Exclude<SettlingMove, 'REDUCE' | 'REINSTATE' | 'CORRECT'>,
    how: Circumstances,
  ): Promise<void> {
    const { reward, command } = purchase;
    const at = now();
    await perform(how, (process) => makeMove(process, reward, name, at, command), command.eventId);
    await refresh(purchase);
  }

  async function makeMove(
    process: Process,
    reward: RewardSnapshot,
    name: Exclude<SettlingMove, 'REDUCE' | 'REINSTATE' | 'CORRECT'>,
    at: string,
    command: PurchaseReport,
  ): Promise<void> {
    if (name === 'CLAIM' || name === 'EXPIRE' || name === 'CANCEL' || name === 'MATURE') {
      await process.move(reward, name);
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
      () => process.decide(reward, name),
    ).catch((error) => {
      // Another decision was faster.
      if (error.code !== 'CONFLICT') throw error;
    });
  }

  /** Chooses by a random number from the purchases whose rewards can make a move. */
  function pick(nth: number, name: SettlingMove, mode?: Mode): TrackedPurchase | undefined {
    const possible = purchases.filter(
      ({ reward }) => canMove(reward.state, name) && (mode ?? reward.mode) === reward.mode,
    );
    return possible[nth % possible.length];
  }

  const originOf = (mode: Mode, name: string): Origin =>
    anOrigin({ partnerId, integrationId, mode }, name);

  return {
    models,
    hashKey: database.hashKey,
    checkpoints: createCheckpoints(database.customerHashKey, async () => undefined),
    partnerId,
    integrationId,
    topUps,
    redemptionIds: () => [...redemptions.keys()],
    orders: () => purchases.map(({ reward }) => reward.externalOrderId),
    rewards: () => purchases.map(({ reward }) => reward),

    /** Sets the circumstances of the relay and the workflows' activities from now on. */
    setWorkersCircumstances(how: Circumstances) {
      workersCircumstances = how;
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
      const ruleId = await ruleOf(mode, value);
      const bought = { subtotalCents, customerId: customerOf(customer) };
      const command = aReport(originOf(mode, randomUUID()), bought);
      const reward = await perform(
        how,
        async ({ activities, record }) => {
          await record(command, ruleId);
          const ref = { partnerId, purchaseEventId: command.eventId };
          return (await activities.begin(ref, step())).reward;
        },
        command.eventId,
      );
      const purchase: TrackedPurchase = { command, ruleId, reward };
      purchases.push(purchase);
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
      const { answer, isNew } = await perform(how, ({ record }) => record(again, ruleId));
      if (isNew) throw new Error('a recorded order was recorded again');
      const isRight = isSameKey
        ? answer.kind === 'ANSWERED' && answer.eventId === command.eventId
        : answer.kind === 'REFUSED' && answer.code === 'DUPLICATE_EXTERNAL_ORDER';
      if (!isRight) throw new Error(`a recorded order was answered ${JSON.stringify(answer)}`);
    },

    /** @param of the mode of the rewards to choose from, or both */
    async move(
      name: Exclude<SettlingMove, 'REDUCE' | 'REINSTATE' | 'CORRECT'>,
      nth: number,
      how: Circumstances,
      of: { mode?: Mode } = {},
    ): Promise<void> {
      const purchase = pick(nth, name, of.mode);
      if (purchase) await move(purchase, name, how);
    },

    /** The grace of the refund policy is over for one of the reviews that are left to it. */
    async endGrace(nth: number, how: Circumstances): Promise<void> {
      const left = purchases.filter(
        ({ reward }) => reward.state === 'IN_REVIEW' && reward.review?.policy !== undefined,
      );
      const purchase = left[nth % left.length];
      if (!purchase) return;
      const { purchaseEventId, review } = purchase.reward;
      const at = review?.policy?.upholdsAt ?? now();
      await perform(how, ({ activities }) =>
        activities.look({ partnerId, purchaseEventId }, { at, offeredUntil: null }),
      );
      await refresh(purchase);
    },

    /** Reports the refund of a part of an order. More than is left of it is refused. */
    async refundPart(nth: number, amountCents: number, how: Circumstances): Promise<void> {
      const purchase = pick(nth, 'REFUND');
      if (!purchase) return;
      const { origin, request } = refundOf(purchase.command, purchase.reward, now());
      const part = { ...request, amountCents };
      const answer = await perform(
        how,
        (process) => process.refund(origin, part).catch(ifMoreThanIsLeft),
        purchase.command.eventId,
      );
      if (answer?.kind === 'REFUSED') throw new Error(answer.message);
      await refresh(purchase);
    },

    async topUp(mode: Mode, amountCents: number, how: Circumstances): Promise<void> {
      const wallet = { partnerId, mode };
      const reference = randomUUID();
      const money = { amountCents, externalReference: reference };
      await perform(how, ({ commit }) => topUpWallet({ models, commit }, wallet, money));
      const entry = topUpEntry(wallet, { reference, amountCents });
      await apart(() => models.auditEntries.create(entry));
      topUps[mode] += amountCents;
    },

    /** @param share of the customer's points, from 0 to 1 */
    async redeem(customer: number, share: number, how: Circumstances): Promise<void> {
      const customerId = customerOf(customer);
      const reference = randomUUID();
      let wanted = 0;
      await perform(how, async ({ commit }) => {
        const balance = await models.customerBalances.findOne({
          partnerId,
          mode: 'LIVE',
          customerId,
        });
        wanted ||= Math.ceil((balance?.points ?? 0) * share);
        if (wanted === 0) return;
        await redeemAsOperator(
          { models, commit },
          { partnerId, customerId },
          { points: wanted, reference },
        );
      }).catch((error) => {
        // An upheld refund took the points first.
        if (error.code !== 'CONFLICT') throw error;
        wanted = 0;
      });
      if (wanted === 0) return;
      const made = await apart(() =>
        models.redemptions.findOne({ partnerId, externalRedemptionId: reference }).orFail(),
      );
      redemptions.set(made._id, made);
    },

    /** Points pay at the shop's checkout, or are held there. @param share of the customer's points */
    async spend({ mode, customer, share, isHeld }: Spending, how: Circumstances): Promise<void> {
      const of = { partnerId, mode, customerId: customerOf(customer) };
      const balance = await apart(() => models.customerBalances.findOne(of));
      const points = Math.ceil((balance?.points ?? 0) * share);
      if (points === 0) return;
      const externalRedemptionId = randomUUID();
      const request = { externalRedemptionId, customer: customers[customer] ?? {}, points };
      const origin = originOf(mode, externalRedemptionId);
      const answer = await perform(how, (process) =>
        process.redeem(origin, { ...request, hold: isHeld }),
      ).catch(unlessRefused);
      if (answer?.kind !== 'ANSWERED') return;
      const { redemption } = JSON.parse(answer.body);
      redemptions.set(redemption.id, { mode, status: redemption.status });
    },

    /**
     * Ends one of the redemptions with which this can be done. END_HOLD: the time of a hold is over. REVERSE_PART: a
     * point comes back.
     */
    async endRedemption(
      action: RedemptionAction | 'END_HOLD' | 'REVERSE_PART',
      nth: number,
      how: Circumstances,
    ): Promise<void> {
      const isPart = action === 'REVERSE_PART';
      const from = isPart || action === 'REVERSE' ? 'CAPTURED' : 'HELD';
      const possible = [...redemptions].filter(([, { status }]) => status === from);
      const chosen = possible[nth % possible.length];
      if (chosen === undefined) return;
      const [redemptionId, { mode }] = chosen;
      const origin = originOf(mode, randomUUID());
      const over = new Date(Date.now() + holdMs).toISOString();
      await perform(how, async (process) => {
        if (isPart) await process.endRedemption(origin, redemptionId, 'REVERSE', { points: 1 });
        else if (action !== 'END_HOLD') await process.endRedemption(origin, redemptionId, action);
        else await process.activities.endHold({ partnerId, redemptionId }, over);
      }).catch(unlessRefused);
    },

    /** Points end after another time, or no longer. */
    async letPointsEnd(
      mode: Mode,
      after: 'P12M' | 'P24M' | null,
      how: Circumstances,
    ): Promise<void> {
      const deps = { models, now: Date.now };
      await perform(how, ({ commit }) =>
        operate({ ...deps, commit }, changePointsEnd, { partnerId, mode, after }),
      );
    },

    /** The customer was told twice, and does nothing until their points end. */
    async endPoints(mode: Mode, nth: number, how: Circumstances): Promise<void> {
      const customerId = customerOf(nth);
      const newest = { rewardId: 'PNR_1', externalOrderId: 'order', integrationId };
      const seen = { customerId, newest };
      await performLater(how, ({ commit }) =>
        commit({
          partnerId,
          wallet: { partnerId, mode },
          customerIds: [customerId],
          decide(draft, terms) {
            const endsAt = draft.customers.get(customerId)?.ending?.endsAt;
            if (endsAt === undefined) return;
            const before = (days: number) => ({
              ...terms,
              at: new Date(endsAt.getTime() - days * dayMs),
            });
            for (const [place, days] of noticeDays.entries()) {
              noteEndTold(draft, seen, { nth: place, endsAt }, before(days));
            }
            endPointsOf(draft, seen, terms);
          },
        }),
      );
    },

    /** Unused funding is paid back. */
    async withdraw(amountCents: number, how: Circumstances): Promise<void> {
      const externalReference = randomUUID();
      const money = { partnerId, amountCents, currency: 'USD', externalReference };
      const withdrawn = await perform(how, async ({ commit }) => {
        const deps = { models, commit, now: Date.now };
        return await execute(deps, withdraw, system('test'), money);
      }).catch(unlessRefused);
      if (withdrawn !== undefined) topUps.LIVE -= amountCents;
    },

    /** Waits until nothing is due. */
    async settled(): Promise<void> {
      await sweep();
      await refreshAll();
    },
  };
}

/** What the customer had was taken or spent by somebody faster, or is not there. */
function unlessRefused(error: unknown): undefined {
  if (!(error instanceof ServiceError)) throw error;
}

/** @throws the error, unless it refuses a refund of more than is left of its order */
function ifMoreThanIsLeft(error: unknown): null {
  if (error instanceof ServiceError && error.code === 'REFUND_EXCEEDS_ORDER') return null;
  throw error;
}

/** @returns the same request for the same reward and time, so that a repeat of it is a retry */
function refundOf(
  { partnerId, integrationId, mode }: PurchaseReport,
  reward: RewardSnapshot,
  at: string,
) {
  const name = `${reward.rewardId}:${reward.version}:${at}`;
  return {
    origin: anOrigin({ partnerId, integrationId, mode }, name, { receivedAt: at }),
    request: { externalOrderId: reward.externalOrderId, externalRefundId: `refund ${name}` },
  };
}
