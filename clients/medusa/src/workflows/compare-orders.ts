import type { MedusaContainer } from '@medusajs/framework/types';
import { ContainerRegistrationKeys } from '@medusajs/framework/utils';
import {
  createStep,
  createWorkflow,
  StepResponse,
  WorkflowResponse,
} from '@medusajs/framework/workflows-sdk';
import type { PartnerClient, Order as ReportedOrder } from 'partner-events';
import { partnerEventsModule } from '../modules/partner-events';
import { isRefusal, type PartnerEventsService } from '../modules/partner-events/service';
import { type Order, pointLines, reportOf, stateOf, tooLarge } from '../order-state';
import { digitsOf } from './currency';
import { giveBackAbandoned } from './give-back-abandoned';
import { ordersWith } from './order';
import { reportOrderWorkflow } from './report-order';

interface Input {
  /** Orders that changed within so many days. */
  days: number;
}

/** What a comparison found, and what it did about it. */
export interface Comparison {
  /** Orders that were compared. */
  orders: number;
  /** Orders of which the service missed something, and which were reported again. */
  reported_again: string[];
  /** What people have to look at. */
  differences: { order_id: string; what: string }[];
  /** Redemptions that were reversed, because their carts became no orders. */
  points_given_back: string[];
}

const dayMs = 24 * 60 * 60 * 1000;
const ordersAtOnce = 200;

const compareOrdersStep = createStep(
  'partner-events-compare-orders',
  async ({ days }: Input, { container }) => {
    const found: Comparison = {
      orders: 0,
      reported_again: [],
      differences: [],
      points_given_back: [],
    };
    const service: PartnerEventsService = container.resolve(partnerEventsModule);
    const connection = await service.connection();
    if (!connection) return new StepResponse(found);
    const { client, settings } = connection;
    const { mode, reportWhen: when, reportsSince } = settings;
    const began = new Date();
    const since = new Date(began.getTime() - days * dayMs);
    const reported = await reportedSince(client, since);
    const differ = (order_id: string, what: string) => found.differences.push({ order_id, what });
    for await (const order of ordersSince(container, since)) {
      found.orders += 1;
      const digits = await digitsOf(container, order.currency_code);
      const stored = await service.purchaseOf(order.id, mode);
      const known = reported.get(order.id) ?? (stored && (await knownOf(client, order.id))) ?? null;
      reported.delete(order.id);
      // A webhook that was lost; what arrived meanwhile is newer than what was read.
      if (stored && known && stored.updated_at < began) await noteAgain(service, stored, known);
      // A service that was restored from a backup may have lost what it had accepted.
      if (stored?.reward_id && !known) await service.reportAgain(order.id, mode);
      const report = reportOf(order, { digits, when, known });
      if (report.kind === 'GROWN') {
        differ(order.id, `it has grown by ${report.byCents} minor units since it was reported`);
      }
      const reason = tooLarge(order, digits);
      if (reason && !stored) differ(order.id, reason);
      const isDue =
        report.kind === 'REFUND' ||
        (!known && stored !== undefined) ||
        (report.kind === 'PURCHASE' && !reason && new Date(order.created_at) >= reportsSince);
      const isWithPointsToGiveBack =
        pointLines(order).length > 0 && stateOf(order, digits).pointsBackCents > 0;
      if (!isDue && !isWithPointsToGiveBack) continue;
      const input = { order_id: order.id };
      const { errors } = await reportOrderWorkflow(container).run({ input, throwOnError: false });
      const [failure] = errors;
      if (failure) differ(order.id, failure.error.message);
      else if (isDue) found.reported_again.push(order.id);
    }
    const inShop = new Set((await ordersWith(container, [...reported.keys()])).map(({ id }) => id));
    for (const id of reported.keys()) {
      if (!inShop.has(id)) differ(id, 'the service has it, and the shop does not');
    }
    found.points_given_back = await giveBackAbandoned(container, connection);
    return new StepResponse(found);
  },
);

/** Compares the shop's orders as they are now with what the service has of them, and reports what is missing. */
export const compareOrdersWorkflow = createWorkflow(
  'partner-events-compare-orders',
  (input: Input) => new WorkflowResponse(compareOrdersStep(input)),
);

async function noteAgain(
  service: PartnerEventsService,
  stored: { id: string; points: number | null; status: string | null },
  { reward: { points, customerStatus: status } }: ReportedOrder,
): Promise<void> {
  if (stored.points === points && stored.status === status) return;
  await service.updatePartnerEventsPurchases({ id: stored.id, points, status });
}

/** What the service has of the orders that were reported since. */
async function reportedSince(
  client: PartnerClient,
  since: Date,
): Promise<Map<string, ReportedOrder>> {
  const reported = new Map<string, ReportedOrder>();
  for await (const order of client.allOrders({ receivedFrom: since, limit: 100 })) {
    reported.set(order.externalOrderId, order);
  }
  return reported;
}

async function knownOf(client: PartnerClient, orderId: string): Promise<ReportedOrder | null> {
  try {
    return await client.order(orderId);
  } catch (error) {
    if (isRefusal(error, 'NOT_FOUND')) return null;
    throw error;
  }
}

/** Orders that were placed, edited, paid, returned or refunded since. */
async function* ordersSince(container: MedusaContainer, since: Date): AsyncGenerator<Order> {
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const seen = new Set<string>();
  async function* pages(entity: string, field: string, changed: string) {
    for (let skip = 0; ; skip += ordersAtOnce) {
      const { data } = await query.graph({
        entity,
        fields: ['id', field],
        filters: { [changed]: { $gte: since } },
        pagination: { skip, take: ordersAtOnce, order: { created_at: 'ASC', id: 'ASC' } },
      });
      yield data;
      if (data.length < ordersAtOnce) return;
    }
  }
  for (const [entity, path, changed] of sources) {
    for await (const rows of pages(entity, path, changed)) {
      const ids = rows.flatMap((row) => valueAt(row, path) ?? []).filter((id) => !seen.has(id));
      for (const id of ids) seen.add(id);
      yield* await ordersWith(container, [...new Set(ids)]);
    }
  }
}

/** Where a change of an order is seen, and the way to the order's id. */
const sources = [
  ['order', 'id', 'updated_at'],
  ['capture', 'payment.payment_collection.order.id', 'created_at'],
  ['refund', 'payment.payment_collection.order.id', 'created_at'],
] as const;

function valueAt(row: unknown, path: string): string | undefined {
  let value = row;
  for (const name of path.split('.')) value = (value as Record<string, unknown> | null)?.[name];
  return typeof value === 'string' ? value : undefined;
}
