import { ServiceError } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import { TransportError } from '@temporalio/worker';
import test, { type ExecutionContext } from 'ava';
import pMap from 'p-map';
import { due } from '../../domain/due.ts';
import type { DueDocument } from '../../domain/due-documents.ts';
import { walletOf } from '../../domain/postings.ts';
import { waitingIn } from '../../domain/reward-totals.ts';
import { createCommit } from '../../models/commit.ts';
import { clearDue, dueAfter, dueCollections, retrySetApart } from '../../models/due.ts';
import { isDue } from '../../models/schemas/due.ts';
import type { OrderEventDoc } from '../../models/schemas/events.ts';
import { newId } from '../../platform/ids.ts';
import { purchaseStartOptions, workflowRefOfEvent } from '../../temporal/purchase-start.ts';
import { createTeller } from '../../temporal/tell.ts';
import { type RelayDeps, startRelay } from '../../worker/relay.ts';
import { startAnotherApi } from '../helpers/another-api.ts';
import { allDue } from '../helpers/due.ts';
import { eventually } from '../helpers/eventually.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { aPurchase } from '../helpers/partner-backend.ts';
import { patienceMs } from '../helpers/patience.ts';
import { anOrderEvent } from '../helpers/signed-requests.ts';
import { type TestDatabase, takeDatabase } from '../helpers/test-database.ts';
import { type Town, townOf } from '../helpers/town.ts';

let database: TestDatabase;
let service: OwnService;
let town: Town;
/** An API that commits and dies before it tells anyone. */
let silentApi: Awaited<ReturnType<typeof startAnotherApi>>;
test.before(async () => {
  database = await takeDatabase();
  service = await startOwnService();
  town = townOf(service);
  const { models, hashKey } = service;
  const commit = createCommit({ patienceMs, models, hashKey, now: Date.now });
  silentApi = await startAnotherApi(service, { commit });
});
test.after.always(async () => {
  await silentApi?.stop();
  await service?.stop();
  await database?.giveBack();
});
test.beforeEach(async () => {
  await database.models.orderEvents.deleteMany({});
  await database.models.wallets.deleteMany({});
});

const longAgoMs = Date.parse('2026-01-01');
let written = 0;

/** Stores purchases that nobody has started. @returns their ids, the oldest first */
async function store(
  partnerId: string,
  count: number,
  changes: Partial<OrderEventDoc> = {},
): Promise<string[]> {
  const events = Array.from({ length: count }, () => {
    written += 1;
    const since = new Date(longAgoMs + written);
    return anOrderEvent({ partnerId, mode: 'LIVE', due: due('START', since), ...changes });
  });
  await database.models.orderEvents.collection.insertMany(events);
  return events.map(({ _id }) => _id);
}

const actOn = (one: DueDocument): Promise<void> => clearDue(database.models, one);

/** Starts a relay whose workflows are the test's. By default they act on what is due at once. */
function relayTo(
  t: ExecutionContext,
  tell: (one: DueDocument) => Promise<void> = actOn,
  changes: Partial<RelayDeps> = {},
  isReachable = async () => true,
) {
  const relay = startRelay({
    models: database.models,
    teller: { tell, wakeEndpoint: async () => undefined, isAhead: async () => false, isReachable },
    fund: (document) => tell({ of: 'wallets', document }),
    tellOfRedemption: async () => undefined,
    log: { warn: () => undefined, error: () => undefined },
    ...changes,
  });
  t.teardown(() => relay.stop());
  return relay;
}

const isEmptied = (partnerId?: string) =>
  eventually(async () => (await allDue(database.models, partnerId)).length === 0, 'nothing is due');

/** Has everything that is due tried again now. */
const hurry = () =>
  database.models.orderEvents.updateMany(isDue, { $set: { 'due.nextAt': new Date(longAgoMs) } });

test.serial(
  'LIVE goes before TEST, partners take turns, and each gets its oldest first',
  async (t) => {
    const [one, other, flood, late] = ['prt_a', 'prt_b', 'prt_c', 'prt_d'];
    const flooding = await store(flood, 20, { mode: 'TEST' });
    const ofLate = await store(late, 2, { mode: 'TEST' });
    const ofOne = await store(one, 20);
    const ofOther = await store(other, 2);
    const told: DueDocument[] = [];
    const relay = relayTo(t, async (one) => {
      told.push(one);
      await actOn(one);
    });
    await isEmptied();
    await relay.stop();
    const ids = told.map(({ document }) => document._id);
    for (const rows of [flooding, ofLate, ofOne, ofOther]) {
      t.deepEqual(
        ids.filter((id) => rows.includes(id)),
        rows,
      );
    }
    const live = told.filter(({ document }) => document.mode === 'LIVE').length;
    t.true(
      told.slice(0, live).every(({ document }) => document.mode === 'LIVE'),
      'LIVE goes first',
    );
    t.true(ids.indexOf(ofOther[1] ?? '') <= 3, 'LIVE partners take turns');
    t.true(ids.indexOf(ofLate[1] ?? '') - live <= 3, 'TEST partners take turns');
  },
);

test.serial('a partner whose workflows act on nothing holds up no other', async (t) => {
  await store('prt_stuck', 100);
  let isMended = false;
  const told = new Set<string>();
  relayTo(t, async (one) => {
    told.add(one.document._id);
    if (one.document.partnerId !== 'prt_stuck' || isMended) await actOn(one);
  });
  await eventually(async () => told.size > 0, 'the stuck workflows are told');
  await store('prt_other', 30);
  await isEmptied('prt_other');
  t.is((await allDue(database.models, 'prt_stuck')).length, 100);
  isMended = true;
  await isEmptied();
});

test.serial('what was written by an API whose clock is ahead is told at once', async (t) => {
  const since = new Date(Date.now() + 240_000);
  await store('prt_ahead', 1, { due: due('START', since) });
  const startMs = performance.now();
  relayTo(t);
  await isEmptied();
  t.true(performance.now() - startMs < 120_000);
});

test.serial('a wallet that can fund more is asked to', async (t) => {
  const { wallets } = database.models;
  await wallets.create({
    _id: 'prt_1',
    partnerId: 'prt_1',
    mode: 'LIVE',
    balances: {},
    seq: 0,
    hash: '',
    rewards: {},
    version: 1,
    due: due('FUND', new Date(longAgoMs)),
  });
  const funded: string[] = [];
  relayTo(t, actOn, {
    async fund(document) {
      funded.push(document._id);
      await actOn({ of: 'wallets', document });
    },
  });
  await isEmptied();
  t.deepEqual(funded, ['prt_1']);
});

test.serial(
  'what is refused too often is set apart and logged, and holds up nothing else',
  async (t) => {
    const [wrong = ''] = await store('prt_wrong', 1);
    const errors: object[] = [];
    let isMended = false;
    relayTo(
      t,
      async (one) => {
        if (one.document._id === wrong && !isMended) throw new Error('refused');
        await actOn(one);
      },
      { log: { warn: () => undefined, error: (what: object) => void errors.push(what) } as never },
    );
    const stored = () => database.models.orderEvents.findOne({ _id: wrong }).orFail();
    await eventually(async () => ((await stored()).due?.attempts ?? 0) > 0, 'it is noted');
    await database.models.orderEvents.updateOne({ _id: wrong }, { $set: { 'due.attempts': 19 } });
    await hurry();
    await eventually(async () => errors.length > 0, 'it is set apart');
    await store('prt_right', 1);
    await isEmptied('prt_right');
    t.deepEqual(errors, [{ of: 'orderEvents', id: wrong, reason: 'refused' }]);
    t.like((await stored()).due, { error: 'refused', attempts: 20 });
    t.truthy((await stored()).due?.setApartAt);

    isMended = true;
    t.is(await retrySetApart(database.models), 1);
    await isEmptied();
  },
);

/** An error as a call to Temporal throws it. */
const grpcError = (code: number): Error =>
  new ServiceError('refused', { cause: Object.assign(new Error('refused'), { code }) as Error });

const troubles: [title: string, Error][] = [
  ['a deadline', grpcError(4)],
  ['one that is busy', grpcError(8)],
  ['one that is away', grpcError(14)],
  ['a namespace that is not there yet', grpcError(5)],
  ['a namespace that is not there', new NamespaceNotFoundError('default')],
  ['a connection that breaks', new TransportError('broken pipe')],
];
for (const [title, trouble] of troubles) {
  test.serial(`Temporal’s own trouble does not count against what is due: ${title}`, async (t) => {
    const [id = ''] = await store('prt_1', 1);
    await store('prt_2', 1);
    let refused = 0;
    relayTo(t, async (one) => {
      if (one.document._id === id && refused < 2) {
        refused += 1;
        throw trouble;
      }
      await actOn(one);
    });
    await isEmptied('prt_2');
    await eventually(async () => refused > 0, 'it was refused');
    const stored = await database.models.orderEvents.findById(id);
    if (stored?.due) t.like(stored.due, { attempts: 0, error: null, nextAt: null });
    await isEmptied();
    t.is(refused, 2);
  });
}

test.serial('what is told and not acted on is told later, and never set apart', async (t) => {
  const [id = ''] = await store('prt_1', 1);
  const change = { 'due.attempts': 40, 'due.nextAt': new Date(longAgoMs) };
  await database.models.orderEvents.updateOne({ _id: id }, { $set: change });
  relayTo(t, async () => undefined);
  const stored = () => database.models.orderEvents.findById(id);
  const noted = await eventually(
    async () => ((await stored())?.due?.attempts ?? 0) > 40 && stored(),
    'it is noted',
  );
  t.like(noted?.due, { attempts: 41, error: null, setApartAt: null });
  t.true((noted?.due?.nextAt?.getTime() ?? 0) > Date.now());
});

/** Waits until every relay has seen the others. */
async function haveMet(count: number): Promise<void> {
  const { relays } = database.models;
  const since = await eventually(async () => {
    const found = await relays.find().sort({ seenAt: -1 });
    return found.length === count && found[0]?.seenAt;
  }, `${count} relays work`);
  await eventually(
    async () => (await relays.countDocuments({ seenAt: { $gt: since } })) === count,
    'each has seen the others',
  );
}

test.serial(
  'two relays divide the partners, and one takes over when the other stops',
  async (t) => {
    await database.models.relays.deleteMany({});
    const told: { by: number; partnerId: string }[] = [];
    const relays = [0, 1].map((by) =>
      relayTo(t, async (one) => {
        told.push({ by, partnerId: one.document.partnerId });
        await actOn(one);
      }),
    );
    await haveMet(2);
    const partners = Array.from({ length: 40 }, () => newId('partner'));
    for (const partnerId of partners) await store(partnerId, 2);
    await isEmptied();
    for (const partnerId of partners) {
      const by = told.filter((one) => one.partnerId === partnerId).map((one) => one.by);
      t.is(by.length, 2);
      t.is(new Set(by).size, 1, 'a partner has one relay');
    }
    t.is(new Set(told.map(({ by }) => by)).size, 2, 'each has some');

    await relays[0]?.stop();
    for (const partnerId of partners) await store(partnerId, 1);
    await isEmptied();
    t.pass();
  },
);

test.serial('a relay without Temporal leaves its partners to the other', async (t) => {
  await database.models.relays.deleteMany({});
  let isAway = true;
  const tell = async (one: DueDocument) => {
    if (isAway) throw Object.assign(new Error('Temporal is away'), { code: 14 });
    await actOn(one);
  };
  relayTo(t, tell, {}, async () => !isAway);
  relayTo(t);
  await haveMet(2);
  for (let nth = 0; nth < 20; nth++) await store(newId('partner'), 1);
  await isEmptied();
  isAway = false;
  t.pass();
});

test.serial('a hundred partners with new rows all the time starve no other', async (t) => {
  const busy = Array.from({ length: 100 }, (_, nth) => `prt_busy_${String(nth).padStart(3, '0')}`);
  const refill = async (one: DueDocument) => {
    await actOn(one);
    const { partnerId } = one.document;
    if (partnerId !== 'prt_quiet') await store(partnerId, 1);
  };
  for (const partnerId of busy) await store(partnerId, 1);
  await store('prt_quiet', 3);
  const relay = relayTo(t, refill);
  await isEmptied('prt_quiet');
  await relay.stop();
  t.true((await allDue(database.models)).length >= 100);
});

test.serial('finding what is due next costs the same, however much waits', async (t) => {
  const { models } = database;
  await store('zz1', 2_000);
  await store('zz2', 1);
  const db = models.connection.db;
  if (!db) return t.fail();
  await db.command({ profile: 2 });
  const first = await dueAfter(models, 'LIVE', 'zz0', 5);
  t.deepEqual([...first.byPartner.keys()], ['zz1']);
  t.is(first.byPartner.get('zz1')?.length, 5);
  t.is(first.last, 'zz1');
  const next = await dueAfter(models, 'LIVE', 'zz1', 5);
  t.deepEqual([...next.byPartner.keys()], ['zz2']);
  t.is(next.last, null);
  await db.command({ profile: 0 });
  const reads = await db.collection('system.profile').find({ op: 'query' }).toArray();
  await db.collection('system.profile').drop();
  t.is(reads.length, 2 * dueCollections.length);
  for (const { keysExamined, hasSortStage } of reads) {
    t.true(keysExamined <= 6, `${keysExamined} keys`);
    t.falsy(hasSortStage);
  }
});

test.serial('what is told twice, also after it was acted on, does no harm', async (t) => {
  const { models, temporal, config } = service;
  const teller = createTeller(temporal, config.temporal.taskQueue);
  const partner = await town.partner('LIVE');
  await service.stopRelay();
  const bought = await town.buy(partner.changed(silentApi));
  const [start] = await allDue(models, partner.partnerId);
  if (start === undefined) return t.fail('a start should be due');
  try {
    for (const _ of ['once', 'twice']) await teller.tell(start);
    await town.rewardOf(bought);
    await service.allStarted();
    await teller.tell(start);
    await town.refund({ ...bought, partner: partner.changed(silentApi) });
    const [signal] = await allDue(models, partner.partnerId);
    if (signal === undefined) return t.fail('a signal should be due');
    for (const _ of ['once', 'twice']) await teller.tell(signal);
    await service.carriedOut(partner);
    await town.closed(bought);
    for (const one of [start, signal]) {
      await teller.tell(one);
      await town.closed(bought);
    }
  } finally {
    service.startRelay();
  }
  await service.carriedOut(partner);
  t.deepEqual(await town.movesOf(bought), ['FUND', 'REFUND']);
  t.like(await town.wallet(partner), { fundingCents: 100_000, reservedCents: 0 });
  const links = service.mails.filter(({ id }) => id === bought.rewardId);
  t.is(links.length, 1);
});

test.serial('purchases whose starts were lost start, with the promised window', async (t) => {
  const partner = (await town.partner('LIVE')).changed(silentApi);
  await service.stopRelay();
  const answers: { id: string; claimExpiresAt: string }[] = [];
  try {
    for (let nth = 0; nth < 8; nth++) {
      const { status, body } = await partner.purchase();
      t.is(status, 201);
      answers.push(body.reward);
    }
    const { partnerId } = partner;
    t.is(await service.models.orderEvents.countDocuments({ partnerId, ...isDue }), 8);
  } finally {
    service.startRelay();
  }
  await service.allStarted();
  for (const { id, claimExpiresAt } of answers) {
    const reward = await service.rewardOf(id);
    t.is(reward.claimExpiresAt.toISOString(), claimExpiresAt);
    const { events } = await service.temporal.workflow.getHandle(reward.workflowId).fetchHistory();
    const seconds =
      events?.[0]?.workflowExecutionStartedEventAttributes?.workflowTaskTimeout?.seconds;
    t.is(Number(seconds), 10, 'Temporal waits seconds for the first task');
  }
});

test.serial('refunds and claims are accepted while nobody is told, and told later', async (t) => {
  const partner = await town.partner('LIVE');
  const bought = await Promise.all(Array.from({ length: 4 }, () => town.funded(partner)));
  await service.stopRelay();
  try {
    const answers = await Promise.all([
      ...bought
        .slice(0, 2)
        .map((one) => town.refund({ ...one, partner: partner.changed(silentApi) })),
      ...bought.slice(2).map((one) => town.claim(one)),
    ]);
    t.deepEqual(
      answers.map(({ status }) => status),
      [201, 201, 200, 200],
    );
  } finally {
    service.startRelay();
  }
  await service.carriedOut(partner);
  for (const one of bought) await town.closed(one);
});

test.serial('a queue longer than one commit is funded to its end by one top-up', async (t) => {
  const partner = await town.partner('LIVE', { fundingCents: 1 });
  const { partnerId } = partner;
  const count = 110;
  const purchases = Array.from({ length: count }, () => aPurchase());
  await pMap(purchases, (purchase) => partner.purchase(purchase), { concurrency: 16 });
  await service.allStarted();
  const { rewards } = service.models;
  t.is(await rewards.countDocuments({ partnerId, state: 'AWAITING_FUNDING' }), count);
  await town.topUp(partner, 499 * count);
  await service.carriedOut(partner);
  t.is(await rewards.countDocuments({ partnerId, state: 'FUNDED' }), count);
  const wallet = await service.models.wallets.findOne({ partnerId, mode: 'LIVE' }).orFail();
  t.is(waitingIn(wallet), 0);
  t.is(walletOf(partner).mode, 'LIVE');
});

test.serial('a purchase of a restored database replaces the stranger’s workflow', async (t) => {
  const { models, temporal, config } = service;
  const { taskQueue } = config.temporal;
  const partner = (await town.partner('LIVE')).changed(silentApi);
  await service.stopRelay();
  let bought: Awaited<ReturnType<Town['buy']>>;
  try {
    bought = await town.buy(partner);
    const event = await models.orderEvents.findById(bought.eventId).orFail();
    // The database was restored to before this event of the same order.
    const gone = { ...workflowRefOfEvent(event), purchaseEventId: newId('event') };
    await temporal.workflow.start('purchase', purchaseStartOptions(gone, taskQueue));
  } finally {
    service.startRelay();
  }
  await town.onceState(bought, 'FUNDED');
  await service.carriedOut(partner);
  const { memo } = await (await town.workflowOf(bought)).describe();
  t.is(memo?.purchaseEventId, bought.eventId);
  t.is((await town.claim(bought)).status, 200);
});

test.serial(
  'a step that keeps failing is tried less and less often, and is not taken for a forgotten one',
  async (t) => {
    const { temporal, config } = service;
    const teller = createTeller(temporal, config.temporal.taskQueue);
    const { partnerId } = await town.partner('TEST');
    // No such event is stored.
    const document = anOrderEvent({ partnerId, mode: 'TEST', workflowId: newId('event') });
    await teller.tell({ of: 'orderEvents', document: { ...document, due: null } });
    const workflow = temporal.workflow.getHandle(document.workflowId);
    const pauses = await eventually(async () => {
      const { events } = await workflow.fetchHistory();
      const timers = (events ?? []).flatMap(({ timerStartedEventAttributes: one }) => one ?? []);
      const ms = timers.map(({ startToFireTimeout: time }) => {
        return Number(time?.seconds ?? 0) * 1_000 + (time?.nanos ?? 0) / 1_000_000;
      });
      return (ms.at(-1) ?? 0) > 5_000 && ms;
    }, 'it waits for longer than five seconds');
    for (const [nth, ms] of pauses.entries()) {
      t.true(ms > (pauses[nth - 1] ?? 0), `${pauses.join(', ')} ms`);
    }
    t.false(await teller.isAhead({ ...document, due: null }));
    await workflow.terminate();
  },
);

test.serial('a purchase that only its workflow remembers to have begun begins again', async (t) => {
  const { models } = service;
  const partner = (await town.partner('TEST')).changed(silentApi);
  await service.stopRelay();
  let bought: Awaited<ReturnType<Town['buy']>>;
  try {
    bought = await town.buy(partner);
  } finally {
    service.startRelay();
  }
  await town.onceState(bought, 'FUNDED');
  await service.carriedOut(partner);
  const { runId } = await (await town.workflowOf(bought)).describe();
  // The database was restored to before the purchase began.
  const { partnerId } = partner;
  await models.rewards.deleteOne({ partnerId, _id: bought.rewardId });
  await models.ledger.deleteMany({ partnerId });
  await models.wallets.deleteMany({ partnerId });
  const again = { ...due('START', new Date()), attempts: 1 };
  await models.orderEvents.updateOne({ _id: bought.eventId }, { $set: { due: again } });
  await town.onceState(bought, 'FUNDED');
  await service.carriedOut(partner);
  t.not((await (await town.workflowOf(bought)).describe()).runId, runId);
});
