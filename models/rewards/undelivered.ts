import type { SentMessage, Undelivered } from '../../domain/messages.ts';
import type { Models } from '../schemas/index.ts';
import type { RewardDoc } from '../schemas/rewards.ts';
import { messageUndelivered } from '../store/metric-events.ts';

/** Records on a reward that a message did not reach its customer, once per channel. */
export async function noteUndelivered(
  models: Models,
  { partnerId, _id, mode }: Pick<RewardDoc, 'partnerId' | '_id' | 'mode'>,
  undelivered: Undelivered,
): Promise<void> {
  const { channel, reason } = undelivered;
  const { modifiedCount } = await models.rewards.updateOne(
    { partnerId, _id, 'undelivered.channel': { $ne: channel } },
    { $push: { undelivered } },
    { timestamps: false },
  );
  if (modifiedCount > 0) messageUndelivered.publish({ channel, reason, mode });
}

/** A reward's few messages, however often its contact is corrected or it is reinstated. */
const maxSent = 20;

/** Records on a reward that a message was sent, for its timeline; a repeat of it is the same message. */
export async function noteSent(
  models: Models,
  { partnerId, _id }: Pick<RewardDoc, 'partnerId' | '_id'>,
  sent: SentMessage,
): Promise<void> {
  await models.rewards.updateOne(
    { partnerId, _id, 'sent.id': { $ne: sent.id } },
    { $push: { sent: { $each: [sent], $slice: -maxSent } } },
    { timestamps: false },
  );
}

/** Records on a reward that the partner was told of its funds. */
export async function notePartnerTold(
  models: Models,
  { partnerId, _id }: Pick<RewardDoc, 'partnerId' | '_id'>,
): Promise<void> {
  await models.rewards.updateOne(
    { partnerId, _id, fundingNotice: { $type: 'object' } },
    { $set: { 'fundingNotice.toldAt': new Date() } },
    { timestamps: false },
  );
}
