import type {
  KnownCredential,
  KnownSecret,
  SuspectRequest,
} from '../../clients/typescript/doctor/index.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Sealer } from '../../platform/sealing.ts';
import type { CredentialDoc } from '../schemas/credential.ts';
import type { Models } from '../schemas/index.ts';
import type { RefusedRequestDoc } from '../schemas/refused-request.ts';
import { insertMissing } from '../store/insert-once.ts';

export const keptOfCredential = 100;
/** A partner with more credentials than this has more than a diagnosis needs. */
const maxOtherCredentials = 50;

/** A refused request as it is read: whose it was, and what of it was kept. */
export interface RefusedRequest extends Omit<RefusedRequestDoc, '_id' | 'sealed'> {
  requestId: string;
  request: SuspectRequest;
}

type Readers = { models: Models; sealer: Sealer };

/** The document of a refused request. */
export function sealRefusedRequest(
  sealer: Sealer,
  { requestId, request, ...rest }: RefusedRequest,
): RefusedRequestDoc {
  return { _id: requestId, ...rest, sealed: sealer.seal(JSON.stringify(request), requestId) };
}

/**
 * Stores refused requests of one credential, each once, and lets go of those past the newest hundred.
 */
export async function keepRefusedRequests(
  { refusedRequests }: Models,
  documents: readonly RefusedRequestDoc[],
): Promise<void> {
  const [first] = documents;
  if (!first) return;
  await insertMissing(refusedRequests, documents);
  const { partnerId, credentialId } = first;
  const ofCredential = { partnerId, credentialId };
  const [surplus] = await refusedRequests
    .find(ofCredential, { _id: 1 })
    .sort({ _id: -1 })
    .skip(keptOfCredential)
    .limit(1)
    .lean();
  if (surplus) await refusedRequests.deleteMany({ ...ofCredential, _id: { $lte: surplus._id } });
}

/** What is kept of a credential's refused requests, newest first: at most a hundred, of a week. */
export async function listRefusedRequests(
  { models, sealer }: Readers,
  { partnerId, _id: credentialId }: Pick<CredentialDoc, 'partnerId' | '_id'>,
): Promise<RefusedRequest[]> {
  const found = await models.refusedRequests
    .find({ partnerId, credentialId })
    .sort({ _id: -1 })
    .limit(keptOfCredential)
    .lean();
  return found.map((doc) => open(sealer, doc));
}

/** @throws ServiceError NOT_FOUND for one that was never kept, or is no longer */
export async function findRefusedRequest(
  { models, sealer }: Readers,
  { partnerId, _id: credentialId }: Pick<CredentialDoc, 'partnerId' | '_id'>,
  requestId: string,
): Promise<RefusedRequest> {
  const doc = await models.refusedRequests
    .findOne({ partnerId, credentialId, _id: requestId })
    .lean();
  if (doc) return open(sealer, doc);
  throw new ServiceError(
    'NOT_FOUND',
    `No refused request ${JSON.stringify(requestId)} is stored. The newest ${keptOfCredential} of each credential are kept for a week.`,
  );
}

/**
 * What a refused request may have been signed with: every secret of its credential, revoked ones too,
 * and the active secrets of the same partner's other credentials. Nobody else's are looked at.
 */
export async function knownSecrets(
  { models, sealer }: Readers,
  credential: CredentialDoc,
): Promise<KnownCredential> {
  const { partnerId, _id, apiKey, revokedAt } = credential;
  const others = await models.credentials
    .find({ partnerId, _id: { $ne: _id } })
    .sort({ _id: -1 })
    .limit(maxOtherCredentials)
    .lean();
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
  whoseIs: (isRevoked: boolean) => KnownSecret['whose'] | null,
): KnownSecret[] {
  return secrets.flatMap(({ secretId, sealed, revokedAt }) => {
    const whose = whoseIs(revokedAt !== null);
    if (whose === null) return [];
    const name = whose === 'REVOKED' ? secretId : credentialId;
    return [{ secret: sealer.open(sealed, credentialId), whose, name }];
  });
}

function open(sealer: Sealer, { _id: requestId, sealed, ...rest }: RefusedRequestDoc) {
  const request: SuspectRequest = JSON.parse(sealer.open(sealed, requestId));
  return { requestId, ...rest, request };
}
