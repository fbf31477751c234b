import type { Machine } from '../../../dev/model/compile.ts';
import type { ModelMove, ModelProc, ModelState } from '../../../dev/model/state.ts';
import { liveAccounts } from '../../../domain/postings.ts';
import type { PurchaseRef } from '../../../domain/purchase.ts';
import type { RewardSnapshot } from '../../../domain/reward.ts';
import { findOrCreateReward } from '../../../models/rewards/create.ts';
import { followDecision, writeDecision } from '../../../models/rewards/reviews.ts';
import {
  cancelUnclaimed,
  claimReward,
  expireReward,
} from '../../../models/rewards/reward-moves.ts';
import type { OrderEventDoc } from '../../../models/schemas/events.ts';
import { reviewIdOf } from '../../../platform/ids.ts';
import { openStage, at as start } from '../../activities/helpers/stage.ts';
import { asActivity, type Database } from '../../helpers/processes.ts';
import { readTogether } from '../../helpers/read-collections.ts';
import { GatedWork, gate } from './gated.ts';

const dayMs = 24 * 3_600_000;
/** One unit of the model, in cents and in points. The model's reward costs two units and gives two units of points. */
const unit = 50;
const at = (time: number): Date => new Date(Date.parse(start) + time * dayMs);

/** Where a process stops next: before an operation, at its end, or, with null, at no place of its own. */
type Stop = ((operation: string, done: readonly string[]) => boolean) | 'end' | null;
const before =
  (...operations: string[]): Stop =>
  (operation) =>
    operations.includes(operation);
const anything: Stop = () => true;
const ofCollection =
  (name: string): Stop =>
  (operation) =>
    operation.startsWith(`${name}.`);
const ledger = ofCollection('ledger_transactions');
const usage = ofCollection('usage_entries');

/** The stored data, in the model's terms. */
type Stored = Pick<ModelState, 'purchase' | 'events' | 'reviews'> & {
  reward: unknown;
  ledger: unknown;
  usage: string[];
};

/**
 * Replays the steps of a trace with the real functions on MongoDB, in the trace's order: each process runs to
 * where it is in the model and waits there, before its next write, while other processes run. After every
 * step, the stored data must equal the model's.
 */
export async function openReplay(
  database: Database,
  machine: Machine<ModelState>,
  first: ModelState,
) {
  const { models } = database;
  const stage = await openStage(database);
  const { partnerId } = stage;
  await stage.rule({ claimWindow: 'P2D' });
  const report = stage.purchase();
  const ref: PurchaseRef = await stage.report(report);
  if (first.ledger.funding > 0) await stage.fund(first.ledger.funding * unit);
  const works = new Map<number, GatedWork>();
  /** The result of the last `carryOutPending` that the workflow received. */
  let snapshot: RewardSnapshot | undefined;
  let paid = 0;

  return { step, stored, expected, close };

  /** @returns the response to a refund, if this step sends it, in the model's terms */
  async function step(from: ModelState, to: ModelState): Promise<string | undefined> {
    const { what, who } = to.did;
    const [proc, then] = [from.procs[who], to.procs[who]];
    switch (what) {
      case 'topUp':
        return void (await pay('cash', liveAccounts.funding));
      case 'spendElsewhere':
        return void (await pay(liveAccounts.funding, 'cash'));
      case 'spendPoints':
        return void (await spend(to.did.arg));
      case 'crash':
        await works.get(who)?.kill();
        works.delete(who);
        return undefined;
      case 'workflow':
        return await workflow(from, to);
    }
    const begun = [0, 1, 4, 5].find((i) => !from.procs[i]?.op && to.procs[i]?.op);
    if (begun !== undefined) return void (await begin(begun, to));
    if (proc === undefined || then === undefined || proc.op !== what) return undefined;
    return await advance(who, from, to);
  }

  /** In a step of the workflow, a worker starts an activity, or the workflow receives an activity's result. */
  async function workflow(from: ModelState, to: ModelState): Promise<undefined> {
    for (const i of [2, 3]) {
      const [was, is] = [from.procs[i], to.procs[i]];
      if (was?.op === 'CARRY_OUT' && !is?.op) snapshot = works.get(i)?.result as RewardSnapshot;
      if (was?.op && !is?.op) works.delete(i);
      if (!was?.op && is?.op) await begin(i, to);
    }
  }

  async function begin(i: number, state: ModelState): Promise<void> {
    const proc = state.procs[i] as ModelProc;
    const work = new GatedWork(workOf(proc));
    works.set(i, work);
    const stop = stopAt(state, proc, work);
    await work.runTo((operation) => typeof stop !== 'function' || stop(operation, work.done));
  }

  async function advance(i: number, from: ModelState, to: ModelState) {
    const work = works.get(i);
    if (work === undefined) throw new Error(`process ${i} is not running`);
    const proc = from.procs[i] as ModelProc;
    const current = stopAt(from, proc, work);
    if (typeof current === 'function') await work.release((one) => current(one, work.done));
    const [stop, isOver] = nextStop(to, i, work);
    if (typeof stop === 'function') await work.runTo((one) => stop(one, work.done));
    if (stop === 'end' || isOver) await work.runTo(() => false);
    if (isOver) works.delete(i);
    if (proc.op !== 'REFUND') return undefined;
    const isAnswered = proc.pc === 'reply' || !to.procs[i]?.op;
    return isAnswered && proc.pc !== 'signal' ? answerOf(work) : undefined;
  }

  /**
   * Where a process stops next. Steps of the model without a database operation have no counterpart in the
   * real process, which runs to the next step that has one.
   */
  function nextStop(state: ModelState, i: number, work: GatedWork): [Stop, boolean] {
    for (let ahead = state; ; ahead = machine.call('advanced', ahead, i) as ModelState) {
      const proc = ahead.procs[i] as ModelProc;
      if (proc.op === '') return ['end', ahead === state];
      const stop = stopAt(ahead, proc, work);
      if (stop !== null) return [stop, false];
    }
  }

  /** Where a process stops before its next step in the model. */
  function stopAt(state: ModelState, proc: ModelProc, { done }: GatedWork): Stop {
    const { op, pc, snap, q, k } = proc;
    const isBegun = done.length > 0;
    if (pc === 'done' || pc === 'signal' || pc === 'reply') return 'end';
    switch (op) {
      case 'REFUND':
        if (pc === 'ask') return isBegun ? null : anything;
        if (pc === 'insert') return before('order_events.insertOne');
        if (pc === 'look') return before('rewards.find', 'rewards.findOne');
        return writes(snap, q) ? before('rewards.updateOne') : null;
      case 'CLAIM':
      case 'CANCEL':
      case 'EXPIRE':
        if (pc === 'read') return isBegun ? before('rewards.findOne') : anything;
        return before('rewards.updateOne');
      case 'DECIDE':
        return before('reviews.findOneAndUpdate');
      case 'FOLLOW':
      case 'CARRY_OUT':
        return stopOfCarrying(state, proc, isBegun);
      case 'BEGIN':
        if (pc === 'reward') return before('rewards.insertMany');
        if (pc === 'unmark')
          return state.purchase.marked ? before('order_events.updateMany') : null;
        if (pc === 'account') return done.includes('account') ? null : before('account');
        if (pc === 'reserve') return ledger;
        if (pc === 'fund') return before('rewards.bulkWrite');
        return usage;
      case 'ASK':
        return pc === 'open' ? before('reviews.insertOne') : before('rewards.updateOne');
      default: {
        const hasReserved = done.includes('rewards.updateOne');
        if (pc === 'read') return hasReserved ? before('rewards.findOne') : anything;
        if (pc === 'fund') return before('rewards.updateOne');
        // The first operation on the ledger looks for reservations of earlier rounds that did not finish.
        const isReserving: Stop = (one, so) =>
          one.startsWith('ledger') && so.at(-1)?.startsWith('ledger') === true;
        return hasReserved || k > 0 ? null : isReserving;
      }
    }
  }

  function stopOfCarrying(state: ModelState, proc: ModelProc, isBegun: boolean): Stop {
    const { pc, snap, todo, made, k } = proc;
    switch (pc) {
      case 'find':
        return anything;
      case 'refunds': {
        const [q] = [...todo].sort();
        return q !== undefined && writes(snap, q) ? before('rewards.updateOne') : null;
      }
      case 'reread':
      case 'again':
        return before('rewards.findOne');
      case 'follow':
        return isBegun ? before('rewards.findOne') : anything;
      case 'review':
        return snap.status === 'ADMIN_REVIEW' ? before('reviews.findOne') : null;
      case 'verdict':
        return before('rewards.updateOne');
      case 'decided':
        return before('reviews.updateOne');
      case 'effect': {
        const effect = snap.moves[k]?.effect ?? 'NONE';
        if (effect === 'METER') return usage;
        return ['PAY', 'RELEASE', 'CLAW_BACK'].includes(effect) ? ledger : null;
      }
      case 'giveBack':
        return snap.moves.slice(0, k).some(({ on }) => on === 'FUND') ? usage : null;
      case 'clear': {
        const isReview = snap.status === 'ADMIN_REVIEW' && snap.marked;
        if (isReview) return before('reviews.findOne');
        return snap.carriedOut < snap.moves.length || snap.marked
          ? before('rewards.bulkWrite')
          : null;
      }
      case 'keep':
        return Object.keys(made).length > 0 ? before('order_events.bulkWrite') : null;
      default:
        throw new Error(`${pc} of ${state.did.what} is unknown`);
    }
  }

  /** Whether a refund still has to be written to the reward. */
  function writes({ moves }: { moves: ModelMove[] }, q: number): boolean {
    return !moves.some((one) => one.on === 'REFUND' && one.q === q);
  }

  function workOf({ op, q, ans, at: time }: ModelProc): () => Promise<unknown> {
    const process = stage.newProcess();
    const { activities } = process;
    const iso = at(time).toISOString();
    const workflowId = report.workflowId;
    const activity = (work: () => Promise<unknown>) => () => asActivity(workflowId, work);
    switch (op) {
      case 'REFUND': {
        const { mode, externalOrderId } = report;
        const refund = stage.refund({ mode, externalOrderId } as RewardSnapshot, `refund ${q}`);
        const externalRefundId = q === 4 ? 'refund 1' : `refund ${q}`;
        return () => process.refund(refund.origin, { ...refund.request, externalRefundId });
      }
      case 'CLAIM':
        return async () => claimReward(models, await findOrCreateReward(models, ref), at(time));
      case 'CANCEL':
        return async () =>
          cancelUnclaimed(models, await findOrCreateReward(models, ref), {
            operatorId: 'opr_1',
            cancelledAt: iso,
            sealedReason: 'sealed',
          });
      case 'EXPIRE':
        return async () => expireReward(models, await findOrCreateReward(models, ref), at(time));
      case 'DECIDE':
        return async () => {
          const verdict = ans as 'UPHOLD' | 'DISMISS';
          const said = {
            verdict,
            reasonCode: 'OTHER',
            operatorId: 'opr_1',
            decidedAt: iso,
          } as const;
          const decision = { ...said, sealedReason: 'sealed' };
          return await writeDecision(models, { partnerId, _id: await reviewOf(q) }, decision);
        };
      case 'FOLLOW':
        return async () => {
          const _id = await reviewOf(q);
          return await followDecision(models, await models.reviews.findById(_id).orFail());
        };
      case 'BEGIN':
        return activity(async () => {
          const reward = await activities.createReward(ref);
          await gate('account');
          return await activities.accountReward(reward, iso);
        });
      case 'CARRY_OUT':
        return activity(() => activities.carryOutPending(ref));
      case 'ASK': {
        const reward = snapshot;
        if (!reward?.review) throw new Error('the reward has no review to open');
        const { review } = reward;
        return activity(() => activities.openReview(reward, review));
      }
      default:
        return activity(async () => {
          const { rewardIds } = await activities.findWaiting(stage.wallet(), null);
          if (rewardIds.length === 0) return undefined;
          const most = Number.MAX_SAFE_INTEGER;
          return await activities.fundWaiting(stage.wallet(), rewardIds, most, iso);
        });
    }
  }

  /** The response to a refund: the reward's status, or DUPLICATE if the refund's id is taken. */
  function answerOf({ result, failure }: GatedWork): string {
    if (failure !== undefined) throw failure;
    const answer = result as { kind: string; body: string; code?: string };
    if (answer.kind === 'REFUSED') return 'DUPLICATE';
    return (JSON.parse(answer.body) as { reward: { status: string } }).reward.status;
  }

  async function pay(from: string, to: string): Promise<void> {
    paid += 1;
    await stage.process.ledger.live.append({
      partnerId,
      reference: `replay:${paid}`,
      rewardId: null,
      at: at(0),
      accounts: [from, to],
      decide: () => ({
        kind: 'TOP_UP',
        postings: [
          { account: from, unit: 'CENTS', amount: -unit },
          { account: to, unit: 'CENTS', amount: unit },
        ],
      }),
    });
  }

  async function spend(points: number): Promise<void> {
    paid += 1;
    await stage.spend(
      { customerId: report.customerId } as RewardSnapshot,
      points * unit,
      `till ${paid}`,
    );
  }

  async function refundEvents(): Promise<OrderEventDoc[]> {
    return await models.orderEvents.find({ partnerId, type: 'REFUND' });
  }

  async function reviewOf(q: number): Promise<string> {
    const event = (await refundEvents()).find((one) => numberOf(one) === q);
    if (event === undefined) throw new Error(`there is no refund ${q}`);
    return reviewIdOf(event._id);
  }

  /** The stored data, in the model's terms. */
  async function stored(): Promise<Stored> {
    const { orderEvents, rewards, usageEntries } = models;
    const collections = [orderEvents, rewards, models.reviews, models.ledger, usageEntries];
    const of = await readTogether(
      models,
      collections.map((one) => [one, { partnerId }]),
    );
    const events = of(orderEvents).filter(({ type }) => type === 'REFUND');
    const purchase = of(orderEvents).find(({ _id }) => _id === ref.purchaseEventId);
    if (purchase === undefined) throw new Error('the purchase is lost');
    const [reward = null] = of(rewards);
    const reviews = of(models.reviews);
    const entries = of(models.ledger).filter(({ rewardId }) => rewardId !== null);
    const uses = of(usageEntries).filter(({ rewardId }) => rewardId !== null);
    const { funding, reserved, payable, points } = liveAccounts;
    const accounts = [
      funding,
      reserved,
      payable(report.customerId),
      points.customer(report.customerId),
    ];
    const balances = await stage.process.ledger.live.balancesOf(partnerId, accounts);
    const numberBy = new Map(events.map((one) => [one._id, numberOf(one)]));
    const reviewNumber = (id: string | undefined) =>
      events.filter(({ _id }) => reviewIdOf(_id) === id).map(numberOf)[0] ?? 0;
    return {
      purchase: { exists: true, marked: purchase.pendingSince !== undefined, answer: 'PENDING' },
      events: byNumber((q) => {
        const event = events.find((one) => numberOf(one) === q);
        const answer = event?.answer ? JSON.parse(event.answer).reward.status : '';
        return { exists: !!event, marked: event?.pendingSince !== undefined, answer };
      }),
      reviews: byNumber((q) => {
        const review = reviews.find(({ _id }) => reviewNumber(_id) === q);
        const decision = review?.decision?.verdict ?? '';
        return { exists: !!review, marked: review?.pendingSince !== undefined, decision };
      }),
      reward: reward && {
        status: reward.status,
        funded: reward.funded,
        window: (reward.claimExpiresAt.getTime() - Date.parse(start)) / dayMs,
        carriedOut: reward.carriedOut,
        marked: reward.pendingSince !== undefined,
        version: reward.version,
        moves: reward.moves.map(({ move, status, refundEventId, reviewId }) => ({
          on: move,
          status,
          q: refundEventId ? numberBy.get(refundEventId) : reviewId ? reviewNumber(reviewId) : 0,
        })),
      },
      ledger: {
        refs: entries
          .map(({ kind, reference }) =>
            kind === 'VOID' ? 'void' : (reference.split(':')[0] ?? ''),
          )
          .sort(),
        balances: balances.map((one) => one / unit),
      },
      usage: uses.map(({ reference }) => reference.split(':')[0] ?? '').sort(),
    };
  }

  function numberOf({ idempotencyKeyHash }: OrderEventDoc): number {
    return Number(idempotencyKeyHash.at(-1));
  }

  /** Kills every process, so that none of them runs on after the test. */
  async function close(): Promise<void> {
    for (const work of works.values()) await work.kill();
  }
}

/** The data that is stored according to the model. */
function expected({
  purchase,
  events,
  reviews,
  reward,
  ledger: book,
  usage: use,
}: ModelState): Stored {
  return {
    purchase,
    events,
    reviews,
    reward: reward.exists
      ? {
          status: reward.status,
          funded: reward.funded,
          window: reward.window,
          carriedOut: reward.carriedOut,
          marked: reward.marked,
          version: reward.moves.length,
          moves: reward.moves.map(({ on, status, q }) => ({ on, status, q })),
        }
      : null,
    ledger: {
      refs: [...book.refs].sort(),
      balances: [book.funding, book.reserved, book.payable, book.points],
    },
    usage: [...use.refs].sort(),
  };
}

const byNumber = <T>(of: (q: number) => T): Record<number, T> =>
  Object.fromEntries([1, 2, 3, 4].map((q) => [q, of(q)]));
