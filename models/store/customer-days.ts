import { type CustomerDay, customerDayId } from '../../domain/customer-days.ts';
import type { Models } from '../schemas/index.ts';

/** The points that count in the days, of which there is one or none (docs/concepts/rewards.md, Points). */
export async function customerDayPoints(
  { customerDays }: Pick<Models, 'customerDays'>,
  partnerId: string,
  [day]: readonly CustomerDay[],
): Promise<number> {
  if (day === undefined) return 0;
  const counted = await customerDays.findOne({ partnerId, _id: customerDayId(day) });
  return counted?.points ?? 0;
}
