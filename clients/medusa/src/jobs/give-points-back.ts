import type { MedusaContainer } from '@medusajs/framework/types';
import { partnerEventsModule } from '../modules/partner-events';
import type { PartnerEventsService } from '../modules/partner-events/service';
import { giveBackAbandoned } from '../workflows/give-back-abandoned';

/** Customers wait for the points of a checkout that came to nothing. */
export default async function givePointsBack(container: MedusaContainer): Promise<void> {
  const service: PartnerEventsService = container.resolve(partnerEventsModule);
  const connection = await service.connection();
  if (connection) await giveBackAbandoned(container, connection, { days: 2 });
}

export const config = { name: 'partner-events-give-points-back', schedule: '*/10 * * * *' };
