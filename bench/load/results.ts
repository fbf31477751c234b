import type { Answers } from './figures.ts';
import type { Floors } from './floors.ts';
import type { Burst, History, Read, Refunds } from './parts.ts';
import type { PurchaseWindow } from './purchases.ts';

/** What a run found. A part that did not run is absent. */
export interface Results {
  floors?: Floors;
  /** Each by name and concurrency. */
  sales: PurchaseWindow[];
  replays?: Answers;
  reads: Read[];
  burst?: Burst;
  refunds?: Refunds;
  history?: History;
}

export function saleOf(
  { sales }: Results,
  name: string,
  atOnce: number,
): PurchaseWindow | undefined {
  return sales.find((sale) => sale.name === name && sale.atOnce === atOnce);
}
