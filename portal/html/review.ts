import type { ReviewDoc } from '../../models/schemas/review.ts';
import { badge } from './components.ts';
import { away } from './format.ts';
import type { Html } from './html.ts';

/** When an open review is due, or that nobody decided it in time; of a decided one, how. */
export function dueBadge(
  { status, dueAt, decision }: Pick<ReviewDoc, 'status' | 'dueAt' | 'decision'>,
  nowMs: number,
): Html {
  if (status === 'DECIDED') {
    return decision?.verdict === 'UPHOLD' ? badge('DONE', 'Upheld') : badge('QUIET', 'Dismissed');
  }
  return dueAt.getTime() < nowMs
    ? badge('FAILED', `Overdue, ${away(dueAt, nowMs)}`)
    : badge('OPEN', `Due ${away(dueAt, nowMs)}`);
}
