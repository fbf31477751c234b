import { channel } from 'node:diagnostics_channel';
import type { Channel, UndeliveredReason } from '../../domain/messages.ts';
import type { Mode } from '../../domain/mode.ts';
import type { RewardMove } from '../../domain/reward.ts';

/** An event for the metrics, which costs nothing if nobody subscribes. */
function metricEvent<Message>(name: string) {
  const events = channel(name);
  return {
    publish(message: Message): void {
      if (events.hasSubscribers) events.publish(message);
    },
    subscribe(listener: (message: Message) => void): void {
      events.subscribe((message) => listener(message as Message));
    },
  };
}

/** Entries that a commit appended to a wallet's ledger. */
export interface Appended {
  mode: Mode;
  entries: number;
}

export const appended = metricEvent<Appended>('models:appended');

/** A stored move of a reward. */
export interface RewardMoved {
  mode: Mode;
  move: RewardMove;
  /** The age of the purchase when its reward was first funded; null for all other moves. */
  firstFundedAfterMs: number | null;
}

export const rewardMoved = metricEvent<RewardMoved>('models:reward-moved');

/** An attempt to deliver a webhook. */
export interface WebhookTried {
  mode: Mode;
  isSuccess: boolean;
  durationMs: number;
  /** How long the delivery had waited before its first attempt; null for later ones. */
  firstTriedAfterMs: number | null;
}

export const webhookTried = metricEvent<WebhookTried>('models:webhook-tried');

/** Deleted old deliveries, and how many of them had never arrived. */
export const purgesOfWebhooks = metricEvent<{ deleted: number; undelivered: number }>(
  'models:webhooks-purged',
);

/** A message about a reward that did not reach its customer. */
export interface MessageUndelivered {
  channel: Channel;
  reason: UndeliveredReason;
  mode: Mode;
}

export const messageUndelivered = metricEvent<MessageUndelivered>('models:message-undelivered');
