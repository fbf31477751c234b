import type { Mode } from '../../domain/mode.ts';
import type { Models } from '../schemas/index.ts';
import { missingFundsIndex } from '../schemas/rewards.ts';

/** At most this many rewards are summed. */
const maxRewards = 20_000;

/** The funds that a partner's rewards are waiting for. */
export interface MissingFunds {
  partnerId: string;
  mode: Mode;
  currency: string;
  rewards: number;
  cents: number;
}

/**
 * The funds that rewards are waiting for, by partner: LIVE first, then by amount. Reads only the index,
 * and at most `maxRewards` rewards.
 */
export async function readMissingFunds({ rewards }: Models): Promise<MissingFunds[]> {
  return await rewards
    .aggregate<MissingFunds>([
      { $match: { status: 'AWAITING_FUNDING' } },
      { $limit: maxRewards },
      {
        $group: {
          _id: { partnerId: '$partnerId', mode: '$mode', currency: '$currency' },
          rewards: { $sum: 1 },
          cents: { $sum: '$liabilityCents' },
        },
      },
      { $sort: { '_id.mode': 1, cents: -1, '_id.partnerId': 1 } },
      {
        $project: {
          _id: 0,
          partnerId: '$_id.partnerId',
          mode: '$_id.mode',
          currency: '$_id.currency',
          rewards: 1,
          cents: 1,
        },
      },
    ])
    .option({ hint: missingFundsIndex });
}
