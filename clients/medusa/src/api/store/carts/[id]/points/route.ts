import type { AuthenticatedMedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import { applyPointsWorkflow } from '../../../../../workflows/apply-points';
import { removePointsWorkflow } from '../../../../../workflows/remove-points';
import type { ApplyPoints } from './schema';

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
