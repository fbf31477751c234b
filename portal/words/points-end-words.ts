import type { PointsLife } from '../../domain/points-end.ts';

const words = { P12M: '12 months', P24M: '24 months' } as const satisfies Record<
  PointsLife,
  string
>;

/** When points end, after a heading that says so. */
export const pointsLifeWords = (after: PointsLife | null): string =>
  after === null ? 'Never' : `After ${words[after]} without activity`;
