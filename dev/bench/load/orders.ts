import { modes } from '../../../domain/mode.ts';
import { type Floors, warmUpPart } from './floors.ts';
import { concurrencies, type Measured } from './measured.ts';
import { type PurchaseWindow, sell } from './purchases.ts';
import type { Scene } from './scene.ts';

const firstOrders = 20;

/** Fills caches and the compilers' profiles, gently first, in both modes; leaves orders to look at. */
export async function warmUp(scene: Scene, forMs: number): Promise<void> {
  for (const mode of modes) {
    const sale = { name: `warm-up, ${mode}`, mode } as const;
    await sell(scene, { ...sale, atOnce: 1, atMost: firstOrders });
    await sell(scene, { ...sale, atOnce: 16, forMs });
  }
}

/** New orders in both modes, each time right after their floor. */
export async function sellInBothModes(
  scene: Scene,
  floors: Floors,
  forMs: number,
): Promise<{ measured: Measured[]; sales: PurchaseWindow[] }> {
  const measured: Measured[] = [];
  const sales: PurchaseWindow[] = [];
  for (const atOnce of concurrencies) {
    const bareInsert = await floors.bareInsert(atOnce);
    measured.push({ what: 'bare insert', atOnce, answers: bareInsert });
    measured.push({ what: 'floor', atOnce, answers: await floors.insert(atOnce) });
    for (const mode of modes) {
      sales.push(await sell(scene, { name: mode, mode, atOnce, forMs }));
    }
  }
  return { measured, sales };
}

/**
 * The same with one more worker, which is warmed up first: in LIVE the two append to one partner's
 * chains, and race for each place in them.
 */
export async function sellByTwo(scene: Scene, forMs: number): Promise<PurchaseWindow[]> {
  const removeSecond = await scene.stage.addWorker();
  const warming = { name: 'warm-up, two workers', mode: 'LIVE', atOnce: 16 } as const;
  await sell(scene, { ...warming, forMs: forMs * warmUpPart });
  const windows: PurchaseWindow[] = [];
  for (const mode of modes) {
    windows.push(await sell(scene, { name: `${mode}, two workers`, mode, atOnce: 64, forMs }));
  }
  await removeSecond();
  return windows;
}
