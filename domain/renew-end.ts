import type { Draft } from './draft.ts';
import { renewed } from './points-end.ts';
import { accounts } from './postings.ts';

/** A customer's points, with those held at a checkout. */
export const totalOf = (draft: Draft, customerId: string): number =>
  draft.balanceOf(accounts.points.customer(customerId)) +
  draft.balanceOf(accounts.held.points(customerId));

/**
 * A customer was active: all of their points end later. While points do not end, nothing changes.
 * @param heldBefore `totalOf` before it
 * @param back points that came back with it
 */
export function renewEnd(
  draft: Draft,
  customerId: string,
  { at }: { at: Date },
  heldBefore: number,
  back?: { points: number; isOlder: boolean },
): void {
  const { pointsEnd: setting, seq = 0 } = draft.wallet ?? {};
  if (!setting) return;
  const customer = draft.customers.get(customerId);
  if (customer === undefined) return;
  const ending = renewed(setting, customer, { at, heldBefore, seq }, back);
  draft.setCustomer({ ...customer, ending });
}
