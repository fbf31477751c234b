import { type Floors, warmUpPart } from './floors.ts';
import type { Measured } from './measured.ts';
import { sell } from './purchases.ts';
import type { Scene } from './scene.ts';
import type { Work } from './work.ts';

const unbounded = Number.MAX_SAFE_INTEGER;
const replayed = 64;
const reads = ['plans', 'usage', 'billing'] as const;

/** Replays and the three GETs, right after bare Koa, each warmed up as that was. */
export async function readAgain(scene: Scene, floors: Floors, forMs: number): Promise<Measured[]> {
  const { shops, generator } = scene;
  const atOnce = 16;
  const orders = scene.newOrders();
  const some = { atOnce: 4, atMost: replayed };
  await sell(scene, { name: 'to replay', mode: 'TEST', ...some, orders });
  const repeat = async (work: Work) => {
    const job = { work, atOnce, atMost: unbounded };
    await generator.ask({ ...job, forMs: forMs * warmUpPart });
    return await generator.ask({ ...job, forMs });
  };
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
