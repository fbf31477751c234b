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
  type WebhookDeliveryDoc,
  type WebhookTry,
} from '../schemas/webhook-delivery.ts';
import type { WebhookEndpointDoc } from '../schemas/webhook-endpoint.ts';
import { requireFound } from '../store/require-found.ts';

type EndpointKey = Pick<WebhookEndpointDoc, '_id' | 'partnerId'>;

/** @throws ServiceError NOT_FOUND, also for another endpoint's */
export async function findDelivery(
  { webhookDeliveries }: Models,
  { _id: endpointId, partnerId }: EndpointKey,
  deliveryId: string,
): Promise<WebhookDeliveryDoc> {
  const delivery = await webhookDeliveries
    .findOne({ partnerId, endpointId, _id: deliveryId })
    .lean();
  return requireFound(delivery, 'webhook delivery', deliveryId);
}

/** What is due at an endpoint, that which has waited longest first. */
export async function findDue(
  { webhookDeliveries }: Models,
  { _id: endpointId, partnerId }: EndpointKey,
  now: Date,
  limit: number,
): Promise<WebhookDeliveryDoc[]> {
  return await webhookDeliveries
    .find({ endpointId, partnerId, state: 'PENDING', nextTryAt: { $lte: now } })
    .hint(dueIndex)
    .sort({ nextTryAt: 1 })
    .limit(limit)
    .lean();
}

/** When something of an endpoint is due next; null where nothing waits. */
export async function nextDueAt(
  { webhookDeliveries }: Models,
  { _id: endpointId, partnerId }: EndpointKey,
): Promise<Date | null> {
  const next = await webhookDeliveries
    .findOne({ endpointId, partnerId, state: 'PENDING' }, { nextTryAt: 1 })
    .hint(dueIndex)
    .sort({ nextTryAt: 1 })
    .lean();
  return next?.nextTryAt ?? null;
}

/** What is due somewhere, an endpoint after the other in the order of their ids: one place in an index each. */
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
          ...{ state: 'PENDING', endpointId: { $gt: ids.at(-1) ?? after } },
          nextTryAt: { $lte: now },
        },
        { endpointId: 1 },
      )
      .hint(dueIndex)
      .sort({ endpointId: 1, nextTryAt: 1 })
      .lean();
    if (next === null) break;
    ids.push(next.endpointId);
  }
  return ids;
}

/** What came of a try, and what an answer asked for. */
export interface Tried extends WebhookTry {
  retryAfterMs: number | null;
}

export const isSuccess = ({ status }: Pick<WebhookTry, 'status'>): boolean =>
  status !== null && status >= 200 && status <= 299;

const goneStatus = 410;

/**
 * Notes tries of deliveries, and when the next ones are due, in one write. One that was asked for again
 * meanwhile, or was noted by another, is left as it stands.
 */
export async function noteTries(
  { webhookDeliveries }: Models,
  tries: readonly { delivery: WebhookDeliveryDoc; tried: Tried }[],
): Promise<void> {
  if (tries.length === 0) return;
  const writes = tries.map((one) => ({ updateOne: writeOf(one.delivery, one.tried) }));
  await webhookDeliveries.collection.bulkWrite(writes as never[], { ordered: false });
}

function writeOf({ _id, partnerId, tries }: WebhookDeliveryDoc, { retryAfterMs, ...tried }: Tried) {
  const afterMs =
    tried.status === goneStatus ? null : nextAttemptAfterMs(tries + 1, retryAfterMs, Math.random());
  const outcome = isSuccess(tried)
    ? { state: 'DELIVERED', deliveredAt: new Date(), nextTryAt: null }
    : afterMs === null
      ? { state: 'FAILED', nextTryAt: null }
      : { nextTryAt: new Date(Date.now() + afterMs) };
  return {
    filter: { partnerId, _id, state: 'PENDING', tries },
    update: {
      $set: { ...outcome, tries: tries + 1 },
      $push: { history: { $each: [tried], $slice: -maxTriesKept } },
    },
  };
}

/** How an endpoint is, as whoever sends to it knows: what is sent beside goes by it at once. */
export interface EndpointHealth {
  failingSince: Date | null;
  isDisabled: boolean;
}

/**
 * Notes on an endpoint how it answered: one that says it is gone, or that has failed for five days
 * without one success, is disabled.
 * @param health changed by what came of the try, before it is written
 */
export async function noteHealth(
  models: Models,
  { _id, partnerId }: EndpointKey,
  health: EndpointHealth,
  tried: Pick<WebhookTry, 'at' | 'status'>,
): Promise<void> {
  const update = (where: object, change: object) =>
    models.webhookEndpoints.updateOne({ partnerId, _id, ...where }, { $set: change });
  const { failingSince } = health;
  if (isSuccess(tried)) {
    if (failingSince === null) return;
    health.failingSince = null;
    await update({}, { failingSince: null, warnedAt: null });
    return;
  }
  health.failingSince ??= tried.at;
  if (tried.status === goneStatus) return await disable('GONE');
  if (failingSince === null) await update({ failingSince: null }, { failingSince: tried.at });
  else if (tried.at.getTime() - failingSince.getTime() >= disableAfterMs) await disable('FAILING');

  async function disable(disabledReason: DisabledReason): Promise<void> {
    health.isDisabled = true;
    const updatedAt = new Date();
    await update(
      { status: { $ne: 'DISABLED' } },
      { status: 'DISABLED', disabledReason, disabledNoticeAt: null, updatedAt },
    );
  }
}

/** Has a delivery tried again at once, with its full number of tries and the id that it had. */
export async function askAgain(
  { webhookDeliveries }: Models,
  { _id, partnerId }: Pick<WebhookDeliveryDoc, '_id' | 'partnerId'>,
  now: Date,
): Promise<WebhookDeliveryDoc | null> {
  return await webhookDeliveries
    .findOneAndUpdate(
      { partnerId, _id },
      { $set: { state: 'PENDING', tries: 0, nextTryAt: now } },
      { returnDocument: 'after' },
    )
    .lean();
}

/** Which deliveries of an endpoint are meant: of events from an instant on, up to another. */
export interface ResendRange {
  from: Date;
  /** Not included; null for all up to now. */
  until: Date | null;
  /** `FAILED` for those that were given up on; null for all that wait for nothing. */
  state: 'FAILED' | null;
}

/** How many are sent again, and from when on there are more; null where there are none. */
export interface Resent {
  resent: number;
  next: Date | null;
}

/**
 * Has the deliveries of a range tried again, as `askAgain` does for one; the oldest first. Safe to repeat.
 */
export async function askAllAgain(
  { webhookDeliveries }: Models,
  { _id: endpointId, partnerId }: EndpointKey,
  { from, until, state }: ResendRange,
  now: Date,
): Promise<Resent> {
  const ids = {
    $gt: idBound('webhookDelivery', from.getTime()),
    ...(until !== null && { $lt: idBound('webhookDelivery', until.getTime()) }),
  };
  const meant = { partnerId, endpointId, state: state ?? { $ne: 'PENDING' as const } };
  const last = await webhookDeliveries
    .findOne({ ...meant, _id: ids }, { _id: 1 })
    .sort({ _id: 1 })
    .skip(maxResent)
    .lean();
  // The next range begins with the whole millisecond that this one ends in.
  const next = last === null ? null : new Date(timeOfId(last._id));
  const before = next === null ? ids.$lt : idBound('webhookDelivery', next.getTime());
  const { modifiedCount } = await webhookDeliveries.updateMany(
    { ...meant, _id: { $gt: ids.$gt, ...(before !== undefined && { $lt: before }) } },
    { $set: { state: 'PENDING', tries: 0, nextTryAt: now } },
  );
  return { resent: modifiedCount, next };
}

/** How many were deleted, and how many of them had never arrived. */
export interface Purged {
  deleted: number;
  undelivered: number;
}

/** So many are deleted by one command, which ends long before a connection gives up. */
const deletedTogether = 1_000;

/**
 * Deletes what is older than thirty days, whatever became of it, a page at a time. Safe to repeat.
 * @param progress called after each page, with what was deleted so far
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
      .limit(deletedTogether)
      .lean();
    if (page.length === 0) return purged;
    await webhookDeliveries.deleteMany({ _id: { $in: page.map(({ _id }) => _id) } });
    purged.deleted += page.length;
    purged.undelivered += page.filter(({ state }) => state !== 'DELIVERED').length;
    progress({ ...purged });
  }
}

/**
 * Deletes a page of what waits for an endpoint that is gone. The sweep goes on with the rest, when it is due.
 * @returns how many were deleted
 */
export async function dropWaiting(
  { webhookDeliveries }: Pick<Models, 'webhookDeliveries'>,
  endpointId: string,
): Promise<number> {
  const page = await webhookDeliveries
    .find({ endpointId, state: 'PENDING' }, { _id: 1 })
    .hint(dueIndex)
    .limit(deletedTogether)
    .lean();
  if (page.length === 0) return 0;
  const { deletedCount } = await webhookDeliveries.deleteMany({
    ...{ _id: { $in: page.map(({ _id }) => _id) }, state: 'PENDING' },
  });
  return deletedCount;
}
