import { type Refused, refusals, refused } from './answers.ts';
import { countedOn, countOn, redemptionDayOf } from './customer-days.ts';
import type { Draft } from './draft.ts';
import { due } from './due.ts';
import { ServiceError } from './errors.ts';
import { settle, type Terms } from './facts.ts';
import { moneyText } from './money.ts';
import { accounts, moveRedeemed, type RedemptionPlace, shareOf } from './postings.ts';
import {
  doneBy,
  type Holdings,
  holdMs,
  type NewRedemption,
  pointsFor,
  type Rate,
  type Redemption,
  type RedemptionAction,
  type RedemptionMove,
  type RedemptionSettings,
  type RedemptionStatus,
  redemptionReferences,
  redemptionTable,
  remainingOf,
  spendable,
  worthOf,
} from './redemption.ts';

/** The facts about redemptions, each decided on a draft, as those about rewards are (domain/facts.ts). */

/** What the customer of a draft can spend: what would remain if all their open reviews were upheld. */
export function holdingsIn(draft: Draft, customerId: string): Holdings {
  const { payable, points } = accounts;
  const held = {
    points: draft.balanceOf(points.customer(customerId)),
    owedCents: draft.balanceOf(payable(customerId)),
  };
  const rewards = [...draft.rewards.values()].filter((one) => one.customerId === customerId);
  return remainingOf(held, rewards);
}

/**
 * A customer's points pay for something, or are held for it.
 * @throws ServiceError INSUFFICIENT_POINTS, which names what there is
 */
export function redeem(
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
  carry(draft, redemption, { kind, reference, from: 'FREE', to: isHeld ? 'HELD' : 'SPENT' });
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

/** Where each move takes the points, and the entry that it makes. */
const carriedBy = {
  CAPTURE: { kind: 'REDEEM', reference: redemptionReferences.redeem, from: 'HELD', to: 'SPENT' },
  RELEASE: { kind: 'UNHOLD', reference: redemptionReferences.unhold, from: 'HELD', to: 'FREE' },
  EXPIRE: { kind: 'UNHOLD', reference: redemptionReferences.unhold, from: 'HELD', to: 'FREE' },
  REVERSE: { kind: 'REVERSE', reference: redemptionReferences.reverse, from: 'SPENT', to: 'FREE' },
} as const;

/**
 * A partner captures, releases or reverses a redemption. One that this was done with stays as it is.
 * @throws ServiceError REDEMPTION_ENDED after another end, or after the hold's time
 */
export function act(
  draft: Draft,
  redemption: Redemption,
  action: RedemptionAction,
  terms: Terms,
): Redemption {
  const { status } = redemption;
  if (status === doneBy[action]) return redemption;
  const isTooLate = action === 'CAPTURE' && isOver(redemption, terms.at);
  if (!(action in redemptionTable[status]) || isTooLate) {
    throw ended(redemption, action);
  }
  return move(draft, redemption, action, terms);
}

/** A hold's time is over: what was held comes back. One that ended before stays as it is. */
export function expireHold(draft: Draft, redemption: Redemption, terms: Terms): Redemption {
  if (!isOver(redemption, terms.at)) return redemption;
  return move(draft, redemption, 'EXPIRE', terms);
}

function move(
  draft: Draft,
  redemption: Redemption,
  made: RedemptionMove,
  terms: Terms,
): Redemption {
  const { at } = terms;
  const { _id, points, moves, version } = redemption;
  const status = (
    redemptionTable[redemption.status] as Partial<Record<RedemptionMove, RedemptionStatus>>
  )[made];
  if (status === undefined) throw new Error(`${_id} is ${redemption.status}: no ${made}`);
  const { kind, reference, from, to } = carriedBy[made];
  carry(draft, redemption, { kind, reference: reference(_id), from, to });
  if (to === 'FREE') countOn(draft, redemptionDayOf(redemption), -points);
  const after = {
    ...redemption,
    status,
    moves: [...moves, { move: made, at, status }],
    version: version + 1,
    due: dueAfter(redemption, made, at),
    updatedAt: at,
  };
  draft.redemptions.set(_id, after);
  if (to === 'FREE') settle(draft, redemption, terms, reference(_id));
  return after;
}

/** What is due after a move: an ended hold needs no workflow, and what was captured is told. */
function dueAfter({ due: before }: Redemption, made: RedemptionMove, at: Date): Redemption['due'] {
  if (made === 'CAPTURE') return due('TELL', at);
  return made === 'REVERSE' ? before : null;
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
