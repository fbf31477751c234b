import { startChild } from './child.ts';
import type { Answers } from './figures.ts';
import { prepareFloorEvents } from './floor-events.ts';
import type { ServerQuestion } from './floor-server.ts';
import type { LoadSetup } from './setup.ts';
import { floorPaths, type Work } from './work.ts';

const unbounded = Number.MAX_SAFE_INTEGER;
/** How long a new process is warmed up, as a share of the window. */
export const warmUpPart = 0.25;

export type Floors = Awaited<ReturnType<typeof openFloors>>;

/**
 * The minimum cost of each operation on this machine. A floor is measured immediately before the operation
 * that it bounds, or in alternation with it, so that other load on the machine affects both.
 */
export async function openFloors({ service, partners, generator }: LoadSetup, forMs: number) {
  const { mongodbUri } = service.config;
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

    close: () => server.stop(),
  };
}
