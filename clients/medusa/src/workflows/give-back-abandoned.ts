import type { MedusaContainer } from '@medusajs/framework/types';
import { ContainerRegistrationKeys, Modules } from '@medusajs/framework/utils';
import { deleteCartCreditLinesWorkflow } from '@medusajs/medusa/core-flows';
import { partnerEventsModule } from '../modules/partner-events';
import type { Connection, PartnerEventsService } from '../modules/partner-events/service';
import { pointLines } from '../order-state';
import type { PointsCart } from './cart';

/** A checkout takes no longer. */
const abandonedMs = 60 * 60 * 1000;
/** Who asked for it does so again within this. */
const endingMs = 60 * 1000;
const dayMs = 24 * 60 * 60 * 1000;

/**
 * Gives back the points of carts that became no orders, as when a customer went away, or a process ended in the middle of a
 * checkout.
 * @param options.days how old they may be
 * @param options.isLast whether those of carts that are in use come back, too, since nobody will pay them
 * @returns the redemptions that were given back
 */
export async function giveBackAbandoned(
  container: MedusaContainer,
  { settings: { mode } }: Connection,
  { days = 30, isLast = false } = {},
): Promise<string[]> {
  const service: PartnerEventsService = container.resolve(partnerEventsModule);
  const left = (status: ('HELD' | 'CAPTURED' | 'ENDING')[], sinceMs: number) => {
    const now = Date.now();
    const changed = {
      $gte: new Date(now - days * dayMs),
      $lt: new Date(now - (isLast ? 0 : sinceMs)),
    };
    return service.listPartnerEventsRedemptions(
      { mode, status, updated_at: changed },
      { take: null },
    );
  };
  const paying = await left(['HELD', 'CAPTURED'], abandonedMs);
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const { data: ordered } = await query.graph({
    entity: 'order_cart',
    fields: ['cart_id'],
    filters: { cart_id: paying.map(({ cart_id }) => cart_id) },
  });
  const carts = new Set(ordered.map(({ cart_id }) => cart_id));
  const unfinished = [
    ...(await left(['ENDING'], endingMs)),
    ...paying.filter(({ cart_id }) => !carts.has(cart_id)),
  ];
  const logger = container.resolve(ContainerRegistrationKeys.LOGGER);
  const givenBack: string[] = [];
  for (const { id, cart_id, status } of unfinished) {
    try {
      // A customer may place the order at this very moment.
      await container.resolve(Modules.LOCKING).execute(cart_id, async () => {
        const isOrdered = await takeOffCart(container, cart_id, id);
        if (isOrdered && status !== 'ENDING') return;
        if (await service.giveBack(id)) givenBack.push(id);
      });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      logger.warn(`Partner Events: ${id} of ${cart_id} is not given back yet: ${reason}`);
    }
  }
  return givenBack;
}

/** @returns whether the cart is an order, which keeps its lines */
async function takeOffCart(container: MedusaContainer, cartId: string, redemptionId: string) {
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const filters = { cart_id: cartId };
  const fields = ['order_id'];
  const { data: orders } = await query.graph({ entity: 'order_cart', fields, filters });
  if (orders.length > 0) return true;
  const { data: carts } = await query.graph({
    entity: 'cart',
    fields: ['credit_lines.*'],
    filters: { id: cartId },
  });
  const ids = carts
    .flatMap((cart) => pointLines(cart as unknown as PointsCart))
    .filter(({ reference_id }) => reference_id === redemptionId)
    .map(({ id }) => id);
  await deleteCartCreditLinesWorkflow(container).run({ input: { id: ids } });
  return false;
}
