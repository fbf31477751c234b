import type { MedusaContainer } from '@medusajs/framework/types';
import { ContainerRegistrationKeys } from '@medusajs/framework/utils';
import { atOnce, type PartnerEventsService } from '../modules/partner-events/service';

/**
 * Gives points back while a customer waits: without an answer, a job does it within minutes.
 * @returns whether they are back
 */
export async function giveBackNow(
  container: MedusaContainer,
  service: PartnerEventsService,
  id: string,
): Promise<boolean> {
  try {
    await service.giveBack(id, atOnce);
    return true;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    container
      .resolve(ContainerRegistrationKeys.LOGGER)
      .warn(`Partner Events: ${id} is not given back yet: ${reason}`);
    return false;
  }
}
