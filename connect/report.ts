import type { Answer } from '../domain/answers.ts';
import { refused } from '../domain/answers.ts';
import {
  type Earns,
  type NoConcern,
  type Platform,
  refundOf,
  type ShopPurchase,
  type ShopRefund,
  type SubtotalTerms,
  type Translation,
} from '../domain/connections.ts';
import { ServiceError } from '../domain/errors.ts';
import type { Mode } from '../domain/mode.ts';
import { formatCents } from '../domain/money.ts';
import { canHaveHappened, type Origin } from '../domain/purchase.ts';
import { leftCentsOf } from '../domain/refunds.ts';
import { dayMs } from '../domain/utc-days.ts';
import type { EventsDeps } from '../events/deps.ts';
import { type PurchaseTerms, reportPurchase } from '../events/purchase.ts';
import { type RefundTerms, reportRefund } from '../events/refund.ts';
import { findPurchaseOfOrder } from '../models/events/order-events.ts';
import { findReward } from '../models/rewards/find-reward.ts';
import type { WaitingRefundDoc } from '../models/schemas/connections.ts';
import type { OrderEventDoc } from '../models/schemas/events.ts';
import { insertOnce } from '../models/store/insert-once.ts';
import { openEvent } from '../models/store/sealed-events.ts';
import type { RequestHashes } from '../platform/hashing.ts';

/** Who reports: a connection, with the terms of its partner. */
export interface Connected extends PurchaseTerms, RefundTerms {
  connectionId: string;
  partnerId: string;
  integrationId: string;
  mode: Mode;
  platform: Platform;
  earns: Earns;
  /** Whether purchases are accepted now; refunds always are. */
  mayBuy: boolean;
}

/** How it arrived. */
export interface Arrival {
  requestId: string;
  receivedAt: Date;
  request: Origin['request'];
}

export interface ConnectDeps extends EventsDeps {
  hashes: RequestHashes;
}

/** What happened to a part of a delivery. */
export interface Outcome {
  type: 'PURCHASE' | 'REFUND';
  externalOrderId: string | null;
  /** Recorded now, recorded before, or why it is of no concern. */
  result: 'ACCEPTED' | 'REPLAYED' | NoConcern;
  eventId: string | null;
}

/**
 * Reports what a delivery says, as signed requests do. Whatever order deliveries come in, and however often, the same
 * is reported: a platform's own ids are the idempotency keys, and a refund waits for its order.
 * @throws ServiceError for what should be sent again: PARTNER_NOT_ACTIVE, NO_ACTIVE_EARNING_RULE, CURRENCY_MISMATCH
 */
export async function reportDelivery(
  deps: ConnectDeps,
  from: Connected,
  arrival: Arrival,
  translation: Translation,
): Promise<Outcome[]> {
  if (translation.kind === 'NOTHING') {
    const { externalOrderId, reason } = translation;
    return [{ type: 'PURCHASE', externalOrderId, result: reason, eventId: null }];
  }
  const { externalOrderId, purchase, refunds, cancelled, failed } = translation;
  const report = reporting(deps, from, arrival, externalOrderId);
  const outcomes: Outcome[] = [];
  if (purchase !== null && typeof purchase !== 'string') outcomes.push(await report.buy(purchase));
  else if (purchase !== null && cancelled === null) {
    outcomes.push({ type: 'PURCHASE', externalOrderId, result: purchase, eventId: null });
  }
  for (const refund of refunds) outcomes.push(await report.giveBack(refund));
  if (cancelled !== null) outcomes.push(await report.cancel(cancelled.occurredAt));
  if (failed !== null) outcomes.push(await report.fail(failed));
  // What waited for the order, also if that was reported by a delivery which ended before it looked.
  if (purchase !== null && typeof purchase !== 'string') outcomes.push(...(await report.settle()));
  return outcomes;
}

/** How long a refund waits for its order, and how long it is shown afterwards. */
const waitsMs = 30 * dayMs;
const shownMs = 60 * dayMs;

const cancellationId = (externalOrderId: string) => `cancelled:${externalOrderId}`;

function reporting(
  deps: ConnectDeps,
  from: Connected,
  { requestId, receivedAt, request }: Arrival,
  externalOrderId: string,
) {
  const { models, sealer, hashes } = deps;
  const { partnerId, integrationId, mode, connectionId, earns } = from;
  const { waitingRefunds } = models;
  const ofOrder = { partnerId, connectionId, externalOrderId };

  /** Of one delivery, each fact is a moment later than the one before, so that they stay in their order. */
  let later = 0;
  /** The same for every delivery of the same fact, whatever its bytes are. */
  const originOf = (fact: string): Origin => ({
    partnerId,
    integrationId,
    credentialId: connectionId,
    mode,
    requestId,
    idempotencyKeyHash: hashes.ofIdempotencyKey(fact),
    payloadHash: hashes.ofPayload(Buffer.from(fact)),
    receivedAt: new Date(receivedAt.getTime() + later++).toISOString(),
    request,
  });
  const happened = (occurredAt: string | undefined) =>
    occurredAt !== undefined && canHaveHappened(occurredAt, receivedAt.getTime())
      ? { occurredAt }
      : {};
  const outcome = (
    type: Outcome['type'],
    result: Outcome['result'],
    eventId: string | null = null,
  ): Outcome => ({ type, externalOrderId, result, eventId });
  const refundOutcome = (result: Outcome['result']) => outcome('REFUND', result);
  const outcomeOf = (type: Outcome['type'], answer: Answer): Outcome => {
    if (answer.kind === 'ANSWERED') {
      const result = answer.requestId === requestId ? 'ACCEPTED' : 'REPLAYED';
      return outcome(type, result, answer.eventId);
    }
    const isKnown =
      answer.code === 'DUPLICATE_EXTERNAL_ORDER' || answer.code === 'DUPLICATE_EXTERNAL_REFUND';
    if (!isKnown) throw refused(answer);
    return outcome(type, 'REPLAYED');
  };

  const findPurchase = () =>
    findPurchaseOfOrder(models, { partnerId, mode, integrationId, externalOrderId });
  /** The terms that its connection kept with a purchase; those of now for one that was reported otherwise. */
  const termsOf = (purchase: OrderEventDoc): SubtotalTerms => {
    const opened = openEvent(sealer, purchase);
    const { metadata = null } = opened === null ? {} : JSON.parse(opened);
    const { subtotalCents } = purchase.purchase?.arithmetic ?? { subtotalCents: 0 };
    const { currency } = purchase.purchase ?? { currency: 'USD' };
    return (
      metadata?.connection ?? {
        platform: from.platform,
        earns,
        taxIncluded: false,
        total: formatCents(subtotalCents, currency),
        steps: [],
      }
    );
  };

  async function buy(purchase: ShopPurchase): Promise<Outcome> {
    const known = await findPurchase();
    if (known !== null) return outcome('PURCHASE', 'REPLAYED', known._id);
    if (await waitingRefunds.exists({ ...ofOrder, kind: 'CANCELLATION' })) {
      return outcome('PURCHASE', 'CANCELLED_BEFORE');
    }
    if (!from.mayBuy) throw notActive(mode);
    const { customer, order, occurredAt, terms } = purchase;
    const body = {
      externalOrderId,
      customer,
      order,
      ...happened(occurredAt),
      metadata: { connection: terms },
    };
    try {
      const origin = originOf(`purchase:${externalOrderId}`);
      return outcomeOf('PURCHASE', await reportPurchase(deps, origin, body, from));
    } catch (error) {
      const isNobody = error instanceof ServiceError && error.code === 'VALIDATION_FAILED';
      if (isNobody) return outcome('PURCHASE', 'NO_CONTACT');
      throw error;
    }
  }

  async function giveBack(refund: ShopRefund): Promise<Outcome> {
    const purchase = await findPurchase();
    if (purchase !== null) return await refundFrom(purchase, refund);
    if (await waitingRefunds.exists({ ...ofOrder, kind: 'CANCELLATION' })) {
      return refundOutcome('CANCELLED_BEFORE');
    }
    await wait('REFUND', refund.externalRefundId, { refund });
    return await unlessReportedMeanwhile(refund, 'NOT_MATCHED');
  }

  async function cancel(occurredAt: string | undefined): Promise<Outcome> {
    const purchase = await findPurchase();
    const rest = restOf(occurredAt);
    if (purchase !== null) return await refundFrom(purchase, rest);
    await wait('CANCELLATION', rest.externalRefundId);
    const outcome = await unlessReportedMeanwhile(rest, 'CANCELLED_BEFORE');
    // Its refunds have nothing to wait for.
    if (outcome.result === 'CANCELLED_BEFORE') {
      await waitingRefunds.deleteMany({ ...ofOrder, kind: 'REFUND' });
    }
    return outcome;
  }

  const restOf = (occurredAt: string | undefined): ShopRefund => ({
    externalRefundId: cancellationId(externalOrderId),
    currency: 'USD',
    refunded: { kind: 'REST' },
    ...(occurredAt !== undefined && { occurredAt }),
  });

  const waitingIdOf = (refundId: string) => `${connectionId}/${externalOrderId}/${refundId}`;

  async function wait(
    kind: WaitingRefundDoc['kind'],
    refundId: string,
    {
      refund = null,
      rewardId = null,
    }: { refund?: ShopRefund | null; rewardId?: string | null } = {},
  ): Promise<void> {
    const waitsUntil = new Date(receivedAt.getTime() + waitsMs);
    await insertOnce(() =>
      waitingRefunds.create({
        _id: waitingIdOf(refundId),
        ...ofOrder,
        kind,
        refund,
        rewardId,
        settledAt: null,
        receivedAt,
        waitsUntil,
        expiresAt: new Date(waitsUntil.getTime() + shownMs),
      }),
    );
  }

  /** Whoever reports the order looks at what waits afterwards, and whoever waits looks for the order. */
  async function unlessReportedMeanwhile(
    refund: ShopRefund,
    otherwise: NoConcern,
  ): Promise<Outcome> {
    const late = await findPurchase();
    if (late === null) return refundOutcome(otherwise);
    const outcome = await refundFrom(late, refund);
    await waitingRefunds.deleteOne({ partnerId, _id: waitingIdOf(refund.externalRefundId) });
    return outcome;
  }

  async function refundFrom(purchase: OrderEventDoc, refund: ShopRefund): Promise<Outcome> {
    const { externalRefundId, occurredAt } = refund;
    const { currency = '', arithmetic } = purchase.purchase ?? {};
    const subtotalCents = arithmetic?.subtotalCents ?? 0;
    const terms = termsOf(purchase);
    const { amountCents, steps } = refundOf(refund, terms, { subtotalCents, currency });
    const known = await models.orderEvents.findOne(
      { partnerId, mode, integrationId, externalRefundId, type: 'REFUND' },
      { _id: 1 },
    );
    if (known) return outcome('REFUND', 'REPLAYED', known._id);
    if (amountCents === 0) return refundOutcome('NO_MONEY_BACK');
    for (let race = 0; ; race++) {
      const reward = await findReward(models, { partnerId, rewardId: purchase.rewardId });
      const leftCents = reward === null ? 0 : leftCentsOf(reward);
      if (leftCents === 0) return refundOutcome('NOTHING_LEFT');
      const part = amountCents === null ? {} : { amountCents: Math.min(amountCents, leftCents) };
      try {
        const answer = await reportRefund(
          deps,
          originOf(`refund:${externalRefundId}`),
          {
            externalOrderId,
            externalRefundId,
            ...part,
            ...happened(occurredAt),
            metadata: { connection: { platform: from.platform, steps } },
          },
          from,
        );
        return outcomeOf('REFUND', answer);
      } catch (error) {
        // Another refund of the order was faster.
        const code = error instanceof ServiceError ? error.code : undefined;
        if (code === 'TOO_MANY_REFUNDS') return refundOutcome(code);
        if (code !== 'REFUND_EXCEEDS_ORDER' || race === maxRaces) throw error;
      }
    }
  }

  async function fail(failed: { externalRefundId: string; amount: string; currency: string }) {
    const { externalRefundId, amount, currency } = failed;
    const refunded = { kind: 'SHARE', from: '0', to: amount } as const;
    const refund = { externalRefundId, currency, refunded };
    const purchase = await findPurchase();
    await wait('FAILED', `failed:${externalRefundId}`, {
      refund,
      rewardId: purchase?.rewardId ?? null,
    });
    return refundOutcome('REFUND_FAILED');
  }

  async function settle(): Promise<Outcome[]> {
    const waiting = await waitingRefunds
      .find({ ...ofOrder, kind: { $in: ['REFUND', 'CANCELLATION'] } })
      .sort({ kind: -1, _id: 1 });
    if (waiting.length === 0) return [];
    const purchase = await findPurchase();
    if (purchase === null) return [];
    const outcomes: Outcome[] = [];
    for (const { _id, refund } of waiting) {
      outcomes.push(await refundFrom(purchase, refund ?? restOf(undefined)));
      await waitingRefunds.deleteOne({ partnerId, _id });
    }
    return outcomes;
  }

  return { buy, giveBack, cancel, fail, settle };
}

const maxRaces = 5;

const notActive = (mode: Mode): ServiceError =>
  new ServiceError(
    'PARTNER_NOT_ACTIVE',
    `This partner is not active in ${mode} mode. Contact the operators of the service.`,
  );
