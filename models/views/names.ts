import type { Models } from '../schemas/index.ts';

/** The names of partners, by their ids. */
export async function namesOfPartners(
  { partners }: Models,
  partnerIds: readonly (string | null)[],
): Promise<Map<string, string>> {
  const ids = [...new Set(partnerIds.filter((id) => id !== null))];
  const found = await partners.find({ _id: { $in: ids } }, { name: 1 });
  return new Map(found.map(({ _id, name }) => [_id, name]));
}

/** The names of the rows' partners, by id. */
export const readPartnerNames = (
  { models }: { models: Models },
  rows: readonly { partnerId: string | null }[],
): Promise<Map<string, string>> =>
  namesOfPartners(
    models,
    rows.map(({ partnerId }) => partnerId),
  );
