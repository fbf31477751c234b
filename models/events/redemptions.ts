import { type Answered, type Earlier, refusals } from '../../domain/answers.ts';
import type { Origin } from '../../domain/purchase.ts';
import {
  type Redemption,
  type RedemptionStatus,
  redemptionStatuses,
} from '../../domain/redemption.ts';
import { endedSince } from '../../domain/redemption-facts.ts';
import type { Models } from '../schemas/index.ts';
import {
  type RedemptionDoc,
  type RedemptionEventDoc,
  type RedemptionEventType,
  redemptionListIndexes,
} from '../schemas/redemptions.ts';
import {
  type ChangeQuery,
  type Changes,
  conditionsOf,
  pageOfChanges,
  readLimit,
  sortOf,
} from '../store/change-paging.ts';
import { settled } from '../store/settled.ts';

/** A request about a redemption, and what distinguishes it from its repeats. */
export type NewRedemptionEvent = Pick<
  Origin,
  | 'partnerId'
  | 'credentialId'
  | 'integrationId'
  | 'mode'
  | 'idempotencyKeyHash'
  | 'payloadHash'
  | 'receivedAt'
> &
  (
    | { type: 'REDEEM'; externalRedemptionId: string }
    | { type: Exclude<RedemptionEventType, 'REDEEM'>; redemptionId: string }
  );

/** Finds earlier requests with the same key, or about a redemption with the same id of the partner's. */
export async function findEarlierRedemption(
  models: Models,
  asked: NewRedemptionEvent,
): Promise<Earlier> {
  const { redemptionEvents, redemptions } = models;
  const { partnerId, credentialId, integrationId, mode, type } = asked;
  const { idempotencyKeyHash } = asked;
  const key = { partnerId, credentialId, type, idempotencyKeyHash };
  const [byKey, duplicate] = await Promise.all([
    redemptionEvents.collection.findOne(key, settled),
    asked.type === 'REDEEM'
      ? redemptions.collection.findOne<RedemptionDoc>(
          { partnerId, mode, integrationId, externalRedemptionId: asked.externalRedemptionId },
          settled,
        )
      : null,
  ]);
  if (byKey) return { byKey: await repeatOf(models, asked, byKey), taken: undefined };
  if (!duplicate) return { byKey: undefined, taken: undefined };
  const { _id: redemptionId, externalRedemptionId } = duplicate;
  const ofDuplicate = { partnerId, redemptionId, type: 'REDEEM' } as const;
  const first = await redemptionEvents.collection.findOne(ofDuplicate, settled);
  // The two reads above are not of one moment: what only the second saw may be of this very key.
  const isOfKey =
    first?.credentialId === credentialId && first.idempotencyKeyHash === idempotencyKeyHash;
  if (isOfKey) return { byKey: await repeatOf(models, asked, first), taken: undefined };
  const eventId = first?._id ?? redemptionId;
  return {
    byKey: undefined,
    taken: refusals.duplicateRedemption({ eventId, externalRedemptionId }),
  };
}

/**
 * What a request under a known key is: the same key and body under another path is another request. The stored
 * response is repeated while the redemption is still as it says.
 */
async function repeatOf(models: Models, asked: NewRedemptionEvent, stored: RedemptionEventDoc) {
  const isSame =
    stored.payloadHash === asked.payloadHash &&
    (asked.type === 'REDEEM' || asked.redemptionId === stored.redemptionId);
  const { partnerId, mode, integrationId, redemptionId: _id } = stored;
  const redemption = await findRedemption(models, { partnerId, mode, integrationId, _id });
  if (redemption === null) throw new Error(`${stored._id} is of no redemption`);
  const at = new Date(asked.receivedAt);
  const ended = endedSince(statusIn(stored.answer), redemption, { at });
  return { isSame, answer: ended ?? redemptionAnsweredBy(stored) };
}

const statusIn = (answer: string): Redemption['status'] => {
  const said: { redemption: Pick<Redemption, 'status'> } = JSON.parse(answer);
  return said.redemption.status;
};

export const redemptionAnsweredBy = ({
  _id: eventId,
  externalOrderId,
  answer: body,
  requestId,
}: Pick<RedemptionEventDoc, '_id' | 'externalOrderId' | 'answer' | 'requestId'>): Answered => ({
  kind: 'ANSWERED',
  eventId,
  externalOrderId,
  body,
  requestId,
});

/** A redemption of an integration's partner and mode; null if there is none. */
export async function findRedemption(
  { redemptions }: Pick<Models, 'redemptions'>,
  of: Pick<RedemptionDoc, 'partnerId' | 'mode' | '_id'> & { integrationId: string },
): Promise<RedemptionDoc | null> {
  return await redemptions.collection.findOne<RedemptionDoc>({ ...of }, settled);
}

type OfIntegration = Pick<RedemptionDoc, 'partnerId' | 'mode'> & { integrationId: string };

/** A page of an integration's redemptions, the newest change first; of a customer's, the newest first. */
export async function findRedemptions(
  { redemptions }: Pick<Models, 'redemptions'>,
  { partnerId, mode, integrationId }: OfIntegration,
  {
    status,
    customerId,
  }: { status?: RedemptionStatus | undefined; customerId?: string | undefined },
  query: ChangeQuery,
): Promise<Changes<RedemptionDoc>> {
  const order = customerId === undefined ? 'CHANGE' : 'AGE';
  const ofCustomer = customerId === undefined ? {} : { customerId };
  const among = status === undefined ? redemptionStatuses : [status];
  const of = { partnerId, mode, integrationId, ...ofCustomer, status: { $in: among } };
  const found = await redemptions.collection
    .find<RedemptionDoc>(
      { $and: [of, ...conditionsOf('redemption', query, order)] },
      {
        hint: redemptionListIndexes[order === 'CHANGE' ? 'changed' : 'customer'],
        sort: sortOf[order],
        limit: readLimit(query),
        ...settled,
      },
    )
    .toArray();
  return pageOfChanges(found, query);
}

/** The most redemptions of one order that are told (docs/integrate/reconciliation.md, Reads). */
export const maxRedemptionsOfOrder = 100;

/** The redemptions that paid, or were to pay, for each of some orders of an integration, the newest first. */
export async function findRedemptionsOfOrders(
  { redemptions }: Pick<Models, 'redemptions'>,
  { partnerId, mode, integrationId }: OfIntegration,
  externalOrderIds: readonly string[],
): Promise<Map<string, RedemptionDoc[]>> {
  if (externalOrderIds.length === 0) return new Map();
  const found = await redemptions.collection
    .aggregate<{ _id: string; redemptions: RedemptionDoc[] }>(
      [
        {
          $match: {
            partnerId,
            mode,
            integrationId,
            externalOrderId: { $in: [...externalOrderIds], $type: 'string' },
          },
        },
        { $sort: { externalOrderId: 1, _id: -1 } },
        {
          $group: {
            _id: '$externalOrderId',
            redemptions: { $firstN: { n: maxRedemptionsOfOrder, input: '$$ROOT' } },
          },
        },
      ],
      { hint: redemptionListIndexes.order, ...settled },
    )
    .toArray();
  return new Map(found.map((one) => [one._id, one.redemptions]));
}
