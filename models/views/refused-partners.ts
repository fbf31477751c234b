import { idBound } from '../../platform/ids.ts';
import type { Models } from '../schemas/index.ts';
import { refusedIndex } from '../schemas/integration-event.ts';

/** So many rows are counted; a row may stand for many requests. */
const maxRows = 20_000;

/** A partner some of whose requests were refused. */
export interface RefusedPartner {
  partnerId: string;
  requests: number;
  /** The commonest reasons first. */
  codes: { code: string; requests: number }[];
}

/**
 * Whose requests were refused since an instant, and why, most refused first. Index keys alone, and of
 * no more than the newest rows.
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
