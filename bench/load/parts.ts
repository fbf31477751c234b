import { setTimeout as delay } from 'node:timers/promises';
import { runAudit } from '../../models/audit/run.ts';
import { createUsage } from '../../models/billing/index.ts';
import { createLedger } from '../../models/ledger/index.ts';
import { watchBacklog } from './behind.ts';
import type { Answers } from './figures.ts';
import { concurrencies } from './floors.ts';
import { memoryOf } from './meter.ts';
import { type PurchaseWindow, sell } from './purchases.ts';
import type { Scene } from './scene.ts';

const unbounded = Number.MAX_SAFE_INTEGER;
/** A bound on what ends by its number. */
const longMs = 20 * 60_000;
const settleMs = 2_000;

const firstOrders = 20;

/** Fills caches and the compilers' profiles, gently first, in both modes; leaves orders to look at. */
export async function warmUp(scene: Scene, forMs: number): Promise<void> {
  for (const mode of ['TEST', 'LIVE'] as const) {
    const sale = { name: `warm-up, ${mode}`, mode } as const;
    await sell(scene, { ...sale, atOnce: 1, forMs: longMs, atMost: firstOrders });
    await sell(scene, { ...sale, atOnce: 16, forMs });
  }
}

export async function sellInTest(scene: Scene, forMs: number): Promise<PurchaseWindow[]> {
  const windows: PurchaseWindow[] = [];
  for (const atOnce of concurrencies) {
    windows.push(await sell(scene, { name: 'TEST', mode: 'TEST', atOnce, forMs }));
  }
  return windows;
}

export async function sellLive(scene: Scene, forMs: number): Promise<PurchaseWindow[]> {
  const windows: PurchaseWindow[] = [];
  for (const atOnce of concurrencies) {
    windows.push(await sell(scene, { name: 'LIVE', mode: 'LIVE', atOnce, forMs }));
  }
  return windows;
}

/** Two workers append to one partner's chains, and race for each place in them. */
export async function sellLiveByTwo(scene: Scene, forMs: number): Promise<PurchaseWindow[]> {
  const removeSecond = await scene.stage.addWorker();
  const windows: PurchaseWindow[] = [];
  for (const atOnce of [16, 64]) {
    const name = 'LIVE, two workers';
    windows.push(await sell(scene, { name, mode: 'LIVE', atOnce, forMs }));
  }
  await removeSecond();
  return windows;
}

const replayed = 64;

export async function replay(scene: Scene, forMs: number): Promise<Answers> {
  const { shops, generator } = scene;
  const orders = scene.newOrders();
  const sale = {
    name: 'to replay',
    mode: 'TEST',
    atOnce: 4,
    forMs: longMs,
    atMost: replayed,
  } as const;
  await sell(scene, { ...sale, orders });
  const work = { kind: 'replays', place: shops.TEST, orders, of: replayed } as const;
  return await generator.ask({ work, atOnce: 16, forMs, atMost: unbounded });
}

export interface Read {
  name: string;
  answers: Answers;
}

export async function read({ shops, generator }: Scene, forMs: number): Promise<Read[]> {
  const reads: Read[] = [];
  for (const name of ['plans', 'usage', 'billing']) {
    const pathname = `/api/v1/partner/${name}`;
    const work = { kind: 'reads', place: shops.LIVE, pathname } as const;
    const answers = await generator.ask({ work, atOnce: 16, forMs, atMost: unbounded });
    reads.push({ name, answers });
  }
  return reads;
}

export interface Burst {
  window: PurchaseWindow;
  /** Of the worker, once it has worked it off. */
  workerBytes: number;
  /** What the audit says of the whole run. */
  faults: number;
  audit: string;
}

export async function burst(scene: Scene, atMost: number): Promise<Burst> {
  const { stage } = scene;
  const sale = { name: 'burst', mode: 'LIVE', atOnce: 64, forMs: longMs } as const;
  const window = await sell(scene, { ...sale, atMost });
  const workerBytes = await memoryOf(stage.pids().worker ?? 0);
  const { models, config } = stage;
  const ledger = createLedger(models, config.customerHashKey);
  const usage = createUsage(models, config.customerHashKey);
  const { faults, summary } = await runAudit({ models, ledger, usage });
  return { window, workerBytes, faults, audit: summary };
}

export interface Refunds {
  answers: Answers;
  /** How many purchases waited when the first was asked for, and when the last was answered. */
  waitingBefore: number;
  waitingAfter: number;
}

const refunded = 200;
/** Some begin while the rest is being sent. */
const surplus = 1.2;

/** Refunds of earlier orders, while so many new ones wait for their workflows. */
export async function refund(scene: Scene, waiting: number, forMs: number): Promise<Refunds> {
  const { stage, shops, generator } = scene;
  const orders = scene.newOrders();
  const sale = {
    name: 'to refund',
    mode: 'TEST',
    atOnce: 4,
    forMs: longMs,
    atMost: refunded,
  } as const;
  await sell(scene, { ...sale, orders });
  const backlog = watchBacklog(stage.models);
  await generator.ask({
    work: { kind: 'purchases', place: shops.TEST, orders: scene.newOrders() },
    ...{ atOnce: 64, forMs: longMs, atMost: Math.ceil(waiting * surplus) },
  });
  const waitingBefore = await backlog.count();
  const work = { kind: 'refunds', place: shops.TEST, orders } as const;
  const answers = await generator.ask({ work, atOnce: 4, forMs, atMost: refunded });
  const waitingAfter = await backlog.count();
  await backlog.untilCaughtUp();
  return { answers, waitingBefore, waitingAfter };
}

export interface History {
  events: number;
  workflowTasks: number;
}

/** What the history of one LIVE purchase holds that nobody has claimed. */
export async function historyOfOne({ stage }: Scene): Promise<History> {
  const { models, temporal } = stage;
  await delay(settleMs);
  const event = await models.orderEvents.findOne({ type: 'PURCHASE', mode: 'LIVE' }).lean();
  if (!event) throw new Error('nothing was sold');
  const { events } = await temporal.workflow.getHandle(event.workflowId).fetchHistory();
  return {
    events: events?.length ?? 0,
    workflowTasks: events?.filter((one) => one.workflowTaskCompletedEventAttributes).length ?? 0,
  };
}
