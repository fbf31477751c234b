import type { RewardDoc } from '../../schemas/rewards.ts';
import type { DocCheck } from '../sources.ts';
import { notCarriedOutSince } from './not-carried-out.ts';

/**
 * A LIVE reward's points are counted once it is funded, and returned once it no longer is. Those of
 * TEST rewards are never counted.
 */
export const usageOfRewards: DocCheck<RewardDoc> = {
  name: 'usage: every funded LIVE reward counts once',
  async problemsOf({ usage }, partnerId, rewards) {
    const references = rewards.flatMap(({ _id }) => [`usage:${_id}`, `giveBack:${_id}`]);
    const entries = await usage.chain.model.find(
      { partnerId, reference: { $in: references } },
      { reference: 1 },
    );
    const written = new Set(entries.map(({ reference }) => reference));
    return rewards.flatMap((doc) => {
      const isCounted = written.has(`usage:${doc._id}`);
      const isGivenBack = written.has(`giveBack:${doc._id}`);
      const wasFunded = doc.mode === 'LIVE' && doc.moves.some(({ move }) => move === 'FUND');
      const problem =
        (isCounted !== wasFunded && (wasFunded ? 'usage is missing' : 'it should not count')) ||
        (isGivenBack !== (wasFunded && !doc.funded) &&
          (isGivenBack ? 'it should count' : 'giveBack is missing'));
      if (!problem) return [];
      const named = `reward ${doc._id}, partner ${partnerId}, ${doc.mode}, ${doc.status}`;
      const isMissing = problem.endsWith('is missing');
      const waiting = isMissing && { waitingSince: notCarriedOutSince(doc) };
      return [{ doc, text: `${named}: ${problem}`, ...waiting }];
    });
  },
};
