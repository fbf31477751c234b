import { ServiceError } from '../domain/errors.ts';
import type { Mode } from '../domain/mode.ts';
import {
  type DeliveryState,
  maxEndpoints,
  maxListeners,
  type WebhookEventType,
} from '../domain/webhooks.ts';
import type { WebhookDeliveryDoc, WebhookEndpointDoc } from '../models/schemas/webhooks.ts';
import { createdOn, type DayRange } from '../models/store/day-range.ts';
import { given, type ListPage, type PageQuery, readPage } from '../models/store/paging.ts';
import { endpointsOf } from '../models/webhooks/endpoints.ts';
import { idBound, timeOfId } from '../platform/ids.ts';
import type { ModelDeps, ViewDeps } from './deps.ts';
import type { PartnerScope } from './partner-scope.ts';

/** Enough for a reward's events, about ten, at up to ten endpoints. */
const maxDeliveriesOfReward = 100;

/** Excludes users' notices by email, which only those users see. */
const withoutNotices = { userId: { $exists: false } };

/** Filters of an endpoint's deliveries; a delivery must meet all given ones. */
export interface DeliveryFilter extends DayRange {
  type?: WebhookEventType | undefined;
  state?: DeliveryState | undefined;
}

/** All webhook endpoints of a partner in a mode, oldest first. */
export async function readWebhookEndpoints(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  mode: Mode,
): Promise<WebhookEndpointDoc[]> {
  return await models.webhookEndpoints
    .find({ partnerId, mode, ...withoutNotices })
    .sort({ _id: 1 })
    .limit(maxEndpoints + maxListeners);
}

/** A page of a partner's webhook endpoints, of both modes without one, newest first. */
export async function readEndpointPage(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  mode: Mode | undefined,
  query: PageQuery,
): Promise<ListPage<WebhookEndpointDoc>> {
  const conditions = [endpointsOf(partnerId), ...given({ mode })];
  return await readPage(models.webhookEndpoints, conditions, query, (one) => one);
}

/** An endpoint of a partner. @throws ServiceError NOT_FOUND, also for another partner's or mode's */
export async function findOwnWebhookEndpoint(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  _id: string,
  mode?: Mode,
): Promise<WebhookEndpointDoc> {
  const endpoint = await models.webhookEndpoints.findOne({
    partnerId,
    _id,
    ...withoutNotices,
    ...(mode && { mode }),
  });
  if (endpoint) return endpoint;
  throw new ServiceError('NOT_FOUND', 'There is no such webhook endpoint.');
}

/** A page of an endpoint's deliveries, newest event first. */
export async function readDeliveries(
  { models }: ModelDeps,
  { _id: endpointId, partnerId }: WebhookEndpointDoc,
  { type, state, ...days }: DeliveryFilter,
  query: PageQuery,
) {
  const conditions = [
    ...given({ partnerId, endpointId, type, state }),
    ...createdOn(days, (atMs) => idBound('webhookDelivery', atMs)),
  ];
  return await readPage(models.webhookDeliveries, conditions, query, (delivery) => delivery);
}

export type Deliveries = Awaited<ReturnType<typeof readDeliveries>>;

export interface DeliveryDetails {
  delivery: WebhookDeliveryDoc;
  /** Null if it was deleted. */
  endpoint: WebhookEndpointDoc | null;
}

/** A delivery with its endpoint. @throws ServiceError NOT_FOUND, also for another partner's or mode's */
export async function readDelivery(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  _id: string,
  mode?: Mode,
): Promise<DeliveryDetails> {
  const delivery = await models.webhookDeliveries.findOne({
    partnerId,
    _id,
    ...(mode && { mode }),
  });
  if (!delivery) throw new ServiceError('NOT_FOUND', 'There is no such delivery.');
  const endpoint = await models.webhookEndpoints.findOne({ partnerId, _id: delivery.endpointId });
  return { delivery, endpoint };
}

const webhookId = /\bwhk_[0-9A-HJKMNP-TV-Z]{26}\b/;

/** The body that was sent to an endpoint with the `webhook-id` in a text; null if the endpoint has none. */
export async function findSentBody(
  { models }: ModelDeps,
  { _id: endpointId, partnerId }: Pick<WebhookEndpointDoc, '_id' | 'partnerId'>,
  text: string,
): Promise<{ eventId: string; body: string } | null> {
  const eventId = webhookId.exec(text)?.[0];
  if (eventId === undefined) return null;
  // A delivery's id starts with the time of its event's id.
  const atMs = timeOfId(eventId);
  const ids = { $gt: idBound('webhookDelivery', atMs), $lt: idBound('webhookDelivery', atMs + 1) };
  return await models.webhookDeliveries.findOne(
    { partnerId, endpointId, eventId, _id: ids },
    { eventId: 1, body: 1 },
  );
}

/** The webhooks about a reward, oldest event first. */
export async function readDeliveriesOfReward(
  { models }: ModelDeps,
  { partnerId, rewardId }: { partnerId: string; rewardId: string },
): Promise<DeliveryDetails[]> {
  const deliveries = await models.webhookDeliveries
    .find({ partnerId, rewardId })
    .sort({ _id: -1 })
    .limit(maxDeliveriesOfReward);
  const ids = [...new Set(deliveries.map(({ endpointId }) => endpointId))];
  const endpoints = await models.webhookEndpoints.find({ partnerId, _id: { $in: ids } });
  const byId = new Map(endpoints.map((endpoint) => [endpoint._id, endpoint]));
  return deliveries
    .filter(({ endpointId }) => byId.get(endpointId)?.userId === undefined)
    .toReversed()
    .map((delivery) => ({ delivery, endpoint: byId.get(delivery.endpointId) ?? null }));
}

/**
 * The secrets that an endpoint's webhooks may have been signed with: its own first, then those of the
 * partner's other endpoints in both modes.
 */
export async function knownWebhookSecrets(
  { models, sealer }: Pick<ViewDeps, 'models' | 'sealer'>,
  { _id, partnerId }: Pick<WebhookEndpointDoc, '_id' | 'partnerId'>,
) {
  const endpoints = await models.webhookEndpoints.find({
    partnerId,
    status: { $ne: 'LISTENING' },
    userId: { $exists: false },
  });
  return endpoints
    .toSorted((one, other) => Number(other._id === _id) - Number(one._id === _id))
    .flatMap((of) =>
      of.secrets.map(({ sealed }, index) => ({
        secret: sealer.open(sealed, of._id),
        of,
        isCurrent: index === 0,
      })),
    );
}
