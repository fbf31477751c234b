import type { Mode } from '../../domain/mode.ts';
import type { EntryDoc } from '../schemas/entries.ts';
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

/** A condition on the partner; empty for all partners. */
type Owner = ReturnType<typeof inScope>;

type Find = (models: Models, owner: Owner, id: string) => Promise<SearchResult[]>;

/** How to find a document by its id, by the id's prefix. */
const byPrefix: Record<string, Find> = {
  evt_: async ({ orderEvents }, owner, _id) =>
    (await orderEvents.find({ ...owner, _id })).map(eventResult),
  iev_: async ({ integrationEvents }, owner, _id) =>
    (await integrationEvents.find({ ...owner, _id })).map(requestResult),
  req_: async ({ integrationEvents }, owner, requestId) =>
    (await integrationEvents.find({ ...owner, requestId }).limit(1)).map(requestResult),
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
