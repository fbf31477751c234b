import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { startChild } from './child.ts';
import type { Answers } from './figures.ts';
import { prepareFloorEvents } from './floor-events.ts';
import { floorPaths, type ServerQuestion } from './floor-server.ts';
import type { WorkerQuestion } from './floor-worker.ts';
import type { Scene } from './scene.ts';

export const concurrencies = [1, 16, 64] as const;
export type Concurrency = (typeof concurrencies)[number];

/** The least that each thing can cost on this machine, measured in the same run. */
export interface Floors {
  /** Koa and the signature check, at 16: what a replay and a read cannot beat. */
  signature: Answers;
  /** Koa, the signature, one indexed read, one insert: what a new order cannot beat. */
  insert: Record<Concurrency, Answers>;
  /** That insert alone, by the driver. */
  bareInsert: Record<Concurrency, Answers>;
  /** Empty workflows started and put on a timer. */
  timersPerSecond: number;
}

const unbounded = Number.MAX_SAFE_INTEGER;
/** As many as the service starts at a time behind its answers. */
const startsAtOnce = 4;
const taskQueue = 'bench-floor';
const pollMs = 100;

export async function measureFloors(scene: Scene, forMs: number): Promise<Floors> {
  const { stage, shops, generator } = scene;
  const { mongodbUri, temporal } = stage.config;
  await prepareFloorEvents(stage.models);
  const sample = await stage.models.orderEvents.findOne({ type: 'PURCHASE' }).lean();
  const { secret } = shops.TEST;
  const server = startChild<ServerQuestion, number>('./floor-server.ts');
  const port = await server.ask({ mongodbUri, secret, answer: sample?.response.body ?? '' });
  const place = { ...shops.TEST, baseUrl: `http://127.0.0.1:${port}` };
  const ask = (pathname: string, atOnce: number) =>
    generator.ask({
      work: { kind: 'floor', place, pathname },
      ...{ atOnce, forMs, atMost: unbounded },
    });
  const bareInsert = (atOnce: number) =>
    generator.ask({ work: { kind: 'inserts', mongodbUri }, atOnce, forMs, atMost: unbounded });
  await generator.ask({
    work: { kind: 'floor', place, pathname: floorPaths.insert },
    ...{ atOnce: 16, forMs: forMs / 4, atMost: unbounded },
  });
  const floors = {
    signature: await ask(floorPaths.signature, 16),
    insert: await forEach((atOnce) => ask(floorPaths.insert, atOnce)),
    bareInsert: await forEach(bareInsert),
  };
  server.stop();
  return { ...floors, timersPerSecond: await timers(scene, temporal.address, forMs) };
}

async function forEach(
  measure: (atOnce: Concurrency) => Promise<Answers>,
): Promise<Record<Concurrency, Answers>> {
  return { 1: await measure(1), 16: await measure(16), 64: await measure(64) };
}

/** @returns how many workflows a second come as far as their timer, starting and waiting for all */
async function timers({ generator }: Scene, address: string, forMs: number): Promise<number> {
  const worker = startChild<WorkerQuestion, number>('./floor-worker.ts');
  await worker.ask({ run: { address, taskQueue } });
  const work = { kind: 'starts', address, taskQueue } as const;
  const start = async (ms: number): Promise<number> => {
    const startMs = performance.now();
    const before = await worker.ask({ count: true });
    const { answered } = await generator.ask({
      ...{ work, atOnce: startsAtOnce, forMs: ms, atMost: unbounded },
    });
    while ((await worker.ask({ count: true })) < before + answered) await delay(pollMs);
    return (answered * 1_000) / (performance.now() - startMs);
  };
  await start(forMs / 4);
  const rate = await start(forMs);
  worker.stop();
  return rate;
}
