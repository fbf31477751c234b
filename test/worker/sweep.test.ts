import test, { type ExecutionContext } from 'ava';
import pMap from 'p-map';
import type { Mode } from '../../domain/mode.ts';
import type { OrderEventDoc } from '../../models/schemas/events.ts';
import { createLease } from '../../models/store/leases.ts';
import { newId } from '../../platform/ids.ts';
import { createLogger } from '../../platform/logger.ts';
import type { PurchaseWorkflowRef } from '../../temporal/purchase-start.ts';
import { pendingWork } from '../../worker/pending-work.ts';
import { startSweep } from '../../worker/sweep.ts';
import { type CuttableProxy, startCuttableProxy } from '../helpers/cuttable-proxy.ts';
import { eventually } from '../helpers/eventually.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { aPurchase } from '../helpers/partner-backend.ts';
import { anOrderEvent } from '../helpers/signed-requests.ts';
import { createScene, type Scene } from '../workflows/helpers/scene.ts';

const limits = { maxInFlight: 2, maxUnbegun: 5 };
const marked = { pendingSince: { $exists: true } };

let temporal: CuttableProxy;
let service: OwnService;
let scene: Scene;
test.before(async () => {
  temporal = await startCuttableProxy(process.env.TEMPORAL_ADDRESS ?? '');
  service = await startOwnService({ TEMPORAL_ADDRESS: temporal.address });
  await service.stopRelay();
  scene = createScene(service);
});
test.after.always(async () => {
  await service?.stop();
  await temporal?.stop();
});

/** Returned instead of starting or signalling a workflow, as if the call was lost. */
const lost = Symbol('lost');

type OnStart = (purchase: PurchaseWorkflowRef) => Promise<unknown>;
interface SweepOptions {
  onSignal?: (purchase: PurchaseWorkflowRef) => unknown;
  startPurchase?: OnStart;
  lateMs?: number;
}

/**
 * Starts a sweep with a page of five.
 * @param onStart called before it starts a workflow
 * @param options.startPurchase starts the workflow; by default the real one
 * @param options.onSignal called before it signals a workflow
 * @param options.lateMs how long a started or signalled workflow counts against the limit
 */
function startSmallSweep(
  t: ExecutionContext,
  onStart: OnStart,
  { onSignal, startPurchase = service.messenger.startPurchase, lateMs }: SweepOptions = {},
): ReturnType<typeof startSweep> {
  const start = async (purchase: PurchaseWorkflowRef): Promise<boolean> => {
    if ((await onStart(purchase)) !== lost) await startPurchase(purchase);
    return false;
  };
  const log = createLogger('test', service.config.log);
  const lease = createLease(service.models, t.title);
  const { completeReview } = service.messenger;
  const signalPurchase: typeof service.messenger.signalPurchase = async (purchase, signal) => {
    if (onSignal?.(purchase) !== lost) await service.messenger.signalPurchase(purchase, signal);
  };
  const messenger = { signalPurchase, completeReview };
  const work = pendingWork(service.models, { start, messenger }, { afterMs: 0 }).map((kind) => ({
    ...kind,
    lateMs: lateMs ?? kind.lateMs,
  }));
  const sweep = startSweep(work, lease, limits, log);
  t.teardown(() => sweep.stop());
  return sweep;
}

/** Starts a sweep of stored purchases, whose workflows begin at once: their first step clears the mark. */
const startSweepOfStored = (t: ExecutionContext, onStart: OnStart, options: SweepOptions = {}) =>
  startSmallSweep(t, onStart, {
    ...options,
    startPurchase: ({ purchaseEventId: _id }) =>
      service.models.orderEvents.updateOne({ _id }, { $unset: { pendingSince: '' } }),
  });

const aMinuteAgo = Date.now() - 60_000;
let arrived = 0;

/** Stores purchases that wait for their workflows. @returns their event ids, in order of arrival */
async function storePurchases(changes: Partial<OrderEventDoc>, count: number): Promise<string[]> {
  const events = Array.from({ length: count }, () => {
    arrived += 1;
    return anOrderEvent({ ...changes, pendingSince: new Date(aMinuteAgo + arrived) });
  });
  await service.models.orderEvents.collection.insertMany(events);
  return events.map(({ _id }) => _id);
}

const markedCount = (filter: object = {}): Promise<number> =>
  service.models.orderEvents.countDocuments({ ...marked, ...filter });

test.serial(
  'Temporal hangs for a while: purchases are accepted, then start in order, a page at a time, with the promised window',
  async (t) => {
    const partner = await scene.partner('LIVE');
    const answers: { rewardId: string; claimExpiresAt: string }[] = [];
    const started = new Set<string>();
    let mostOlder = 0;
    let mostUnbegun = 0;
    temporal.silence();
    try {
      for (let nth = 0; nth < 24; nth++) {
        const { status, body } = await partner.purchase();
        t.is(status, 201);
        answers.push({ rewardId: body.reward.id, claimExpiresAt: body.reward.claimExpiresAt });
      }
      t.is(await markedCount(), answers.length);
      startSmallSweep(t, async ({ purchaseEventId: _id }) => {
        const event = await service.models.orderEvents.findById(_id).orFail();
        const { pendingSince: since } = event;
        if (since !== undefined) {
          const older = await markedCount({ pendingSince: { $lt: since } });
          mostOlder = Math.max(mostOlder, older);
        }
        started.add(_id);
        mostUnbegun = Math.max(mostUnbegun, await markedCount({ _id: { $in: [...started] } }));
      });
      await eventually(async () => started.size > 0, 'the sweep tries to start a workflow');
    } finally {
      temporal.mend();
    }
    await eventually(async () => (await markedCount()) === 0, 'all workflows begin');
    t.is(started.size, answers.length);
    t.true(mostOlder < limits.maxUnbegun, `${mostOlder} older purchases were still pending`);
    t.true(mostUnbegun <= limits.maxUnbegun, `${mostUnbegun} started workflows had not begun`);
    for (const { rewardId, claimExpiresAt } of answers) {
      t.is((await service.rewardOf(rewardId)).claimExpiresAt.toISOString(), claimExpiresAt);
    }
  },
);

test.serial('refunds and claims are accepted while many purchases wait', async (t) => {
  const partner = await scene.partner('LIVE', { fundingCents: 10_000_000 });
  const first = startSmallSweep(t, async () => undefined);
  const bought = await Promise.all(Array.from({ length: 6 }, () => scene.funded(partner)));
  await first.stop();
  await pMap(
    Array.from({ length: 20 }, () => aPurchase()),
    async (purchase) => {
      t.is((await partner.purchase(purchase)).status, 201);
    },
    { concurrency: 8 },
  );
  let started = 0;
  const { promise: answered, resolve: proceed } = Promise.withResolvers<void>();
  // Half of the backlog waits for the responses, however slow the machine is.
  startSmallSweep(t, async () => {
    started += 1;
    if (started > 10) await answered;
  });
  t.teardown(proceed);
  await eventually(async () => started > 0, 'the sweep starts on the backlog');
  const answers = await Promise.all([
    ...bought.slice(0, 3).map((one) => scene.refund(one)),
    ...bought.slice(3).map((one) => scene.claim(one)),
  ]);
  const waiting = await markedCount();
  t.deepEqual(
    answers.map(({ status }) => status),
    [201, 201, 201, 200, 200, 200],
  );
  t.true(waiting > 0, 'part of the backlog still waits');
});

test.serial(
  'of two sweeps one starts everything, and the other takes over when it stops',
  async (t) => {
    const shop = newId('partner');
    const starts: { by: number; eventId: string }[] = [];
    const sweeps = [0, 1].map((by) =>
      startSweepOfStored(t, async ({ partnerId, purchaseEventId }) => {
        if (partnerId === shop) starts.push({ by, eventId: purchaseEventId });
      }),
    );
    const sell = async (): Promise<void> => {
      await storePurchases({ partnerId: shop, mode: 'LIVE' }, 12);
      await eventually(async () => (await markedCount()) === 0, 'all workflows begin');
    };
    await sell();
    const [first] = starts;
    if (first === undefined) throw new Error('a workflow should have started');
    await sweeps[first.by]?.stop();
    await sell();
    t.is(new Set(starts.map(({ eventId }) => eventId)).size, 24);
    const by = starts.map((start) => start.by);
    t.deepEqual(
      by,
      by.toSorted((one, other) => Math.abs(one - first.by) - Math.abs(other - first.by)),
    );
    t.is(new Set(by).size, 2);
  },
);

test.serial('whole pages of failing starts do not hold up others for long', async (t) => {
  const [stuck, other] = [newId('partner'), newId('partner')];
  await storePurchases({ partnerId: stuck, mode: 'LIVE' }, limits.maxUnbegun * 3);
  await storePurchases({ partnerId: other, mode: 'LIVE' }, 1);
  let isMended = false;
  startSweepOfStored(
    t,
    async ({ partnerId }) => (partnerId === stuck && !isMended ? lost : undefined),
    { lateMs: 500 },
  );
  await eventually(
    async () => (await markedCount({ partnerId: other })) === 0,
    'the other partner’s workflow begins',
  );
  t.is(await markedCount({ partnerId: stuck }), limits.maxUnbegun * 3);
  isMended = true;
  await eventually(async () => (await markedCount()) === 0, 'the stuck workflows begin');
});

test.serial('rewards with stuck workflows do not hold up others for long', async (t) => {
  const [stuck, other] = await Promise.all([0, 1].map(() => scene.partner('LIVE')));
  if (!stuck || !other) throw new Error('there should be two partners');
  const first = startSmallSweep(t, async () => undefined);
  const ofStuck = await Promise.all(
    Array.from({ length: limits.maxUnbegun }, () => scene.funded(stuck)),
  );
  const ofOther = await scene.funded(other);
  await first.stop();
  for (const one of [...ofStuck, ofOther]) t.is((await scene.claim(one)).status, 200);
  let isMended = false;
  startSmallSweep(t, async () => undefined, {
    onSignal: ({ partnerId }) => (partnerId === stuck.partnerId && !isMended ? lost : undefined),
    lateMs: 500,
  });
  const markedOf = ({ partnerId }: { partnerId: string }) =>
    service.models.rewards.countDocuments({ ...marked, partnerId });
  await eventually(
    async () => (await markedOf(other)) === 0,
    'the other partner’s claim is carried out',
  );
  t.is(await markedOf(stuck), limits.maxUnbegun);
  isMended = true;
  await eventually(async () => (await markedOf(stuck)) === 0, 'the stuck claims are carried out');
});

test.serial(
  'LIVE starts before TEST, partners take turns whatever keys they use, and each partner’s purchases start in order of arrival',
  async (t) => {
    const of = (mode: Mode) => ({ partnerId: newId('partner'), mode });
    const flood = of('TEST');
    const flooding = [
      ...(await storePurchases(flood, 6)),
      ...(await storePurchases({ ...flood, credentialId: 'key_2' }, 6)),
    ];
    const ofOne = await storePurchases(of('LIVE'), 4);
    const ofOther = await storePurchases(of('LIVE'), 2);
    const ofLate = await storePurchases(of('TEST'), 2);
    const starts: string[] = [];
    startSweepOfStored(t, async ({ purchaseEventId }) => {
      if (!starts.includes(purchaseEventId)) starts.push(purchaseEventId);
    });
    await eventually(async () => (await markedCount()) === 0, 'all workflows begin');
    const nth = (eventId: string | undefined) => starts.indexOf(eventId ?? '');
    // Workflows that start at the same time may be recorded in either order.
    for (const partners of [flooding, ofOne, ofOther, ofLate]) {
      for (const [index, eventId] of partners.entries()) {
        t.true(partners.slice(index + limits.maxInFlight).every((id) => nth(id) > nth(eventId)));
      }
    }
    const live = [...ofOne, ...ofOther];
    const firstTest = starts.findIndex((eventId) => !live.includes(eventId));
    t.true(firstTest >= live.length - limits.maxInFlight, 'LIVE goes first');
    t.true(nth(ofOther.at(-1)) < 5, 'two partners take turns');
    t.true(nth(ofLate.at(-1)) - firstTest <= 5, 'TEST partners take turns too');
  },
);

test.serial('a LIVE purchase waits for at most a page of others’ TEST purchases', async (t) => {
  await storePurchases({ mode: 'TEST' }, 60);
  const starts: string[] = [];
  let live: string[] = [];
  startSweepOfStored(t, async ({ purchaseEventId }) => {
    starts.push(purchaseEventId);
    if (starts.length === 10) live = await storePurchases({ mode: 'LIVE' }, 1);
  });
  await eventually(async () => (await markedCount()) === 0, 'all workflows begin');
  const before = starts.indexOf(live[0] ?? '') - 10;
  t.true(before >= 0 && before <= 2 * limits.maxUnbegun, `${before} others started before it`);
});

test.serial('a start that always fails prevents no other', async (t) => {
  const wrong = await storePurchases({ mode: 'LIVE' }, 3);
  const right = await storePurchases({ mode: 'LIVE' }, 12);
  const tries = new Map<string, number>();
  let isMended = false;
  startSweepOfStored(t, async ({ purchaseEventId }) => {
    tries.set(purchaseEventId, (tries.get(purchaseEventId) ?? 0) + 1);
    if (!isMended && wrong.includes(purchaseEventId)) throw new Error('refused');
  });
  await eventually(async () => (await markedCount()) === wrong.length, 'all other workflows begin');
  t.true(right.every((eventId) => tries.get(eventId) === 1));
  isMended = true;
  await eventually(async () => (await markedCount()) === 0, 'the failing workflows begin too');
});

test.serial('finding the next purchases costs the same, however many wait', async (t) => {
  const { orderEvents } = service.models;
  const waiting = (partnerId: string, count: number) =>
    Array.from({ length: count }, () =>
      anOrderEvent({ partnerId, mode: 'LIVE', pendingSince: new Date() }),
    );
  const partners = ['zz1', 'zz2', 'zz3'];
  await orderEvents.collection.insertMany(waiting('zz1', 3_000));
  await orderEvents.collection.insertMany([...waiting('zz2', 2), ...waiting('zz3', 1)]);
  t.teardown(() => orderEvents.deleteMany({ partnerId: { $in: partners } }));
  const reaching = { start: async () => false, messenger: service.messenger };
  const work = pendingWork(service.models, reaching, { afterMs: 0 });
  const { queue } = work.find(({ name }) => name === 'purchases') ?? t.fail() ?? {};
  if (queue === undefined) return;
  const soon = new Date(Date.now() + 60_000);
  t.deepEqual(await queue.partners('LIVE', soon, 'zz', 5), partners);
  t.false(await queue.isEmpty());
  const { any, nextPartner, oldestOf } = queue.questions;
  for (const [question, keys, docs] of [
    [any(), 1, 1],
    [nextPartner('LIVE', soon, 'zz1'), 2, 0],
    [oldestOf('LIVE', 'zz1', soon, 5), 6, 5],
  ] as const) {
    const { executionStats, queryPlanner } = await question.explain('executionStats');
    const plan = JSON.stringify(queryPlanner.winningPlan);
    t.regex(plan, /"pending_turns"/);
    t.notRegex(plan, /"SORT"|"COLLSCAN"/);
    t.true(executionStats.totalKeysExamined <= keys, JSON.stringify(executionStats));
    t.is(executionStats.totalDocsExamined, docs);
  }
});

test.serial(
  'a worker receives the first task with its start, and Temporal waits seconds for it',
  async (t) => {
    const partner = await scene.partner('TEST');
    const { body } = await partner.purchase();
    const event = await service.models.orderEvents.findById(body.eventId).orFail();
    t.true(await service.startHere(event, true));
    await service.rewardOf(event.rewardId);
    const { events } = await service.temporal.workflow.getHandle(event.workflowId).fetchHistory();
    const seconds =
      events?.[0]?.workflowExecutionStartedEventAttributes?.workflowTaskTimeout?.seconds;
    t.is(Number(seconds), 5);
    t.false(await service.startHere(event, true), 'the workflow is already running');
  },
);
