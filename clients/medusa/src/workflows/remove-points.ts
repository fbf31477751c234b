import {
  createStep,
  createWorkflow,
  StepResponse,
  transform,
  type WorkflowData,
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

interface Input {
  cart_id: string;
  customer_id: string;
}

const findPointLinesStep = createStep(
  'partner-events-find-point-lines',
  async ({ cart_id, customer_id }: Input, { container }) => {
    const lines = pointLines(await cartOf(container, cart_id, customer_id));
    return new StepResponse(
      lines.map(({ id, reference_id }) => ({ id, redemption_id: reference_id ?? null })),
    );
  },
);

const releasePointsStep = createStep(
  'partner-events-release-points',
  async (lines: { redemption_id: string | null }[], { container }) => {
    const service: PartnerEventsService = container.resolve(partnerEventsModule);
    for (const { redemption_id } of lines) if (redemption_id) await service.giveBack(redemption_id);
    return new StepResponse(undefined);
  },
);

/** The steps that take points off, for workflows. The cart must not pay with points that the customer has again. */
export function removePoints(input: WorkflowData<Input>): void {
  const lines = findPointLinesStep(input);
  const ids = transform({ lines }, ({ lines }) => ({ id: lines.map(({ id }) => id) }));
  deleteCartCreditLinesWorkflow.runAsStep({ input: ids });
  releasePointsStep(lines);
}

/** Takes the points off a cart, and gives them back to the customer. */
export const removePointsWorkflow = createWorkflow(
  'partner-events-remove-points',
  (input: WorkflowData<Input>) => {
    acquireLockStep({ key: input.cart_id, timeout: 30, ttl: 120 });
    removePoints(input);
    refreshPaymentCollectionForCartWorkflow.runAsStep({ input: { cart_id: input.cart_id } });
    releaseLockStep({ key: input.cart_id });
    return new WorkflowResponse(undefined);
  },
);
