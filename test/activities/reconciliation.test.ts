import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import test from 'ava';
import type { ActivityDeps } from '../../activities/deps.ts';
import {
  type Found,
  type ReconciliationResult,
  reconciliationActivities,
} from '../../activities/reconciliation.ts';
import { createCommit } from '../../models/commit.ts';
import { idBound } from '../../platform/ids.ts';
import { whatIsDue } from '../helpers/due.ts';
import { patienceMs } from '../helpers/patience.ts';
import { type Database, openDatabase } from '../helpers/processes.ts';
import { openStage, type Stage } from './helpers/stage.ts';

const hourMs = 3_600_000;

let database: Database;
test.before(async () => {
  database = await openDatabase();
});
test.after.always(() => database?.close());

/** Rewards whose purchases were accounted for. Each costs 100 cents. */
async function rewards(stage: Stage, count: number): Promise<string[]> {
  const ids = await Promise.all(
    Array.from({ length: count }, async () => {
      const ref = await stage.report(stage.purchase());
      return (await stage.begin(ref)).rewardId;
    }),
  );
  await change(ids, { workflowId: '$_id', updatedAt: new Date(0) });
  return ids.toSorted();
}

/** @param changes can name fields */
const change = (ids: string[], changes: object) =>
  database.models.rewards.collection.updateMany({ _id: { $in: ids } }, [{ $set: changes }]);

/** Sets when rewards were last changed. */
const date = (ids: string[], updatedAt: Date) => change(ids, { updatedAt });

interface Round {
  /** Which rewards have no workflow. */
  isLost?: (rewardId: string) => boolean;
  /** Which workflows cannot be started. */
  isStuck?: (rewardId: string) => boolean;
  reconciliation?: Partial<ActivityDeps['reconciliation']>;
  heartbeatDetails?: unknown;
  onLookUp?: (rewardId: string) => Promise<void>;
  hasBegun?: (rewardId: string) => Promise<boolean>;
  /** The database's time. */
  at?: Date;
}

/** A round: its result, its progress, and what it did. */
async function round({
  isLost = () => false,
  isStuck = () => false,
  reconciliation = {},
  heartbeatDetails,
  onLookUp = async () => undefined,
  hasBegun = async () => true,
  at = new Date(0),
}: Round = {}) {
  const { models } = database;
  const started: string[] = [];
  const lookedUp: string[] = [];
  const { reconciliationParts, reconcile, recordReconciliation } = reconciliationActivities({
    models,
    commit: createCommit({
      models,
      hashKey: database.hashKey,
      now: () => at.getTime(),
      patienceMs,
    }),
    databaseTime: async () => at,
    messenger: {
      async startPurchase({ rewardId = '' }: { rewardId?: string }, isLostOrStuck: boolean) {
        if (!isLostOrStuck) throw new Error('a workflow that is stuck has to be replaced');
        if (isStuck(rewardId)) throw new Error('refused');
        started.push(rewardId);
      },
    },
    workflows: {
      async isProgressing(rewardId: string) {
        lookedUp.push(rewardId);
        await onLookUp(rewardId);
        return !isLost(rewardId);
      },
      hasBegun,
    },
    reconciliation: {
      afterMs: hourMs,
      perSecond: 1_000,
      maxInFlight: 4,
      maxNotStarted: 50,
      ...reconciliation,
    },
  } as unknown as ActivityDeps);
  const logged: string[] = [];
  const logger = new DefaultLogger('WARN', ({ message, meta }) => {
    logged.push(`${message}: ${meta?.error}`);
  });
  const environment = new MockActivityEnvironment({ heartbeatDetails }, { logger });
  const told: unknown[] = [];
  environment.on('heartbeat', (details) => told.push(details));
  const startMs = performance.now();
  const startedAt = new Date().toISOString();
  const parts = await reconciliationParts();
  const found: Found[] = [];
  for (const part of parts) found.push(await environment.run(reconcile, part));
  const result: ReconciliationResult = await recordReconciliation(startedAt, found);
  const run = await models.reconciliationRuns.findOne().sort({ _id: -1 }).orFail();
  return { result, run, told, logged, started, lookedUp, ms: performance.now() - startMs };
}

/** The only rewards there are. */
async function withRewards(count: number) {
  await database.models.rewards.deleteMany({});
  const stage = await openStage(database);
  await stage.rule();
  await stage.fund(100_000);
  return { stage, ids: await rewards(stage, count) };
}

const summaries: [lost: number, stuck: number, summary: RegExp][] = [
  [0, 0, /^Nothing lost: 3 open rewards, each with its workflow\.$/],
  [1, 0, /^3 open rewards: 1 workflow started again\. First: PNR_\w+\.$/],
  [2, 0, /^3 open rewards: 2 workflows started again\. First: PNR_\w+, PNR_\w+\.$/],
  [0, 1, /^3 open rewards: 1 workflow could not be started\. First: PNR_\w+\.$/],
  [1, 2, /^3 open rewards: 1 workflow started again, 2 workflows could not be started\. First: /],
];
for (const [lost, stuck, summary] of summaries) {
  test.serial(
    `a round says what it found: ${lost} lost, ${stuck} that cannot be started`,
    async (t) => {
      const { ids } = await withRewards(3);
      const [isStuck, isLost] = [ids.slice(0, stuck), ids.slice(0, stuck + lost)];
      const { result, run, started, logged } = await round({
        isLost: (id) => isLost.includes(id),
        isStuck: (id) => isStuck.includes(id),
      });
      t.regex(result.summary, summary);
      t.deepEqual(result, { summary: run.summary, startedAgain: lost, failed: stuck });
      t.like(run, { lookedAt: 3, startedAgain: lost, failed: stuck });
      t.deepEqual(run.rewardIds.toSorted(), isLost);
      t.deepEqual(started.toSorted(), ids.slice(stuck, stuck + lost));
      t.deepEqual(
        logged.toSorted(),
        isStuck.map((id) => `the workflow of ${id} could not be started: Error: refused`),
      );
      t.true(run.startedAt.getTime() <= run.endedAt.getTime());
      t.true(Date.now() - run.startedAt.getTime() < 60_000);
    },
  );
}

test.serial('one open reward is called one', async (t) => {
  await withRewards(1);
  t.is((await round()).result.summary, 'Nothing lost: 1 open reward, each with its workflow.');
});

test.serial('a round names twenty rewards, and counts all', async (t) => {
  await withRewards(22);
  const { run } = await round({ isLost: () => true });
  t.is(run.startedAgain, 22);
  t.is(run.rewardIds.length, 20);
});

test.serial('many open rewards are divided among workers, and each is in one part', async (t) => {
  const { stage, ids } = await withRewards(3);
  const { models } = database;
  const [reward] = await models.rewards.collection.find({ _id: ids[0] as never }).toArray();
  const first = Date.parse('2026-01-01');
  const made = Array.from({ length: 10_100 }, (_, nth) => {
    const _id = `${idBound('reward', first + nth * 60_000)}${String(nth).padStart(16, '0')}`;
    return { ...reward, _id: _id as never, purchaseEventId: _id, claimTokenHash: _id };
  });
  await models.rewards.collection.insertMany(made as never[]);
  const { reconciliationParts } = reconciliationActivities({
    models,
    messenger: {},
    workflows: {},
    reconciliation: {},
  } as unknown as ActivityDeps);
  const parts = await reconciliationParts();
  t.true(parts.length > 10);
  t.is(parts[0]?.after, '');
  for (const [nth, { after }] of parts.entries()) {
    if (nth > 0) t.true(after === parts[nth - 1]?.upTo);
  }
  t.true([...ids].every((id) => id <= (parts.at(-1)?.upTo ?? '')));
  const { partnerId } = stage;
  const counts = await Promise.all(
    parts.map(({ after, upTo }) =>
      models.rewards.countDocuments({ partnerId, _id: { $gt: after, $lte: upTo } }),
    ),
  );
  t.is(
    counts.reduce((sum, one) => sum + one, 0),
    10_103,
  );
});

test.serial('a reward that changed a moment ago is left alone', async (t) => {
  const { ids } = await withRewards(3);
  await date(ids.slice(0, 1), new Date(Date.now() - hourMs / 2));
  const { lookedUp } = await round({ isLost: () => true });
  t.deepEqual(lookedUp.toSorted(), ids.slice(1));
});

test.serial('a window that is long over is ended, whatever its workflow does', async (t) => {
  const { stage, ids } = await withRewards(3);
  const [late = '', over = ''] = ids;
  const { claimExpiresAt } = await stage.reward({ rewardId: over });
  const end = Date.parse(claimExpiresAt);
  await change([late], { claimExpiresAt: new Date(end + 2 * hourMs) });
  await change([over], { claimExpiresAt: new Date(end - 2 * hourMs) });
  const { run, started } = await round({ at: new Date(end) });
  t.like(run, { lookedAt: 3, startedAgain: 1, failed: 0, rewardIds: [over] });
  t.deepEqual(started, []);
  const states = await Promise.all(ids.map((rewardId) => stage.reward({ rewardId })));
  t.deepEqual(
    states.map(({ state }) => state),
    ['FUNDED', 'EXPIRED', 'FUNDED'],
  );
  t.deepEqual(await whatIsDue(database.models, stage.partnerId), ['expired']);
});

test.serial('a reward that moved while it was looked up was not lost', async (t) => {
  const { ids } = await withRewards(2);
  const { started } = await round({
    isLost: () => true,
    async onLookUp(id) {
      if (id === ids[0]) await change([id], { version: 9 });
    },
  });
  t.deepEqual(started, ids.slice(1));
});

test.serial('at most eight workflows are looked up at a time', async (t) => {
  await withRewards(20);
  let [atOnce, most] = [0, 0];
  const eight = Promise.withResolvers<void>();
  await round({
    async onLookUp() {
      atOnce += 1;
      most = Math.max(most, atOnce);
      // None ends before there are eight, however slowly they begin; then there is time for a ninth.
      if (most === 8) eight.resolve();
      await eight.promise;
      await new Promise((resolve) => setTimeout(resolve, 20));
      atOnce -= 1;
    },
  });
  t.is(most, 8);
});

test.serial(
  'rewards are looked up in pages, at the configured rate, and a retry continues after the last page',
  async (t) => {
    const { ids } = await withRewards(5);
    const reconciliation = { maxNotStarted: 2, perSecond: 10 };
    const { told, lookedUp, ms } = await round({ reconciliation });
    t.deepEqual(lookedUp.toSorted(), ids);
    t.true(ms >= 450 && ms < 30_000, `${ms} ms`);
    t.is(told.length, 3);
    t.like(told[0], { after: ids[1], found: { lookedAt: 2 } });
    t.like(told[2], { after: ids[4], found: { lookedAt: 5 } });
    const retry = await round({ heartbeatDetails: told[0] });
    t.deepEqual(retry.lookedUp.toSorted(), ids.slice(2));
    t.is(retry.run.lookedAt, 5);
  },
);

test.serial('the next page waits until the last workflow of a page has begun', async (t) => {
  const { ids } = await withRewards(4);
  const asked: string[] = [];
  await round({
    isLost: () => true,
    reconciliation: { maxNotStarted: 2 },
    hasBegun: async (rewardId) => asked.push(rewardId) % 3 === 0,
  });
  t.deepEqual(
    asked,
    [1, 1, 1, 3, 3, 3].map((place) => ids[place]),
  );
});
