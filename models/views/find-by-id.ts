import type { Mode } from '../../domain/mode.ts';
import { idBound, isIdOf, timeOfId } from '../../platform/ids.ts';
import { integrationEventOf } from '../events/integration-events.ts';
import type { EntryDoc } from '../schemas/entries.ts';
import { markedIndexes } from '../schemas/events.ts';
import type { Models } from '../schemas/index.ts';
import { inScope, type ReadScope } from './partner-scope.ts';
import {
  credentialResult,
  eventResult,
  requestResult,
  rewardResult,
  type SearchResult,
  searchResult,
} from './search-results.ts';

/** A request's event is recorded within this time after the request got its id. */
const requestMaxMs = 60_000;

/** A condition on the partner; empty for all partners. */
type Owner = ReturnType<typeof inScope>;

type Find = (models: Models, owner: Owner, id: string) => Promise<SearchResult[]>;

/** How to find a document by its id, by the id's prefix. */
const byPrefix: Record<string, Find> = {
  evt_: async ({ orderEvents }, owner, _id) =>
    (await orderEvents.find({ ...owner, _id })).map(eventResult),
  iev_: async ({ integrationEvents }, owner, _id) =>
    (await integrationEvents.find({ ...owner, _id })).map(requestResult),
  req_: findRequest,
  PNR_: async ({ rewards }, owner, _id) =>
    (await rewards.find({ ...owner, _id })).map(rewardResult),
  rev_: async ({ reviews }, owner, _id) =>
    (await reviews.find({ ...owner, _id })).map((review) => ({
      ...searchResult('REVIEW', review, review.externalOrderId),
      eventId: review.refundEventId,
    })),
  cus_: async ({ rewards }, owner, customerId) => {
    const [reward] = await rewards.find({ ...owner, customerId }).limit(1);
    return reward ? [{ ...searchResult('CUSTOMER', reward, customerId), id: customerId }] : [];
  },
  txn_: findTransaction,
  inv_: async ({ invoices }, owner, _id) =>
    (await invoices.find({ ...owner, _id })).map((invoice) =>
      searchResult('INVOICE', invoice, invoice.number),
    ),
  key_: async ({ credentials }, owner, _id) =>
    (await credentials.find({ ...owner, _id })).map(credentialResult),
  rul_: async ({ earningRules }, owner, _id) =>
    (await earningRules.find({ ...owner, _id })).map((rule) =>
      searchResult('RULE', rule, `${rule.kind} ${rule.currency}`),
    ),
  int_: async ({ integrations }, owner, _id) =>
    (await integrations.find({ ...owner, _id })).map((integration) =>
      searchResult('INTEGRATION', integration, integration.name),
    ),
  prt_: async ({ partners }, { partnerId }, _id) => {
    if (partnerId !== undefined && partnerId !== _id) return [];
    const found = await partners.find({ _id });
    return found.map((partner) =>
      searchResult('PARTNER', { ...partner, partnerId: _id }, partner.name),
    );
  },
};

/** Finds what one of the service's ids identifies: at most one result. */
export async function findById(
  models: Models,
  scope: ReadScope,
  id: string,
): Promise<SearchResult[]> {
  return (await byPrefix[id.slice(0, 4)]?.(models, inScope(scope), id)) ?? [];
}

/** A purchase whose workflow has not started has no integration event yet, but is marked as pending. */
async function findRequest(
  models: Models,
  owner: Owner,
  requestId: string,
): Promise<SearchResult[]> {
  const [stored] = await models.integrationEvents.find({ ...owner, requestId }).limit(1);
  if (stored) return [requestResult(stored)];
  if (!isIdOf('request', requestId)) return [];
  const atMs = timeOfId(requestId);
  const untilMs = atMs + requestMaxMs;
  const isOwned = owner.partnerId !== undefined;
  const marked = await models.orderEvents
    .find({
      ...owner,
      requestId,
      ...(isOwned && { _id: { $gt: idBound('event', atMs), $lt: idBound('event', untilMs) } }),
      pendingSince: { $gte: new Date(atMs), $lt: new Date(untilMs) },
    })
    .hint(isOwned ? markedIndexes.ofPartner : markedIndexes.all)
    .limit(1);
  return marked.map((event) => requestResult(integrationEventOf(event, null)));
}

async function findTransaction(models: Models, owner: Owner, _id: string): Promise<SearchResult[]> {
  const { ledger, testFunding, rewards } = models;
  const [live, test] = await Promise.all(
    [ledger, testFunding].map((chain) => chain.find({ ...owner, _id })),
  );
  const inMode = (mode: Mode) => async (entry: EntryDoc) => {
    const { partnerId, rewardId, kind } = entry;
    const reward = rewardId && (await rewards.findOne({ partnerId, _id: rewardId }));
    const eventId = reward ? reward.purchaseEventId : null;
    return { ...searchResult('TRANSACTION', { ...entry, mode }, kind), eventId };
  };
  return await Promise.all([
    ...(live ?? []).map(inMode('LIVE')),
    ...(test ?? []).map(inMode('TEST')),
  ]);
}
