import type { Draft } from '../../domain/draft.ts';
import type { Terms } from '../../domain/facts.ts';
import { accounts, moveRedeemed, type Posting, shareOf } from '../../domain/postings.ts';
import type { NewRedemption, Redemption, RedemptionSettings } from '../../domain/redemption.ts';
import { recordRedemption } from '../../domain/redemption-facts.ts';

/** The terms of an operator's redemption. */
export const noLimits: Pick<RedemptionSettings, 'pointsPerUnit' | 'maxPointsPerCustomerDay'> = {
  pointsPerUnit: null,
  maxPointsPerCustomerDay: null,
};

/** The redemption of points as an operator makes it, with the given fields changed. */
export function aRedemption(
  changes: Partial<NewRedemption> & Pick<NewRedemption, 'partnerId' | 'customerId'>,
): NewRedemption {
  return {
    _id: 'red_1',
    mode: 'LIVE',
    integrationId: null,
    externalRedemptionId: 'till',
    externalOrderId: null,
    currency: 'USD',
    customerDay: null,
    asked: { points: 1 },
    isHeld: false,
    ...changes,
  };
}

/** An operator redeems a customer's points. */
export const redeemAt = (
  draft: Draft,
  of: Pick<NewRedemption, 'partnerId' | 'customerId'>,
  { points, reference }: { points: number; reference: string },
  terms: Terms,
): Redemption =>
  recordRedemption(
    draft,
    aRedemption({
      ...of,
      _id: `red_${reference}`,
      externalRedemptionId: reference,
      asked: { points },
    }),
    terms,
    noLimits,
  );

/** The postings of a redemption: the points, and their share of what the customer is owed. */
export function redeemPostings(
  customerId: string,
  points: number,
  balanceOf: (account: string) => number,
): Posting[] {
  const held = {
    points: balanceOf(accounts.points.customer(customerId)),
    owedCents: balanceOf(accounts.payable(customerId)),
  };
  const owedCents = shareOf(held, points);
  return moveRedeemed(customerId, { points, owedCents }, 'FREE', 'SPENT');
}
