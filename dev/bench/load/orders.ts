import { modes } from '../../../domain/mode.ts';
import { type Floors, warmUpPart } from './floors.ts';
import { concurrencies, type Measured } from './measured.ts';
import { type PurchaseWindow, sell } from './purchases.ts';
import type { LoadSetup } from './setup.ts';

const firstOrders = 20;

/** Warms up caches and the JIT compiler in both modes, gently first; leaves orders to read. */
export async function warmUp(setup: LoadSetup, forMs: number): Promise<void> {
  for (const mode of modes) {
    const sale = { name: `warm-up, ${mode}`, mode } as const;
    await sell(setup, { ...sale, concurrency: 1, atMost: firstOrders });
    await sell(setup, { ...sale, concurrency: 16, forMs });
  }
}

/** New orders in both modes, each right after its floor. */
export async function sellInBothModes(
  setup: LoadSetup,
  floors: Floors,
  forMs: number,
): Promise<{ measured: Measured[]; sales: PurchaseWindow[] }> {
  const measured: Measured[] = [];
  const sales: PurchaseWindow[] = [];
  for (const concurrency of concurrencies) {
    const bareInsert = await floors.bareInsert(concurrency);
    measured.push({ what: 'bare insert', concurrency, answers: bareInsert });
    measured.push({ what: 'floor', concurrency, answers: await floors.insert(concurrency) });
    for (const mode of modes) {
      sales.push(await sell(setup, { name: mode, mode, concurrency, forMs }));
    }
  }
  return { measured, sales };
}

/**
 * The same with a second worker, after warming it up: in LIVE both append to one partner's chains and race
 * for each place.
 */
export async function sellWithTwoWorkers(
  setup: LoadSetup,
  forMs: number,
): Promise<PurchaseWindow[]> {
  const removeSecond = await setup.service.addWorker();
  const warming = { name: 'warm-up, two workers', mode: 'LIVE', concurrency: 16 } as const;
  await sell(setup, { ...warming, forMs: forMs * warmUpPart });
  const windows: PurchaseWindow[] = [];
  for (const mode of modes) {
    windows.push(await sell(setup, { name: `${mode}, two workers`, mode, concurrency: 64, forMs }));
  }
  await removeSecond();
  return windows;
}
