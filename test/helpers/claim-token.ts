import type { SealedPurchase } from '../../domain/purchase.ts';
import { openEvent as openStored } from '../../models/store/data-keys.ts';
import { eventually } from './eventually.ts';
import type { Service } from './service.ts';

type Opener = Pick<Service, 'models' | 'sealer'>;

/** What an event has sealed, once its workflow has begun; null where its customer was erased. */
export async function openEvent<Secret>(
  service: Opener,
  event: Parameters<typeof openStored>[1],
): Promise<Secret | null> {
  const text = await openStored(service, event);
  return text === null ? null : JSON.parse(text);
}

/** The token of a reward's claim link, which stands nowhere in clear but in the customer's mail. */
export async function claimTokenOf(service: Opener, eventId: string): Promise<string> {
  const { models } = service;
  // The customer gets the link once the reward was accounted for.
  const event = await models.orderEvents.findById(eventId).lean().orFail();
  const { partnerId } = event;
  await eventually(
    () => models.rewards.exists({ partnerId, purchaseEventId: eventId, version: { $gt: 0 } }),
    `${eventId} is accounted for`,
  );
  const opened = await openEvent<SealedPurchase>(service, event);
  if (opened === null) throw new Error(`the customer of ${eventId} was erased`);
  return opened.claimToken;
}
