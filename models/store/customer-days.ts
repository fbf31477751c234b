import type { Models } from '../schemas/index.ts';

/** The points that count in a customer's day: earned, or redeemed (docs/concepts/rewards.md, Points). */
export async function customerDayPoints(
  { customerDays }: Pick<Models, 'customerDays'>,
  partnerId: string,
  customerDayId: string,
): Promise<number> {
  const day = await customerDays.findOne({ partnerId, _id: customerDayId });
  return day?.points ?? 0;
}
