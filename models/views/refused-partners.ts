import { idBound } from '../../platform/ids.ts';
import type { Models } from '../schemas/index.ts';
import { refusedIndex } from '../schemas/requests.ts';

/** At most this many rows are counted; a row may count many requests. */
const maxRows = 20_000;

/** A partner with refused requests. */
export interface RefusedPartner {
  partnerId: string;
  requests: number;
  /** Most frequent first. */
  codes: { code: string; requests: number }[];
}

/**
 * The partners with requests refused since an instant, most refused requests first. Reads only the index,
 * and at most `maxRows` rows, the newest.
 */
export async function readRefusedPartners(
  { integrationEvents }: Models,
  since: Date,
): Promise<RefusedPartner[]> {
  return await integrationEvents
    .aggregate<RefusedPartner>([
      {
        $match: {
          status: { $gte: 400 },
          _id: { $gte: idBound('integrationEvent', since.getTime()) },
        },
      },
      { $sort: { _id: -1 } },
      { $limit: maxRows },
      {
        $group: {
          _id: { partnerId: '$partnerId', code: '$code' },
          requests: { $sum: '$count' },
        },
      },
      { $sort: { requests: -1 } },
      {
        $group: {
          _id: '$_id.partnerId',
          requests: { $sum: '$requests' },
          codes: { $push: { code: '$_id.code', requests: '$requests' } },
        },
      },
      { $sort: { requests: -1, _id: 1 } },
      { $project: { _id: 0, partnerId: '$_id', requests: 1, codes: 1 } },
    ])
    .option({ hint: refusedIndex });
}
