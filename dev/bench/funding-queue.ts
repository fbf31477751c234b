import { createSecretKey, randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { batchOptions } from '../../activities/batch-options.ts';
import type { ActivityDeps } from '../../activities/deps.ts';
import { createPurchaseParts } from '../../activities/purchases.ts';
import { walletActivities } from '../../activities/wallet.ts';
import { computePoints } from '../../domain/points.ts';
import type { RewardSnapshot } from '../../domain/reward.ts';
import { initialState } from '../../domain/reward-states.ts';
import { createCheckpoints } from '../../models/audit/checkpoints.ts';
import { createUsage } from '../../models/billing/index.ts';
import { createLedger } from '../../models/ledger/index.ts';
import { readReward, toSnapshot } from '../../models/rewards/move.ts';
import { claimReward, expireReward } from '../../models/rewards/reward-moves.ts';
import { toEarningRule } from '../../models/rewards/rules.ts';
import { buildIndexes, createModels } from '../../models/schemas/index.ts';
import type { RewardDoc } from '../../models/schemas/reward.ts';
import { createAnnounce } from '../../models/webhooks/announce.ts';
import { system } from '../../operations/actor.ts';
import { createRule } from '../../operations/earning-rules/create.ts';
import { execute } from '../../operations/execute.ts';
import { createPartner } from '../../operations/partners/create.ts';
import { topUpWallet } from '../../operations/wallets/top-up-wallet.ts';
import { newId } from '../../platform/ids.ts';
import { connectMongo } from '../../platform/mongo.ts';
import { createSealer } from '../../platform/sealing.ts';
import { databaseUri } from '../database-uri.ts';

/**
 * `npm run bench:line`: how many rewards per second one LIVE wallet funds, queues and settles, including the
 * ledger entries, while 0, 10³ and 10⁵ rewards wait behind them. Uses the worker's activities. Needs a
 * MongoDB (`MONGODB_URI`); creates its own database and drops it.
 */
const sizes = [0, 1_000, 100_000];
const rounds = 5;
const perRound = 1_000;
const inFlight = 32;
const liabilityCents = 499;
const hourMs = 3_600_000;

const measures = ['funded', 'queued', 'settled'] as const;
type Rates = Record<(typeof measures)[number], number>;

const mongodbUri = process.env.MONGODB_URI ?? 'mongodb://127.0.0.1:27017/?directConnection=true';
const uri = databaseUri(mongodbUri, `bench_line_${process.pid}`);
const models = createModels(await connectMongo(uri));
const hashKey = createSecretKey(randomBytes(32));
const ledger = createLedger(models, hashKey);
const sendMessage = async () => undefined;
const deps: ActivityDeps = {
  models,
  ledger,
  usage: createUsage(models, hashKey),
  sealer: createSealer([{ id: 'bench', key: createSecretKey(randomBytes(32)) }]),
  messenger: {
    wakeWallet: async () => undefined,
    signalPurchase: async () => undefined,
    completeReview: async () => true,
    startJob: async () => undefined,
    startPointsLink: async () => undefined,
    startPurchase: async () => undefined,
  },
  workflows: { isProgressing: async () => true, hasBegun: async () => true },
  checkpoints: createCheckpoints(hashKey, async () => undefined),
  reconciliation: { afterMs: 0, perSecond: 1, maxInFlight: 1, maxUnbegun: 1 },
  sendMessage,
  sendMessageAtOnce: sendMessage,
  portalUrl: '',
  config: { issuer: null },
  reviewDueMs: 1,
  contactRetentionDays: 1,
  batchOptions,
  now: Date.now,
  announce: createAnnounce(models),
  postWebhook: () => async () => {
    throw new Error('the bench sends no webhooks');
  },
};
const activities = { ...createPurchaseParts(deps), ...walletActivities(deps) };
const now = Date.now;
const at = () => new Date(now()).toISOString();

try {
  await buildIndexes(models);
  const queues = await Promise.all(sizes.map(aQueue));
  // The first round warms up caches and the JIT compiler.
  const taken: Rates[][] = sizes.map(() => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [place, queue] of queues.entries()) {
      const rates = await measure(queue);
      if (round > 0) taken[place]?.push(rates);
    }
  }
  print(taken.map(medians));
} finally {
  await models.connection.dropDatabase();
  await models.connection.close();
}

/** A partner with this many rewards waiting in its LIVE wallet. */
async function aQueue(waiting: number) {
  const { _id: partnerId } = await execute({ models, now }, createPartner, system('seed'), {
    name: 'Bench',
  });
  const fields = { mode: 'LIVE', currency: 'USD', kind: 'FIXED', points: liabilityCents } as const;
  const { _id: ruleId } = await execute({ models, now }, createRule, system('seed'), {
    partnerId,
    ...fields,
  });
  const rule = await models.earningRules.findById(ruleId).lean().orFail();
  const arithmetic = computePoints(toEarningRule(rule), 4_990, now(), null);

  /** @param atMs an earlier time puts the rewards further ahead in the queue */
  const rewards = async (count: number, atMs: number, status: RewardDoc['status']) => {
    const made = Array.from({ length: count }, (): RewardDoc => {
      const _id = newId('reward', atMs);
      return {
        _id,
        partnerId,
        integrationId: 'int_bench',
        mode: 'LIVE',
        walletId: partnerId,
        purchaseEventId: _id,
        externalOrderId: _id,
        workflowId: _id,
        claimTokenHash: _id,
        customerId: `cus_${_id}`,
        currency: 'USD',
        points: liabilityCents,
        liabilityCents,
        arithmetic,
        ...initialState,
        status,
        claimExpiresAt: new Date(atMs + 720 * hourMs),
        review: null,
        cancellation: null,
        version: status === 'PENDING' ? 0 : 1,
        moves: [],
        carriedOut: 0,
        createdAt: new Date(atMs),
        updatedAt: new Date(atMs),
      };
    });
    for (let from = 0; from < count; from += 10_000) {
      await models.rewards.collection.insertMany(made.slice(from, from + 10_000) as never[]);
    }
    return made.map(toSnapshot);
  };
  const startMs = now();
  await rewards(waiting, startMs, 'AWAITING_FUNDING');
  return { wallet: { mode: 'LIVE', partnerId } as const, rewards, startMs };
}

type Queue = Awaited<ReturnType<typeof aQueue>>;

async function measure({ wallet, rewards, startMs }: Queue): Promise<Rates> {
  const topUp = () =>
    topUpWallet({ ledger, now }, wallet, {
      amountCents: perRound * liabilityCents,
      externalReference: newId('request'),
    });
  await topUp();
  const front = await rewards(perRound, startMs - hourMs, 'AWAITING_FUNDING');
  const funded = await perSecond(() => fundFront(wallet));
  const settled = await perSecond(() =>
    each(front, async ({ partnerId, rewardId, purchaseEventId }, place) => {
      const stored = await readReward(models, { partnerId, _id: rewardId });
      if (place % 2 === 0) await claimReward(models, stored, new Date());
      else await expireReward(models, stored, new Date(), { isEndedEarly: true });
      return await activities.carryOutPending({ partnerId, purchaseEventId });
    }),
  );
  await topUp();
  const arriving = await rewards(perRound, startMs + hourMs, 'PENDING');
  const queued = await perSecond(() =>
    each(arriving, (reward) => activities.accountReward(reward, at())),
  );
  // Restores the length of the queue.
  await models.rewards.deleteMany({ _id: { $in: arriving.map(({ rewardId }) => rewardId) } });
  return { funded, queued, settled };
}

/** Serves the front of the queue, as the wallet's workflow does. */
async function fundFront(wallet: Queue['wallet']): Promise<void> {
  let after: string | null = null;
  for (let served = 0; served < perRound; ) {
    const { rewardIds, fundingCents } = await activities.findWaiting(wallet, after);
    await activities.fundWaiting(wallet, rewardIds, fundingCents, at());
    served += rewardIds.length;
    after = rewardIds.at(-1) ?? null;
  }
}

/** Processes each reward, with limited concurrency. */
async function each<T>(
  all: readonly RewardSnapshot[],
  work: (reward: RewardSnapshot, place: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const take = async () => {
    for (let place = next++; place < all.length; place = next++) {
      results[place] = await work(all[place] as RewardSnapshot, place);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, take));
  return results;
}

async function perSecond(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return (perRound * 1_000) / (performance.now() - startMs);
}

function medians(rates: readonly Rates[]): Rates {
  const of = (name: keyof Rates) =>
    rates.map((one) => one[name]).toSorted((a, b) => a - b)[Math.floor(rates.length / 2)] ?? 0;
  return { funded: of('funded'), queued: of('queued'), settled: of('settled') };
}

function print(rates: readonly Rates[]): void {
  const row = (cells: readonly string[]) =>
    process.stdout.write(`${cells.map((cell) => cell.padStart(16)).join('')}\n`);
  row(['queue length', ...measures.map((name) => `${name}/s`)]);
  for (const [place, one] of rates.entries()) {
    const cells = measures.map((name) => {
      const ratio = one[name] / (rates[0]?.[name] ?? 1);
      return `${one[name].toFixed(0)} × ${ratio.toFixed(2)}`;
    });
    row([String(sizes[place]), ...cells]);
  }
}
