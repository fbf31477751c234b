import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import { partnerEventsModule } from '../../../../../modules/partner-events';
import type { PartnerEventsService } from '../../../../../modules/partner-events/service';

/** The reward of an order as the service has it. */
export async function GET(req: MedusaRequest, res: MedusaResponse) {
  const service: PartnerEventsService = req.scope.resolve(partnerEventsModule);
  const reward = await service.rewardOf(req.params.id ?? '');
  if (!reward) {
    res.json({ reward: null });
    return;
  }
  // The link is the customer's.
  const { claimUrl: _, ...shown } = reward;
  res.json({ reward: shown });
}
