import type { Earning, RuleKind } from '../../domain/earning-rules.ts';

interface Example<Kind extends RuleKind> {
  earning: Extract<Earning, { kind: Kind }>;
  /** The points of orders with these subtotals, computed by hand. */
  earns: readonly (readonly [subtotalCents: number, points: number])[];
}

/** A rule of every kind. A kind without an example does not compile, so every kind is tested. */
export const earningExamples: { [Kind in RuleKind]: Example<Kind> } = {
  PER_AMOUNT: {
    earning: { kind: 'PER_AMOUNT', points: 7, unitCents: 250 },
    earns: [
      [0, 0],
      [35, 0],
      [36, 1],
      [250, 7],
      [4_999, 139],
      [5_000, 140],
      [100_000_000, 2_800_000],
    ],
  },
  FIXED: {
    earning: { kind: 'FIXED', points: 50 },
    earns: [
      [0, 50],
      [1, 50],
      [100_000_000, 50],
    ],
  },
};
