import { type Answers, mergeWindows } from './figures.ts';
import { type Floors, warmUpPart } from './floors.ts';
import type { Measured } from './measured.ts';
import { sell } from './purchases.ts';
import type { LoadSetup } from './setup.ts';
import type { Work } from './work.ts';

const unbounded = Number.MAX_SAFE_INTEGER;
const replayed = 64;
const concurrency = 16;
const rounds = 4;

/**
 * Replays and the three GETs, compared with bare Koa. They alternate in short slices of their windows, so
 * that changes in the machine's speed affect all of them.
 */
export async function readAgain(
  setup: LoadSetup,
  floors: Floors,
  forMs: number,
): Promise<Measured[]> {
  const { partners, generator } = setup;
  const orders = setup.newOrders();
  await sell(setup, { name: 'to replay', mode: 'TEST', concurrency: 4, atMost: replayed, orders });
  const read = (name: string): Work => {
    return { kind: 'reads', access: partners.LIVE, pathname: `/api/v1/partner/${name}` };
  };
  const turns = [
    { what: 'bare Koa', work: floors.signature },
    { what: 'replays', work: { kind: 'replays', access: partners.TEST, orders, of: replayed } },
    { what: 'GET plans', work: read('plans') },
    { what: 'GET usage', work: read('usage') },
    { what: 'GET billing', work: read('billing') },
  ] as const;
  const all = turns.map(({ what, work }) => ({ what, work, windows: [] as Answers[] }));
  const repeat = (work: Work, ms: number) =>
    generator.ask({ work, concurrency, forMs: ms, atMost: unbounded });
  for (const { work } of all) await repeat(work, forMs * warmUpPart);
  for (let round = 0; round < rounds; round++) {
    for (const { work, windows } of all) windows.push(await repeat(work, forMs / rounds));
  }
  return all.map(({ what, windows }) => ({ what, concurrency, answers: mergeWindows(windows) }));
}
