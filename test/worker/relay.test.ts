import test, { type ExecutionContext } from 'ava';
import pMap from 'p-map';
import type { Mode } from '../../domain/mode.ts';
import { walletOf } from '../../domain/postings.ts';
import { createCommit } from '../../models/commit.ts';
import { nextPartner, retrySetApart, rowsOf } from '../../models/outbox.ts';
import type { OutboxDoc } from '../../models/schemas/outbox.ts';
import { newId } from '../../platform/ids.ts';
import { purchaseStartOptions, workflowRefOfRow } from '../../temporal/purchase-start.ts';
import { createTeller } from '../../temporal/teller.ts';
import { type RelayDeps, startRelay } from '../../worker/relay.ts';
import { startAnotherApi } from '../helpers/another-api.ts';
import { eventually } from '../helpers/eventually.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { aPurchase } from '../helpers/partner-backend.ts';
import { type TestDatabase, takeDatabase } from '../helpers/test-database.ts';
import { createScene, type Scene } from '../workflows/helpers/scene.ts';

let database: TestDatabase;
let service: OwnService;
let scene: Scene;
/** An API that commits and dies before it tells anyone. */
let silentApi: Awaited<ReturnType<typeof startAnotherApi>>;
test.before(async () => {
  database = await takeDatabase();
  service = await startOwnService();
  scene = createScene(service);
  const { models, hashKey } = service;
  const commit = createCommit({ models, hashKey, now: Date.now });
  silentApi = await startAnotherApi(service, { commit });
});
test.after.always(async () => {
  await silentApi?.stop();
  await service?.stop();
  await database?.giveBack();
});
test.beforeEach(async () => {
  await database.models.outbox.deleteMany({});
});

const longAgoMs = Date.parse('2026-01-01');
let written = 0;

/** Stores rows that nobody has delivered. @returns their ids, the oldest first */
async function store(
  partnerId: string,
  count: number,
  changes: Partial<OutboxDoc> = {},
): Promise<string[]> {
  const rows = Array.from({ length: count }, (): OutboxDoc => {
    written += 1;
    const at = new Date(longAgoMs + written);
    const _id = newId('event');
    return {
      _id,
      partnerId,
      mode: 'LIVE',
      kind: 'START',
      rewardId: `PNR_${_id}`,
      workflow: {
        workflowId: _id,
        purchaseEventId: _id,
        externalOrderId: _id,
        state: 'ACCEPTED',
      },
      signal: null,
      reviewId: null,
      about: _id,
      at,
      attempts: 0,
      nextAt: at,
      error: null,
      setApartAt: null,
      ...changes,
    };
  });
  await database.models.outbox.collection.insertMany(rows as never[]);
  return rows.map(({ _id }) => _id);
}

const actOn = async ({ _id }: OutboxDoc): Promise<void> => {
  await database.models.outbox.deleteOne({ _id });
};

/** Starts a relay whose workflows are the test's. By default they act on a row at once. */
function relayTo(
  t: ExecutionContext,
  deliver: (row: OutboxDoc) => Promise<void> = actOn,
  changes: Partial<RelayDeps> = {},
  isReachable = async () => true,
) {
  const relay = startRelay({
    models: database.models,
    teller: { deliver, isAhead: async () => false, isReachable },
    fund: deliver,
    log: { warn: () => undefined, error: () => undefined },
    now: Date.now,
    ...changes,
  });
  t.teardown(() => relay.stop());
  return relay;
}

const isEmptied = (partnerId?: string) =>
  eventually(
    async () => !(await database.models.outbox.exists(partnerId ? { partnerId } : {})),
    'all rows are acted on',
  );

test.serial(
  'LIVE goes before TEST, partners take turns, and each gets its oldest first',
  async (t) => {
    const [one, other, flood, late] = ['prt_a', 'prt_b', 'prt_c', 'prt_d'];
    const flooding = await store(flood, 20, { mode: 'TEST' });
    const ofLate = await store(late, 2, { mode: 'TEST' });
    const ofOne = await store(one, 20);
    const ofOther = await store(other, 2);
    const told: OutboxDoc[] = [];
    const relay = relayTo(t, async (row) => {
      told.push(row);
      await actOn(row);
    });
    await isEmptied();
    await relay.stop();
    const ids = told.map(({ _id }) => _id);
    for (const rows of [flooding, ofLate, ofOne, ofOther]) {
      t.deepEqual(
        ids.filter((id) => rows.includes(id)),
        rows,
      );
    }
    const live = told.filter(({ mode }) => mode === 'LIVE').length;
    t.true(
      told.slice(0, live).every(({ mode }) => mode === 'LIVE'),
      'LIVE goes first',
    );
    t.true(ids.indexOf(ofOther[1] ?? '') <= 3, 'LIVE partners take turns');
    t.true(ids.indexOf(ofLate[1] ?? '') - live <= 3, 'TEST partners take turns');
  },
);

test.serial('a partner whose workflows act on nothing holds up no other', async (t) => {
  await store('prt_stuck', 100);
  let isMended = false;
  relayTo(t, async (row) => {
    if (row.partnerId !== 'prt_stuck' || isMended) await actOn(row);
  });
  await eventually(
    () => database.models.outbox.exists({ attempts: { $gt: 0 } }),
    'the stuck workflows are told',
  );
  await store('prt_other', 30);
  await isEmptied('prt_other');
  t.is(await database.models.outbox.countDocuments({ partnerId: 'prt_stuck' }), 100);
  isMended = true;
  await database.models.outbox.updateMany({}, { nextAt: new Date(longAgoMs) });
  await isEmptied();
});

test.serial('a wallet that can fund more is asked to', async (t) => {
  const [id] = await store('prt_1', 1, { kind: 'FUND', rewardId: null, workflow: null });
  const funded: string[] = [];
  relayTo(t, actOn, {
    async fund(row) {
      funded.push(row._id);
      await actOn(row);
    },
  });
  await isEmptied();
  t.deepEqual(funded, [id]);
});

test.serial(
  'a row is set apart after too many attempts and logged, and holds up no other',
  async (t) => {
    const [wrong] = await store('prt_wrong', 1);
    let clockMs = Date.now();
    const errors: object[] = [];
    let isMended = false;
    relayTo(
      t,
      async (row) => {
        if (row._id === wrong && !isMended) throw new Error('refused');
        await actOn(row);
      },
      {
        // Every round comes after the pause that the last attempt caused.
        now: () => {
          clockMs += 3_600_000;
          return clockMs;
        },
        log: { warn: () => undefined, error: (what: object) => void errors.push(what) } as never,
      },
    );
    // At first nothing else is there to be told.
    await eventually(
      () => database.models.outbox.exists({ partnerId: 'prt_wrong', attempts: { $gt: 2 } }),
      'it is tried again',
    );
    await eventually(async () => {
      await store('prt_right', 1);
      return errors.length > 0;
    }, 'it is set apart');
    await isEmptied('prt_right');
    t.deepEqual(errors, [{ row: wrong, kind: 'START', reason: 'refused' }]);
    const stored = await database.models.outbox.findOne({ partnerId: 'prt_wrong' }).orFail();
    t.like(stored, { error: 'refused', attempts: 20 });
    t.truthy(stored.setApartAt);

    isMended = true;
    t.is(await retrySetApart(database.models, new Date(longAgoMs)), 1);
    await isEmptied();
  },
);

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
      relayTo(t, async (row) => {
        told.push({ by, partnerId: row.partnerId });
        await actOn(row);
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
  const deliver = async (row: OutboxDoc) => {
    if (isAway) throw new Error('Temporal is away');
    await actOn(row);
  };
  relayTo(t, deliver, {}, async () => !isAway);
  relayTo(t);
  await haveMet(2);
  for (let nth = 0; nth < 20; nth++) await store(newId('partner'), 1);
  await isEmptied();
  isAway = false;
  t.is(await database.models.outbox.countDocuments({ setApartAt: { $ne: null } }), 0);
});

test.serial('a hundred partners with new rows all the time starve no other', async (t) => {
  const busy = Array.from({ length: 100 }, (_, nth) => `prt_busy_${String(nth).padStart(3, '0')}`);
  const refill = async (row: OutboxDoc) => {
    await actOn(row);
    if (row.partnerId !== 'prt_quiet') await store(row.partnerId, 1);
  };
  for (const partnerId of busy) await store(partnerId, 1);
  await store('prt_quiet', 3);
  const relay = relayTo(t, refill);
  await isEmptied('prt_quiet');
  await relay.stop();
  t.true((await database.models.outbox.countDocuments({})) >= 100);
});

test.serial('finding the next rows costs the same, however many wait', async (t) => {
  const { models } = database;
  await store('zz1', 2_000);
  await store('zz2', 1);
  const db = models.connection.db;
  if (!db) return t.fail();
  const query = { mode: 'LIVE' as Mode, now: new Date(), after: 'zz0' };
  await db.command({ profile: 2 });
  t.is(await nextPartner(models, query), 'zz1');
  t.is(await nextPartner(models, { ...query, after: 'zz1' }), 'zz2');
  t.is((await rowsOf(models, 'zz1', query, 5)).length, 5);
  await db.command({ profile: 0 });
  const reads = await db
    .collection('system.profile')
    .find({ ns: /\.outbox$/, op: 'query' })
    .toArray();
  await db.collection('system.profile').drop();
  t.is(reads.length, 3);
  for (const { keysExamined, hasSortStage } of reads) {
    t.true(keysExamined <= 6, `${keysExamined} keys`);
    t.falsy(hasSortStage);
  }
});

test.serial(
  'rows that are delivered twice, also after they were acted on, do no harm',
  async (t) => {
    const { models, temporal, config, messenger } = service;
    const teller = createTeller(temporal, config.temporal.taskQueue, messenger);
    const partner = await scene.partner('LIVE');
    await service.stopRelay();
    const bought = await scene.buy(partner.changed(silentApi));
    const [start] = await models.outbox.find({ partnerId: partner.partnerId });
    if (start === undefined) return t.fail('a start should wait');
    try {
      for (const _ of ['once', 'twice']) await teller.deliver(start);
      await scene.rewardOf(bought);
      await service.allStarted();
      await teller.deliver(start);
      await scene.refund({ ...bought, partner: partner.changed(silentApi) });
      const [signal] = await models.outbox.find({ partnerId: partner.partnerId });
      if (signal === undefined) return t.fail('a signal should wait');
      for (const _ of ['once', 'twice']) await teller.deliver(signal);
      await service.carriedOut(partner);
      await scene.closed(bought);
      for (const row of [start, signal]) {
        await teller.deliver(row);
        await scene.closed(bought);
      }
    } finally {
      service.startRelay();
    }
    await service.carriedOut(partner);
    t.deepEqual(await scene.movesOf(bought), ['FUND', 'REFUND']);
    t.like(await scene.wallet(partner), { fundingCents: 100_000, reservedCents: 0 });
    const links = service.mails.filter(({ id }) => id === bought.rewardId);
    t.is(links.length, 1);
  },
);

test.serial('purchases whose starts were lost start, with the promised window', async (t) => {
  const partner = (await scene.partner('LIVE')).changed(silentApi);
  await service.stopRelay();
  const answers: { id: string; claimExpiresAt: string }[] = [];
  try {
    for (let nth = 0; nth < 8; nth++) {
      const { status, body } = await partner.purchase();
      t.is(status, 201);
      answers.push(body.reward);
    }
    const { partnerId } = partner;
    t.is(await service.models.outbox.countDocuments({ partnerId, kind: 'START' }), 8);
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
    t.is(Number(seconds), 5, 'Temporal waits seconds for the first task');
  }
});

test.serial('refunds and claims are accepted while nobody is told, and told later', async (t) => {
  const partner = await scene.partner('LIVE');
  const bought = await Promise.all(Array.from({ length: 4 }, () => scene.funded(partner)));
  await service.stopRelay();
  try {
    const answers = await Promise.all([
      ...bought
        .slice(0, 2)
        .map((one) => scene.refund({ ...one, partner: partner.changed(silentApi) })),
      ...bought.slice(2).map((one) => scene.claim(one)),
    ]);
    t.deepEqual(
      answers.map(({ status }) => status),
      [201, 201, 200, 200],
    );
  } finally {
    service.startRelay();
  }
  await service.carriedOut(partner);
  for (const one of bought) await scene.closed(one);
});

test.serial('a queue longer than one commit is funded to its end by one top-up', async (t) => {
  const partner = await scene.partner('LIVE', { fundingCents: 1 });
  const { partnerId } = partner;
  const count = 110;
  const purchases = Array.from({ length: count }, () => aPurchase());
  await pMap(purchases, (purchase) => partner.purchase(purchase), { concurrency: 16 });
  await service.allStarted();
  const { rewards } = service.models;
  t.is(await rewards.countDocuments({ partnerId, state: 'AWAITING_FUNDING' }), count);
  await scene.topUp(partner, 499 * count);
  await service.carriedOut(partner);
  t.is(await rewards.countDocuments({ partnerId, state: 'FUNDED' }), count);
  const wallet = await service.models.wallets.findOne({ _id: partnerId }).orFail();
  t.is(wallet.waiting, 0);
  t.is(walletOf(partner).mode, 'LIVE');
});

test.serial('a purchase of a restored database replaces the stranger’s workflow', async (t) => {
  const { models, temporal, config } = service;
  const { taskQueue } = config.temporal;
  const partner = (await scene.partner('LIVE')).changed(silentApi);
  await service.stopRelay();
  let bought: Awaited<ReturnType<Scene['buy']>>;
  try {
    bought = await scene.buy(partner);
    const row = await models.outbox.findById(bought.eventId).orFail();
    // The database was restored to before this event of the same order.
    const gone = { ...workflowRefOfRow(row), purchaseEventId: newId('event') };
    await temporal.workflow.start('purchase', purchaseStartOptions(gone, taskQueue));
  } finally {
    service.startRelay();
  }
  await eventually(
    () => models.outbox.exists({ _id: bought.eventId, attempts: { $gt: 0 } }),
    'the start joins the stranger’s workflow',
  );
  await models.outbox.updateOne({ _id: bought.eventId }, { nextAt: new Date(longAgoMs) });
  await scene.onceState(bought, 'FUNDED');
  await service.carriedOut(partner);
  const { memo } = await (await scene.workflowOf(bought)).describe();
  t.is(memo?.purchaseEventId, bought.eventId);
  t.is((await scene.claim(bought)).status, 200);
});

test.serial('a purchase that only its workflow remembers to have begun begins again', async (t) => {
  const { models } = service;
  const partner = (await scene.partner('TEST')).changed(silentApi);
  await service.stopRelay();
  let row: OutboxDoc;
  let bought: Awaited<ReturnType<Scene['buy']>>;
  try {
    bought = await scene.buy(partner);
    row = await models.outbox.findById(bought.eventId).orFail();
  } finally {
    service.startRelay();
  }
  await scene.onceState(bought, 'FUNDED');
  await service.carriedOut(partner);
  const { runId } = await (await scene.workflowOf(bought)).describe();
  // The database was restored to before the purchase began.
  const { partnerId } = partner;
  await models.rewards.deleteOne({ partnerId, _id: bought.rewardId });
  await models.outbox.collection.insertOne({ ...row, attempts: 1, nextAt: new Date(longAgoMs) });
  await scene.onceState(bought, 'FUNDED');
  await service.carriedOut(partner);
  t.not((await (await scene.workflowOf(bought)).describe()).runId, runId);
});
