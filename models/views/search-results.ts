import type { Mode } from '../../domain/mode.ts';
import type { CredentialDoc } from '../schemas/credential.ts';
import type { IntegrationEventDoc } from '../schemas/integration-event.ts';
import type { OrderEventDoc } from '../schemas/order-event.ts';
import type { RewardDoc } from '../schemas/reward.ts';

/** What a text can be the name of. */
export type SearchResultKind =
  | 'EVENT'
  | 'REQUEST'
  | 'REWARD'
  | 'REVIEW'
  | 'CUSTOMER'
  | 'TRANSACTION'
  | 'INVOICE'
  | 'CREDENTIAL'
  | 'RULE'
  | 'INTEGRATION'
  | 'PARTNER'
  | 'USER';

/** One thing that a text names. */
export interface SearchResult {
  kind: SearchResultKind;
  id: string;
  partnerId: string;
  mode: Mode | null;
  /** What a reader knows it by, such as the order of an event. */
  label: string;
  /** The event whose page tells of it; null where none does. */
  eventId: string | null;
}

/** One thing that is about no event. */
export function searchResult(
  kind: SearchResultKind,
  { _id, partnerId, mode = null }: { _id: string; partnerId: string; mode?: Mode | null },
  label: string,
): SearchResult {
  return { kind, id: _id, partnerId, mode, label, eventId: null };
}

const typeWords: Record<OrderEventDoc['type'], string> = { PURCHASE: 'Purchase', REFUND: 'Refund' };

export function foundEvent(event: OrderEventDoc): SearchResult {
  const name = event.externalRefundId ?? event.externalOrderId;
  return {
    ...searchResult('EVENT', event, `${typeWords[event.type]} ${name}`),
    eventId: event._id,
  };
}

export function foundRequest(event: IntegrationEventDoc): SearchResult {
  const { code, externalOrderId, eventId, requestId } = event;
  const label = externalOrderId === null ? code : `${code} ${externalOrderId}`;
  return { ...searchResult('REQUEST', event, label), id: requestId, eventId };
}

export function foundReward(reward: RewardDoc): SearchResult {
  return {
    ...searchResult('REWARD', reward, reward.externalOrderId),
    eventId: reward.purchaseEventId,
  };
}

export const credentialResult = (credential: CredentialDoc): SearchResult =>
  searchResult('CREDENTIAL', credential, credential.apiKey);
