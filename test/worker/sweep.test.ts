import test, { type ExecutionContext } from 'ava';
import { createLease } from '../../models/leases.ts';
import { inFlight } from '../../platform/in-flight.ts';
import { createLogger } from '../../platform/logger.ts';
import type { PurchaseHeading } from '../../platform/purchase-start.ts';
import { startSweep } from '../../worker/sweep.ts';
import { startAnotherApi } from '../helpers/another-api.ts';
import { type CuttableProxy, startCuttableProxy } from '../helpers/cuttable-proxy.ts';
import { eventually } from '../helpers/eventually.ts';
import { aPurchase } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { createScene, type Scene } from '../workflows/helpers/scene.ts';

const limits = { afterMs: 0, maxInFlight: 2, maxUnbegun: 5 };
const marked = { awaitsWorkflowSince: { $exists: true } };

let temporal: CuttableProxy;
let service: Service;
let scene: Scene;
let api: Awaited<ReturnType<typeof startAnotherApi>>;
test.before(async () => {
  temporal = await startCuttableProxy(process.env.TEMPORAL_ADDRESS ?? '');
  // What is marked is left to the sweeps of the tests, and nothing is started behind an answer.
  service = await startService({ TEMPORAL_ADDRESS: temporal.address, SWEEP_AFTER_MS: '3600000' });
  const starter = { begin: () => false, stop: async () => undefined };
  api = await startAnotherApi(service, { starter });
  scene = createScene(service);
});
test.after.always(async () => {
  await api?.stop();
  await service?.stop();
  await temporal?.stop();
});

/** What a start says that comes to nothing. */
const lost = Symbol('lost');

/** The sweep of a worker that takes a page of five, and tells before it starts something. */
function startSmallSweep(
  t: ExecutionContext,
  onStart: (purchase: PurchaseHeading) => Promise<unknown>,
  lateMs?: number,
): ReturnType<typeof startSweep> {
  const startPurchase = async (purchase: PurchaseHeading): Promise<void> => {
    if ((await onStart(purchase)) === lost) return;
    await service.messenger.startPurchase(purchase);
  };
  const log = createLogger('test', service.config.log);
  const lease = createLease(service.models, t.title);
  const sweep = startSweep(service.models, lease, { startPurchase }, limits, log, lateMs);
  t.teardown(() => sweep.stop());
  return sweep;
}

const markedCount = (filter: object = {}): Promise<number> =>
  service.models.orderEvents.countDocuments({ ...marked, ...filter });

test.serial(
  'Temporal hangs for a while: purchases are answered, and then begin, the oldest first and a page at a time, with the window that was promised',
  async (t) => {
    const partner = (await scene.partner('LIVE')).changed({ baseUrl: api.baseUrl });
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
        const event = await service.models.orderEvents.findById(_id).lean().orFail();
        const { awaitsWorkflowSince: since } = event;
        if (since !== undefined) {
          const older = await markedCount({ awaitsWorkflowSince: { $lt: since } });
          mostOlder = Math.max(mostOlder, older);
        }
        started.add(_id);
        mostUnbegun = Math.max(mostUnbegun, await markedCount({ _id: { $in: [...started] } }));
      });
      await eventually(async () => started.size > 0, 'the sweep tries to start something');
    } finally {
      temporal.mend();
    }
    await eventually(async () => (await markedCount()) === 0, 'all of them begin', 120_000);
    t.is(started.size, answers.length);
    t.true(mostOlder < limits.maxUnbegun, `${mostOlder} older ones waited`);
    t.true(mostUnbegun <= limits.maxUnbegun, `${mostUnbegun} were started and had not begun`);
    for (const { rewardId, claimExpiresAt } of answers) {
      t.is((await service.rewardOf(rewardId)).claimExpiresAt.toISOString(), claimExpiresAt);
    }
  },
);

test.serial('refunds and claims are answered while hundreds of purchases wait', async (t) => {
  const partner = await scene.partner('LIVE', { fundingCents: 10_000_000 });
  const bought = await Promise.all(Array.from({ length: 6 }, () => scene.funded(partner)));
  const selling = partner.changed({ baseUrl: api.baseUrl });
  await inFlight(
    8,
    Array.from({ length: 400 }, () => aPurchase()),
    async (purchase) => {
      t.is((await selling.purchase(purchase)).status, 201);
    },
  );
  let started = 0;
  const { promise: answered, resolve: goOn } = Promise.withResolvers<void>();
  // The end of the backlog is left for after the answers, however long a busy machine takes for them.
  startSmallSweep(t, async () => {
    started += 1;
    if (started > 300) await answered;
  });
  t.teardown(goOn);
  await eventually(async () => started > 0, 'the backlog is worked off');
  const answers = await Promise.all([
    ...bought.slice(0, 3).map((one) => scene.refund(one)),
    ...bought.slice(3).map((one) => scene.claim(one)),
  ]);
  const waiting = await markedCount();
  t.deepEqual(
    answers.map(({ status }) => status),
    [201, 201, 201, 200, 200, 200],
  );
  t.true(waiting > 0, 'the backlog still stands');
});

test.serial('of two sweeps one starts all, and the other goes on where it stops', async (t) => {
  const partner = (await scene.partner('LIVE')).changed({ baseUrl: api.baseUrl });
  const starts: { by: number; eventId: string }[] = [];
  const sweeps = [0, 1].map((by) =>
    startSmallSweep(t, async ({ partnerId, purchaseEventId }) => {
      if (partnerId === partner.partnerId) starts.push({ by, eventId: purchaseEventId });
    }),
  );
  const sell = async (): Promise<void> => {
    for (let nth = 0; nth < 12; nth++) t.is((await partner.purchase()).status, 201);
    await eventually(async () => (await markedCount()) === 0, 'all of them begin', 120_000);
  };
  await sell();
  const [first] = starts;
  if (first === undefined) throw new Error('something was started');
  await sweeps[first.by]?.stop();
  await sell();
  t.is(new Set(starts.map(({ eventId }) => eventId)).size, 24);
  const by = starts.map((start) => start.by);
  t.deepEqual(
    by,
    by.toSorted((one, other) => Math.abs(one - first.by) - Math.abs(other - first.by)),
  );
  t.is(new Set(by).size, 2);
});

test.serial(
  'what fails to begin, page after page of it, holds nobody else up for long',
  async (t) => {
    const [stuck, other] = await Promise.all(
      [0, 1].map(async () => (await scene.partner('LIVE')).changed({ baseUrl: api.baseUrl })),
    );
    if (!stuck || !other) throw new Error('there are two partners');
    for (let nth = 0; nth < limits.maxUnbegun * 3; nth++)
      t.is((await stuck.purchase()).status, 201);
    t.is((await other.purchase()).status, 201);
    let isMended = false;
    startSmallSweep(
      t,
      async ({ partnerId }) => (partnerId === stuck.partnerId && !isMended ? lost : undefined),
      500,
    );
    const markedOf = ({ partnerId }: { partnerId: string }) => markedCount({ partnerId });
    await eventually(async () => (await markedOf(other)) === 0, 'the other one begins', 120_000);
    t.is(await markedOf(stuck), limits.maxUnbegun * 3);
    isMended = true;
    await eventually(async () => (await markedCount()) === 0, 'what was stuck begins', 120_000);
  },
);
