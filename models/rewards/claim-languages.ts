import type { Language } from '../../domain/languages.ts';
import type { Mode } from '../../domain/mode.ts';
import { createBatchedReads } from '../../platform/batched-reads.ts';
import type { Models } from '../schemas/index.ts';
import type { RewardDoc } from '../schemas/reward.ts';

/** How many of a customer's newest rewards are searched for the language in which they claim. */
const rewardsSearched = 10;
/** Each takes a stage of the pipeline. */
const maxTogether = 100;

interface Request {
  partnerId: string;
  mode: Mode;
  customerId: string;
  rewardId: string;
}

/**
 * Finds the language in which a customer claimed a reward or, if it is unclaimed, the newest reward
 * that they claimed before it; undefined if they have claimed none recently. Concurrent requests
 * share a read.
 */
export function createClaimLanguages({ rewards }: Models) {
  const read = createBatchedReads<Request, Language | undefined>(
    { maxBatch: maxTogether },
    async (requests) => {
      const [first = [], ...others] = requests.map(newestClaims);
      const pipeline = [...first, ...others.map(unionWith)];
      const claims = await rewards.collection
        .aggregate<Pick<RewardDoc, 'claimLanguage'> & { place: number }>(pipeline)
        .toArray();
      return requests.map((_request, place) => {
        const claim = claims.find((one) => one.place === place);
        return claim?.claimLanguage;
      });
    },
  );
  const unionWith = (pipeline: object[]) => ({
    $unionWith: { coll: rewards.collection.name, pipeline },
  });
  return ({ partnerId, mode, customerId, rewardId }: Request) =>
    read('all', { partnerId, mode, customerId, rewardId });
}

function newestClaims({ partnerId, mode, customerId, rewardId }: Request, place: number): object[] {
  return [
    { $match: { customerId, partnerId, mode, _id: { $lte: rewardId } } },
    { $sort: { _id: -1 } },
    { $limit: rewardsSearched },
    { $match: { claimLanguage: { $exists: true } } },
    { $limit: 1 },
    { $project: { _id: 0, claimLanguage: 1, place: { $literal: place } } },
  ];
}
