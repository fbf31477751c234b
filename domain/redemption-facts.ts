import { type Refused, refusals, refused } from './answers.ts';
import { countedOn, countOn, redemptionDayOf } from './customer-days.ts';
import type { Draft } from './draft.ts';
import { due } from './due.ts';
import { ServiceError } from './errors.ts';
import { settle, type Terms } from './facts.ts';
import { moneyText } from './money.ts';
import { accounts, moveRedeemed, type RedemptionPlace, shareOf } from './postings.ts';
import {
  type AskedPart,
  doneBy,
  type Holdings,
  holdMs,
  leftOf,
  type NewRedemption,
  partOf,
  pointsFor,
  type Rate,
  type Redemption,
  type RedemptionAction,
  type RedemptionMove,
  type RedemptionPart,
  type RedemptionSettings,
  type RedemptionStatus,
  redemptionReferences,
  redemptionTable,
  remainingOf,
  reversalsOf,
  spendable,
  worthOf,
} from './redemption.ts';
import { renewEnd, totalOf } from './renew-end.ts';

/** The facts about redemptions, each decided on a draft, as those about rewards are (domain/facts.ts). */

/** What the customer of a draft can spend: what would remain if all their open reviews were upheld. */
export function holdingsIn(draft: Draft, customerId: string): Holdings {
  const { payable, points } = accounts;
  const held = {
    points: draft.balanceOf(points.customer(customerId)),
    owedCents: draft.balanceOf(payable(customerId)),
  };
  const rewards = [...draft.rewards.values()].filter((one) => one.customerId === customerId);
  return remainingOf(held, rewards, draft.customers.get(customerId));
}

/**
 * A customer's points pay for something, or are held for it.
 * @throws ServiceError INSUFFICIENT_POINTS, which names what there is
 */
export function recordRedemption(
  draft: Draft,
  { asked, isHeld, ...made }: NewRedemption,
  { at }: Pick<Terms, 'at'>,
  settings: Pick<RedemptionSettings, 'pointsPerUnit' | 'maxPointsPerCustomerDay'>,
): Redemption {
  const { _id, customerId, currency } = made;
  const rate = { currency, pointsPerUnit: settings.pointsPerUnit };
  const held = holdingsIn(draft, customerId);
  const today = countedOn(draft, redemptionDayOf(made));
  const points = 'points' in asked ? asked.points : pointsFor(held, asked.amountCents, rate);
  const most = spendable(held, today, settings, rate);
  if (points > most.points) throw insufficient(held, most, rate);
  const amountCents = 'points' in asked ? worthOf(held, points, rate) : asked.amountCents;
  const redemption: Redemption = {
    ...made,
    points,
    amountCents,
    owedCents: shareOf(held, points),
    status: isHeld ? 'HELD' : 'CAPTURED',
    expiresAt: isHeld ? new Date(at.getTime() + holdMs) : null,
    moves: [],
    version: 1,
    due: due(isHeld ? 'HOLD' : 'TELL', at),
    createdAt: at,
    updatedAt: at,
  };
  const [kind, reference] = isHeld
    ? ['HOLD', redemptionReferences.hold(_id)]
    : ['REDEEM', redemptionReferences.redeem(nameOf(made))];
  const heldBefore = totalOf(draft, customerId);
  carry(draft, redemption, { kind, reference, from: 'FREE', to: isHeld ? 'HELD' : 'SPENT' });
  renewEnd(draft, customerId, { at }, heldBefore);
  countOn(draft, redemptionDayOf(made), points);
  draft.redemptions.add(_id, redemption);
  return redemption;
}

/** An operator's reference never begins with `red_`, so that it takes the place of no other redemption. */
const nameOf = ({ _id, integrationId, externalRedemptionId }: NamedRedemption): string =>
  integrationId === null ? externalRedemptionId : _id;

type NamedRedemption = Pick<Redemption, '_id' | 'integrationId' | 'externalRedemptionId'>;

/** What was missing, and what there is. */
function insufficient(
  held: Holdings,
  most: { points: number; amountCents: number },
  { currency }: Rate,
): ServiceError {
  const worth = `${most.points} points, worth ${moneyText(most.amountCents, currency)}`;
  const message =
    most.points < held.points
      ? `The customer can spend ${worth}, today: the partner limits what a customer spends in a day. Nothing was redeemed.`
      : `The customer can spend ${worth}. Nothing was redeemed.`;
  return new ServiceError('INSUFFICIENT_POINTS', message);
}

const { reverse } = redemptionReferences;

/** Where each move takes the points, and the entry that it makes. */
const carriedBy = {
  CAPTURE: { kind: 'REDEEM', reference: redemptionReferences.redeem, from: 'HELD', to: 'SPENT' },
  RELEASE: { kind: 'UNHOLD', reference: redemptionReferences.unhold, from: 'HELD', to: 'FREE' },
  EXPIRE: { kind: 'UNHOLD', reference: redemptionReferences.unhold, from: 'HELD', to: 'FREE' },
  REVERSE: { kind: 'REVERSE', reference: reverse, from: 'SPENT', to: 'FREE' },
  REVERSE_PART: { kind: 'REVERSE', reference: reverse, from: 'SPENT', to: 'FREE' },
} as const;

/**
 * A partner captures, releases or reverses a redemption. One that this was done with stays as it is.
 * @param asked the part to reverse; all that is left without it
 * @throws ServiceError REDEMPTION_ENDED after another end, or after the hold's time; INSUFFICIENT_POINTS for a part
 *   that is more than is left
 */
export function act(
  draft: Draft,
  redemption: Redemption,
  action: RedemptionAction,
  terms: Terms,
  asked?: AskedPart,
): Redemption {
  const { status } = redemption;
  if (status === doneBy[action] && asked === undefined) return redemption;
  const isTooLate = action === 'CAPTURE' && isOver(redemption, terms.at);
  if (!(action in redemptionTable[status]) || isTooLate) {
    throw ended(redemption, action);
  }
  if (asked === undefined) return move(draft, redemption, action, terms);
  const part = partOf(redemption, asked);
  if (part === undefined) throw tooMuchBack(redemption);
  const isRest = part.points === leftOf(redemption).points;
  return isRest
    ? move(draft, redemption, action, terms)
    : move(draft, redemption, 'REVERSE_PART', terms, part);
}

/** What can still come back. */
function tooMuchBack(redemption: Redemption): ServiceError {
  const { points, amountCents } = leftOf(redemption);
  const worth = moneyText(amountCents, redemption.currency);
  return new ServiceError(
    'INSUFFICIENT_POINTS',
    `${points} points of redemption ${redemption._id}, worth ${worth}, are left to give back: points must be at most ${points}, or amountCents at most ${amountCents}. Nothing was changed.`,
  );
}

/** A hold's time is over: what was held comes back. One that ended before stays as it is. */
export function expireHold(draft: Draft, redemption: Redemption, terms: Terms): Redemption {
  if (!isOver(redemption, terms.at)) return redemption;
  return move(draft, redemption, 'EXPIRE', terms);
}

/** @param part what it moves; without it, what has not come back */
function move(
  draft: Draft,
  redemption: Redemption,
  made: RedemptionMove,
  terms: Terms,
  part?: RedemptionPart,
): Redemption {
  const { at } = terms;
  const { _id, customerId, moves, version } = redemption;
  const status = (
    redemptionTable[redemption.status] as Partial<Record<RedemptionMove, RedemptionStatus>>
  )[made];
  if (status === undefined) throw new Error(`${_id} is ${redemption.status}: no ${made}`);
  const { kind, reference: referenceOf, from, to } = carriedBy[made];
  const reference = referenceOf(_id, reversalsOf(redemption) + 1);
  const moved = part ?? leftOf(redemption);
  const heldBefore = totalOf(draft, customerId);
  carry(draft, { customerId, ...moved }, { kind, reference, from, to });
  if (from === 'SPENT' && moved.points > 0) {
    const isOlder = redemption.createdAt < (draft.wallet?.pointsEnd?.since ?? at);
    renewEnd(draft, customerId, terms, heldBefore, { points: moved.points, isOlder });
  } else if (to === 'SPENT') {
    renewEnd(draft, customerId, terms, heldBefore);
  }
  if (to === 'FREE') countOn(draft, redemptionDayOf(redemption), -moved.points);
  const after = {
    ...redemption,
    status,
    moves: [...moves, { move: made, at, status, ...(part && { part }) }],
    version: version + 1,
    due: dueAfter(redemption, made, at),
    updatedAt: at,
  };
  draft.redemptions.set(_id, after);
  if (to === 'FREE') settle(draft, redemption, terms, reference);
  return after;
}

/** What is due after a move: an ended hold needs no workflow, and what was captured is told. */
function dueAfter({ due: before }: Redemption, made: RedemptionMove, at: Date): Redemption['due'] {
  if (made === 'CAPTURE') return due('TELL', at);
  return made === 'REVERSE' || made === 'REVERSE_PART' ? before : null;
}

interface Carried {
  kind: string;
  reference: string;
  from: RedemptionPlace;
  to: RedemptionPlace;
}

/** Moves the points and their money. */
function carry(
  draft: Draft,
  redemption: Pick<Redemption, 'customerId' | 'points' | 'owedCents'>,
  { kind, reference, from, to }: Carried,
): void {
  const postings = moveRedeemed(redemption.customerId, redemption, from, to);
  draft.post(kind, reference, null, postings);
}

/**
 * Why the response to an earlier request about a redemption is not repeated: it says a state that has ended since.
 * @param said the state in that response
 * @returns null while the redemption is as it says
 */
export function endedSince(
  said: RedemptionStatus,
  redemption: Pick<Redemption, '_id' | 'status' | 'expiresAt'>,
  { at }: Pick<Terms, 'at'>,
): Refused | null {
  const { _id: id, status } = redemption;
  if (status === said && !isOver(redemption, at)) return null;
  return refusals.redemptionEnded({ id, because: endings[status] });
}

/** Whether points are held no longer, although what ends the hold has yet to come. */
const isOver = (
  { status, expiresAt }: Pick<Redemption, 'status' | 'expiresAt'>,
  at: Date,
): boolean => status === 'HELD' && expiresAt !== null && expiresAt <= at;

const endings = {
  HELD: 'is held, and its time is over: what was held comes back to the customer',
  CAPTURED: 'was captured; reverse it if its order is refunded',
  RELEASED: 'was released',
  EXPIRED: 'was not captured within 15 minutes, and what was held came back to the customer',
  REVERSED: 'was reversed',
} as const satisfies Record<RedemptionStatus, string>;

function ended({ _id: id, status }: Redemption, action: RedemptionAction): ServiceError {
  const because =
    status === 'HELD' && action === 'REVERSE' ? 'is held; release it instead' : endings[status];
  return refused(refusals.redemptionEnded({ id, because }));
}
