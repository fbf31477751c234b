import type { Mode } from './mode.ts';
import type { RewardMove } from './reward-states.ts';
import { type WalletRef, walletIdOf } from './wallet.ts';

/** How workflows are reached, by name, from wherever something happens to them. */
export const walletWorkflow = { type: 'wallet', fundsChanged: 'fundsChanged' } as const;
export const purchaseWorkflow = { type: 'purchase' } as const;

/**
 * What happened to a reward outside its workflow, in the words that an operator reads in its history. A
 * signal carries nothing: the workflow looks at what is stored.
 */
export const purchaseSignals = {
  FUND: 'funded',
  CLAIM: 'claimed',
  EXPIRE: 'expired',
  REFUND: 'refunded',
  CANCEL: 'cancelled',
  UPHOLD: 'decided',
  DISMISS: 'decided',
} as const satisfies Partial<Record<RewardMove, string>>;
export type PurchaseSignal = (typeof purchaseSignals)[keyof typeof purchaseSignals];

export const jobWorkflow = { type: 'backgroundJob' } as const;
export const pointsLinkWorkflow = { type: 'pointsLink' } as const;

export interface WebhookEndpointRef {
  partnerId: string;
  endpointId: string;
}

/** Woken when something is due at an endpoint. */
export const webhookWorkflow = { type: 'webhookEndpoint', woken: 'deliveriesDue' } as const;

/** What an operator can filter workflows by, in the Temporal UI and on its command line. */
export const searchAttributes = {
  partnerId: 'PartnerId',
  mode: 'Mode',
  externalOrderId: 'ExternalOrderId',
  rewardId: 'RewardId',
  rewardStatus: 'RewardStatus',
} as const;

/** One workflow per wallet: the partner's in LIVE, the integration's in TEST. */
export function walletWorkflowId(wallet: WalletRef): string {
  return `wallet/${wallet.mode}/${walletIdOf(wallet)}`;
}

/** One workflow per job. */
export function jobWorkflowId(jobId: string): string {
  return `job/${jobId}`;
}

/** One workflow per reward, while a link is being sent: who asks again meanwhile is sent one. */
export function pointsLinkWorkflowId(rewardId: string): string {
  return `points-link/${rewardId}`;
}

/** One workflow per webhook endpoint, while it has something to deliver. */
export function webhookWorkflowId(endpointId: string): string {
  return `webhook/${endpointId}`;
}

/** The short form of an order's id that is a customer's address or number. @param hash keyed */
export const shortOrderName = (hash: string): string => `order-${hash}`;

/**
 * What an order is called outside the database: what its workflow was named by, where that is a short form,
 * else its id.
 */
export function orderNameOf({
  externalOrderId,
  workflowId,
}: {
  externalOrderId: string;
  workflowId: string;
}): string {
  return /^order-[a-z2-7]{26}(?=\/)/.exec(workflowId)?.[0] ?? externalOrderId;
}

/** So many characters of the order show in a list of workflows. */
const maxOrderChars = 40;

/**
 * The id of a purchase's workflow, the order first, since that is what an operator looks for in a list:
 * whatever a URL or a terminal dislikes in it is left out.
 * @param orderName the order's id, or its short form
 * @param keyHash a short keyed hash of credential and idempotency key, which tells two apart
 */
export function purchaseWorkflowId(orderName: string, mode: Mode, keyHash: string): string {
  const order = orderName.replace(/[^A-Za-z0-9._-]+/g, '_').slice(0, maxOrderChars);
  return `${order}/${mode}/${keyHash}`;
}

/** Work that may be slow has a task queue of its own, so that it holds up nothing but itself. */
export const slowWork = ['mail', 'audit', 'billing', 'reconciliation', 'jobs', 'webhooks'] as const;
export type SlowWork = (typeof slowWork)[number];

export function slowQueueOf(taskQueue: string, work: SlowWork): string {
  return `${taskQueue}-${work}`;
}
