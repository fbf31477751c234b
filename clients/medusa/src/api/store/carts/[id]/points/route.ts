import type {
  AuthenticatedMedusaRequest,
  MedusaRequest,
  MedusaResponse,
} from '@medusajs/framework/http';
import { partnerEventsModule } from '../../../../../modules/partner-events';
import type { PartnerEventsService } from '../../../../../modules/partner-events/service';
import { paidForGoods } from '../../../../../order-state';
import { applyPointsWorkflow } from '../../../../../workflows/apply-points';
import { goodsOfCart } from '../../../../../workflows/cart';
import { digitsOf } from '../../../../../workflows/currency';
import { removePointsWorkflow } from '../../../../../workflows/remove-points';
import type { ApplyPoints } from './schema';

/** What the cart would earn as it is; null where that is not known. As with the cart itself, knowing its id is enough. */
export async function GET(req: MedusaRequest, res: MedusaResponse) {
  const service: PartnerEventsService = req.scope.resolve(partnerEventsModule);
  const cart = await goodsOfCart(req.scope, req.params.id ?? '');
  const currency = cart.currency_code;
  const goods = paidForGoods(cart, await digitsOf(req.scope, currency));
  res.json({ points: { to_earn: await service.toEarn(goods, currency) } });
}

/** Pays for the cart with points, which are held for 15 minutes. */
export async function POST(req: AuthenticatedMedusaRequest<ApplyPoints>, res: MedusaResponse) {
  const { result } = await applyPointsWorkflow(req.scope).run({
    input: { ...identified(req), amount: req.validatedBody.amount },
  });
  const { points, amount, expires_at } = result;
  res.json({ points: { points, amount, expires_at } });
}

export async function DELETE(req: AuthenticatedMedusaRequest, res: MedusaResponse) {
  await removePointsWorkflow(req.scope).run({ input: identified(req) });
  res.json({ points: null });
}

const identified = (req: AuthenticatedMedusaRequest) => ({
  cart_id: req.params.id ?? '',
  customer_id: req.auth_context.actor_id,
});
