import type { Reward } from '../../domain/reward.ts';

/** The moves of a reward from its purchase, or from one time that it was reinstated, to the next. */
export interface Life {
  /** What its entries have after the reward's id. */
  suffix: string;
  /** The index of its first move. */
  start: number;
  moves: Reward['moves'];
}

/** A reward without moves has one life. */
export function livesOf({ moves }: Pick<Reward, 'moves'>): Life[] {
  const starts = [0, ...moves.flatMap(({ move }, index) => (move === 'REINSTATE' ? index : []))];
  return starts.map((start, place) => ({
    suffix: place === 0 ? '' : `:${place + 1}`,
    start,
    moves: moves.slice(start, starts[place + 1]),
  }));
}
