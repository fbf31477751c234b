import { MedusaError } from '@medusajs/framework/utils';
import { StepResponse } from '@medusajs/framework/workflows-sdk';
import { completeCartWorkflow } from '@medusajs/medusa/core-flows';
import { partnerEventsModule } from '../../modules/partner-events';
import type { PartnerEventsService } from '../../modules/partner-events/service';
import { type CreditLine, pointLines } from '../../order-state';
import { cartChecks } from '../cart-checks';
import { giveBackNow } from '../give-back-now';
import { holdAgain } from '../hold-again';

interface CartOfHook {
  completed_at?: unknown;
  total?: unknown;
  credit_lines?: (CreditLine | null)[] | null;
}

/**
 * Spends the held points before the order exists and the payment is authorized; if either fails, they come back, and are
 * held again for the next try.
 *
 * Not by `beforePaymentAuthorization`, which takes one handler too: Medusa's loyalty plug-in has it, and whichever of the two
 * is loaded last would keep the shop from starting. It also runs when the order exists already, and not again when a cart is
 * completed that became an order: a process that ends in between would leave an order paid with points that nobody spent.
 */
completeCartWorkflow.hooks.validate(
  async (completing, context) => {
    for (const check of cartChecks) await check(completing, context);
    const { cart } = completing;
    const { container } = context;
    const { completed_at, total, ...of } = cart as CartOfHook;
    const ids = pointLines(of).flatMap(({ reference_id }) => reference_id ?? []);
    if (ids.length === 0 || completed_at) return new StepResponse(undefined, []);
    if (Number(total) < 0)
      throw notAllowed('The points pay for more than the cart: apply them again.');
    const service: PartnerEventsService = container.resolve(partnerEventsModule);
    for (const id of ids) await service.capture(id);
    return new StepResponse(undefined, ids);
  },
  async (ids, { container }) => {
    const service: PartnerEventsService = container.resolve(partnerEventsModule);
    for (const id of ids ?? []) {
      if (await giveBackNow(container, service, id)) await holdAgain(container, id);
    }
  },
);

const notAllowed = (message: string) => new MedusaError(MedusaError.Types.NOT_ALLOWED, message);
