import type { Sealer } from '../../platform/sealing.ts';
import type { Models } from '../schemas/index.ts';
import type { RewardDoc } from '../schemas/rewards.ts';
import { openSealed } from '../store/data-keys.ts';

/** Why an operator cancelled a reward; null if none did, or if the customer was erased. */
export async function cancellationReasonOf(
  deps: { models: Models; sealer: Sealer },
  { _id: context, partnerId, cancellation }: RewardDoc,
): Promise<string | null> {
  if (cancellation === null) return null;
  return await openSealed(deps, { partnerId, sealed: cancellation.sealedReason, context });
}
