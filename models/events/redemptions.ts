import type { Answered, Refused } from '../../domain/answers.ts';
import { refusals } from '../../domain/answers.ts';
import type { Origin } from '../../domain/purchase.ts';
import type { Models } from '../schemas/index.ts';
import type {
  RedemptionDoc,
  RedemptionEventDoc,
  RedemptionEventType,
} from '../schemas/redemptions.ts';

/** A request about a redemption, and what distinguishes it from its repeats. */
export type NewRedemptionEvent = Pick<
  Origin,
  'partnerId' | 'credentialId' | 'integrationId' | 'mode' | 'idempotencyKeyHash' | 'payloadHash'
> &
  (
    | { type: 'REDEEM'; externalRedemptionId: string }
    | { type: Exclude<RedemptionEventType, 'REDEEM'>; redemptionId: string }
  );

/** From majority reads, since a repeat must not be answered from a write that may be undone. */
const settled = { readConcern: { level: 'majority' } } as const;

/**
 * The stored response to a request about a redemption, or its refusal; undefined if it is new
 * (docs/integrate/idempotency.md, Idempotency). The unique indexes decide between concurrent requests.
 */
export async function findRedemptionAnswer(
  { redemptionEvents, redemptions }: Models,
  asked: NewRedemptionEvent,
): Promise<Answered | Refused | undefined> {
  const { partnerId, credentialId, integrationId, mode, type } = asked;
  const { idempotencyKeyHash } = asked;
  const key = { partnerId, credentialId, type, idempotencyKeyHash };
  const [byKey, duplicate] = await Promise.all([
    redemptionEvents.collection.findOne(key, settled),
    asked.type === 'REDEEM'
      ? redemptions.collection.findOne<RedemptionDoc>(
          {
            partnerId,
            mode,
            integrationId,
            externalRedemptionId: asked.externalRedemptionId,
          },
          settled,
        )
      : null,
  ]);
  if (byKey) return answerTo(asked, byKey);
  if (!duplicate) return undefined;
  const { _id: redemptionId, externalRedemptionId } = duplicate;
  const ofDuplicate = { partnerId, redemptionId, type: 'REDEEM' } as const;
  const first = await redemptionEvents.collection.findOne(ofDuplicate, settled);
  // The two reads above are not of one moment: what only the second saw may be of this very key.
  const isOfKey =
    first?.credentialId === credentialId && first.idempotencyKeyHash === idempotencyKeyHash;
  if (isOfKey) return answerTo(asked, first);
  return refusals.duplicateRedemption({
    eventId: first?._id ?? redemptionId,
    externalRedemptionId,
  });
}

/** The same key and body under another path is another request. */
function answerTo(asked: NewRedemptionEvent, stored: RedemptionEventDoc): Answered | Refused {
  const isRepeat =
    stored.payloadHash === asked.payloadHash &&
    (asked.type === 'REDEEM' || asked.redemptionId === stored.redemptionId);
  return isRepeat ? answeredBy(stored) : refusals.conflict();
}

export const answeredBy = ({
  _id: eventId,
  answer: body,
  requestId,
}: Pick<RedemptionEventDoc, '_id' | 'answer' | 'requestId'>): Answered => ({
  kind: 'ANSWERED',
  eventId,
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
