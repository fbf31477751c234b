import type { IntegrationEventDoc } from '../schemas/requests.ts';
import type { ModelDeps } from './deps.ts';
import { readLog } from './events-log.ts';
import { findById } from './find-by-id.ts';
import type { LogFilter, LogPlace } from './log-filter.ts';
import { namesOfPartners } from './names.ts';
import type { PartnerScope } from './partner-scope.ts';

/** The id of a reward's purchase event; null if the partner has no such reward. */
export async function purchaseOfReward(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  rewardId: string,
): Promise<string | null> {
  const purchase = await models.orderEvents.findOne(
    { partnerId, rewardId, type: 'PURCHASE' },
    { _id: 1 },
  );
  return purchase?._id ?? null;
}

/**
 * A partner's request with the API key that signed it; or only the event of a request that was accepted
 * just now, which has no integration event yet.
 * @param requestId the id of the request or of its integration event
 * @returns null if the partner has no such request
 */
export async function readRequest(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  requestId: string,
): Promise<
  | { request: IntegrationEventDoc; apiKey: string | null }
  | { request: null; eventId: string }
  | null
> {
  const named = requestId.startsWith('iev_') ? { _id: requestId } : { requestId };
  const request = await models.integrationEvents.findOne({ partnerId, ...named });
  if (request) {
    const { credentialId } = request;
    const key = await models.credentials.findOne({ partnerId, _id: credentialId }, { apiKey: 1 });
    return { request, apiKey: key?.apiKey ?? null };
  }
  const [accepted] = await findById(models, partnerId, requestId);
  return accepted?.eventId ? { request: null, eventId: accepted.eventId } : null;
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

/** A request of any partner, for operators; null if it has no integration event, or not yet. */
export async function readAnyRequest({ models }: ModelDeps, requestId: string) {
  const request = await models.integrationEvents.findOne({ requestId });
  if (request === null) return null;
  const names = await namesOfPartners(models, [request.partnerId]);
  return { request, partnerName: names.get(request.partnerId) };
}

export type AnyRequest = NonNullable<Awaited<ReturnType<typeof readAnyRequest>>>;
