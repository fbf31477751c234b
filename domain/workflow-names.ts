import type { Mode } from './mode.ts';

/** The workflow types and signals by which workflows are reached. */
export const purchaseWorkflow = { type: 'purchase' } as const;

export const jobWorkflow = { type: 'backgroundJob' } as const;
export const pointsLinkWorkflow = { type: 'pointsLink' } as const;
export const pointsEndWorkflow = { type: 'endPoints' } as const;
export const sendAgainWorkflow = { type: 'sendAgain' } as const;
export const holdWorkflow = { type: 'hold' } as const;

/** The activity that waits for an operator; its id is the review's. */
export const reviewActivity = 'adminReview';

export interface WebhookEndpointRef {
  partnerId: string;
  endpointId: string;
}

/** Signalled when a delivery to the endpoint is due. */
export const webhookWorkflow = { type: 'webhookEndpoint', woken: 'deliveriesDue' } as const;

/** What operators can filter workflows by, in the Temporal UI and on the command line. */
export const searchAttributes = {
  partnerId: 'PartnerId',
  mode: 'Mode',
  externalOrderId: 'ExternalOrderId',
  rewardId: 'RewardId',
  rewardStatus: 'RewardStatus',
} as const;

/** One workflow per job. */
export function jobWorkflowId(jobId: string): string {
  return `job/${jobId}`;
}

/**
 * One workflow per reward while a link is being sent: further requests during that time send no
 * second link.
 */
export function pointsLinkWorkflowId(rewardId: string): string {
  return `points-link/${rewardId}`;
}

/** A customer of TEST whose points the TEST clock moves towards their end. */
export interface EndOfPointsRef {
  partnerId: string;
  customerId: string;
  /** How many notices were given when somebody moved it, so that a retry moves it no further. */
  told: number;
}

/** One workflow per customer while the TEST clock moves the end of their points. */
export function pointsEndWorkflowId(customerId: string): string {
  return `points-end/${customerId}`;
}

/** A claim link that somebody in the partner's team sends again. */
export interface SendAgainRequest {
  /** Of the message, the same for every attempt. */
  id: string;
  partnerId: string;
  rewardId: string;
}

/** One workflow per reward while its link is sent again: further requests during that time send no second one. */
export function sendAgainWorkflowId(rewardId: string): string {
  return `send-again/${rewardId}`;
}

/** One workflow per held redemption, until its time is over. */
export function holdWorkflowId(redemptionId: string): string {
  return `hold/${redemptionId}`;
}

/** One workflow per webhook endpoint, while it has something to deliver. */
export function webhookWorkflowId(endpointId: string): string {
  return `webhook/${endpointId}`;
}

/** The name of an order whose id is a customer's address or phone number. @param hash keyed */
export const shortOrderName = (hash: string): string => `order-${hash}`;

/**
 * The name of an order outside the database: its short form if its workflow was named by that,
 * otherwise its id.
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

/** How many characters of the order a workflow id contains. */
const maxOrderChars = 40;

/**
 * The id of a purchase's workflow. It begins with the order, which is what operators look for,
 * without characters that are awkward in URLs and terminals.
 * @param orderName the order's id or its short form
 * @param keyHash a short keyed hash of credential and idempotency key, which makes the id unique
 */
export function purchaseWorkflowId(orderName: string, mode: Mode, keyHash: string): string {
  const order = orderName.replace(/[^A-Za-z0-9._-]+/g, '_').slice(0, maxOrderChars);
  return `${order}/${mode}/${keyHash}`;
}

/** Slow work has task queues of its own, so that it holds up nothing else. */
export const slowWork = ['mail', 'audit', 'billing', 'reconciliation', 'jobs', 'webhooks'] as const;
export type SlowWork = (typeof slowWork)[number];

export function slowQueueOf(taskQueue: string, work: SlowWork): string {
  return `${taskQueue}-${work}`;
}
