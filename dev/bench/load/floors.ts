import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { startChild } from './child.ts';
import type { Answers, EmptyWorkflows } from './figures.ts';
import { prepareFloorEvents } from './floor-events.ts';
import type { ServerQuestion } from './floor-server.ts';
import type { WorkerQuestion } from './floor-worker.ts';
import { cpuMsOf } from './meter.ts';
import type { LoadSetup } from './setup.ts';
import { floorPaths, type Work } from './work.ts';

const unbounded = Number.MAX_SAFE_INTEGER;
/** As many as the service starts at a time. */
const startConcurrency = 4;
/** How long a new process is warmed up, as a share of the window. */
export const warmUpPart = 0.25;
const taskQueue = 'bench-floor';
const pollMs = 100;

export type Floors = Awaited<ReturnType<typeof openFloors>>;

/**
 * The minimum cost of each operation on this machine. A floor is measured immediately before the operation
 * that it bounds, or in alternation with it, so that other load on the machine affects both.
 */
export async function openFloors({ service, partners, generator }: LoadSetup, forMs: number) {
  const { mongodbUri, temporal } = service.config;
  const pattern = await prepareFloorEvents(service.models);
  const server = startChild<ServerQuestion, number>('./floor-server.ts');
  const { secret } = partners.TEST;
  const port = await server.ask({ mongodbUri, secret, answer: pattern.answer ?? '' });
  const access = { ...partners.TEST, baseUrl: `http://127.0.0.1:${port}` };
  const repeat = (work: Work, concurrency: number, ms = forMs): Promise<Answers> =>
    generator.ask({ work, concurrency, forMs: ms, atMost: unbounded });
  const ask = (pathname: string): Work => ({ kind: 'floor', access, pathname });
  for (const pathname of Object.values(floorPaths)) {
    await repeat(ask(pathname), 16, forMs * warmUpPart);
  }

  return {
    /** Koa and the signature check: the floor of replays and reads, measured in alternation with them. */
    signature: ask(floorPaths.signature),

    /** Koa, the signature, one indexed read, one insert: the floor of a new order. */
    insert: (concurrency: number) => repeat(ask(floorPaths.insert), concurrency),

    /** Koa, the signature, two indexed reads, two inserts: the floor of a refund. */
    refund: (concurrency: number) => repeat(ask(floorPaths.refund), concurrency),

    /** Koa, the signature, one indexed read, one update: the floor of a claim. */
    claim: (concurrency: number) => repeat(ask(floorPaths.claim), concurrency),

    /** Only the insert, through the driver. */
    bareInsert: (concurrency: number) => repeat({ kind: 'inserts', mongodbUri }, concurrency),

    /** Starts empty workflows eagerly, until they reach their timers. */
    async emptyWorkflows(): Promise<EmptyWorkflows> {
      const { address } = temporal;
      const worker = startChild<WorkerQuestion, number>('./floor-worker.ts');
      const cpuMs = () => Promise.all([cpuMsOf(worker.pid), cpuMsOf(service.pids().Temporal ?? 0)]);
      await worker.ask({ run: { address, taskQueue } });
      const start = async (ms: number): Promise<EmptyWorkflows> => {
        const startMs = performance.now();
        const [workerMs, temporalMs] = await cpuMs();
        const before = await worker.ask({ count: true });
        const started = await worker.ask({ start: { concurrency: startConcurrency, forMs: ms } });
        while ((await worker.ask({ count: true })) < before + started) await delay(pollMs);
        const perSecond = (started * 1_000) / (performance.now() - startMs);
        const [workerEndMs, temporalEndMs] = await cpuMs();
        return {
          perSecond,
          workerCpuMs: (workerEndMs - workerMs) / started,
          temporalCpuMs: (temporalEndMs - temporalMs) / started,
        };
      };
      await start(forMs * warmUpPart);
      const measured = await start(forMs);
      worker.stop();
      return measured;
    },

    close: () => server.stop(),
  };
}
