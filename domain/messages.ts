/** How a customer is reached. */
export const channels = ['EMAIL', 'SMS'] as const;

export type Channel = (typeof channels)[number];

/**
 * Why a customer was not told of a reward: a number that takes no text message, one that whoever carries
 * it refuses, or nobody who carries it for days.
 */
export type UndeliveredReason = 'NOT_TEXTABLE' | 'REFUSED' | 'GIVEN_UP';

/** A message about a reward that did not reach its customer. */
export interface Undelivered {
  channel: Channel;
  reason: UndeliveredReason;
  at: Date;
}
