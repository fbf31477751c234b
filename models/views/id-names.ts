import type { ViewDeps } from './deps.ts';

/** How much of a key tells it from others. */
const keyChars = 14;

/**
 * What people know things by, for ids of whatever kind: a partner’s, integration’s, operator’s, user’s and
 * plan’s name, a reward’s and review’s order, how a key begins. A customer has no name here.
 * @returns the names of those that have one, by their ids
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
      (among) => models.partners.find(among, { name: 1 }).lean(),
      ({ name }) => name,
    ),
    named(
      'int_',
      (among) => models.integrations.find(among, { name: 1 }).lean(),
      ({ name }) => name,
    ),
    named(
      'opr_',
      (among) => models.operators.find(among, { name: 1 }).lean(),
      ({ name }) => name,
    ),
    named(
      'usr_',
      (among) => models.users.find(among, { name: 1 }).lean(),
      ({ name }) => name,
    ),
    named(
      'pln_',
      (among) => models.planVersions.find(among, { name: 1, version: 1 }).lean(),
      ({ name, version }) => `${name} ${version}`,
    ),
    named(
      'PNR_',
      (among) => models.rewards.find(among, { externalOrderId: 1 }).lean(),
      ({ externalOrderId }) => externalOrderId,
    ),
    named(
      'rev_',
      (among) => models.reviews.find(among, { externalOrderId: 1 }).lean(),
      ({ externalOrderId }) => externalOrderId,
    ),
    named(
      'key_',
      (among) => models.credentials.find(among, { apiKey: 1 }).lean(),
      ({ apiKey }) => `${apiKey.slice(0, keyChars)}…`,
    ),
  ]);
  return new Map(all.flat());
}
