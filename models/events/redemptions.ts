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
 * (docs/contract.md, Idempotency). The unique indexes decide between concurrent requests.
 */
export async function findRedemptionAnswer(
  { redemptionEvents, redemptions }: Models,
  asked: NewRedemptionEvent,
): Promise<Answered | Refused | undefined> {
  const { partnerId, credentialId, integrationId, mode, type } = asked;
  const { idempotencyKeyHash, payloadHash } = asked;
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
  if (byKey) {
    // The same key and body under another path is another request.
    const isRepeat =
      byKey.payloadHash === payloadHash &&
      (asked.type === 'REDEEM' || asked.redemptionId === byKey.redemptionId);
    return isRepeat ? answeredBy(byKey) : refusals.conflict();
  }
  if (!duplicate) return undefined;
  const { _id: redemptionId, externalRedemptionId } = duplicate;
  const first = await redemptionEvents.findOne(
    { partnerId, redemptionId, type: 'REDEEM' },
    { _id: 1 },
  );
  return refusals.duplicateRedemption({
    eventId: first?._id ?? redemptionId,
    externalRedemptionId,
  });
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
