import type { Burst } from './burst.ts';
import type { Answers } from './figures.ts';
import type { HistorySize } from './history.ts';
import type { Measured } from './measured.ts';
import type { PurchaseWindow } from './purchases.ts';
import type { Moves } from './refunds.ts';
import type { WorkflowCosts } from './workflows.ts';

/** The results of a run. Unmeasured parts are absent. */
export interface Results {
  measured: Measured[];
  sales: PurchaseWindow[];
  workflows?: WorkflowCosts;
  burst?: Burst;
  /** Refunds and claims; their response times are in `measured`. */
  moves?: Omit<Moves, 'measured'>;
  history?: HistorySize;
}

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
