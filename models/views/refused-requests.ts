import type {
  KnownCredential,
  KnownSecret,
  SuspectRequest,
} from '../../clients/typescript/doctor/index.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Mode } from '../../domain/mode.ts';
import type { Sealer } from '../../platform/sealing.ts';
import { keptOfCredential, type RefusedRequest } from '../events/refused-requests.ts';
import type { CredentialDoc } from '../schemas/integrations.ts';
import type { RefusedRequestDoc } from '../schemas/requests.ts';
import { type PageQuery, page } from '../store/paging.ts';
import type { ModelDeps, ViewDeps } from './deps.ts';
import { findOwnKey } from './keys.ts';
import type { PartnerScope } from './partner-scope.ts';

type SealedDeps = Pick<ViewDeps, 'models' | 'sealer'>;

/** Other credentials whose secrets are tried in a diagnosis. */
const maxOtherCredentials = 50;

/** A page of a partner's keys of a mode, each with the number of its stored refused requests. */
export async function readRefusedByKey(
  { models }: ModelDeps,
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

/** The key of a refused request. @throws ServiceError NOT_FOUND if the request is not stored, or no longer */
export async function findKeyOfRefused(
  deps: ModelDeps,
  partnerId: PartnerScope,
  requestId: string,
): Promise<CredentialDoc> {
  const kept = await deps.models.refusedRequests.findOne(
    { partnerId, _id: requestId },
    { credentialId: 1 },
  );
  if (kept) return await findOwnKey(deps, partnerId, kept.credentialId);
  throw new ServiceError(
    'NOT_FOUND',
    `This refused request is not stored. The newest ${keptOfCredential} of a key are kept for a week.`,
  );
}

/** The stored refused requests of a credential, newest first: at most 100, from the last week. */
export async function listRefusedRequests(
  { models, sealer }: SealedDeps,
  { partnerId, _id: credentialId }: Pick<CredentialDoc, 'partnerId' | '_id'>,
): Promise<RefusedRequest[]> {
  const kept = await models.refusedRequests
    .find({ partnerId, credentialId })
    .sort({ _id: -1 })
    .limit(keptOfCredential);
  return kept.map((doc) => open(sealer, doc));
}

/** @throws ServiceError NOT_FOUND if the request was never stored, or is no longer stored */
export async function findRefusedRequest(
  { models, sealer }: SealedDeps,
  { partnerId, _id: credentialId }: Pick<CredentialDoc, 'partnerId' | '_id'>,
  requestId: string,
): Promise<RefusedRequest> {
  const doc = await models.refusedRequests.findOne({ partnerId, credentialId, _id: requestId });
  if (doc) return open(sealer, doc);
  throw new ServiceError(
    'NOT_FOUND',
    `No refused request ${JSON.stringify(requestId)} is stored. The newest ${keptOfCredential} of each credential are kept for a week.`,
  );
}

/**
 * The secrets that a refused request may have been signed with: all secrets of its credential, including
 * revoked ones, and the active secrets of the same partner's other credentials, but no other partner's.
 */
export async function knownSecrets(
  { models, sealer }: SealedDeps,
  credential: CredentialDoc,
): Promise<KnownCredential> {
  const { partnerId, _id, apiKey, revokedAt } = credential;
  const others = await models.credentials
    .find({ partnerId, _id: { $ne: _id } })
    .sort({ _id: -1 })
    .limit(maxOtherCredentials);
  const ownSecrets = secretsOf(sealer, credential, (isRevoked) =>
    isRevoked ? 'REVOKED' : 'ACTIVE',
  );
  const otherSecrets = others.flatMap((other) =>
    secretsOf(sealer, other, (isRevoked) => {
      if (isRevoked) return null;
      return other.mode === credential.mode ? 'OTHER_CREDENTIAL' : 'OTHER_MODE';
    }),
  );
  return { apiKey, isRevoked: revokedAt !== null, secrets: [...ownSecrets, ...otherSecrets] };
}

function secretsOf(
  sealer: Sealer,
  { _id: credentialId, secrets }: CredentialDoc,
  kindOf: (isRevoked: boolean) => KnownSecret['whose'] | null,
): KnownSecret[] {
  return secrets.flatMap(({ secretId, sealed, revokedAt }) => {
    const whose = kindOf(revokedAt !== null);
    if (whose === null) return [];
    const name = whose === 'REVOKED' ? secretId : credentialId;
    return [{ secret: sealer.open(sealed, credentialId), whose, name }];
  });
}

function open(sealer: Sealer, { _id: requestId, sealed, ...rest }: RefusedRequestDoc) {
  const request: SuspectRequest = JSON.parse(sealer.open(sealed, requestId));
  return { requestId, ...rest, request };
}
