import { applyMove, type RewardSnapshot } from '../../domain/reward.ts';
import { orderNameOf } from '../../domain/workflow-names.ts';
import { currentTraceparent } from '../../platform/tracing.ts';
import type { Models } from '../schemas/index.ts';
import type { MadeMove, RewardDoc } from '../schemas/rewards.ts';
import { rewardMoved } from '../store/metric-events.ts';

/** Identifies a reward. */
export type RewardKey = Pick<RewardDoc, '_id' | 'partnerId'>;

/** A move to write: its time, its cause, and the fields that it changes besides the state. */
export interface RequestedMove
  extends Pick<MadeMove, 'move' | 'at'>,
    Partial<Pick<MadeMove, 'refundEventId' | 'reviewId'>> {
  also?: Partial<Pick<RewardDoc, 'review' | 'claimExpiresAt' | 'claimLanguage' | 'cancellation'>>;
}

/** Writes a move: `moveReward`, or its batched version. */
export type MoveReward = (reward: RewardDoc, request: RequestedMove) => Promise<RewardDoc | null>;

/**
 * Writes one move of the state table, if the reward still has the version that the caller read
 * (docs/domain.md, Storage). The move marks the reward as pending until its consequences are carried
 * out; a move that changes nothing is only recorded.
 * @returns the reward after the move; null if it was moved in the meantime, so that the caller must read
 *   it and decide again
 * @throws IllegalMoveError for a move that is not in the table
 */
export async function moveReward(
  models: Models,
  reward: RewardDoc,
  request: RequestedMove,
): Promise<RewardDoc | null> {
  const { filter, update, after } = writeOf(reward, request);
  const { matchedCount } = await models.rewards.collection.updateOne(filter, update);
  if (matchedCount === 0) return null;
  measureMove(reward, request);
  return after;
}

/** The write of a move, and the reward after it. */
export function writeOf(
  reward: RewardDoc,
  { move, at, refundEventId, reviewId, also = {} }: RequestedMove,
  { isMarked = true }: { isMarked?: boolean } = {},
) {
  const { _id, partnerId, version, carriedOut } = reward;
  const { status, customerStatus, funded } = applyMove(reward, move);
  const traceparent = currentTraceparent();
  const changesNothing = status === reward.status && funded === reward.funded;
  const made: MadeMove = {
    move,
    at,
    status,
    ...(refundEventId !== undefined && { refundEventId }),
    ...(reviewId !== undefined && { reviewId }),
    ...(traceparent !== undefined && { traceparent }),
  };
  const changed = {
    status,
    customerStatus,
    funded,
    ...also,
    version: version + 1,
    updatedAt: at,
    ...(changesNothing && carriedOut === version && { carriedOut: version + 1 }),
    ...(status !== reward.status && { toCount: true as const }),
    ...(!changesNothing && isMarked && { pendingSince: reward.pendingSince ?? at }),
  };
  return {
    filter: { partnerId, _id, version },
    update: { $set: changed, $push: { moves: made } } as object,
    after: { ...reward, ...changed, moves: [...reward.moves, made] } satisfies RewardDoc,
  };
}

/** Publishes a stored move for the metrics. */
export function measureMove(
  from: RewardDoc,
  { move, at }: Pick<RequestedMove, 'move' | 'at'>,
): void {
  const isFirstFunding = move === 'FUND' && from.status === 'PENDING';
  const firstFundedAfterMs = isFirstFunding ? at.getTime() - from.createdAt.getTime() : null;
  rewardMoved.publish({ mode: from.mode, move, firstFundedAfterMs });
}

/** Reads a reward with majority, so that a response based on it is never rolled back. */
export async function readReward(
  models: Models,
  { partnerId, _id }: RewardKey,
): Promise<RewardDoc> {
  const reward = await models.rewards.collection.findOne(
    { partnerId, _id: _id },
    { readConcern: { level: 'majority' } },
  );
  if (reward === null) throw new Error(`there is no reward ${_id}`);
  return reward;
}

/**
 * Writes the move that `decide` chooses. If the reward was moved in the meantime, it is read and decided
 * again; this terminates, because every repetition follows a move of another process.
 * @param decide chooses the move for the current state, or undefined for none
 * @returns the reward afterwards
 */
export async function moveUntilDecided(
  models: Models,
  reward: RewardDoc,
  decide: (reward: RewardDoc) => RequestedMove | undefined,
  move: MoveReward = (read, request) => moveReward(models, read, request),
): Promise<RewardDoc> {
  for (let read = reward; ; read = await readReward(models, reward)) {
    const request = decide(read);
    if (request === undefined) return read;
    const moved = await move(read, request);
    if (moved !== null) return moved;
  }
}

/** A reward in the form that its workflow uses. */
export function toSnapshot(doc: RewardDoc): RewardSnapshot {
  return {
    rewardId: doc._id,
    partnerId: doc.partnerId,
    integrationId: doc.integrationId,
    mode: doc.mode,
    externalOrderId: orderNameOf(doc),
    purchaseEventId: doc.purchaseEventId,
    points: doc.points,
    liabilityCents: doc.liabilityCents,
    customerId: doc.customerId,
    status: doc.status,
    customerStatus: doc.customerStatus,
    funded: doc.funded,
    claimExpiresAt: doc.claimExpiresAt.toISOString(),
    version: doc.version,
    review: doc.review,
    isPending: doc.pendingSince !== undefined,
    fundedAt: doc.funded
      ? (doc.moves.findLast(({ move }) => move === 'FUND')?.at.toISOString() ?? null)
      : null,
  };
}
