import { openContact } from '../../models/rewards/contact.ts';
import type { OrderEventDoc } from '../../models/schemas/events.ts';
import { openEvent as openStored } from '../../models/store/sealed-events.ts';
import { eventually } from './eventually.ts';
import type { Service } from './service.ts';

type SealedStore = Pick<Service, 'models' | 'sealer'>;

/** The decrypted data of an event; null if its customer was erased. */
export function openEvent<Secret>(
  { sealer }: Pick<SealedStore, 'sealer'>,
  event: Pick<OrderEventDoc, '_id' | 'sealed'>,
): Secret | null {
  const text = openStored(sealer, event);
  return text === null ? null : JSON.parse(text);
}

/** The token of a reward's claim link, which only the customer's message contains in clear text. */
export async function claimTokenOf(service: SealedStore, eventId: string): Promise<string> {
  const { models } = service;
  // The link is only sent once the reward is accounted for.
  const event = await models.orderEvents.findById(eventId).orFail();
  const { partnerId } = event;
  await eventually(
    () => models.rewards.exists({ partnerId, purchaseEventId: eventId, version: { $gt: 0 } }),
    `${eventId} is accounted for`,
  );
  const { correction } = await models.rewards
    .findOne({ partnerId, purchaseEventId: eventId })
    .orFail();
  const contact = await openContact(service, event, correction);
  if (contact === null) throw new Error(`the customer of ${eventId} was erased`);
  return contact.claimToken ?? '';
}
