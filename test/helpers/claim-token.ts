import type { SealedPurchase } from '../../domain/events.ts';
import { eventually } from './eventually.ts';
import type { Service } from './service.ts';

/** The token of a reward's claim link, which stands nowhere in clear but in the customer's mail. */
export async function claimTokenOf(
  { models, sealer }: Pick<Service, 'models' | 'sealer'>,
  eventId: string,
): Promise<string> {
  // The link is good once the workflow has begun; nobody gets it before.
  const { sealed } = await eventually(async () => {
    const event = await models.orderEvents.findById(eventId).lean().orFail();
    return event.awaitsWorkflowSince === undefined && event;
  }, `${eventId} begins`);
  const { claimToken }: SealedPurchase = JSON.parse(sealer.open(sealed, eventId));
  return claimToken;
}
