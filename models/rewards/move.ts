import type { RewardSnapshot } from '../../domain/reward.ts';
import { applyMove } from '../../domain/reward-states.ts';
import { orderNameOf } from '../../domain/workflow-names.ts';
import { currentTraceparent } from '../../platform/tracing.ts';
import type { Models } from '../schemas/index.ts';
import type { MadeMove, RewardDoc } from '../schemas/reward.ts';
import { rewardMoved } from '../store/metric-events.ts';

/** Names a reward. */
export type RewardKey = Pick<RewardDoc, '_id' | 'partnerId'>;

/** A move to make: when, what made it, and what it changes beside the state. */
export interface AskedMove
  extends Pick<MadeMove, 'move' | 'at'>,
    Partial<Pick<MadeMove, 'refundEventId' | 'reviewId'>> {
  also?: Partial<Pick<RewardDoc, 'review' | 'claimExpiresAt' | 'claimLanguage' | 'cancellation'>>;
}

/** How a reward is moved: alone, or together with those that are moved at the same time. */
export type MoveReward = (reward: RewardDoc, asked: AskedMove) => Promise<RewardDoc | null>;

/**
 * Writes one move of the state table, from exactly the version that the caller read (docs/domain.md,
 * Storage). It leaves on the reward what has to follow, and the mark that it is not carried out; one
 * that changes nothing leaves its entry alone.
 * @returns the reward after it; null where somebody else moved it first, who reads anew and decides again
 * @throws IllegalMoveError for a move that is not in the table
 */
export async function moveReward(
  models: Models,
  reward: RewardDoc,
  asked: AskedMove,
): Promise<RewardDoc | null> {
  const { filter, update, after } = writeOf(reward, asked);
  const { matchedCount } = await models.rewards.collection.updateOne(filter as never, update);
  if (matchedCount === 0) return null;
  measureMove(reward, asked);
  return after;
}

/** The write of a move, and the reward that it leaves. */
export function writeOf(
  reward: RewardDoc,
  { move, at, refundEventId, reviewId, also = {} }: AskedMove,
  { isMarked = true }: { isMarked?: boolean } = {},
) {
  const { _id, partnerId, version, carriedOut } = reward;
  const { status, customerStatus, funded } = applyMove(reward, move);
  const traceparent = currentTraceparent();
  const changesNothing = status === reward.status && funded === reward.funded;
  const made: MadeMove = {
    ...{ move, at, status },
    ...(refundEventId !== undefined && { refundEventId }),
    ...(reviewId !== undefined && { reviewId }),
    ...(traceparent !== undefined && { traceparent }),
  };
  const changed = {
    ...{ status, customerStatus, funded, ...also, version: version + 1, updatedAt: at },
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

/** Tells whoever measures it that a move is stored. */
export function measureMove(from: RewardDoc, { move, at }: Pick<AskedMove, 'move' | 'at'>): void {
  const isFirstFunding = move === 'FUND' && from.status === 'PENDING';
  const firstFundedAfterMs = isFirstFunding ? at.getTime() - from.createdAt.getTime() : null;
  rewardMoved.publish({ mode: from.mode, move, firstFundedAfterMs });
}

/** A reward as a majority has it: what is answered from it is not undone. */
export async function readReward(
  models: Models,
  { partnerId, _id }: RewardKey,
): Promise<RewardDoc> {
  const reward = await models.rewards.collection.findOne<RewardDoc>(
    { partnerId, _id: _id as never },
    { readConcern: { level: 'majority' } },
  );
  if (reward === null) throw new Error(`there is no reward ${_id}`);
  return reward;
}

/**
 * Makes a move as long as `decide` asks for it, and reads anew where somebody else came first: each
 * time one of them has moved, so that this ends.
 * @param decide gives the move that is to be made of the reward as it stands, or nothing
 * @returns the reward as it stands then
 */
export async function moveUntilDecided(
  models: Models,
  reward: RewardDoc,
  decide: (reward: RewardDoc) => AskedMove | undefined,
  move: MoveReward = (read, asked) => moveReward(models, read, asked),
): Promise<RewardDoc> {
  for (let read = reward; ; read = await readReward(models, reward)) {
    const asked = decide(read);
    if (asked === undefined) return read;
    const moved = await move(read, asked);
    if (moved !== null) return moved;
  }
}

/** A reward as its workflow holds it. */
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
