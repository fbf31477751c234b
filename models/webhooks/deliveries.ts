import type { mongo } from 'mongoose';
import {
  type DisabledReason,
  deliveryRetentionMs,
  disableAfterMs,
  maxResent,
  nextAttemptAfterMs,
} from '../../domain/webhooks.ts';
import { idBound, timeOfId } from '../../platform/ids.ts';
import type { Models } from '../schemas/index.ts';
import {
  dueIndex,
  maxTriesKept,
  type WebhookAttempt,
  type WebhookDeliveryDoc,
  type WebhookEndpointDoc,
} from '../schemas/webhooks.ts';
import { requireFound } from '../store/require-found.ts';

type EndpointKey = Pick<WebhookEndpointDoc, '_id' | 'partnerId'>;

/** @throws ServiceError NOT_FOUND, also for a delivery to another endpoint */
export async function findDelivery(
  { webhookDeliveries }: Models,
  { _id: endpointId, partnerId }: EndpointKey,
  deliveryId: string,
): Promise<WebhookDeliveryDoc> {
  const delivery = await webhookDeliveries.findOne({ partnerId, endpointId, _id: deliveryId });
  return requireFound(delivery, 'webhook delivery', deliveryId);
}

/** At once, or by now. */
const isDueBy = (now: Date) => ({ nextTryAt: { $not: { $gt: now } } });

/** The due deliveries of an endpoint: those that are due at once, then the longest due. */
export async function findDue(
  { webhookDeliveries }: Models,
  { _id: endpointId, partnerId }: EndpointKey,
  now: Date,
  limit: number,
): Promise<WebhookDeliveryDoc[]> {
  return await webhookDeliveries
    .find({ endpointId, partnerId, state: 'PENDING', ...isDueBy(now) })
    .hint(dueIndex)
    .sort({ nextTryAt: 1 })
    .limit(limit);
}

/** When an endpoint's next delivery is due, long ago for one that is due at once; null if none is pending. */
export async function nextDueAt(
  { webhookDeliveries }: Models,
  { _id: endpointId, partnerId }: EndpointKey,
): Promise<Date | null> {
  const next = await webhookDeliveries
    .findOne({ endpointId, partnerId, state: 'PENDING' }, { nextTryAt: 1 })
    .hint(dueIndex)
    .sort({ nextTryAt: 1 });
  return next === null ? null : (next.nextTryAt ?? new Date(0));
}

/**
 * The ids of endpoints with a due delivery, in ascending order. Each costs one read of one index entry,
 * however many deliveries the endpoint has.
 */
export async function findDueEndpoints(
  { webhookDeliveries }: Models,
  now: Date,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < limit) {
    const next = await webhookDeliveries
      .findOne(
        {
          state: 'PENDING',
          endpointId: { $gt: ids.at(-1) ?? after },
          ...isDueBy(now),
        },
        { endpointId: 1 },
      )
      .hint(dueIndex)
      .sort({ endpointId: 1, nextTryAt: 1 });
    if (next === null) break;
    ids.push(next.endpointId);
  }
  return ids;
}

/** The result of an attempt, with the delay that its response asked for. */
export interface AttemptResult extends WebhookAttempt {
  retryAfterMs: number | null;
}

export const isSuccess = ({ status }: Pick<WebhookAttempt, 'status'>): boolean =>
  status !== null && status >= 200 && status <= 299;

const goneStatus = 410;

/**
 * Records attempts of deliveries, and when the next ones are due, in one write. A delivery that was
 * resent in the meantime, or whose attempt another process recorded, is not changed.
 */
export async function recordAttempts(
  { webhookDeliveries }: Models,
  tries: readonly { delivery: WebhookDeliveryDoc; attempt: AttemptResult }[],
): Promise<void> {
  if (tries.length === 0) return;
  const writes = tries.map((one) => ({ updateOne: writeOf(one.delivery, one.attempt) }));
  await webhookDeliveries.collection.bulkWrite(writes, { ordered: false });
}

function writeOf(
  { _id, partnerId, tries }: WebhookDeliveryDoc,
  { retryAfterMs, ...attempt }: AttemptResult,
): mongo.UpdateOneModel<WebhookDeliveryDoc> {
  const afterMs =
    attempt.status === goneStatus
      ? null
      : nextAttemptAfterMs(tries + 1, retryAfterMs, Math.random());
  const outcome: Partial<WebhookDeliveryDoc> = isSuccess(attempt)
    ? { state: 'DELIVERED', deliveredAt: new Date(), nextTryAt: null }
    : afterMs === null
      ? { state: 'FAILED', nextTryAt: null }
      : { nextTryAt: new Date(Date.now() + afterMs) };
  return {
    filter: { partnerId, _id, state: 'PENDING', tries },
    update: {
      $set: { ...outcome, tries: tries + 1 },
      $push: { history: { $each: [attempt], $slice: -maxTriesKept } },
    },
  };
}

/** The health of an endpoint, shared in memory by all attempts in progress. */
export interface EndpointHealth {
  failingSince: Date | null;
  isDisabled: boolean;
}

/**
 * Records an attempt on its endpoint. An endpoint that responds with 410 Gone, or has failed for five
 * days without a success, is disabled.
 * @param health updated before the endpoint is written
 */
export async function recordHealth(
  models: Models,
  { _id, partnerId }: EndpointKey,
  health: EndpointHealth,
  attempt: Pick<WebhookAttempt, 'at' | 'status'>,
): Promise<void> {
  const update = (where: object, change: object) =>
    models.webhookEndpoints.updateOne({ partnerId, _id, ...where }, { $set: change });
  const { failingSince } = health;
  if (isSuccess(attempt)) {
    if (failingSince === null) return;
    health.failingSince = null;
    await update({}, { failingSince: null, warnedAt: null });
    return;
  }
  health.failingSince ??= attempt.at;
  if (attempt.status === goneStatus) return await disable('GONE');
  if (failingSince === null) await update({ failingSince: null }, { failingSince: attempt.at });
  else if (attempt.at.getTime() - failingSince.getTime() >= disableAfterMs)
    await disable('FAILING');

  async function disable(disabledReason: DisabledReason): Promise<void> {
    health.isDisabled = true;
    const updatedAt = new Date();
    await update(
      { status: { $ne: 'DISABLED' } },
      { status: 'DISABLED', disabledReason, disabledNoticeAt: null, updatedAt },
    );
  }
}

/** Makes a delivery due at once, with all its attempts ahead and the same id. */
export async function resendDelivery(
  { webhookDeliveries }: Models,
  { _id, partnerId }: Pick<WebhookDeliveryDoc, '_id' | 'partnerId'>,
  now: Date,
): Promise<WebhookDeliveryDoc | null> {
  return await webhookDeliveries.findOneAndUpdate(
    { partnerId, _id },
    { $set: { state: 'PENDING', tries: 0, nextTryAt: now } },
    { returnDocument: 'after' },
  );
}

/** The deliveries to resend: those of events within a period. */
export interface ResendRange {
  from: Date;
  /** Exclusive; null for now. */
  until: Date | null;
  /** `FAILED` for failed deliveries; null for all that are not pending. */
  state: 'FAILED' | null;
}

export interface ResendOutcome {
  resent: number;
  /** Where to continue, because there are more deliveries; null if there are not. */
  next: Date | null;
}

/** Resends the oldest deliveries of a period, as `resendDelivery` does with one. Safe to repeat. */
export async function resendDeliveries(
  { webhookDeliveries }: Models,
  { _id: endpointId, partnerId }: EndpointKey,
  { from, until, state }: ResendRange,
  now: Date,
): Promise<ResendOutcome> {
  const ids = {
    $gt: idBound('webhookDelivery', from.getTime()),
    ...(until !== null && { $lt: idBound('webhookDelivery', until.getTime()) }),
  };
  const filter = { partnerId, endpointId, state: state ?? { $ne: 'PENDING' as const } };
  const last = await webhookDeliveries
    .findOne({ ...filter, _id: ids }, { _id: 1 })
    .sort({ _id: 1 })
    .skip(maxResent);
  // Ids sort by millisecond, so the next period starts with the whole millisecond that this one ends in.
  const next = last === null ? null : new Date(timeOfId(last._id));
  const before = next === null ? ids.$lt : idBound('webhookDelivery', next.getTime());
  const { modifiedCount } = await webhookDeliveries.updateMany(
    { ...filter, _id: { $gt: ids.$gt, ...(before !== undefined && { $lt: before }) } },
    { $set: { state: 'PENDING', tries: 0, nextTryAt: now } },
  );
  return { resent: modifiedCount, next };
}

/** The numbers of deleted deliveries, and of those among them that were never delivered. */
export interface Purged {
  deleted: number;
  undelivered: number;
}

/** Deliveries deleted by one command, few enough for it to finish long before it times out. */
const deleteBatchSize = 1_000;

/**
 * Deletes deliveries older than 30 days, whatever their state, in batches. Safe to repeat.
 * @param progress called after each batch, with the totals so far
 */
export async function purgeDeliveries(
  { webhookDeliveries }: Models,
  nowMs: number,
  progress: (purged: Purged) => void = () => undefined,
): Promise<Purged> {
  const purged: Purged = { deleted: 0, undelivered: 0 };
  for (;;) {
    const page = await webhookDeliveries
      .find({ createdAt: { $lt: new Date(nowMs - deliveryRetentionMs) } }, { state: 1 })
      .sort({ createdAt: 1 })
      .limit(deleteBatchSize);
    if (page.length === 0) return purged;
    await webhookDeliveries.deleteMany({ _id: { $in: page.map(({ _id }) => _id) } });
    purged.deleted += page.length;
    purged.undelivered += page.filter(({ state }) => state !== 'DELIVERED').length;
    progress({ ...purged });
  }
}

/**
 * Deletes a batch of the pending deliveries of an endpoint that no longer exists. The sweep deletes the
 * rest when it is due.
 * @returns the number of deleted deliveries
 */
export async function deletePendingDeliveries(
  { webhookDeliveries }: Pick<Models, 'webhookDeliveries'>,
  endpointId: string,
): Promise<number> {
  const page = await webhookDeliveries
    .find({ endpointId, state: 'PENDING' }, { _id: 1 })
    .hint(dueIndex)
    .limit(deleteBatchSize);
  if (page.length === 0) return 0;
  const { deletedCount } = await webhookDeliveries.deleteMany({
    _id: { $in: page.map(({ _id }) => _id) },
    state: 'PENDING',
  });
  return deletedCount;
}
