import type { MedusaContainer } from '@medusajs/framework/types';
import { ContainerRegistrationKeys } from '@medusajs/framework/utils';
import {
  createCartCreditLinesWorkflow,
  deleteCartCreditLinesWorkflow,
} from '@medusajs/medusa/core-flows';
import { partnerEventsModule } from '../modules/partner-events';
import type { PartnerEventsService } from '../modules/partner-events/service';
import { creditLineReference, pointLines } from '../order-state';
import type { PointsCart } from './cart';

/**
 * Holds as many points as a failed checkout has given back, so that the cart pays with them when the customer tries another
 * card. If that fails, the cart shows points that are not held, and the next checkout says so.
 */
export async function holdAgain(container: MedusaContainer, id: string): Promise<void> {
  const service: PartnerEventsService = container.resolve(partnerEventsModule);
  const logger = container.resolve(ContainerRegistrationKeys.LOGGER);
  try {
    const { cart_id, mode, amount_cents } = await service.retrievePartnerEventsRedemption(id);
    const query = container.resolve(ContainerRegistrationKeys.QUERY);
    const { data } = await query.graph({
      entity: 'cart',
      fields: ['id', 'customer.email', 'credit_lines.*'],
      filters: { id: cart_id },
    });
    const cart = data[0] as unknown as PointsCart | undefined;
    const line = cart && pointLines(cart).find(({ reference_id }) => reference_id === id);
    if (!line) return;
    const { email } = cart.customer;
    const held = await service.hold({ cart_id, mode, email, amountCents: amount_cents });
    const again = {
      cart_id,
      amount: Number(line.amount),
      reference: creditLineReference,
      reference_id: held.id,
      metadata: { points: held.points, expires_at: held.expiresAt },
    };
    await createCartCreditLinesWorkflow(container).run({ input: [again] });
    await deleteCartCreditLinesWorkflow(container).run({ input: { id: [line.id] } });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    logger.warn(`Partner Events: the points of ${id} are not held again: ${reason}`);
  }
}
