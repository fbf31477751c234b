import type { AuthenticatedMedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import { ContainerRegistrationKeys, MedusaError } from '@medusajs/framework/utils';
import { partnerEventsModule } from '../../../../../modules/partner-events';
import {
  answered,
  atOnce,
  notShown,
  type PartnerEventsService,
} from '../../../../../modules/partner-events/service';

/**
 * What an order earned, with the link that claims it: to the customer who is signed in, and of a guest's order to anyone who
 * knows its id, as the order itself. The points go to the order's customer whoever follows the link.
 */
export async function GET(req: AuthenticatedMedusaRequest, res: MedusaResponse) {
  const id = req.params.id ?? '';
  const query = req.scope.resolve(ContainerRegistrationKeys.QUERY);
  const { data } = await query.graph({
    entity: 'order',
    fields: ['id', 'customer.id', 'customer.has_account'],
    filters: { id },
  });
  const customer = data[0]?.customer;
  if (!customer || (customer.has_account && customer.id !== req.auth_context?.actor_id)) {
    throw new MedusaError(MedusaError.Types.NOT_FOUND, `The customer has no order ${id}.`);
  }
  const service: PartnerEventsService = req.scope.resolve(partnerEventsModule);
  const reward = await answered(service.rewardOf(id, atOnce), notShown);
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
