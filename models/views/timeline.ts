import type { Channel, Undelivered, UndeliveredReason } from '../../domain/messages.ts';
import type { Mode } from '../../domain/mode.ts';
import { maxRefundsPerOrder } from '../../domain/refusals.ts';
import type { RewardMove } from '../../domain/reward-states.ts';
import { reviewIdOf } from '../../platform/ids.ts';
import type { EntryDoc } from '../schemas/entries.ts';
import type { OrderEventDoc } from '../schemas/events.ts';
import type { Models } from '../schemas/index.ts';
import type { ReviewDoc } from '../schemas/reviews.ts';
import type { RewardDoc } from '../schemas/rewards.ts';

/** An entry of a reward's timeline. */
export interface Moment {
  at: Date;
  kind: 'EVENT' | 'MOVE' | 'REVIEW' | 'MONEY' | 'MESSAGE';
  /** The id of the event, review or transaction; null for others. */
  id: string | null;
  /** A sentence that describes it. */
  what: string;
  /** The state that a move led to. */
  status?: RewardDoc['status'];
  /** The postings; only of MONEY. */
  postings: Pick<EntryDoc['postings'][number], 'account' | 'unit' | 'amount' | 'balanceAfter'>[];
}

const moveWords: Record<RewardMove, string> = {
  FUND: 'The funds cover the reward: the customer can claim it',
  RUN_SHORT: 'The funds do not cover the reward: it is in the queue for funds',
  CLAIM: 'The customer claimed the reward',
  EXPIRE: 'The reward was not claimed in time and expired',
  REFUND: 'The refund was applied to the reward',
  CANCEL: 'An operator cancelled the reward',
  UPHOLD: 'An operator upheld the refund: the reward is cancelled',
  DISMISS: 'An operator dismissed the refund: the customer keeps the reward',
};

/** The order of entries with the same time: causes before consequences. */
const kindsInOrder: Moment['kind'][] = ['EVENT', 'MOVE', 'REVIEW', 'MONEY', 'MESSAGE'];

/**
 * The timeline of a purchase's reward, oldest first. All its parts are found by indexes, and their number
 * is bounded because an order has a maximum number of refunds.
 * @param reward null until it is created
 */
export async function readTimeline(
  models: Models,
  purchase: OrderEventDoc,
  reward: RewardDoc | null,
): Promise<Moment[]> {
  const { partnerId, mode, rewardId, _id: purchaseEventId } = purchase;
  const [events, entries] = await Promise.all([
    models.orderEvents.find({ partnerId, purchaseEventId }).limit(maxRefundsPerOrder + 1),
    chainOf(models, mode).find({ partnerId, rewardId }),
  ]);
  const reviewIds = events
    .filter(({ type }) => type === 'REFUND')
    .map(({ _id }) => reviewIdOf(_id));
  const reviews = await models.reviews.find({ partnerId, _id: { $in: reviewIds } });
  const moments = [
    ...events.map(momentOfEvent),
    ...(reward?.moves ?? []).map(momentOfMove),
    ...reviews.map(momentOfReview),
    ...entries.map(momentOfEntry),
    ...(reward?.undelivered ?? []).map(momentOfUndelivered),
  ];
  return moments.toSorted(
    (one, other) =>
      one.at.getTime() - other.at.getTime() ||
      kindsInOrder.indexOf(one.kind) - kindsInOrder.indexOf(other.kind),
  );
}

/** LIVE postings are in the ledger; TEST postings are in the integration's test funding. */
function chainOf({ ledger, testFunding }: Models, mode: Mode) {
  return mode === 'LIVE' ? ledger : testFunding;
}

function momentOfEvent({ _id, type, receivedAt, externalRefundId }: OrderEventDoc): Moment {
  const what =
    type === 'PURCHASE'
      ? 'The purchase was received and answered'
      : `The refund ${externalRefundId} was received and answered`;
  return { at: receivedAt, kind: 'EVENT', id: _id, what, postings: [] };
}

function momentOfMove({ at, move, status }: RewardDoc['moves'][number]): Moment {
  return { at, kind: 'MOVE', id: null, what: moveWords[move], status, postings: [] };
}

const channelWords: Record<Channel, string> = { EMAIL: 'email', SMS: 'text message' };

const undeliveredWords: Record<UndeliveredReason, string> = {
  NOT_TEXTABLE: 'the phone number cannot receive text messages',
  REFUSED: 'the recipient cannot be reached',
  GIVEN_UP: 'it could not be sent for three days',
};

function momentOfUndelivered({ at, channel, reason }: Undelivered): Moment {
  const what = `The customer did not get the ${channelWords[channel]}: ${undeliveredWords[reason]}`;
  return { at, kind: 'MESSAGE', id: null, what, postings: [] };
}

function momentOfReview({ _id, openedAt, rounds }: ReviewDoc): Moment {
  const overdue = rounds === 2 ? 'once' : `${rounds - 1} times`;
  const again = rounds > 1 ? `, and became overdue ${overdue}` : '';
  const what = `A review was opened${again}`;
  return { at: openedAt, kind: 'REVIEW', id: _id, what, postings: [] };
}

function momentOfEntry({ _id, at, kind, postings }: EntryDoc): Moment {
  return {
    at,
    kind: 'MONEY',
    id: _id,
    what: kind,
    postings: postings.map(({ account, unit, amount, balanceAfter }) => ({
      account,
      unit,
      amount,
      balanceAfter,
    })),
  };
}
