import type { SealedPurchase } from '../../domain/events.ts';
import { openEvent as openStored } from '../../models/data-keys.ts';
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
  // The link is good once the workflow has begun; nobody gets it before.
  const event = await eventually(async () => {
    const found = await service.models.orderEvents.findById(eventId).lean().orFail();
    return found.awaitsWorkflowSince === undefined && found;
  }, `${eventId} begins`);
  const opened = await openEvent<SealedPurchase>(service, event);
  if (opened === null) throw new Error(`the customer of ${eventId} was erased`);
  return opened.claimToken;
}
