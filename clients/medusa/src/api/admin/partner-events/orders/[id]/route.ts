import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import { partnerEventsModule } from '../../../../../modules/partner-events';
import {
  answered,
  atOnce,
  notShown,
  type PartnerEventsService,
} from '../../../../../modules/partner-events/service';
import { reasonAgainst } from '../../../../../order-state';
import { orderAndService } from '../../../../../workflows/order';

/** The reward of an order as the service has it, or why there is none. */
export async function GET(req: MedusaRequest, res: MedusaResponse) {
  const id = req.params.id ?? '';
  const service: PartnerEventsService = req.scope.resolve(partnerEventsModule);
  const reward = await answered(service.rewardOf(id, atOnce), notShown);
  if (!reward) {
    res.json({ reward: null, reason: await reasonOf(req, id) });
    return;
  }
  // The link is the customer's.
  const { claimUrl: _, ...shown } = reward;
  res.json({ reward: shown, reason: null });
}

async function reasonOf({ scope }: MedusaRequest, id: string): Promise<string> {
  const found = await orderAndService(scope, id);
  if (!found) return 'Points are switched off in this shop.';
  const { service, order, digits, settings } = found;
  if (new Date(order.created_at) < settings.reportsSince)
    return 'It was placed before orders were reported in this mode.';
  const purchase = await service.purchaseOf(id, settings.mode);
  return (
    purchase?.problem ??
    reasonAgainst(order, digits, settings.reportWhen) ??
    'It is reported within minutes, or at night if the service cannot be reached.'
  );
}
