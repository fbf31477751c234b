import { ServiceError } from '../../domain/errors.ts';
import type { Mode } from '../../domain/mode.ts';
import { keptOfCredential } from '../events/refused-requests.ts';
import type { CredentialDoc } from '../schemas/credential.ts';
import { type PageQuery, page } from '../store/paging.ts';
import type { ViewDeps } from './deps.ts';
import { findOwnKey } from './keys.ts';
import type { PartnerScope } from './partner-scope.ts';

type Reading = Pick<ViewDeps, 'models'>;

/** A page of a partner's keys of a mode, each with how many of its refused requests are kept. */
export async function readRefusedByKey(
  { models }: Reading,
  partnerId: PartnerScope,
  mode: Mode,
  query: PageQuery,
) {
  const { items, nextCursor } = await page(
    models.credentials,
    [{ partnerId, mode }],
    query,
    (key) => key,
  );
  const kept = await models.refusedRequests.aggregate<{ _id: string; of: number; newest: Date }>([
    { $match: { partnerId, credentialId: { $in: items.map(({ _id }) => _id) } } },
    { $group: { _id: '$credentialId', of: { $sum: 1 }, newest: { $max: '$receivedAt' } } },
  ]);
  return { items, nextCursor, keptOf: new Map(kept.map((one) => [one._id, one])) };
}

export type RefusedByKey = Awaited<ReturnType<typeof readRefusedByKey>>;

/** The key under which a request was refused. @throws ServiceError NOT_FOUND, also where it is kept no longer */
export async function findKeyOfRefused(
  deps: Reading,
  partnerId: PartnerScope,
  requestId: string,
): Promise<CredentialDoc> {
  const kept = await deps.models.refusedRequests
    .findOne({ partnerId, _id: requestId }, { credentialId: 1 })
    .lean();
  if (kept) return await findOwnKey(deps, partnerId, kept.credentialId);
  throw new ServiceError(
    'NOT_FOUND',
    `No such refused request is kept. The newest ${keptOfCredential} of a key are, for a week.`,
  );
}
