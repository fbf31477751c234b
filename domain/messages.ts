/** How customers are sent messages. */
export const channels = ['EMAIL', 'SMS'] as const;

export type Channel = (typeof channels)[number];

/** How long sending a message is retried. Anything older was sent, or cannot be. */
export const mailPatienceMs = 3 * 86_400_000;

/**
 * Why a message did not reach its customer: the number cannot receive text messages, the carrier
 * refused it, or the carrier was unavailable for days.
 */
export type UndeliveredReason = 'NOT_TEXTABLE' | 'REFUSED' | 'GIVEN_UP';

export interface Undelivered {
  channel: Channel;
  reason: UndeliveredReason;
  at: Date;
}
