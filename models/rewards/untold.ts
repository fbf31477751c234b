import type { Untold } from '../../domain/messages.ts';
import type { Models } from '../schemas/index.ts';
import type { RewardDoc } from '../schemas/reward.ts';
import { messageUntold } from '../store/metric-events.ts';

/** Notes on a reward that a message about it did not reach its customer; of a channel once. */
export async function noteUntold(
  models: Models,
  { partnerId, _id, mode }: Pick<RewardDoc, 'partnerId' | '_id' | 'mode'>,
  untold: Untold,
): Promise<void> {
  const { channel, reason } = untold;
  const { modifiedCount } = await models.rewards.updateOne(
    { partnerId, _id, 'untold.channel': { $ne: channel } },
    { $push: { untold } },
    { timestamps: false },
  );
  if (modifiedCount > 0) messageUntold.publish({ channel, reason, mode });
}
