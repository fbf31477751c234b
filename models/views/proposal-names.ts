import type { ProposalDoc } from '../schemas/audit.ts';
import type { ViewDeps } from './deps.ts';

/** Names, currencies and orders of the ids in proposals. */
export interface ProposalNames {
  nameOf(id: string | null): string;
  currencyOf(partnerId: string | null): string;
  orderOf(reviewId: string | null): string;
}

export async function readProposalNames(
  { models }: Pick<ViewDeps, 'models'>,
  proposals: readonly ProposalDoc[],
): Promise<ProposalNames> {
  const ids = new Set(
    proposals.flatMap(({ partnerId, targetId, details: { integrationId } }) =>
      [partnerId, targetId, integrationId].filter((id) => typeof id === 'string'),
    ),
  );
  const among = { _id: { $in: [...ids] } };
  const [partners, integrations, operators, reviews] = await Promise.all([
    models.partners.find(among, { name: 1, currency: 1 }),
    models.integrations.find(among, { name: 1 }),
    models.operators.find(among, { name: 1 }),
    models.reviews.find(among, { externalOrderId: 1 }),
  ]);
  const names = new Map(
    [...partners, ...integrations, ...operators].map((one) => [one._id, one.name]),
  );
  const currencies = new Map(partners.map(({ _id, currency }) => [_id, currency]));
  const orders = new Map(reviews.map(({ _id, externalOrderId }) => [_id, externalOrderId]));
  return {
    nameOf: (id) => names.get(id ?? '') ?? id ?? 'nobody',
    currencyOf: (partnerId) => currencies.get(partnerId ?? '') ?? 'USD',
    orderOf: (reviewId) => orders.get(reviewId ?? '') ?? reviewId ?? '',
  };
}
