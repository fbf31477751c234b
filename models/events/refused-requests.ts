import type { SuspectRequest } from '../../clients/typescript/doctor/index.ts';
import type { Sealer } from '../../platform/sealing.ts';
import type { Models } from '../schemas/index.ts';
import type { RefusedRequestDoc } from '../schemas/requests.ts';
import { insertMissing } from '../store/insert-once.ts';

export const keptOfCredential = 100;

/** A refused request with its content opened. */
export interface RefusedRequest extends Omit<RefusedRequestDoc, '_id' | 'sealed'> {
  requestId: string;
  request: SuspectRequest;
}

export function sealRefusedRequest(
  sealer: Sealer,
  { requestId, request, ...rest }: RefusedRequest,
): RefusedRequestDoc {
  return { _id: requestId, ...rest, sealed: sealer.seal(JSON.stringify(request), requestId) };
}

/** Stores refused requests of one credential, each once, and deletes all but the newest hundred. */
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
    .limit(1);
  if (surplus) await refusedRequests.deleteMany({ ...ofCredential, _id: { $lte: surplus._id } });
}
