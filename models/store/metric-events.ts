import { channel } from 'node:diagnostics_channel';
import type { Channel, UndeliveredReason } from '../../domain/messages.ts';
import type { Mode } from '../../domain/mode.ts';
import type { RewardMove } from '../../domain/reward-states.ts';

/** Something the models did, published for the metrics; it costs nothing where nobody subscribes. */
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

/** One write to a collection of chains. */
export interface Appended {
  collection: string;
  entries: number;
  /** Whether another append took a place first, so that what is left is decided anew. */
  raced: boolean;
}

export const appended = metricEvent<Appended>('models:appended');

/** One move of a reward, now stored. */
export interface RewardMoved {
  mode: Mode;
  move: RewardMove;
  /** How old the purchase was when its reward was first funded; null on every other move. */
  firstFundedAfterMs: number | null;
}

export const rewardMoved = metricEvent<RewardMoved>('models:reward-moved');

/** One try to deliver a webhook. */
export interface WebhookTried {
  mode: Mode;
  isSuccess: boolean;
  durationMs: number;
  /** How long it had waited; null on every try but the first. */
  firstTriedAfterMs: number | null;
}

export const webhookTried = metricEvent<WebhookTried>('models:webhook-tried');

/** Old deliveries that were deleted, and how many of them had never arrived. */
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
