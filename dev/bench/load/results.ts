import type { Burst } from './burst.ts';
import type { Answers } from './figures.ts';
import type { HistorySize } from './history.ts';
import type { Measured } from './measured.ts';
import type { PurchaseWindow } from './purchases.ts';
import type { Moves } from './refunds.ts';

/** What a run found. A part that did not run is absent. */
export interface Results {
  measured: Measured[];
  sales: PurchaseWindow[];
  emptyWorkflowsPerSecond?: number;
  burst?: Burst;
  /** Refunds and claims; their answers stand among what was measured. */
  moves?: Omit<Moves, 'measured'>;
  history?: HistorySize;
}

/** What several parts found, as one. */
export function mergedOf(parts: readonly Results[]): Results {
  return {
    ...Object.assign({}, ...parts),
    measured: parts.flatMap(({ measured }) => measured),
    sales: parts.flatMap(({ sales }) => sales),
  };
}

export function answersOf(
  { measured }: Results,
  what: Measured['what'],
  concurrency: number,
): Answers | undefined {
  return measured.find((one) => one.what === what && one.concurrency === concurrency)?.answers;
}

export function saleOf(
  { sales }: Results,
  name: string,
  concurrency: number,
): PurchaseWindow | undefined {
  return sales.find((sale) => sale.name === name && sale.concurrency === concurrency);
}
