import type { ViewDeps } from './deps.ts';

/** The length of the prefix that identifies an API key to people. */
const keyChars = 14;

/**
 * Names for ids of any type: the names of partners, integrations, operators, users and plans, the orders
 * of rewards and reviews, the prefixes of API keys. Customers have no names.
 * @returns the names by id, without ids that have none
 */
export async function readIdNames(
  { models }: Pick<ViewDeps, 'models'>,
  ids: readonly (string | null | undefined)[],
): Promise<Map<string, string>> {
  const named = async <Row extends { _id: string }>(
    prefix: string,
    find: (among: { _id: { $in: string[] } }) => Promise<Row[]>,
    nameOf: (row: Row) => string,
  ): Promise<[string, string][]> => {
    const own = [...new Set(ids.filter((id) => typeof id === 'string'))].filter((id) =>
      id.startsWith(prefix),
    );
    if (own.length === 0) return [];
    return (await find({ _id: { $in: own } })).map((row) => [row._id, nameOf(row)]);
  };
  const all = await Promise.all([
    named(
      'prt_',
      (among) => models.partners.find(among, { name: 1 }),
      ({ name }) => name,
    ),
    named(
      'int_',
      (among) => models.integrations.find(among, { name: 1 }),
      ({ name }) => name,
    ),
    named(
      'opr_',
      (among) => models.operators.find(among, { name: 1 }),
      ({ name }) => name,
    ),
    named(
      'usr_',
      (among) => models.users.find(among, { name: 1 }),
      ({ name }) => name,
    ),
    named(
      'pln_',
      (among) => models.planVersions.find(among, { name: 1, version: 1 }),
      ({ name, version }) => `${name} ${version}`,
    ),
    named(
      'PNR_',
      (among) => models.rewards.find(among, { externalOrderId: 1 }),
      ({ externalOrderId }) => externalOrderId,
    ),
    named(
      'rev_',
      (among) => models.reviews.find(among, { externalOrderId: 1 }),
      ({ externalOrderId }) => externalOrderId,
    ),
    named(
      'key_',
      (among) => models.credentials.find(among, { apiKey: 1 }),
      ({ apiKey }) => `${apiKey.slice(0, keyChars)}…`,
    ),
  ]);
  return new Map(all.flat());
}
