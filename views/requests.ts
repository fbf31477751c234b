import type {
  KnownCredential,
  KnownSecret,
  SuspectRequest,
} from '../clients/typescript/doctor/index.ts';
import { ServiceError } from '../domain/errors.ts';
import type { Mode } from '../domain/mode.ts';
import { accessState, keyState } from '../domain/partners.ts';
import { keptOfCredential, type RefusedRequest } from '../models/events/refused-requests.ts';
import type { Models } from '../models/schemas/index.ts';
import type { CredentialDoc, SecretDoc } from '../models/schemas/integrations.ts';
import {
  type LoggedRequest,
  type RefusedRequestDoc,
  refusedIndex,
} from '../models/schemas/requests.ts';
import { type PageQuery, readPage } from '../models/store/paging.ts';
import { idBound } from '../platform/ids.ts';
import type { Sealer } from '../platform/sealing.ts';
import type { ModelDeps, TimedDeps, ViewDeps } from './deps.ts';
import { findOwnKey } from './integrations.ts';
import { type LogFilter, type LogPlace, readLog } from './log.ts';
import { namesOfPartners } from './names.ts';
import type { PartnerScope } from './partner-scope.ts';

/** Longer than it takes to write a row of the request log. */
const rowsWrittenMs = 60_000;

/**
 * A partner's request with the API key that signed it; or only the event of a request that was accepted
 * just now, which is not in the request log yet.
 * @param requestId the id of the request or of its row in the log
 * @returns null if the partner has no such request
 */
export async function readRequest(
  { models, now }: TimedDeps,
  partnerId: PartnerScope,
  requestId: string,
): Promise<
  { request: LoggedRequest; apiKey: string | null } | { request: null; eventId: string } | null
> {
  const named = requestId.startsWith('iev_') ? { _id: requestId } : { requestId };
  const request = await models.requestLog.findOne({ partnerId, ...named });
  if (request) {
    const { credentialId } = request;
    const key = await models.credentials.findOne({ partnerId, _id: credentialId }, { apiKey: 1 });
    return { request, apiKey: key?.apiKey ?? null };
  }
  // Its row is written behind its response.
  const justNow = { partnerId, _id: { $gt: idBound('event', now() - rowsWrittenMs) }, requestId };
  const accepted = await models.orderEvents.findOne(justNow, { _id: 1 });
  return accepted && { request: null, eventId: accepted._id };
}

/** A page of the log of all partners, with their names; for operators. */
export async function readEveryonesLog(
  deps: ModelDeps,
  filter: LogFilter,
  limit: number,
  place: LogPlace | undefined,
) {
  const log = await readLog(deps, filter, limit, place);
  const partnerIds = log.events.map(({ partnerId }) => partnerId);
  return { log, nameOf: await namesOfPartners(deps.models, partnerIds) };
}

export type EveryonesLog = Awaited<ReturnType<typeof readEveryonesLog>>;

/** A request of any partner, for operators; null if it is not in the request log, or not yet. */
export async function readAnyRequest({ models }: ModelDeps, requestId: string) {
  const request = await models.requestLog.findOne({ requestId });
  if (request === null) return null;
  const names = await namesOfPartners(models, [request.partnerId]);
  return { request, partnerName: names.get(request.partnerId) };
}

export type AnyRequest = NonNullable<Awaited<ReturnType<typeof readAnyRequest>>>;

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
  const { items, nextCursor } = await readPage(
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
    `This refused request is not stored. The newest ${keptOfCredential} of a key are kept for a week, or until a customer is erased.`,
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
 * revoked and expired ones, and the active secrets of the same partner's other credentials, but no other
 * partner's.
 */
export async function knownSecrets(
  { models, sealer, now }: SealedDeps & Pick<ViewDeps, 'now'>,
  credential: CredentialDoc,
): Promise<KnownCredential> {
  const { partnerId, _id, apiKey } = credential;
  const nowMs = now();
  const others = await models.credentials
    .find({ partnerId, _id: { $ne: _id } })
    .sort({ _id: -1 })
    .limit(maxOtherCredentials);
  const isActive = (secret: SecretDoc) => accessState(secret, nowMs) === 'ACTIVE';
  const ownSecrets = secretsOf(sealer, credential, (secret) =>
    isActive(secret) ? 'ACTIVE' : 'REVOKED',
  );
  const otherSecrets = others.flatMap((other) =>
    secretsOf(sealer, other, (secret) => {
      if (!isActive(secret)) return null;
      return other.mode === credential.mode ? 'OTHER_CREDENTIAL' : 'OTHER_MODE';
    }),
  );
  return {
    apiKey,
    isRevoked: keyState(credential, nowMs) !== 'ACTIVE',
    secrets: [...ownSecrets, ...otherSecrets],
  };
}

function secretsOf(
  sealer: Sealer,
  { _id: credentialId, secrets }: CredentialDoc,
  kindOf: (secret: SecretDoc) => KnownSecret['whose'] | null,
): KnownSecret[] {
  return secrets.flatMap((one) => {
    const { secretId, sealed } = one;
    const whose = kindOf(one);
    if (whose === null) return [];
    const name = whose === 'REVOKED' ? secretId : credentialId;
    return [{ secret: sealer.open(sealed, credentialId), whose, name }];
  });
}

function open(sealer: Sealer, { _id: requestId, sealed, ...rest }: RefusedRequestDoc) {
  const request: SuspectRequest = JSON.parse(sealer.open(sealed, requestId));
  return { requestId, ...rest, request };
}

/** The code of refused requests, and their number. */
export interface Refusals {
  code: string;
  count: number;
}

/** UTC days, `yyyy-mm-dd`, inclusive. */
interface Days {
  from: string;
  to: string;
}

/**
 * The numbers of refused requests on some days, by code, most frequent first. They are running totals,
 * one document per day, and lag less than a second behind, as the log does.
 */
export async function readRefusals(
  { refusalTotals }: Pick<Models, 'refusalTotals'>,
  { partnerId, mode }: { partnerId: PartnerScope; mode: Mode },
  { from, to }: Days,
): Promise<Refusals[]> {
  const days = await refusalTotals.find(
    { partnerId, mode, day: { $gte: from, $lte: to } },
    { codes: 1 },
  );
  const counts = new Map<string, number>();
  for (const { codes } of days) {
    for (const [code, count] of Object.entries(codes)) {
      counts.set(code, (counts.get(code) ?? 0) + count);
    }
  }
  return [...counts]
    .map(([code, count]) => ({ code, count }))
    .toSorted((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
}

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
  { requestLog }: Models,
  since: Date,
): Promise<RefusedPartner[]> {
  return await requestLog
    .aggregate<RefusedPartner>([
      {
        $match: {
          status: { $gte: 400 },
          _id: { $gte: idBound('loggedRequest', since.getTime()) },
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
