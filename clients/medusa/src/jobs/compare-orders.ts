import type { MedusaContainer } from '@medusajs/framework/types';
import { ContainerRegistrationKeys } from '@medusajs/framework/utils';
import { compareOrdersWorkflow } from '../workflows/compare-orders';

const days = 30;

/** Repairs what lost events left out. */
export default async function compareOrders(container: MedusaContainer): Promise<void> {
  const { result } = await compareOrdersWorkflow(container).run({ input: { days } });
  const { orders, reported_again, differences, points_given_back } = result;
  const logger = container.resolve(ContainerRegistrationKeys.LOGGER);
  logger.info(
    `Partner Events: ${orders} orders compared, ${reported_again.length} orders reported again, the points of ${points_given_back.length} carts given back.`,
  );
  for (const { order_id, what } of differences) logger.warn(`Partner Events: ${order_id}: ${what}`);
}

export const config = {
  name: 'partner-events-compare-orders',
  schedule: process.env.PARTNER_EVENTS_SCHEDULE ?? '0 3 * * *',
};
