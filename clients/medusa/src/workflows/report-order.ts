import type { MedusaContainer } from '@medusajs/framework/types';
import { Modules } from '@medusajs/framework/utils';
import {
  createStep,
  createWorkflow,
  StepResponse,
  WorkflowResponse,
} from '@medusajs/framework/workflows-sdk';
import { PartnerApiError } from 'partner-events';
import { isRefusal, purchaseRequestOf } from '../modules/partner-events/service';
import { pointLines, reasonAgainst, reportOf, stateOf } from '../order-state';
import { orderAndService } from './order';

interface Input {
  order_id: string;
}

/** The client has tried several times already; a service that is down may take a while. */
const patiently = { maxRetries: 10, retryInterval: 60 };
const lockSeconds = 30;

/** The output of a step is stored: ids, and nothing about the customer. */
const reportPurchaseStep = createStep(
  { name: 'partner-events-report-purchase', ...patiently },
  async ({ order_id }: Input, { container }) => {
    const found = await orderAndService(container, order_id);
    if (!found) return new StepResponse(null);
    const { service, client, order, digits, settings } = found;
    const { mode, reportWhen, reportsSince } = settings;
    const stored = await service.purchaseOf(order_id, mode);
    if (stored?.reward_id) return new StepResponse(stored.reward_id);
    const report = reportOf(order, { digits, when: reportWhen, known: null });
    const isDue =
      report.kind === 'PURCHASE' &&
      new Date(order.created_at) >= reportsSince &&
      reasonAgainst(order, digits, reportWhen) === null;
    if (!stored && !isDue) return new StepResponse(null);
    const purchase =
      stored ??
      (await service.keepPurchase({
        order_id,
        mode,
        email: order.email ?? '',
        currency: order.currency_code.toUpperCase(),
        subtotal_cents: report.kind === 'PURCHASE' ? report.subtotalCents : 0,
        occurred_at: new Date(order.created_at).toISOString(),
      }));
    const { id, points, customerStatus } = await accepted(
      async () => {
        try {
          return (await client.purchase(purchaseRequestOf(purchase))).reward;
        } catch (error) {
          // Another API key of this integration reported it.
          if (!isRefusal(error, 'DUPLICATE_EXTERNAL_ORDER')) throw error;
          return (await client.order(order_id)).reward;
        }
      },
      (problem) => service.updatePartnerEventsPurchases({ id: purchase.id, problem }),
    );
    await service.updatePartnerEventsPurchases({
      id: purchase.id,
      reward_id: id,
      points,
      status: customerStatus,
      problem: null,
    });
    return new StepResponse(id);
  },
);

const reportRefundStep = createStep(
  { name: 'partner-events-report-refund', ...patiently },
  async ({ order_id }: Input, { container }) =>
    oneAtATime(container, order_id, async () => {
      const found = await orderAndService(container, order_id);
      const purchase = found && (await found.service.purchaseOf(order_id, found.settings.mode));
      if (!found || !purchase?.reward_id) return new StepResponse(null);
      const { client, order, digits, settings } = found;
      if (stateOf(order, digits).earningCents >= purchase.subtotal_cents)
        return new StepResponse(null);
      const reported = await accepted(async () => {
        const known = await client.order(order_id);
        const report = reportOf(order, { digits, when: settings.reportWhen, known });
        if (report.kind !== 'REFUND') return null;
        const { externalRefundId, amountCents } = report;
        await client.refund({ externalOrderId: order_id, externalRefundId, amountCents });
        return externalRefundId;
      });
      return new StepResponse(reported);
    }),
);

const givePointsBackStep = createStep(
  { name: 'partner-events-give-points-back', ...patiently },
  async ({ order_id }: Input, { container }) =>
    oneAtATime(container, order_id, async () => {
      const found = await orderAndService(container, order_id);
      if (!found) return new StepResponse([]);
      const { service, order, digits, settings } = found;
      const ids = pointLines(order).flatMap(({ reference_id }) => reference_id ?? []);
      const { pointsBackCents } = stateOf(order, digits);
      if (ids.length === 0 || pointsBackCents === 0) return new StepResponse([]);
      const status = ['CAPTURED' as const, 'ENDING' as const];
      const spent = await service.listPartnerEventsRedemptions({
        id: ids,
        mode: settings.mode,
        status,
      });
      let due = pointsBackCents;
      for (const { id, amount_cents } of spent) {
        await accepted(() => service.giveBackUpTo(id, Math.min(due, amount_cents)));
        due -= Math.min(due, amount_cents);
      }
      return new StepResponse(spent.map(({ id }) => id));
    }),
);

/**
 * Reports what the service does not know yet about an order: its purchase, what came back, points to give back. Each step
 * reads the order as it is, and repeats do nothing, so it may be run for any reason and as often as wanted.
 */
export const reportOrderWorkflow = createWorkflow('partner-events-report-order', (input: Input) => {
  const rewardId = reportPurchaseStep(input);
  reportRefundStep(input);
  givePointsBackStep(input);
  return new WorkflowResponse(rewardId);
});

/** What is reported next depends on what is known: two processes must not work it out at once. */
const oneAtATime = <T>(
  container: MedusaContainer,
  orderId: string,
  work: () => Promise<T>,
): Promise<T> =>
  container
    .resolve(Modules.LOCKING)
    .execute(`partner-events:${orderId}`, work, { timeout: lockSeconds });

/** A refusal will be one again: it is told, and ends the workflow. Everything else is tried again. */
async function accepted<T>(
  request: () => Promise<T>,
  tell?: (problem: string) => Promise<unknown>,
): Promise<T> {
  try {
    return await request();
  } catch (error) {
    const isFinal =
      error instanceof PartnerApiError &&
      error.status < 500 &&
      ![401, 403, 429].includes(error.status);
    if (error instanceof PartnerApiError) await tell?.(`${error.code}: ${error.message}`);
    if (isFinal) StepResponse.permanentFailure(`${error.code}: ${error.message}`);
    throw error;
  }
}
