import test, { type ExecutionContext } from 'ava';
import type { Answer } from '../../domain/answers.ts';
import type { PurchaseReport } from '../../domain/purchase.ts';
import { claimedStates, type RewardSnapshot, statusOf } from '../../domain/reward.ts';
import { walletBalances } from '../../models/ledger/index.ts';
import type { EarningRuleDoc } from '../../models/schemas/rules.ts';
import { eraseEventsOf, openEvent } from '../../models/store/sealed-events.ts';
import {
  type Activities,
  type Database,
  openDatabase,
  type Process,
} from '../helpers/processes.ts';
import { raceAtEveryOperation } from '../helpers/race.ts';
import { at, openStage, type RefundReport, type Stage } from './helpers/stage.ts';

let database: Database;
test.before(async () => {
  database = await openDatabase();
});
test.after.always(() => database?.close());

type Call<T> = (activities: Activities, process: Process) => Promise<T>;

/** Two calls that race, each in a process of its own. */
interface Calls<T> {
  act: Call<T>;
  meanwhile: Call<T>;
  holds(answers: [T, T]): Promise<void>;
}

const race = <T>(t: ExecutionContext, scenario: (stage: Stage) => Promise<Calls<T>>) =>
  raceAtEveryOperation<T>(t, async () => {
    const stage = await openStage(database);
    const { act, meanwhile, holds } = await scenario(stage);
    const run = (call: Call<T>) => {
      const process = stage.newProcess();
      return stage.perform(process, (activities) => call(activities, process));
    };
    return { act: () => run(act), meanwhile: () => run(meanwhile), holds };
  });

const codeOf = (answer: Answer) => ('code' in answer ? answer.code : answer.kind);

/** Records a purchase as the API does. @returns the API's answer */
async function reported(process: Process, report: PurchaseReport): Promise<Answer> {
  const ruleId = report.eventId.replace(/^evt_(.{8}).*$/, 'rul_$1LIVE');
  return (await process.record(report, ruleId)).answer;
}

/** @param expected the answers' codes, and the points of the rewards that exist afterwards */
async function racePurchases(
  t: ExecutionContext,
  changes: (first: PurchaseReport) => Partial<PurchaseReport>,
  expected: { answers: string[]; points: number[] },
  rule: Partial<EarningRuleDoc> = { capPerCustomerDayPoints: 150 },
): Promise<void> {
  await race(t, async (stage) => {
    await stage.rule(rule);
    const first = stage.purchase();
    const second = { ...stage.purchase(), ...changes(first) };
    return {
      act: (_activities, process) => reported(process, first),
      meanwhile: (_activities, process) => reported(process, second),
      async holds(answers) {
        t.deepEqual(answers.map(codeOf).toSorted(), expected.answers);
        const { partnerId } = stage;
        const recorded = await database.models.orderEvents.distinct('_id', { partnerId });
        for (const purchaseEventId of recorded) {
          await stage.begin({ partnerId, purchaseEventId });
        }
        const rewards = await database.models.rewards.find({ partnerId });
        t.deepEqual(rewards.map(({ points }) => points).toSorted(), expected.points);
        const ids = rewards.map(({ purchaseEventId }) => purchaseEventId).toSorted();
        const { orderEvents } = database.models;
        t.deepEqual((await orderEvents.distinct('_id', { partnerId })).toSorted(), ids);
        const answered = answers.flatMap((one) => (one.kind === 'ANSWERED' ? [one.eventId] : []));
        t.is(new Set(answered).size, rewards.length);
      },
    };
  });
}

test('a purchase races its retry: one reward, and both get the same response', async (t) => {
  const retry = ({ idempotencyKeyHash, payloadHash, externalOrderId }: PurchaseReport) => ({
    idempotencyKeyHash,
    payloadHash,
    externalOrderId,
  });
  await racePurchases(t, retry, { answers: ['ANSWERED', 'ANSWERED'], points: [100] });
});

test('two purchases race under one key: the first is recorded, the other refused', async (t) => {
  const sameKey = ({ idempotencyKeyHash }: PurchaseReport) => ({ idempotencyKeyHash });
  const answers = ['ANSWERED', 'IDEMPOTENCY_CONFLICT'];
  await racePurchases(t, sameKey, { answers, points: [100] });
});

test('two purchases of one order race: the first is recorded, the other refused', async (t) => {
  const sameOrder = ({ externalOrderId }: PurchaseReport) => ({ externalOrderId });
  const answers = ['ANSWERED', 'DUPLICATE_EXTERNAL_ORDER'];
  await racePurchases(t, sameOrder, { answers, points: [100] });
});

test('two purchases of one customer race: together they earn no more than the daily cap', async (t) => {
  await racePurchases(t, () => ({}), { answers: ['ANSWERED', 'ANSWERED'], points: [100, 50] });
});

test('two purchases race for what is left of a budget: together they earn no more', async (t) => {
  const rule = { budget: { name: 'Spring', totalPoints: 150, monthPoints: null } };
  await racePurchases(
    t,
    () => ({}),
    { answers: ['ANSWERED', 'ANSWERED'], points: [100, 50] },
    rule,
  );
});

/** Races refunds of two orders: one reward is cancelled, the other keeps its money. */
async function raceRefunds(
  t: ExecutionContext,
  changes: (first: RefundReport, second: RefundReport) => RefundReport,
  refusal: string,
): Promise<void> {
  await race(t, async (stage) => {
    await stage.rule();
    await stage.fund(10_000);
    const [one, other] = [await begun(stage), await begun(stage)];
    const first = stage.refund(one, 'first');
    const second = changes(first, stage.refund(other, 'second'));
    return {
      act: (_activities, process) => process.refund(first.origin, first.request),
      meanwhile: (_activities, process) => process.refund(second.origin, second.request),
      async holds(answers) {
        t.deepEqual(answers.map(codeOf).toSorted(), ['ANSWERED', refusal].toSorted());
        const { partnerId } = stage;
        const rewards = await database.models.rewards.find({ partnerId });
        t.deepEqual(rewards.map(({ state }) => state).toSorted(), ['CANCELLED', 'FUNDED']);
        const wallet = await moneyOf(stage);
        t.deepEqual(wallet, { fundingCents: 9_900, reservedCents: 100, owedCents: 0 });
        const refunds = { partnerId, type: 'REFUND' as const };
        t.is(await database.models.orderEvents.countDocuments(refunds), 1);
      },
    };
  });
}

/** Records a purchase whose reward is then funded, or joins the queue. */
const begun = async (stage: Stage): Promise<RewardSnapshot> =>
  stage.begin(await stage.report(stage.purchase()));

async function moneyOf(stage: Stage) {
  const { isUnlimited: _, ...money } = await walletBalances(database.models, stage.wallet());
  return money;
}

test('refunds of two orders race under one key: the first is recorded, the other refused', async (t) => {
  const sameKey = (first: RefundReport, { origin, request }: RefundReport) => ({
    origin: { ...origin, idempotencyKeyHash: first.origin.idempotencyKeyHash },
    request,
  });
  await raceRefunds(t, sameKey, 'IDEMPOTENCY_CONFLICT');
});

test('refunds of two orders race with one externalRefundId: the first is recorded, the other refused', async (t) => {
  const sameRefund = (first: RefundReport, { origin, request }: RefundReport) => ({
    origin,
    request: { ...request, externalRefundId: first.request.externalRefundId ?? '' },
  });
  await raceRefunds(t, sameRefund, 'DUPLICATE_EXTERNAL_REFUND');
});

test('a refund races its retry: one refund, one response, and the money is returned once', async (t) => {
  await race(t, async (stage) => {
    await stage.rule();
    await stage.fund(10_000);
    const reward = await begun(stage);
    const { origin, request } = stage.refund(reward, 'first');
    return {
      act: (_activities, process) => process.refund(origin, request),
      meanwhile: (_activities, process) => process.refund(origin, request),
      async holds([one, other]) {
        t.is(one.kind, 'ANSWERED');
        t.deepEqual(one, other);
        const wallet = await moneyOf(stage);
        t.deepEqual(wallet, { fundingCents: 10_000, reservedCents: 0, owedCents: 0 });
      },
    };
  });
});

test('a purchase is refunded while it begins: its money is returned, or was never reserved', async (t) => {
  for (const refundsFirst of [false, true]) {
    await race<unknown>(t, async (stage) => {
      await stage.rule();
      await stage.fund(100);
      const ref = await stage.report(stage.purchase());
      const event = await database.models.orderEvents.findById(ref.purchaseEventId).orFail();
      const { origin, request } = stage.refund(event);
      const begin: Call<unknown> = (activities) =>
        activities.begin(ref, { at, offeredUntil: null });
      const refund: Call<unknown> = (_activities, process) => process.refund(origin, request);
      return {
        act: refundsFirst ? refund : begin,
        meanwhile: refundsFirst ? begin : refund,
        async holds() {
          // A late attempt to begin that was presumed dead changes nothing.
          t.is((await stage.begin(ref)).state, 'CANCELLED');
          t.deepEqual(await moneyOf(stage), { fundingCents: 100, reservedCents: 0, owedCents: 0 });
          const { partnerId } = stage;
          for (const { points, days } of await database.models.usagePeriods.find({ partnerId })) {
            t.is(points, 0, 'the usage is given back');
            for (const use of Object.values(days ?? {})) t.deepEqual(use, { points: 0, cents: 0 });
          }
        },
      };
    });
  }
});

/** The ways in which an unclaimed reward can end or be claimed. */
const ends: Record<string, (reward: RewardSnapshot, stage: Stage, name: string) => Call<unknown>> =
  {
    claim: (reward) => (_activities, process) => process.move(reward, 'CLAIM'),
    refund: (reward, stage, name) => (_activities, process) => {
      const { origin, request } = stage.refund(reward, name);
      return process.refund(origin, request);
    },
    'end of the window': (reward) => (_activities, process) => process.move(reward, 'EXPIRE'),
    cancellation: (reward) => (_activities, process) => process.move(reward, 'CANCEL'),
  };

for (const [one, act] of Object.entries(ends)) {
  for (const [other, meanwhile] of Object.entries(ends)) {
    test(`a ${one} races a ${other}: both responses are true, and no cent is lost or doubled`, async (t) => {
      await race<unknown>(t, async (stage) => {
        await stage.rule();
        await stage.fund(100);
        const reward = await begun(stage);
        return {
          act: act(reward, stage, 'one'),
          meanwhile: meanwhile(reward, stage, 'other'),
          async holds(answers) {
            const stored = await database.models.rewards.findById(reward.rewardId).orFail();
            t.is(stored.version, stored.moves.length);
            const after = await stage.reward(reward);
            const refunds = (answers as Answer[]).filter(({ kind }) => kind === 'ANSWERED');
            const { partnerId } = stage;
            const recorded = { partnerId, type: 'REFUND' as const };
            t.is(await database.models.orderEvents.countDocuments(recorded), refunds.length);
            for (const answer of answers as Answer[]) {
              if (answer.kind !== 'ANSWERED') continue;
              const made = stored.moves.find(
                ({ refundEventId }) => refundEventId === answer.eventId,
              );
              t.is(JSON.parse(answer.body).reward.status, made && statusOf(made.state));
            }
            const isClaimed = claimedStates.includes(after.state);
            t.deepEqual(await moneyOf(stage), {
              fundingCents: isClaimed ? 0 : 100,
              reservedCents: 0,
              owedCents: isClaimed ? 100 : 0,
            });
          },
        };
      });
    });
  }
}

test('two refunds of a claimed reward race: both are recorded, and one review opens', async (t) => {
  await race<Answer>(t, async (stage) => {
    await stage.rule();
    await stage.fund(100);
    const reward = await begun(stage);
    await stage.process.move(reward, 'CLAIM');
    const [one, other] = [stage.refund(reward, 'one'), stage.refund(reward, 'other')];
    return {
      act: (_activities, process) => process.refund(one.origin, one.request),
      meanwhile: (_activities, process) => process.refund(other.origin, other.request),
      async holds(answers) {
        t.deepEqual(answers.map(codeOf), ['ANSWERED', 'ANSWERED']);
        const { partnerId } = stage;
        t.is(await database.models.reviews.countDocuments({ partnerId }), 1);
        t.is((await stage.reward(reward)).state, 'IN_REVIEW');
      },
    };
  });
});

test('a refund races the report of its purchase: it finds it, or is refused', async (t) => {
  await race<string>(t, async (stage) => {
    await stage.rule();
    await stage.fund(100);
    const report = stage.purchase();
    const { origin, request } = stage.refund(report);
    return {
      act: async (_activities, process) => codeOf(await reported(process, report)),
      meanwhile: (_activities, process) =>
        process.refund(origin, request).then(codeOf, (error) => error.code),
      async holds([purchase, refund]) {
        t.is(purchase, 'ANSWERED');
        t.true(['ANSWERED', 'ORIGINAL_PURCHASE_NOT_FOUND'].includes(refund), refund);
        const { partnerId, eventId: purchaseEventId } = report;
        const { state } = await stage.begin({ partnerId, purchaseEventId });
        t.is(state, refund === 'ANSWERED' ? 'CANCELLED' : 'FUNDED');
      },
    };
  });
});

test('two admins decide at once: one decision stands, and the reward follows it', async (t) => {
  await race<unknown>(t, async (stage) => {
    await stage.rule();
    await stage.fund(100);
    const claimed = await begun(stage);
    await stage.process.move(claimed, 'CLAIM');
    const { origin, request } = stage.refund(claimed);
    await stage.process.refund(origin, request);
    const reward = await stage.reward(claimed);
    const { review } = reward;
    if (!review) throw new Error('the reward should be in review');
    const decide =
      (verdict: 'UPHOLD' | 'DISMISS'): Call<unknown> =>
      (_activities, process) =>
        process.decide(reward, verdict).then(
          () => 'DECIDED',
          (error) => error.code,
        );
    return {
      act: decide('UPHOLD'),
      meanwhile: decide('DISMISS'),
      async holds(answers) {
        t.deepEqual(answers.toSorted(), ['CONFLICT', 'DECIDED']);
        const after = await stage.reward(reward);
        const stored = await database.models.reviews.findById(review.reviewId).orFail();
        const isUpheld = stored.decision?.verdict === 'UPHOLD';
        t.is(isUpheld, answers[0] === 'DECIDED');
        t.is(after.state, isUpheld ? 'CANCELLED' : 'AVAILABLE');
        t.deepEqual(await moneyOf(stage), {
          fundingCents: isUpheld ? 100 : 0,
          reservedCents: 0,
          owedCents: isUpheld ? 0 : 100,
        });
      },
    };
  });
});

test('a purchase begins while a top-up serves the queue: nobody passes over who came before', async (t) => {
  await race<unknown>(t, async (stage) => {
    await stage.rule();
    const older = await begun(stage);
    const ref = await stage.report(stage.purchase());
    return {
      act: () => stage.fund(100),
      meanwhile: (activities) => activities.begin(ref, { at, offeredUntil: null }),
      async holds() {
        const { partnerId } = stage;
        const reserved = await database.models.ledger.find({ partnerId, kind: 'RESERVE' });
        t.deepEqual(
          reserved.map(({ rewardId }) => rewardId),
          [older.rewardId],
        );
        t.is((await stage.begin(ref)).state, 'AWAITING_FUNDING');
      },
    };
  });
});

/** A purchase, the erasure of its customer's data, and a read of that data: `null` if it is erased. */
async function toErase(stage: Stage) {
  await stage.rule();
  await stage.fund(100);
  const report = stage.purchase();
  const { partnerId, eventId, customerId } = report;
  const erasure = { upTo: new Date(report.receivedAt), erasedAt: new Date() };
  return {
    report,
    begin: async (activities: Activities) => {
      const ref = { partnerId, purchaseEventId: eventId };
      return (await activities.begin(ref, { at, offeredUntil: null })).reward;
    },
    erase: () => eraseEventsOf(database.models, { partnerId, customerId }, erasure),
    opened: async () => {
      const event = await database.models.orderEvents.findById(eventId).orFail();
      return openEvent(database.sealer, event);
    },
  };
}

test('starting a purchase races the erasure of its customer: it starts, and its data stays unreadable', async (t) => {
  await race<unknown>(t, async (stage) => {
    const { report, begin, erase, opened } = await toErase(stage);
    await stage.report(report);
    return {
      act: begin,
      meanwhile: erase,
      async holds() {
        t.is(await opened(), null);
        // Temporal may repeat the first activity at any time.
        const reward = await stage.call(begin);
        t.is(await opened(), null);
        t.is(reward.state, 'FUNDED');
        const sent = await stage.call((activities) => activities.sendClaimLink(reward));
        t.is(sent, 'NOBODY');
      },
    };
  });
});

test('recording a purchase races the erasure of its customer: its data is readable for everyone or for nobody', async (t) => {
  await race<unknown>(t, async (stage) => {
    const { report, begin, erase, opened } = await toErase(stage);
    return {
      act: (_activities: Activities, process: Process) => reported(process, report),
      meanwhile: erase,
      async holds([answer]) {
        t.is(codeOf(answer as Answer), 'ANSWERED');
        const reward = await stage.call(begin);
        const isErased = (await opened()) === null;
        const sent = await stage.call((activities) => activities.sendClaimLink(reward));
        t.is(sent, isErased ? 'NOBODY' : 'SENT');
      },
    };
  });
});
