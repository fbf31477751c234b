import {
  createStep,
  createWorkflow,
  StepResponse,
  WorkflowResponse,
} from '@medusajs/framework/workflows-sdk';
import {
  acquireLockStep,
  deleteCartCreditLinesWorkflow,
  refreshPaymentCollectionForCartWorkflow,
  releaseLockStep,
} from '@medusajs/medusa/core-flows';
import { partnerEventsModule } from '../modules/partner-events';
import type { PartnerEventsService } from '../modules/partner-events/service';
import { pointLines } from '../order-state';
import { cartOf } from './cart';
import { giveBackNow } from './give-back-now';

interface Input {
  cart_id: string;
  customer_id: string;
}

/** Not undone if what follows fails: the cart must not pay with points that the customer has again. */
export const removePointsStep = createStep(
  'partner-events-remove-points-of-cart',
  async ({ cart_id, customer_id }: Input, { container }) => {
    const service: PartnerEventsService = container.resolve(partnerEventsModule);
    const lines = pointLines(await cartOf(container, cart_id, customer_id));
    if (lines.length === 0) return new StepResponse(undefined);
    const ids = lines.map(({ id }) => id);
    await deleteCartCreditLinesWorkflow(container).run({ input: { id: ids } });
    for (const { reference_id } of lines) {
      if (reference_id) await giveBackNow(container, service, reference_id);
    }
    return new StepResponse(undefined);
  },
);

/** Takes the points off a cart, and gives them back to the customer. */
export const removePointsWorkflow = createWorkflow(
  'partner-events-remove-points',
  (input: Input) => {
    acquireLockStep({ key: input.cart_id, timeout: 30, ttl: 120 });
    removePointsStep(input);
    refreshPaymentCollectionForCartWorkflow.runAsStep({ input: { cart_id: input.cart_id } });
    releaseLockStep({ key: input.cart_id });
    return new WorkflowResponse(undefined);
  },
);
