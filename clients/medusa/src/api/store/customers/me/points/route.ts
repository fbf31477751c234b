import type { AuthenticatedMedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import { Modules } from '@medusajs/framework/utils';
import { partnerEventsModule } from '../../../../../modules/partner-events';
import {
  answered,
  atOnce,
  notShown,
  type PartnerEventsService,
} from '../../../../../modules/partner-events/service';
import { digitsOf } from '../../../../../workflows/currency';

/** What the customer can spend, and what is to be claimed yet. */
export async function GET(req: AuthenticatedMedusaRequest, res: MedusaResponse) {
  const service: PartnerEventsService = req.scope.resolve(partnerEventsModule);
  const { client } = await service.requireConnection();
  const customers = req.scope.resolve(Modules.CUSTOMER);
  const { email } = await customers.retrieveCustomer(req.auth_context.actor_id);
  const customer = { email: email ?? undefined };
  const balance = await answered(client.balance({ customer }, atOnce), notShown);
  const digits = await digitsOf(req.scope, balance.currency);
  res.json({
    points: {
      points: balance.points,
      amount: balance.amountCents / 10 ** digits,
      currency_code: balance.currency.toLowerCase(),
      held_points: balance.heldPoints,
      pending_points: balance.pendingPoints,
    },
  });
}
