import type { Mode } from '../../domain/mode.ts';
import type { OrderEventDoc } from '../schemas/events.ts';
import type { CredentialDoc } from '../schemas/integrations.ts';
import type { IntegrationEventDoc } from '../schemas/requests.ts';
import type { RewardDoc } from '../schemas/rewards.ts';

/** The kinds of things that a search finds. */
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

export interface SearchResult {
  kind: SearchResultKind;
  id: string;
  partnerId: string;
  mode: Mode | null;
  /** The name for people, such as an event's order. */
  label: string;
  /** The event whose page shows it; null without one. */
  eventId: string | null;
}

/** A result without an event. */
export function searchResult(
  kind: SearchResultKind,
  { _id, partnerId, mode = null }: { _id: string; partnerId: string; mode?: Mode | null },
  label: string,
): SearchResult {
  return { kind, id: _id, partnerId, mode, label, eventId: null };
}

const typeWords: Record<OrderEventDoc['type'], string> = { PURCHASE: 'Purchase', REFUND: 'Refund' };

export function eventResult(event: OrderEventDoc): SearchResult {
  const name = event.externalRefundId ?? event.externalOrderId;
  return {
    ...searchResult('EVENT', event, `${typeWords[event.type]} ${name}`),
    eventId: event._id,
  };
}

export function requestResult(event: IntegrationEventDoc): SearchResult {
  const { code, externalOrderId, eventId, requestId } = event;
  const label = externalOrderId === null ? code : `${code} ${externalOrderId}`;
  return { ...searchResult('REQUEST', event, label), id: requestId, eventId };
}

export function rewardResult(reward: RewardDoc): SearchResult {
  return {
    ...searchResult('REWARD', reward, reward.externalOrderId),
    eventId: reward.purchaseEventId,
  };
}

export const credentialResult = (credential: CredentialDoc): SearchResult =>
  searchResult('CREDENTIAL', credential, credential.apiKey);
