import { ServiceError } from '../../domain/errors.ts';
import type { Mode } from '../../domain/mode.ts';
import {
  type DeliveryState,
  maxEndpoints,
  maxListeners,
  type WebhookEventType,
} from '../../domain/webhooks.ts';
import { idBound, timeOfId } from '../../platform/ids.ts';
import type { WebhookDeliveryDoc } from '../schemas/webhook-delivery.ts';
import type { WebhookEndpointDoc } from '../schemas/webhook-endpoint.ts';
import { createdOn, type DayRange } from '../store/day-range.ts';
import { given, type PageQuery, page } from '../store/paging.ts';
import type { ModelDeps, ViewDeps } from './deps.ts';
import type { PartnerScope } from './partner-scope.ts';

/** One reward has some ten events, at up to ten endpoints: a list of them is cut nowhere else. */
const maxDeliveriesOfReward = 100;

/** What users are told by email is theirs alone to see. */
const posted = { userId: { $exists: false } };

/** Which deliveries of an endpoint are asked for: all that is given must hold. */
export interface DeliveryFilter extends DayRange {
  type?: WebhookEventType | undefined;
  state?: DeliveryState | undefined;
}

/** All webhook endpoints of a partner in a mode, in the order in which they were made. */
export async function readWebhookEndpoints(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  mode: Mode,
): Promise<WebhookEndpointDoc[]> {
  return await models.webhookEndpoints
    .find({ partnerId, mode, ...posted })
    .sort({ _id: 1 })
    .limit(maxEndpoints + maxListeners)
    .lean();
}

/** An endpoint of a partner. @throws ServiceError NOT_FOUND, for another partner's and another mode's too */
export async function findOwnWebhookEndpoint(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  _id: string,
  mode?: Mode,
): Promise<WebhookEndpointDoc> {
  const endpoint = await models.webhookEndpoints
    .findOne({ partnerId, _id, ...posted, ...(mode && { mode }) })
    .lean();
  if (endpoint) return endpoint;
  throw new ServiceError('NOT_FOUND', 'There is no such webhook endpoint.');
}

/** A page of what an endpoint was sent, or is to be, newest event first. */
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
  return await page(models.webhookDeliveries, conditions, query, (delivery) => delivery);
}

export type Deliveries = Awaited<ReturnType<typeof readDeliveries>>;

/** What was sent to whom. */
export interface DeliveryDetails {
  delivery: WebhookDeliveryDoc;
  /** Null once it was deleted. */
  endpoint: WebhookEndpointDoc | null;
}

/** A delivery with its endpoint. @throws ServiceError NOT_FOUND, for another partner's and another mode's too */
export async function readDelivery(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  _id: string,
  mode?: Mode,
): Promise<DeliveryDetails> {
  const delivery = await models.webhookDeliveries
    .findOne({ partnerId, _id, ...(mode && { mode }) })
    .lean();
  if (!delivery) throw new ServiceError('NOT_FOUND', 'There is no such delivery.');
  const endpoint = await models.webhookEndpoints
    .findOne({ partnerId, _id: delivery.endpointId })
    .lean();
  return { delivery, endpoint };
}

const webhookId = /\bwhk_[0-9A-HJKMNP-TV-Z]{26}\b/;

/** What an endpoint was sent under the `webhook-id` that a text has in it; null for none of its own. */
export async function findSentBody(
  { models }: ModelDeps,
  { _id: endpointId, partnerId }: Pick<WebhookEndpointDoc, '_id' | 'partnerId'>,
  text: string,
): Promise<{ eventId: string; body: string } | null> {
  const eventId = webhookId.exec(text)?.[0];
  if (eventId === undefined) return null;
  // A delivery's id has the time of its event's in front.
  const atMs = timeOfId(eventId);
  const ids = { $gt: idBound('webhookDelivery', atMs), $lt: idBound('webhookDelivery', atMs + 1) };
  return await models.webhookDeliveries
    .findOne({ partnerId, endpointId, eventId, _id: ids }, { eventId: 1, body: 1 })
    .lean();
}

/** The webhooks about a reward, oldest event first. */
export async function readDeliveriesOfReward(
  { models }: ModelDeps,
  { partnerId, rewardId }: { partnerId: string; rewardId: string },
): Promise<DeliveryDetails[]> {
  const deliveries = await models.webhookDeliveries
    .find({ partnerId, rewardId })
    .sort({ _id: -1 })
    .limit(maxDeliveriesOfReward)
    .lean();
  const ids = [...new Set(deliveries.map(({ endpointId }) => endpointId))];
  const endpoints = await models.webhookEndpoints.find({ partnerId, _id: { $in: ids } }).lean();
  const byId = new Map(endpoints.map((endpoint) => [endpoint._id, endpoint]));
  return deliveries
    .filter(({ endpointId }) => byId.get(endpointId)?.userId === undefined)
    .toReversed()
    .map((delivery) => ({ delivery, endpoint: byId.get(delivery.endpointId) ?? null }));
}

/**
 * What an endpoint's webhooks may have been signed with: its own secrets first, then those of the partner's other
 * endpoints, of both modes.
 */
export async function knownWebhookSecrets(
  { models, sealer }: Pick<ViewDeps, 'models' | 'sealer'>,
  { _id, partnerId }: Pick<WebhookEndpointDoc, '_id' | 'partnerId'>,
) {
  const endpoints = await models.webhookEndpoints
    .find({ partnerId, status: { $ne: 'LISTENING' }, userId: { $exists: false } })
    .lean();
  return endpoints
    .toSorted((one, other) => Number(other._id === _id) - Number(one._id === _id))
    .flatMap((of) =>
      of.secrets.map(({ sealed }, index) => ({
        ...{ secret: sealer.open(sealed, of._id), of, isCurrent: index === 0 },
      })),
    );
}
