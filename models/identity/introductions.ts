import { dayMs } from '../../domain/utc-days.ts';
import type { Models } from '../schemas/index.ts';

/** For so long an operator counts as the one who made them, or raised their role, unless a third confirms them. */
export const introductionMs = 30 * dayMs;

/** Nobody stands at the end of so many. */
const longestChain = 20;

/**
 * Whether two operators are two people as far as anybody knows: neither introduced the other, and nobody
 * introduced both, within 30 days and unconfirmed. So nobody approves through a puppet.
 * @param at milliseconds since the epoch
 */
export async function areIndependent(
  models: Models,
  [one, other]: readonly [string, string],
  at: number,
): Promise<boolean> {
  const [ones, others] = await Promise.all([
    introducersOf(models, one, at),
    introducersOf(models, other, at),
  ]);
  return !ones.some((id) => others.includes(id));
}

/** An operator, who introduced them, who introduced those, and so on. */
async function introducersOf(models: Models, operatorId: string, at: number): Promise<string[]> {
  const chain: string[] = [];
  let next: string | null = operatorId;
  while (next !== null && !chain.includes(next) && chain.length < longestChain) {
    chain.push(next);
    const found: Introduced | null = await models.operators.findById(next, fields).lean();
    next = found !== null && isFresh(found, at) ? found.introducedBy : null;
  }
  return chain;
}

const fields = { introducedBy: 1, introducedAt: 1, confirmedBy: 1 } as const;

interface Introduced {
  introducedBy: string | null;
  introducedAt: Date | null;
  confirmedBy: string | null;
}

const isFresh = ({ introducedAt, confirmedBy }: Introduced, at: number): boolean =>
  confirmedBy === null && introducedAt !== null && at - introducedAt.getTime() < introductionMs;
