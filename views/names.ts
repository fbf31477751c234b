import type { Models } from '../models/schemas/index.ts';
import type { RequestHashes } from '../platform/hashing.ts';
import type { ViewDeps } from './deps.ts';
import type { ReadScope } from './partner-scope.ts';
import { findById, findByName, findOrdersBeginning, type SearchResult } from './search.ts';

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
    named(
      'con_',
      (among) => models.connections.find(among, { platform: 1, shop: 1 }),
      ({ platform, shop }) => shop ?? platform,
    ),
  ]);
  return new Map(all.flat());
}

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

/** The names of integrations by id; the id null stands for all integrations. */
export async function integrationNames(
  models: Models,
  partnerId: string,
  of: readonly { integrationId: string | null }[],
): Promise<(integrationId: string | null) => string> {
  const ids = [...new Set(of.flatMap(({ integrationId }) => integrationId ?? []))];
  const found =
    ids.length === 0
      ? []
      : await models.integrations.find({ partnerId, _id: { $in: ids } }, { name: 1 });
  const names = new Map(found.map(({ _id, name }) => [_id, name]));
  return (id) => (id === null ? 'All integrations' : (names.get(id) ?? id));
}

/** The maximum length of an order id, a key or a workflow's id. */
const maxLookUpChars = 255;

/**
 * Finds everything that a text identifies: by any id, order, refund, Idempotency-Key, request,
 * workflow, invoice or payment, or else the orders that begin with it. Each search costs a few index entries, however much data there is.
 * @param typed the text as entered
 * @returns a few dozen results at most, the newest of each kind first, all within the scope
 */
export async function lookUp(
  { models, hashes }: { models: Models; hashes: Pick<RequestHashes, 'ofIdempotencyKey'> },
  scope: ReadScope,
  typed: string,
): Promise<SearchResult[]> {
  const text = typed.trim();
  if (text === '' || text.length > maxLookUpChars) return [];
  const all = await Promise.all([
    findById(models, scope, idIn(text)),
    findByName(models, hashes, scope, text),
  ]);
  const exact = all.flat();
  const found = exact.length > 0 ? exact : await findOrdersBeginning(models, scope, text);
  const unique = new Map(found.map((one) => [`${one.kind} ${one.id}`, one]));
  return [...unique.values()];
}

/** The text if it is an id; the owner's id if it is the id of a wallet's workflow; otherwise empty. */
function idIn(text: string): string {
  const [, id] = /^(?:wallet\/(?:TEST|LIVE)\/)?([A-Za-z]{3}_[\w-]{26,32})$/.exec(text) ?? [];
  return id ?? '';
}
