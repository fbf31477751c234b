import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import { compareOrdersWorkflow } from '../../../../workflows/compare-orders';

const days = 30;

/** Does at once what the job does at night. */
export async function POST(req: MedusaRequest, res: MedusaResponse) {
  const { result } = await compareOrdersWorkflow(req.scope).run({ input: { days } });
  res.json({ comparison: result });
}
