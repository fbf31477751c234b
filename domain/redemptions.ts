import type { Draft } from './draft.ts';
import { ServiceError } from './errors.ts';
import type { Terms } from './facts.ts';
import type { Mode } from './mode.ts';
import { moneyText } from './money.ts';
import { liveAccounts, moveRedeemed, type RedemptionPlace, shareOf } from './postings.ts';
import type { Reward } from './reward.ts';

/**
 * What a customer's points pay for (docs/domain.md, Redemptions). Each fact is decided on a draft, as those
 * about rewards are.
 */

/** From each state, what can happen to a redemption, and the state that follows. */
const table = {
  HELD: { CAPTURE: 'CAPTURED', RELEASE: 'RELEASED', EXPIRE: 'EXPIRED' },
  CAPTURED: { REVERSE: 'REVERSED' },
  RELEASED: {},
  EXPIRED: {},
  REVERSED: {},
} as const satisfies Record<string, Partial<Record<RedemptionAction | 'EXPIRE', string>>>;

export type RedemptionStatus = keyof typeof table;
export const redemptionStatuses = Object.keys(table) as readonly RedemptionStatus[];

/** What a partner does with a redemption after it was made. */
export const redemptionActions = ['CAPTURE', 'RELEASE', 'REVERSE'] as const;
export type RedemptionAction = (typeof redemptionActions)[number];
export type RedemptionMove = RedemptionAction | 'EXPIRE';

/** The state that an action leaves; a redemption that has it is answered as it is. */
const doneBy = { CAPTURE: 'CAPTURED', RELEASE: 'RELEASED', REVERSE: 'REVERSED' } as const;

/** Points that pay for an order, or are held for one. */
export interface Redemption {
  /** `red_…` */
  _id: string;
  partnerId: string;
  mode: Mode;
  /** Null for an operator's. */
  integrationId: string | null;
  /** Unique within the integration, or among the operators' of a partner. */
  externalRedemptionId: string;
  /** The order that they pay for, if the partner names it. */
  externalOrderId: string | null;
  customerId: string;
  points: number;
  /** What they pay for, in minor units of the currency. */
  amountCents: number;
  /** Their share of what the customer was owed, which moves with them, in minor units. */
  owedCents: number;
  currency: string;
  status: RedemptionStatus;
  /** Until when the points are held; null if they never were. */
  expiresAt: Date | null;
  /** The customer's day that they count in, if the partner has a daily limit; otherwise null. */
  customerDayId: string | null;
  moves: readonly { move: RedemptionMove; at: Date; status: RedemptionStatus }[];
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

/** Identifies a redemption to its workflows, which read everything else from the database. */
export interface RedemptionRef {
  partnerId: string;
  redemptionId: string;
}

/** How a partner's customers may spend their points. */
export type RedemptionSettings = {
  isAllowed: boolean;
  /** Points for one unit of the currency; null if a point pays for what it cost. */
  pointsPerUnit: number | null;
  /** The most points that a customer may redeem in a day; null for no limit. */
  maxPointsPerCustomerDay: number | null;
};

export const defaultRedemptionSettings: RedemptionSettings = {
  isAllowed: true,
  pointsPerUnit: null,
  maxPointsPerCustomerDay: null,
};

/** How long points are held unless they are captured. */
export const holdMs = 15 * 60_000;

/** What a customer can spend: points, and the money behind them in minor units. */
export interface Holdings {
  points: number;
  owedCents: number;
}

/** How points become an amount. */
export interface Rate {
  pointsPerUnit: number | null;
  currency: string;
}

/** The minor units of one unit of a currency: 100 for USD, 1 for JPY. */
function minorUnitsOf(currency: string): bigint {
  const { maximumFractionDigits: digits = 2 } = new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  return 10n ** BigInt(digits);
}

/**
 * What points pay for, in minor units, rounded down: at the partner's rate or, without one, their share of
 * what the customer is owed.
 * @param points at most those held
 */
export function worthOf(held: Holdings, points: number, { pointsPerUnit, currency }: Rate): number {
  if (pointsPerUnit === null) return shareOf(held, points);
  const worth = (BigInt(points) * minorUnitsOf(currency)) / BigInt(pointsPerUnit);
  return Number(worth > maxSafe ? maxSafe : worth);
}

const maxSafe = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * The fewest points that pay for an amount; infinite if no number of them does.
 * @param amountCents at least 1, in minor units
 */
export function pointsFor(held: Holdings, amountCents: number, rate: Rate): number {
  const { pointsPerUnit, currency } = rate;
  const [points, worth] =
    pointsPerUnit === null
      ? [BigInt(held.points), BigInt(held.owedCents)]
      : [BigInt(pointsPerUnit), minorUnitsOf(currency)];
  if (worth === 0n) return Number.POSITIVE_INFINITY;
  return Number((BigInt(amountCents) * points + worth - 1n) / worth);
}

/** What the customer of a draft can spend. */
export function holdingsIn(draft: Draft, customerId: string): Holdings {
  const { payable, points } = liveAccounts;
  return {
    points: draft.balanceOf(points.customer(customerId)),
    owedCents: draft.balanceOf(payable(customerId)),
  };
}

/**
 * What can be spent now: all that is held, or what the partner's daily limit leaves of it.
 * @param redeemedToday the points that count in the customer's day
 */
export function spendable(
  held: Holdings,
  redeemedToday: number,
  { maxPointsPerCustomerDay: max }: Pick<RedemptionSettings, 'maxPointsPerCustomerDay'>,
  rate: Rate,
): { points: number; amountCents: number } {
  const left = max === null ? held.points : Math.max(0, max - redeemedToday);
  const points = Math.min(held.points, left);
  return { points, amountCents: worthOf(held, points, rate) };
}

/** The points redeemed on the customer's day of a redemption. */
export const redeemedOn = (draft: Draft, customerDayId: string | null): number =>
  customerDayId === null ? 0 : (draft.customerDays.get(customerDayId) ?? 0);

/** The references of a redemption's entries, unique within a wallet. */
export const redemptionReferences = {
  hold: (redemptionId: string) => `hold:${redemptionId}`,
  redeem: (name: string) => `redeem:${name}`,
  unhold: (redemptionId: string) => `unhold:${redemptionId}`,
  reverse: (redemptionId: string) => `reverse:${redemptionId}`,
};

/** A redemption before its points are priced. */
export type NewRedemption = Omit<
  Redemption,
  | 'points'
  | 'amountCents'
  | 'owedCents'
  | 'status'
  | 'expiresAt'
  | 'moves'
  | 'version'
  | 'createdAt'
  | 'updatedAt'
> & {
  /** Either of them. */
  asked: { points: number } | { amountCents: number };
  isHeld: boolean;
};

/**
 * A customer's points pay for something, or are held for it.
 * @throws ServiceError INSUFFICIENT_POINTS, which names what there is
 */
export function redeem(
  draft: Draft,
  { asked, isHeld, ...made }: NewRedemption,
  { at }: Terms,
  settings: Pick<RedemptionSettings, 'pointsPerUnit' | 'maxPointsPerCustomerDay'>,
): Redemption {
  const { _id, customerId, currency, customerDayId } = made;
  const rate = { currency, pointsPerUnit: settings.pointsPerUnit };
  const held = holdingsIn(draft, customerId);
  const today = redeemedOn(draft, customerDayId);
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
    createdAt: at,
    updatedAt: at,
  };
  const [kind, reference] = isHeld
    ? ['HOLD', redemptionReferences.hold(_id)]
    : ['REDEEM', redemptionReferences.redeem(nameOf(made))];
  carry(draft, redemption, { kind, reference, from: 'FREE', to: isHeld ? 'HELD' : 'SPENT' });
  if (customerDayId !== null) draft.customerDays.set(customerDayId, today + points);
  draft.redemptions.set(_id, redemption);
  draft.wake({ kind: isHeld ? 'HOLD' : 'TELL', redemption });
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
  const { status, expiresAt } = redemption;
  if (status === doneBy[action]) return redemption;
  const isOver = status === 'HELD' && expiresAt !== null && expiresAt <= terms.at;
  if (!(action in table[status]) || (action === 'CAPTURE' && isOver)) {
    throw ended(redemption, action);
  }
  const after = move(draft, redemption, action, terms);
  if (action === 'CAPTURE') draft.wake({ kind: 'TELL', redemption: after });
  return after;
}

/** A hold's time is over: what was held comes back. One that ended before stays as it is. */
export function expireHold(draft: Draft, redemption: Redemption, terms: Terms): Redemption {
  const { status, expiresAt } = redemption;
  if (status !== 'HELD' || expiresAt === null || terms.at < expiresAt) return redemption;
  return move(draft, redemption, 'EXPIRE', terms);
}

function move(
  draft: Draft,
  redemption: Redemption,
  made: RedemptionMove,
  { at }: Terms,
): Redemption {
  const { _id, customerDayId, points, moves, version } = redemption;
  const status = (table[redemption.status] as Partial<Record<RedemptionMove, RedemptionStatus>>)[
    made
  ];
  if (status === undefined) throw new Error(`${_id} is ${redemption.status}: no ${made}`);
  const { kind, reference, from, to } = carriedBy[made];
  carry(draft, redemption, { kind, reference: reference(_id), from, to });
  if (to === 'FREE' && customerDayId !== null) {
    const left = Math.max(0, redeemedOn(draft, customerDayId) - points);
    draft.customerDays.set(customerDayId, left);
  }
  const after = {
    ...redemption,
    status,
    moves: [...moves, { move: made, at, status }],
    version: version + 1,
    updatedAt: at,
  };
  draft.redemptions.set(_id, after);
  return after;
}

interface Carried {
  kind: string;
  reference: string;
  from: RedemptionPlace;
  to: RedemptionPlace;
}

/** Moves the points and their money: by an entry of the ledger in LIVE, in the customer's balance alone in TEST. */
function carry(
  draft: Draft,
  redemption: Pick<Redemption, 'mode' | 'customerId' | 'points' | 'owedCents'>,
  { kind, reference, from, to }: Carried,
): void {
  const postings = moveRedeemed(redemption.customerId, redemption, from, to);
  if (redemption.mode === 'TEST') draft.postInTest(reference, postings);
  else draft.post(kind, reference, null, postings);
}

const endings = {
  HELD: 'is held, and its time is over: what was held comes back to the customer',
  CAPTURED: 'was captured; reverse it if its order is refunded',
  RELEASED: 'was released',
  EXPIRED: 'was not captured within 15 minutes, and what was held came back to the customer',
  REVERSED: 'was reversed',
} as const satisfies Record<RedemptionStatus, string>;

function ended({ _id, status }: Redemption, action: RedemptionAction): ServiceError {
  const because =
    status === 'HELD' && action === 'REVERSE' ? 'is held; release it instead' : endings[status];
  return new ServiceError('REDEMPTION_ENDED', `Redemption ${_id} ${because}. Nothing was changed.`);
}

/**
 * While a customer holds points at a checkout, it is not known whether they are spent: a refund whose points
 * are among them is upheld once the hold has ended, which takes 15 minutes at most.
 * @throws ServiceError CONFLICT
 */
export function requireFreeToTakeBack(
  draft: Draft,
  { customerId, points, liabilityCents }: Pick<Reward, 'customerId' | 'points' | 'liabilityCents'>,
): void {
  const free = holdingsIn(draft, customerId);
  const isAnyHeld = draft.balanceOf(liveAccounts.held.points(customerId)) > 0;
  if (!isAnyHeld || (free.points >= points && free.owedCents >= liabilityCents)) return;
  throw new ServiceError(
    'CONFLICT',
    'The customer is paying with these points right now. Decide again in 15 minutes at most.',
  );
}
