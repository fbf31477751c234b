import type { Mode } from '../domain/mode.ts';
import { type RedemptionMove, redemptionReferences, reversalsOf } from '../domain/redemption.ts';
import type { Models } from '../models/schemas/index.ts';
import type { RedemptionDoc, RedemptionEventDoc } from '../models/schemas/redemptions.ts';
import { type ListPage, type PageQuery, readPage } from '../models/store/paging.ts';
import type { ModelDeps } from './deps.ts';
import { inOrder, type Moment, momentOfEntry } from './event.ts';
import { inScope, type PartnerScope, type ReadScope } from './partner-scope.ts';

/** A partner's redemptions in a mode, newest first. */
export async function readRedemptions(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  mode: Mode,
  query: PageQuery,
): Promise<ListPage<RedemptionDoc>> {
  return await readPage(models.redemptions, [{ partnerId, mode }], query, (one) => one);
}

/** The newest redemptions shown of a customer. */
const maxShown = 25;

/** Where a customer's points went, newest first. */
export async function redemptionsOf(
  { redemptions }: Pick<Models, 'redemptions'>,
  {
    partnerId,
    customerId,
    modes,
  }: { partnerId: string; customerId: string; modes: readonly Mode[] },
): Promise<RedemptionDoc[]> {
  return await redemptions
    .find({ partnerId, customerId, mode: { $in: modes } })
    .sort({ _id: -1 })
    .limit(maxShown);
}

/** A redemption with what was asked and what moved. */
export interface RedemptionDetails {
  redemption: RedemptionDoc;
  /** What the shop asked, oldest first; empty for an operator's redemption. */
  events: RedemptionEventDoc[];
  /** Oldest first. */
  timeline: Moment[];
  /** Undefined if it no longer exists, or for an operator's redemption. */
  integrationName: string | undefined;
}

/** The details of a redemption; null if the scope has none with this id. */
export async function readRedemption(
  { models }: ModelDeps,
  scope: ReadScope,
  redemptionId: string,
): Promise<RedemptionDetails | null> {
  const redemption = await models.redemptions.findOne({ ...inScope(scope), _id: redemptionId });
  if (redemption === null) return null;
  const { partnerId, integrationId, externalRedemptionId } = redemption;
  const { hold, redeem, unhold, reverse } = redemptionReferences;
  const booked = integrationId === null ? externalRedemptionId : redemptionId;
  const references = [
    ...[hold(redemptionId), unhold(redemptionId), redeem(booked)],
    ...Array.from({ length: reversalsOf(redemption) }, (_, nth) => reverse(redemptionId, nth + 1)),
  ];
  const [events, entries, integration] = await Promise.all([
    models.redemptionEvents.find({ partnerId, redemptionId }).sort({ _id: 1 }).limit(maxShown),
    models.ledger.find({ partnerId, mode: redemption.mode, reference: { $in: references } }),
    integrationId === null
      ? null
      : models.integrations.findOne({ partnerId, _id: integrationId }, { name: 1 }),
  ]);
  const timeline = [
    { ...made(redemption), at: redemption.createdAt },
    ...redemption.moves.map(({ move, at, status }) => ({ what: moveWords[move], at, status })),
  ].map((moment) => ({ ...moment, kind: 'MOVE' as const, id: null, postings: [] }));
  return {
    redemption,
    events,
    timeline: inOrder([...timeline, ...entries.map(momentOfEntry)]),
    integrationName: integration?.name,
  };
}

const made = ({ expiresAt }: RedemptionDoc): Pick<Moment, 'what' | 'status'> =>
  expiresAt === null
    ? { what: 'The customer paid with the points', status: 'CAPTURED' }
    : { what: 'The points were set aside for an order', status: 'HELD' };

const moveWords: Record<RedemptionMove, string> = {
  CAPTURE: 'The order was paid: the points are spent',
  RELEASE: 'The order was not placed: the points came back to the customer',
  EXPIRE: 'They were not captured in time: the points came back to the customer',
  REVERSE: 'The order was refunded: the points came back to the customer',
  REVERSE_PART: 'A part of the order was refunded: so much of the points came back to the customer',
};

/** The redemption that an event is about; null if the scope has no such event. */
export async function redemptionOfEvent(
  { models }: ModelDeps,
  scope: ReadScope,
  eventId: string,
): Promise<string | null> {
  const event = await models.redemptionEvents.findOne(
    { ...inScope(scope), _id: eventId },
    { redemptionId: 1 },
  );
  return event?.redemptionId ?? null;
}
