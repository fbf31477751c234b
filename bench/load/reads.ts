import type { Floors } from './floors.ts';
import type { Measured } from './measured.ts';
import { sell } from './purchases.ts';
import type { Scene } from './scene.ts';
import type { Work } from './work.ts';

const unbounded = Number.MAX_SAFE_INTEGER;
const replayed = 64;
const reads = ['plans', 'usage', 'billing'] as const;

/** Replays and the three GETs, right after bare Koa. */
export async function readAgain(scene: Scene, floors: Floors, forMs: number): Promise<Measured[]> {
  const { shops, generator } = scene;
  const atOnce = 16;
  const orders = scene.newOrders();
  const some = { atOnce: 4, atMost: replayed };
  await sell(scene, { name: 'to replay', mode: 'TEST', ...some, orders });
  const repeat = (work: Work) => generator.ask({ work, atOnce, forMs, atMost: unbounded });
  const measured: Measured[] = [
    { what: 'bare Koa', atOnce, answers: await floors.signature(atOnce) },
  ];
  const work = { kind: 'replays', place: shops.TEST, orders, of: replayed } as const;
  measured.push({ what: 'replays', atOnce, answers: await repeat(work) });
  for (const name of reads) {
    const pathname = `/api/v1/partner/${name}`;
    const answers = await repeat({ kind: 'reads', place: shops.LIVE, pathname });
    measured.push({ what: `GET ${name}`, atOnce, answers });
  }
  return measured;
}
