import test, { type ExecutionContext } from 'ava';
import type { Answer } from '../../domain/answers.ts';
import type { PurchaseReport } from '../../domain/purchase.ts';
import type { RewardSnapshot } from '../../domain/reward.ts';
import { answeredBy } from '../../models/events/order-events.ts';
import { reserveInOrder, walletBalances } from '../../models/ledger/index.ts';
import { destroyKeysOf, openSealed } from '../../models/store/data-keys.ts';
import { interrupted } from '../helpers/faults.ts';
import { places } from '../helpers/places.ts';
import {
  type Activities,
  type Database,
  openDatabase,
  type Process,
} from '../helpers/processes.ts';
import { at, openStage, type RefundReport, type Stage } from './helpers/stage.ts';

let database: Database;
test.before(async () => {
  database = await openDatabase();
});
test.after.always(() => database?.close());

type Call<T> = (activities: Activities, process: Process) => Promise<T>;

/** Two calls that race, and what holds after both, in whichever order they ran. */
interface Race<T> {
  act: Call<T>;
  meanwhile: Call<T>;
  holds(answers: [T, T]): Promise<void>;
}

/**
 * Runs one call in the middle of another, in another process: before its first database operation, between
 * any two of them, and after the last.
 * @param tried the places before which the other call runs
 */
async function raceAtEveryOperation<T>(
  t: ExecutionContext,
  scenario: (stage: Stage) => Promise<Race<T>>,
  tried = places(),
): Promise<void> {
  for (const place of tried) {
    const stage = await openStage(database);
    const { act, meanwhile, holds } = await scenario(stage);
    const run = (call: Call<T>): Promise<T> => {
      const process = stage.newProcess();
      return stage.perform(process, (activities) => call(activities, process));
    };
    let other: Promise<T> | undefined;
    const happen = () => {
      other = run(meanwhile);
      return other;
    };
    const { result, hasHappened } = await interrupted(place, () => run(act), happen);
    await holds([result, await (other ?? happen())]);
    if (!hasHappened) {
      t.true(place > 1, 'the call has more than one database operation');
      return;
    }
  }
}

const codeOf = (answer: Answer) => ('code' in answer ? answer.code : answer.kind);

/** Records a purchase as the API does. @returns the API's answer */
async function reported(process: Process, report: PurchaseReport): Promise<Answer> {
  const recording = await process.record(
    report,
    report.eventId.replace(/^evt_(.{8}).*$/, 'rul_$1LIVE'),
  );
  return 'answer' in recording ? recording.answer : answeredBy(recording.event);
}

/** @param expected the answers' codes, and the points of the rewards that exist afterwards */
async function racePurchases(
  t: ExecutionContext,
  changes: (first: PurchaseReport) => Partial<PurchaseReport>,
  expected: { answers: string[]; points: number[] },
): Promise<void> {
  await raceAtEveryOperation(t, async (stage) => {
    await stage.rule({ capPerCustomerDayPoints: 150 });
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
          await stage.call((activities) => activities.createReward({ partnerId, purchaseEventId }));
        }
        const rewards = await database.models.rewards.find({ partnerId });
        t.deepEqual(rewards.map(({ points }) => points).toSorted(), expected.points);
        const ids = rewards.map(({ purchaseEventId }) => purchaseEventId).toSorted();
        const { orderEvents, integrationEvents } = database.models;
        t.deepEqual((await orderEvents.distinct('_id', { partnerId })).toSorted(), ids);
        t.deepEqual((await integrationEvents.distinct('eventId', { partnerId })).toSorted(), ids);
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

/** Races refunds of two orders: one reward is cancelled, the other keeps its money. */
async function raceRefunds(
  t: ExecutionContext,
  changes: (first: RefundReport, second: RefundReport) => RefundReport,
  refusal: string,
): Promise<void> {
  await raceAtEveryOperation(t, async (stage) => {
    await stage.rule();
    await stage.fund(10_000);
    const [one, other] = [await accounted(stage), await accounted(stage)];
    const first = stage.refund(one, 'first');
    const second = changes(first, stage.refund(other, 'second'));
    return {
      act: (_activities, process) => process.refund(first.origin, first.request),
      meanwhile: (_activities, process) => process.refund(second.origin, second.request),
      async holds(answers) {
        for (const reward of [one, other]) {
          await stage.call((activities) => activities.carryOutPending(reward));
        }
        t.deepEqual(answers.map(codeOf).toSorted(), ['ANSWERED', refusal].toSorted());
        const { partnerId } = stage;
        const rewards = await database.models.rewards.find({ partnerId });
        t.deepEqual(rewards.map(({ status }) => status).toSorted(), ['CANCELLED', 'PENDING']);
        const wallet = await walletBalances(stage.newProcess().ledger, stage.wallet());
        t.deepEqual(wallet, { fundingCents: 9_900, reservedCents: 100, owedCents: 0 });
        const refunds = { partnerId, type: 'REFUND' as const };
        t.is(await database.models.orderEvents.countDocuments(refunds), 1);
      },
    };
  });
}

/** Records a purchase whose reward is then funded, or joins the queue. */
async function accounted(stage: Stage): Promise<RewardSnapshot> {
  const ref = await stage.report(stage.purchase());
  const begun = await stage.call((activities) => activities.createReward(ref));
  return (await stage.call((activities) => activities.accountReward(begun, at))).reward;
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
  await raceAtEveryOperation(t, async (stage) => {
    await stage.rule();
    await stage.fund(10_000);
    const reward = await accounted(stage);
    const { origin, request } = stage.refund(reward, 'first');
    return {
      act: (_activities, process) => process.refund(origin, request),
      meanwhile: (_activities, process) => process.refund(origin, request),
      async holds([one, other]) {
        await stage.call((activities) => activities.carryOutPending(reward));
        t.is(one.kind, 'ANSWERED');
        t.deepEqual(one, other);
        const wallet = await walletBalances(stage.newProcess().ledger, stage.wallet());
        t.deepEqual(wallet, { fundingCents: 10_000, reservedCents: 0, owedCents: 0 });
      },
    };
  });
});

const moneyOf = (stage: Stage) => walletBalances(stage.newProcess().ledger, stage.wallet());

test('a reward ends while the wallet funds it: its reserved money is returned once, or was never reserved', async (t) => {
  await raceAtEveryOperation<unknown>(t, async (stage) => {
    await stage.rule();
    const [first, next] = [await accounted(stage), await accounted(stage)];
    await stage.fund(100);
    const queue = [first.rewardId, next.rewardId];
    const { origin, request } = stage.refund(first);
    return {
      act: (activities) => activities.fundWaiting(stage.wallet(), queue, 100, at),
      async meanwhile(activities, process) {
        await process.refund(origin, request);
        await activities.carryOutPending(first);
      },
      async holds() {
        // The workflow carries out pending moves once more when the wallet signals it.
        const reward = await stage.call((activities) => activities.carryOutPending(first));
        t.is(reward.status, 'CANCELLED');
        const { partnerId } = stage;
        const entriesOf = (kind: string) =>
          database.models.ledger.find({ partnerId, kind, rewardId: first.rewardId });
        const [reserved, released] = [await entriesOf('RESERVE'), await entriesOf('RELEASE')];
        t.is(released.length, reserved.length);
        const { fundingCents, reservedCents } = await moneyOf(stage);
        const [other] = await database.models.rewards.find({ partnerId, funded: true });
        t.is(reservedCents, other ? 100 : 0);
        t.is(fundingCents, 100 - reservedCents);
      },
    };
  });
});

test('a reward is refunded while its money is being reserved: the money is returned, or was never reserved', async (t) => {
  for (const refundsFirst of [false, true]) {
    await raceAtEveryOperation<unknown>(t, async (stage) => {
      await stage.rule();
      await stage.fund(100);
      const ref = await stage.report(stage.purchase());
      const begun = await stage.call((activities) => activities.createReward(ref));
      const { origin, request } = stage.refund(begun);
      const account: Call<unknown> = (activities) => activities.accountReward(begun, at);
      const refund: Call<unknown> = async (activities, process) => {
        await process.refund(origin, request);
        await activities.carryOutPending(ref);
      };
      return {
        act: refundsFirst ? refund : account,
        meanwhile: refundsFirst ? account : refund,
        async holds() {
          // A late attempt of the accounting that was presumed dead changes nothing.
          await stage.call((activities) => activities.accountReward(begun, at));
          t.is(
            (await stage.call((activities) => activities.carryOutPending(ref))).status,
            'CANCELLED',
          );
          t.deepEqual(await moneyOf(stage), { fundingCents: 100, reservedCents: 0, owedCents: 0 });
          const { partnerId } = stage;
          const usage = await database.models.usageEntries.find({ partnerId });
          t.true(
            usage.length === 0 || usage.length === 2,
            'the usage is counted and given back, or neither',
          );
        },
      };
    });
  }
});

/** The ways in which an unclaimed reward can end or be claimed. */
const ends: Record<string, (reward: RewardSnapshot, stage: Stage) => Call<unknown>> = {
  claim: (reward) => (_activities, process) => process.move(reward, 'CLAIM', at),
  refund: (reward, stage) => (_activities, process) => {
    const { origin, request } = stage.refund(reward);
    return process.refund(origin, request);
  },
  'end of the window': (reward) => (_activities, process) => process.move(reward, 'EXPIRE', at),
  cancellation: (reward) => (_activities, process) => process.move(reward, 'CANCEL', at),
};

for (const [one, act] of Object.entries(ends)) {
  for (const [other, meanwhile] of Object.entries(ends)) {
    test(`a ${one} races a ${other}: both responses are true, and no cent is lost or doubled`, async (t) => {
      await raceAtEveryOperation<unknown>(t, async (stage) => {
        await stage.rule();
        await stage.fund(100);
        const reward = await accounted(stage);
        return {
          act: act(reward, stage),
          meanwhile: meanwhile(reward, stage),
          async holds(answers) {
            const stored = await database.models.rewards.findById(reward.rewardId).orFail();
            t.is(stored.version, stored.moves.length);
            const after = await stage.call((activities) => activities.carryOutPending(reward));
            t.false(after.isPending && after.status !== 'ADMIN_REVIEW');
            for (const answer of answers as Answer[]) {
              if (answer.kind !== 'ANSWERED') continue;
              const made = stored.moves.find(
                ({ refundEventId }) => refundEventId === answer.eventId,
              );
              t.is(JSON.parse(answer.body).reward.status, made?.status);
            }
            const isClaimed = after.customerStatus === 'CLAIMED';
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

test('two admins decide at once: one decision stands, and the reward follows it', async (t) => {
  await raceAtEveryOperation<unknown>(t, async (stage) => {
    await stage.rule();
    await stage.fund(100);
    const claimed = await accounted(stage);
    await stage.process.move(claimed, 'CLAIM', at);
    const { origin, request } = stage.refund(claimed);
    await stage.process.refund(origin, request);
    const reward = await stage.call((activities) => activities.carryOutPending(claimed));
    const { review } = reward;
    if (!review) throw new Error('the reward should be in review');
    await stage.call((activities) => activities.openReview(reward, review));
    const decide =
      (verdict: 'UPHOLD' | 'DISMISS'): Call<unknown> =>
      (_activities, process) =>
        process.decide(reward, verdict, at);
    return {
      act: decide('UPHOLD'),
      meanwhile: decide('DISMISS'),
      async holds() {
        const after = await stage.call((activities) => activities.carryOutPending(reward));
        const stored = await database.models.reviews.findById(review.reviewId).orFail();
        const isUpheld = stored.decision?.verdict === 'UPHOLD';
        t.is(after.status, isUpheld ? 'CANCELLED' : 'AVAILABLE');
        t.is(stored.pendingSince, undefined);
        t.deepEqual(await moneyOf(stage), {
          fundingCents: isUpheld ? 100 : 0,
          reservedCents: 0,
          owedCents: isUpheld ? 0 : 100,
        });
      },
    };
  });
});

test('a reward that joins the queue before a top-up is not passed over, wherever the queue is being served', async (t) => {
  const served = new Set<number>();
  const scenario = async (stage: Stage): Promise<Race<unknown>> => {
    await stage.rule();
    const begun = async () => {
      const ref = await stage.report(stage.purchase());
      return await stage.call((activities) => activities.createReward(ref));
    };
    const [older, younger] = [await begun(), await begun()];
    await stage.call((activities) => activities.accountReward(younger, at));
    return {
      async act(activities) {
        const { rewardIds, fundingCents } = await activities.findWaiting(stage.wallet(), null);
        await activities.fundWaiting(stage.wallet(), rewardIds, fundingCents, at);
      },
      async meanwhile(activities) {
        await activities.accountReward(older, at);
        await stage.fund(100);
      },
      async holds() {
        const { partnerId } = stage;
        const reserved = await database.models.ledger.find({ partnerId, kind: 'RESERVE' });
        served.add(reserved.length);
        t.true(reserved.every(({ rewardId }) => rewardId === older.rewardId));
      },
    };
  };
  await raceAtEveryOperation(t, scenario, places(true));
  t.deepEqual([...served].toSorted(), [0, 1]);
});

test('a reward whose money an interrupted round reserved is notified by the next round, even with no funds left', async (t) => {
  const stage = await openStage(database);
  await stage.rule();
  const reward = await accounted(stage);
  await stage.fund(100);
  const wallet = stage.wallet();
  const lost = [{ reward, at: new Date(Date.parse(at) - 1).toISOString() }];
  await reserveInOrder(stage.newProcess().ledger, wallet, lost, { isBehindOthers: false });
  const { rewardIds, fundingCents } = await stage.call((activities) =>
    activities.findWaiting(wallet, null),
  );
  t.is(fundingCents, 0);
  const served = await stage.call((activities) =>
    activities.fundWaiting(wallet, rewardIds, fundingCents, at),
  );
  t.like(served, { isServed: true, fundedCents: 0 });
  t.true(stage.messengerCalls.has(JSON.stringify(['funded', reward.purchaseEventId])));
});

/** A purchase, the erasure of its customer's data, and a read of that data: `null` if it is erased. */
async function toErase(stage: Stage) {
  await stage.rule();
  const report = stage.purchase();
  const { partnerId, eventId, customerId } = report;
  const at = { upTo: new Date(report.receivedAt), erasedAt: new Date() };
  return {
    report,
    begin: (activities: Activities) =>
      activities.createReward({ partnerId, purchaseEventId: eventId }),
    erase: () => destroyKeysOf(database.models, { partnerId, customerId }, at),
    opened: async () => {
      const event = await database.models.orderEvents.findById(eventId).orFail();
      return await openSealed(database, { ...event, context: eventId });
    },
  };
}

test('starting a purchase races the erasure of its customer: it starts, and its data stays unreadable', async (t) => {
  for (const erasesFirst of [true, false]) {
    await raceAtEveryOperation<unknown>(t, async (stage) => {
      const { report, begin, erase, opened } = await toErase(stage);
      await stage.report(report);
      const [act, meanwhile] = erasesFirst ? [begin, erase] : [erase, begin];
      return {
        act,
        meanwhile,
        async holds() {
          t.is(await opened(), null);
          // Temporal may repeat the first activity at any time.
          const reward = await stage.call(begin);
          t.is(await opened(), null);
          t.is(reward.status, 'PENDING');
          const sent = await stage.call((activities) => activities.sendClaimLink(reward));
          t.is(sent, 'NOBODY');
        },
      };
    });
  }
});

test('recording a purchase races the erasure of its customer: its data is readable for everyone or for nobody', async (t) => {
  await raceAtEveryOperation<unknown>(t, async (stage) => {
    const { report, begin, erase, opened } = await toErase(stage);
    return {
      act: (_activities: Activities, process: Process) => reported(process, report),
      meanwhile: erase,
      async holds([answer]) {
        t.is(codeOf(answer as Answer), 'ANSWERED');
        const event = await database.models.orderEvents.findById(report.eventId).orFail();
        const reward = await stage.call(begin);
        const isErased = event.dataKey === undefined;
        t.is((await opened()) === null, isErased);
        const sent = await stage.call((activities) => activities.sendClaimLink(reward));
        t.is(sent, isErased ? 'NOBODY' : 'SENT');
      },
    };
  });
});
