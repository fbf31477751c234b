import type { AuthenticatedMedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import { MedusaError, Modules } from '@medusajs/framework/utils';
import { partnerEventsModule } from '../../../../../modules/partner-events';
import type { PartnerEventsService } from '../../../../../modules/partner-events/service';

/** What an order of the customer earned, with the link that claims it. */
export async function GET(req: AuthenticatedMedusaRequest, res: MedusaResponse) {
  const id = req.params.id ?? '';
  const [order] = await req.scope
    .resolve(Modules.ORDER)
    .listOrders({ id, customer_id: req.auth_context.actor_id }, { select: ['id'] });
  if (!order)
    throw new MedusaError(MedusaError.Types.NOT_FOUND, `The customer has no order ${id}.`);
  const service: PartnerEventsService = req.scope.resolve(partnerEventsModule);
  const reward = await service.rewardOf(id);
  res.setHeader('Cache-Control', 'no-store');
  res.json({
    points: reward && {
      points: reward.points,
      status: reward.customerStatus,
      claimable_from: reward.claimableFrom,
      claim_expires_at: reward.claimExpiresAt,
      claim_url: reward.customerStatus === 'AWAITING_CUSTOMER_CLAIM' ? reward.claimUrl : undefined,
    },
  });
}
