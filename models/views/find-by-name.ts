import type { RequestHashes } from '../../platform/hashing.ts';
import type { Models } from '../schemas/index.ts';
import { lookUpIndexes } from '../schemas/order-event.ts';
import { readLog } from './events-log.ts';
import { ownedBy, type Whose } from './partner-scope.ts';
import {
  credentialResult,
  foundEvent,
  foundRequest,
  foundReward,
  type SearchResult,
} from './search-results.ts';

/** The most results for one name. */
const maxFound = 20;
const refusalsShown = 5;

/** What a name is that a partner chose, or another system: an order, a refund, a key, a workflow. */
export async function findByName(
  models: Models,
  { ofIdempotencyKey }: Pick<RequestHashes, 'ofIdempotencyKey'>,
  whose: Whose,
  name: string,
): Promise<SearchResult[]> {
  const owner = ownedBy(whose);
  const { orderEvents, rewards, credentials } = models;
  const ofOrder = { ...owner, externalOrderId: name, type: 'PURCHASE' as const };
  const ofRefund = { ...owner, externalRefundId: name, type: 'REFUND' as const };
  const ofKey = { ...owner, idempotencyKeyHash: ofIdempotencyKey(name) };
  const newest = (hint: string) => ({ sort: { _id: -1 as const }, limit: maxFound, hint });
  const [purchases, refunds, keyed, begun, signing, refused] = await Promise.all([
    orderEvents.find(ofOrder, null, newest(lookUpIndexes.order)).lean(),
    orderEvents.find(ofRefund, null, newest(lookUpIndexes.refund)).lean(),
    orderEvents.find(ofKey, null, newest(lookUpIndexes.key)).lean(),
    rewards
      .find({ ...owner, workflowId: name })
      .limit(maxFound)
      .lean(),
    credentials
      .find({ ...owner, apiKey: name })
      .limit(1)
      .lean(),
    findRefused(models, whose, name),
  ]);
  return [
    ...[...purchases, ...refunds, ...keyed].map(foundEvent),
    ...begun.map(foundReward),
    ...signing.map(credentialResult),
    ...refused,
  ];
}

/** Of the newest requests about an order, those that recorded nothing. */
async function findRefused(
  models: Models,
  partnerId: Whose,
  externalOrderId: string,
): Promise<SearchResult[]> {
  const { events } = await readLog({ models }, { partnerId, externalOrderId }, refusalsShown);
  return events.filter(({ eventId }) => eventId === null).map(foundRequest);
}
