import type { MedusaContainer } from '@medusajs/framework/types';
import { ContainerRegistrationKeys } from '@medusajs/framework/utils';
import {
  createStep,
  createWorkflow,
  StepResponse,
  WorkflowResponse,
} from '@medusajs/framework/workflows-sdk';
import { PartnerApiError } from 'partner-events';
import { partnerEventsModule } from '../modules/partner-events';
import {
  isRefusal,
  type PartnerEventsService,
  purchaseRequestOf,
} from '../modules/partner-events/service';
import {
  isGivenBack,
  isReportable,
  type Order,
  orderFields,
  pointLines,
  purchaseOf,
  refundsOf,
  tooLarge,
} from '../order-state';
import { digitsOf } from './currency';

interface Input {
  order_id: string;
}

/** The client has tried several times already; a service that is down may take a while. */
const patiently = { maxRetries: 10, retryInterval: 60 };

/** The output of a step is stored: ids, and nothing about the customer. */
const reportPurchaseStep = createStep(
  { name: 'partner-events-report-purchase', ...patiently },
  async ({ order_id }: Input, { container }) => {
    const state = await stateOf(container, order_id);
    if (!state) return new StepResponse(null);
    const { service, client, order, digits, settings } = state;
    const { mode, reportsSince } = settings;
    const stored = await service.purchaseOf(order_id, mode);
    if (stored?.reward_id) return new StepResponse(stored.reward_id);
    const current = purchaseOf(order, digits);
    const isDue =
      isReportable(current) &&
      new Date(order.created_at) >= reportsSince &&
      !isGivenBack(order, current.paid_cents, digits);
    const reason = stored ? null : tooLarge(current);
    if (reason) {
      const logger = container.resolve(ContainerRegistrationKeys.LOGGER);
      logger.warn(`Order ${order_id} earns no points: ${reason}.`);
    }
    if (!stored && !isDue) return new StepResponse(null);
    const purchase = stored ?? (await service.keepPurchase({ ...current, mode }));
    const reward_id = await accepted(async () => {
      try {
        return (await client.purchase(purchaseRequestOf(purchase))).reward.id;
      } catch (error) {
        // Another API key of this integration reported it.
        if (!isRefusal(error, 'DUPLICATE_EXTERNAL_ORDER')) throw error;
        return (await client.order(order_id)).reward.id;
      }
    });
    await service.updatePurchases({ id: purchase.id, reward_id });
    return new StepResponse(reward_id);
  },
);

const reportRefundsStep = createStep(
  { name: 'partner-events-report-refunds', ...patiently },
  async ({ order_id }: Input, { container }) => {
    const state = await stateOf(container, order_id);
    const purchase = state && (await state.service.purchaseOf(order_id, state.settings.mode));
    if (!state || !purchase?.reward_id) return new StepResponse([]);
    const due = refundsOf(state.order, purchase, state.digits);
    if (due.length === 0) return new StepResponse([]);
    const reported = await accepted(async () => {
      const { refunds } = await state.client.order(order_id);
      const known = new Set(refunds.map(({ externalRefundId }) => externalRefundId));
      const missing = due.filter(({ externalRefundId }) => !known.has(externalRefundId));
      for (const refund of missing) {
        await state.client.refund({ externalOrderId: order_id, ...refund });
      }
      return missing.map(({ externalRefundId }) => externalRefundId);
    });
    return new StepResponse(reported);
  },
);

const givePointsBackStep = createStep(
  { name: 'partner-events-give-points-back', ...patiently },
  async ({ order_id }: Input, { container }) => {
    const state = await stateOf(container, order_id);
    if (!state) return new StepResponse([]);
    const { service, order, digits, settings } = state;
    const { paid_cents } = purchaseOf(order, digits);
    if (!isGivenBack(order, paid_cents, digits)) return new StepResponse([]);
    const ids = pointLines(order).flatMap(({ reference_id }) => reference_id ?? []);
    if (ids.length === 0) return new StepResponse([]);
    const status = ['CAPTURED' as const, 'ENDING' as const];
    const spent = await service.listRedemptions({ id: ids, mode: settings.mode, status });
    for (const { id } of spent) await accepted(() => service.giveBack(id));
    return new StepResponse(spent.map(({ id }) => id));
  },
);

/**
 * Reports what the service does not know yet about an order: its purchase, its refunds, points to give back. Each step
 * reads the order's state, and repeats do nothing, so it may be run for any reason and as often as wanted.
 */
export const reportOrderWorkflow = createWorkflow('partner-events-report-order', (input: Input) => {
  const rewardId = reportPurchaseStep(input);
  reportRefundsStep(input);
  givePointsBackStep(input);
  return new WorkflowResponse(rewardId);
});

/** The order as it is now; null if it is gone, or the shop reports nothing. */
async function stateOf(container: MedusaContainer, orderId: string) {
  const service: PartnerEventsService = container.resolve(partnerEventsModule);
  const connection = await service.connection();
  if (!connection) return null;
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const { data } = await query.graph({
    entity: 'order',
    fields: orderFields,
    filters: { id: orderId },
  });
  const order = data[0] as unknown as Order | undefined;
  if (!order) return null;
  return { ...connection, service, order, digits: await digitsOf(container, order.currency_code) };
}

/** A refusal will be one again: it ends the workflow. Everything else is tried again. */
async function accepted<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    const isFinal =
      error instanceof PartnerApiError &&
      error.status < 500 &&
      ![401, 403, 429].includes(error.status);
    if (isFinal) StepResponse.permanentFailure(`${error.code}: ${error.message}`);
    throw error;
  }
}
