import { customerHoldings } from '../ledger/index.ts';
import type { RewardDoc } from '../schemas/rewards.ts';
import type { ViewDeps } from './deps.ts';
import { readEventDetails } from './event-details.ts';
import type { PartnerScope } from './partner-scope.ts';

/** The newest rewards shown; the list has all. */
export const maxCustomerRewards = 25;

/** A customer as their partner sees them. */
export interface PartnerCustomer {
  customerId: string;
  /** As reported with the newest purchase, masked; both null if the customer was erased. */
  email: string | null;
  phone: string | null;
  /** LIVE points. */
  points: number;
  /** The value of the points. */
  owedCents: number;
  /** Of both modes, newest first; never empty. */
  rewards: RewardDoc[];
}

/** A customer of a partner with their newest rewards; null if they have none. */
export async function readPartnerCustomer(
  deps: Pick<ViewDeps, 'models' | 'sealer' | 'now'>,
  partnerId: PartnerScope,
  customerId: string,
): Promise<PartnerCustomer | null> {
  const rewards = await deps.models.rewards
    .find({ partnerId, customerId })
    .sort({ _id: -1 })
    .limit(maxCustomerRewards)
    .hint({ customerId: 1, _id: -1 });
  const [newest] = rewards;
  if (!newest) return null;
  const [{ points, owedCents }, details] = await Promise.all([
    customerHoldings(deps.models, { partnerId, customerId }),
    readEventDetails(deps, partnerId, newest.purchaseEventId),
  ]);
  const { email = null, phone = null } = details?.request.customer ?? {};
  return { customerId, email, phone, points, owedCents, rewards };
}
