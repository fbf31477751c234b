import type { SealedPurchase } from '../../domain/events.ts';
import type { Service } from './service.ts';

/** The token of a reward's claim link, which stands nowhere in clear but in the customer's mail. */
export async function claimTokenOf(
  { models, sealer }: Pick<Service, 'models' | 'sealer'>,
  eventId: string,
): Promise<string> {
  const { sealed } = await models.orderEvents.findById(eventId).lean().orFail();
  const { claimToken }: SealedPurchase = JSON.parse(sealer.open(sealed, eventId));
  return claimToken;
}
