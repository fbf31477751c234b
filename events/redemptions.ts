import { type Answer, redemptionAnswer } from '../domain/answers.ts';
import { countedOn, redemptionDayOf } from '../domain/customer-days.ts';
import type { Draft } from '../domain/draft.ts';
import { ServiceError } from '../domain/errors.ts';
import { walletOf } from '../domain/postings.ts';
import type { Origin } from '../domain/purchase.ts';
import {
  type AskedPart,
  type Redemption,
  type RedemptionAction,
  type RedemptionSettings,
  spendable,
} from '../domain/redemption.ts';
import { act, holdingsIn, recordRedemption } from '../domain/redemption-facts.ts';

import { dayIn } from '../domain/time-zones.ts';
import {
  findEarlierRedemption,
  findRedemption,
  redemptionAnsweredBy,
} from '../models/events/redemptions.ts';
import { customerOfContact } from '../models/identity/customer-of-contact.ts';
import type { RedemptionEventDoc, RedemptionEventType } from '../models/schemas/redemptions.ts';
import { newId } from '../platform/ids.ts';
import { answerOnce } from './answer-once.ts';
import type { EventsDeps } from './deps.ts';

/** The partner's terms that apply to its customers' points. */
export interface CheckoutTerms {
  /** The country of phone numbers without a country code. */
  country: string | null;
  currency: string;
  /** In which a customer's day begins and ends. */
  timeZone: string;
  redemptions: RedemptionSettings;
}

/** A validated request to redeem points; either `points` or `amountCents` is given. */
export interface RedemptionRequest {
  externalRedemptionId: string;
  customer: { email?: string; phone?: string };
  points?: number;
  amountCents?: number;
  externalOrderId?: string;
  hold?: boolean;
}

/** The day that redemptions count in, if the partner limits those of a customer's day; otherwise null. */
export function redemptionDay(
  { timeZone, redemptions: { maxPointsPerCustomerDay } }: CheckoutTerms,
  at: string,
): string | null {
  if (maxPointsPerCustomerDay === null) return null;
  return dayIn(timeZone, at);
}

/**
 * Redeems a customer's points, or holds them, or finds the stored response: one read, one commit
 * (docs/concepts/rewards.md, Redemptions). A response that says a state which has ended is refused with
 * REDEMPTION_ENDED instead.
 * @throws ServiceError INSUFFICIENT_POINTS; PARTNER_NOT_ACTIVE if the partner does not allow redemptions
 */
export async function reportRedemption(
  deps: EventsDeps,
  origin: Origin,
  request: RedemptionRequest,
  terms: CheckoutTerms,
): Promise<Answer> {
  const { partnerId, mode, integrationId, receivedAt } = origin;
  const { externalRedemptionId, externalOrderId = null, points, amountCents = 0 } = request;
  const { country, currency, redemptions: settings } = terms;
  const { customerHashKey } = deps.config;
  const partner = { _id: partnerId, country };
  const customerId = customerOfContact(customerHashKey, partner, request.customer);
  const customerDay = redemptionDay(terms, receivedAt);
  const _id = newId('redemption', Date.parse(receivedAt));
  const asked = { ...origin, type: 'REDEEM', externalRedemptionId } as const;
  const look = () => findEarlierRedemption(deps.models, asked);
  return await answerOnce(look, async () => {
    if (!settings.isAllowed) throw notAllowed();
    return await deps.commit({
      partnerId,
      wallet: walletOf(origin),
      customerIds: [customerId],
      spenderIds: [customerId],
      customerDays: redemptionDayOf({ mode, customerId, customerDay }),
      decide(draft, at) {
        const redemption = recordRedemption(
          draft,
          {
            _id,
            partnerId,
            mode,
            integrationId,
            externalRedemptionId,
            externalOrderId,
            customerId,
            currency,
            customerDay,
            asked: points === undefined ? { amountCents } : { points },
            isHeld: request.hold ?? false,
          },
          at,
          settings,
        );
        return record(draft, origin, 'REDEEM', redemption, settings);
      },
    });
  });
}

/**
 * Captures, releases or reverses a redemption of the credential's integration, or a part of it, or finds the stored
 * response.
 * One that this was done with is answered as it is; after another end, REDEMPTION_ENDED, under whichever key.
 * @param part what to reverse; all that is left without it
 * @throws ServiceError NOT_FOUND; REDEMPTION_ENDED; INSUFFICIENT_POINTS for more than is left
 */
export async function endRedemption(
  deps: EventsDeps,
  origin: Origin,
  {
    redemptionId,
    action,
    part,
  }: { redemptionId: string; action: RedemptionAction; part?: AskedPart | undefined },
  { redemptions: settings }: Pick<CheckoutTerms, 'redemptions'>,
): Promise<Answer> {
  const { partnerId, mode, integrationId } = origin;
  const asked = { ...origin, type: action, redemptionId };
  const look = () => findEarlierRedemption(deps.models, asked);
  return await answerOnce(look, async () => {
    const of = { partnerId, mode, integrationId, _id: redemptionId };
    const found = await findRedemption(deps.models, of);
    if (found === null) throw unknownRedemption(mode);
    return await deps.commit({
      partnerId,
      wallet: walletOf(origin),
      redemptionIds: [redemptionId],
      readsHoldings: true,
      spenderIds: [found.customerId],
      decide(draft, at) {
        const stored = draft.redemptions.get(redemptionId);
        if (stored === undefined) throw unknownRedemption(mode);
        return record(draft, origin, action, act(draft, stored, action, at, part), settings);
      },
    });
  });
}

/** Adds the event with its response to the draft. */
function record(
  draft: Draft,
  origin: Origin,
  type: RedemptionEventType,
  redemption: Redemption,
  settings: RedemptionSettings,
): Answer {
  const receivedAt = new Date(origin.receivedAt);
  const eventId = newId('event', receivedAt.getTime());
  const { customerId, currency, externalOrderId } = redemption;
  const rate = { currency, pointsPerUnit: settings.pointsPerUnit };
  const held = holdingsIn(draft, customerId);
  const left = spendable(held, countedOn(draft, redemptionDayOf(redemption)), settings, rate);
  const event: RedemptionEventDoc = {
    ...origin,
    _id: eventId,
    type,
    redemptionId: redemption._id,
    externalOrderId,
    receivedAt,
    answer: JSON.stringify(redemptionAnswer({ mode: origin.mode, eventId }, redemption, left)),
  };
  draft.insert('redemptionEvents', event);
  return redemptionAnsweredBy(event);
}

const notAllowed = () =>
  new ServiceError(
    'PARTNER_NOT_ACTIVE',
    'This partner does not let customers spend points. An owner can allow it in the portal, under Redemptions.',
  );

const unknownRedemption = (mode: string) =>
  new ServiceError(
    'NOT_FOUND',
    `This integration has no redemption with this id in ${mode} mode. Use the id in the response to the redemption.`,
  );
