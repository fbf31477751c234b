import type { EarningRule } from './earning-rules.ts';
import { computeRemaining } from './points.ts';
import { liabilityCentsOf } from './postings.ts';
import type { Loss, Reward, Worth } from './reward.ts';

/** Refunds of a part of an order (docs/concepts/how-it-works.md, Refunds, claims and decisions). */

/** A refund of a part of an order. */
export interface RefundedPart {
  /** At least 1, at most what is left. */
  amountCents: number;
  /** The reward's own rule version. */
  rule: EarningRule;
}

/** How much of an order's subtotal can still be refunded. */
export const leftCentsOf = ({
  arithmetic,
  refundedCents,
}: Pick<Reward, 'arithmetic' | 'refundedCents'>): number =>
  arithmetic.subtotalCents - refundedCents;

/** How much of the order the open review of a reward is about. */
export const reviewedCentsOf = ({ arithmetic, refundedCents }: Reward): number =>
  refundedCents - arithmetic.refundedCents;

/**
 * What a reward is worth once so much of its order came back, by its own rule and never pro rata; null
 * if that is nothing, so that the refund is as one of the whole order.
 */
export function worthAfter(
  { arithmetic }: Pick<Reward, 'arithmetic'>,
  rule: EarningRule,
  refundedCents: number,
): Worth | null {
  if (refundedCents === arithmetic.subtotalCents) return null;
  const remaining = computeRemaining(rule, arithmetic, refundedCents);
  const { points } = remaining;
  if (points === 0) return null;
  const liabilityCents = liabilityCentsOf(points, rule);
  return { points, liabilityCents, arithmetic: remaining };
}

/** What a reward loses as only this remains; all of it if nothing does. */
export const lossOf = ({ points, liabilityCents }: Loss, remaining: Loss | null): Loss => ({
  points: points - (remaining?.points ?? 0),
  liabilityCents: liabilityCents - (remaining?.liabilityCents ?? 0),
});

/** What a reward was worth before one of its moves. @param place the number of the move, from 1 */
export function worthBefore({ points, liabilityCents, moves }: Reward, place: number): Loss {
  const lost = moves.slice(place - 1).flatMap((move) => move.lost ?? []);
  return {
    points: lost.reduce((sum, one) => sum + one.points, points),
    liabilityCents: lost.reduce((sum, one) => sum + one.liabilityCents, liabilityCents),
  };
}

/** What came back of an order, by the moves of its reward: in all, and without what is under review. */
export function refundedByMoves(moves: Reward['moves']): { cents: number; takenCents: number } {
  let cents = 0;
  let takenCents = 0;
  for (const { move, refundEventId, amountCents = 0 } of moves) {
    if (refundEventId !== undefined) cents += amountCents;
    if (move === 'REDUCE') takenCents = cents;
    if (move === 'DISMISS' || move === 'REINSTATE') cents = takenCents;
  }
  return { cents, takenCents };
}
