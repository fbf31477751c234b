import type { RequestHashes } from '../../platform/hashing.ts';
import { lookUpIndexes } from '../schemas/events.ts';
import type { Models } from '../schemas/index.ts';
import { readLog } from './events-log.ts';
import { inScope, type ReadScope } from './partner-scope.ts';
import {
  credentialResult,
  eventResult,
  requestResult,
  rewardResult,
  type SearchResult,
} from './search-results.ts';

/** Maximum number of results of each kind. */
const maxFound = 20;
const refusalsShown = 5;

/**
 * Finds what a name identifies that is not one of the service's ids: an order, a refund, an
 * Idempotency-Key, a workflow or an API key.
 */
export async function findByName(
  models: Models,
  { ofIdempotencyKey }: Pick<RequestHashes, 'ofIdempotencyKey'>,
  scope: ReadScope,
  name: string,
): Promise<SearchResult[]> {
  const owner = inScope(scope);
  const { orderEvents, rewards, credentials } = models;
  const ofOrder = { ...owner, externalOrderId: name, type: 'PURCHASE' as const };
  const ofRefund = { ...owner, externalRefundId: name, type: 'REFUND' as const };
  const ofKey = { ...owner, idempotencyKeyHash: ofIdempotencyKey(name) };
  const newest = (hint: string) => ({ sort: { _id: -1 as const }, limit: maxFound, hint });
  const [purchases, refunds, keyed, begun, signing, refused] = await Promise.all([
    orderEvents.find(ofOrder, null, newest(lookUpIndexes.order)),
    orderEvents.find(ofRefund, null, newest(lookUpIndexes.refund)),
    orderEvents.find(ofKey, null, newest(lookUpIndexes.key)),
    rewards.find({ ...owner, workflowId: name }).limit(maxFound),
    credentials.find({ ...owner, apiKey: name }).limit(1),
    findRefused(models, scope, name),
  ]);
  return [
    ...[...purchases, ...refunds, ...keyed].map(eventResult),
    ...begun.map(rewardResult),
    ...signing.map(credentialResult),
    ...refused,
  ];
}

/** The refused ones among the newest requests about an order. */
async function findRefused(
  models: Models,
  partnerId: ReadScope,
  externalOrderId: string,
): Promise<SearchResult[]> {
  const { events } = await readLog({ models }, { partnerId, externalOrderId }, refusalsShown);
  return events.filter(({ eventId }) => eventId === null).map(requestResult);
}
