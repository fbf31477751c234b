import { setTimeout as sleep } from 'node:timers/promises';
import type { MedusaContainer } from '@medusajs/framework/types';
import { ContainerRegistrationKeys, Modules } from '@medusajs/framework/utils';
import {
  createStep,
  createWorkflow,
  StepResponse,
  WorkflowResponse,
} from '@medusajs/framework/workflows-sdk';
import { deleteCartCreditLinesWorkflow } from '@medusajs/medusa/core-flows';
import type { Difference, PartnerClient } from 'partner-events';
import { partnerEventsModule } from '../modules/partner-events';
import type { Mode, PartnerEventsService, Settings } from '../modules/partner-events/service';
import {
  isGivenBack,
  isReportable,
  type Order,
  orderFields,
  pointLines,
  purchaseOf,
  refundsOf,
} from '../order-state';
import type { PointsCart } from './cart';
import { digitsOf } from './currency';
import { reportOrderWorkflow } from './report-order';

interface Input {
  /** Orders that were placed or refunded within so many days. */
  days: number;
}

/** What a comparison found, and what it did about it. */
export interface Comparison {
  /** Orders and refunds that were compared. */
  rows: number;
  /** Orders of which the service missed something, and which were reported again. */
  reported_again: string[];
  /** What people have to look at. */
  differences: { order_id: string; what: string }[];
  /** Redemptions that were reversed, because their carts became no orders. */
  points_given_back: string[];
}

const dayMs = 24 * 60 * 60 * 1000;
/** A checkout takes no longer. */
const abandonedMs = 60 * 60 * 1000;
/** A list may have 5 MiB. */
const rowsAtOnce = 10_000;
const ordersAtOnce = 200;
const pollMs = 1_000;
const patienceMs = 10 * 60 * 1000;

const compareOrdersStep = createStep(
  'partner-events-compare-orders',
  async ({ days }: Input, { container }) => {
    const found: Comparison = {
      rows: 0,
      reported_again: [],
      differences: [],
      points_given_back: [],
    };
    const service: PartnerEventsService = container.resolve(partnerEventsModule);
    const connection = await service.connection();
    if (!connection) return new StepResponse(found);
    const { client, settings } = connection;
    const since = new Date(Date.now() - days * dayMs);
    const missing = new Set<string>();
    const givenBack = new Set<string>();
    let list: string[] = [];
    const compareList = async () => {
      found.rows += list.length;
      for (const difference of await differencesOf(client, list)) {
        const { kind, externalOrderId, externalRefundId, what } = difference;
        if (kind === 'MISSING') {
          missing.add(externalOrderId);
          // A service that was restored from a backup may have lost what it had accepted.
          if (externalRefundId === null) await service.reportAgain(externalOrderId, settings.mode);
        } else found.differences.push({ order_id: externalOrderId, what });
      }
      list = [];
    };
    for await (const order of ordersSince(container, since)) {
      const { rows, isWithPointsToGiveBack } = await readOrder(container, service, order, settings);
      if (isWithPointsToGiveBack) givenBack.add(order.id);
      if (list.length + rows.length > rowsAtOnce) await compareList();
      list.push(...rows.map((row) => JSON.stringify(row)));
    }
    await compareList();
    for (const order_id of new Set([...missing, ...givenBack])) {
      const input = { order_id };
      const { errors } = await reportOrderWorkflow(container).run({ input, throwOnError: false });
      const [failure] = errors;
      if (failure) found.differences.push({ order_id, what: failure.error.message });
      else if (missing.has(order_id)) found.reported_again.push(order_id);
    }
    found.points_given_back = await giveBackAbandoned(container, service, {
      mode: settings.mode,
      since,
    });
    return new StepResponse(found);
  },
);

/** Compares the shop's orders with what the service has of them, and reports what a lost event left out. */
export const compareOrdersWorkflow = createWorkflow(
  'partner-events-compare-orders',
  (input: Input) => new WorkflowResponse(compareOrdersStep(input)),
);

/** Orders that were placed or refunded since. */
async function* ordersSince(container: MedusaContainer, since: Date): AsyncGenerator<Order> {
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const isNew = { created_at: { $gte: since } };
  const seen = new Set<string>();
  const page = (skip: number) => ({
    skip,
    take: ordersAtOnce,
    order: { created_at: 'ASC' as const },
  });
  for (let skip = 0; ; skip += ordersAtOnce) {
    const { data } = await query.graph({
      entity: 'order',
      fields: orderFields,
      filters: isNew,
      pagination: page(skip),
    });
    for (const order of data as unknown as Order[]) {
      seen.add(order.id);
      yield order;
    }
    if (data.length < ordersAtOnce) break;
  }
  for (let skip = 0; ; skip += ordersAtOnce) {
    const { data: refunds } = await query.graph({
      entity: 'refund',
      fields: ['payment.payment_collection.order.id'],
      filters: isNew,
      pagination: page(skip),
    });
    const ids = refunds
      .flatMap(({ payment }) => payment?.payment_collection?.order?.id ?? [])
      .filter((id) => !seen.has(id));
    for (const id of ids) seen.add(id);
    const { data } = ids.length
      ? await query.graph({ entity: 'order', fields: orderFields, filters: { id: ids } })
      : { data: [] };
    yield* data as unknown as Order[];
    if (refunds.length < ordersAtOnce) break;
  }
}

/** What the service should know about an order. */
async function readOrder(
  container: MedusaContainer,
  service: PartnerEventsService,
  order: Order,
  { mode, reportsSince }: Settings,
) {
  const digits = await digitsOf(container, order.currency_code);
  const stored = await service.purchaseOf(order.id, mode);
  const purchase = stored ?? purchaseOf(order, digits);
  const isBack = isGivenBack(order, purchase.paid_cents, digits);
  const isWithPointsToGiveBack = isBack && pointLines(order).length > 0;
  const isDue = isReportable(purchase) && new Date(order.created_at) >= reportsSince && !isBack;
  if (!stored && !isDue) return { rows: [], isWithPointsToGiveBack };
  const externalOrderId = order.id;
  const { subtotal_cents: subtotalCents, currency } = purchase;
  const refunds = refundsOf(order, purchase, digits).map(({ externalRefundId, amountCents }) => ({
    externalOrderId,
    externalRefundId,
    amountCents,
  }));
  return {
    rows: [{ externalOrderId, subtotalCents, currency }, ...refunds],
    isWithPointsToGiveBack,
  };
}

async function differencesOf(client: PartnerClient, list: string[]): Promise<Difference[]> {
  if (list.length === 0) return [];
  let { reconciliation } = await client.reconcile(list.join('\n'), 'application/x-ndjson');
  const { id } = reconciliation;
  for (let waitedMs = 0; reconciliation.status !== 'DONE'; waitedMs += pollMs) {
    if (reconciliation.status === 'FAILED' || waitedMs > patienceMs) {
      throw new Error(
        `The comparison ${id} did not end: ${reconciliation.problem ?? 'it takes long'}`,
      );
    }
    await sleep(pollMs);
    ({ reconciliation } = await client.reconciliation(id));
  }
  const differences = [...reconciliation.differences];
  for (let page = 2; page <= reconciliation.pages; page += 1) {
    differences.push(...(await client.differences(id, page)).differences);
  }
  return differences;
}

/** Gives back the points of carts that became no orders, as when a process ended in the middle of a checkout. */
async function giveBackAbandoned(
  container: MedusaContainer,
  service: PartnerEventsService,
  { mode, since }: { mode: Mode; since: Date },
): Promise<string[]> {
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const unfinished = await service.listRedemptions({
    mode,
    status: ['HELD', 'CAPTURED', 'ENDING'],
    updated_at: { $gte: since, $lt: new Date(Date.now() - abandonedMs) },
  });
  const givenBack: string[] = [];
  for (const { id, cart_id, status } of unfinished) {
    // A customer may place the order at this very moment.
    await container.resolve(Modules.LOCKING).execute(cart_id, async () => {
      const { data: orders } = await query.graph({
        entity: 'order_cart',
        fields: ['order_id'],
        filters: { cart_id },
      });
      if (orders.length > 0 && status !== 'ENDING') return;
      const { data: carts } = await query.graph({
        entity: 'cart',
        fields: ['credit_lines.*'],
        filters: { id: cart_id },
      });
      const lines = carts
        .flatMap((cart) => pointLines(cart as unknown as PointsCart))
        .filter(({ reference_id }) => reference_id === id);
      const ids = { id: lines.map((line) => line.id) };
      if (orders.length === 0) await deleteCartCreditLinesWorkflow(container).run({ input: ids });
      if (await service.giveBack(id)) givenBack.push(id);
    });
  }
  return givenBack;
}
