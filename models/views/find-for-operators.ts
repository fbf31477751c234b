import type { ViewDeps } from './deps.ts';
import { findPartnersByName } from './match-partner.ts';
import { credentialResult, type SearchResult, searchResult } from './search-results.ts';

/** The minimum length of the prefix of an API key. */
const minPrefixChars = 8;
const maxFound = 20;
/** More than the number of partners. */
const maxPartners = 5_000;

/**
 * Further searches for operators: partners by name, partners' users by email address, API keys by prefix,
 * and top-ups by the bank's reference.
 * @param typed the text as entered
 */
export async function findForOperators(
  deps: Pick<ViewDeps, 'models'>,
  typed: string,
): Promise<SearchResult[]> {
  const text = typed.trim();
  if (text.length < 2 || text.length > 255) return [];
  const all = await Promise.all([
    findPartners(deps, text),
    findUser(deps, text),
    findKeys(deps, text),
    findTopUps(deps, text),
  ]);
  return all.flat();
}

async function findPartners(deps: Pick<ViewDeps, 'models'>, text: string): Promise<SearchResult[]> {
  const named = await findPartnersByName(deps, text);
  return named.map(({ _id, name }) => searchResult('PARTNER', { _id, partnerId: _id }, name));
}

async function findUser(
  { models }: Pick<ViewDeps, 'models'>,
  text: string,
): Promise<SearchResult[]> {
  if (!text.includes('@')) return [];
  const user = await models.users.findOne({
    email: text.toLowerCase(),
    partnerId: { $type: 'string' },
  });
  if (!user || user.partnerId === null) return [];
  return [searchResult('USER', { _id: user._id, partnerId: user.partnerId }, user.name)];
}

async function findKeys(
  { models }: Pick<ViewDeps, 'models'>,
  text: string,
): Promise<SearchResult[]> {
  if (text.length < minPrefixChars || !/^[\w-]+…?$/.test(text)) return [];
  const prefix = text.replace('…', '');
  const keys = await models.credentials
    .find({ apiKey: { $gte: prefix, $lt: `${prefix}\uffff` } })
    .sort({ apiKey: 1 })
    .limit(maxFound);
  return keys.map(credentialResult);
}

/** References are indexed by partner, so each partner costs one index look-up. */
async function findTopUps(
  { models }: Pick<ViewDeps, 'models'>,
  text: string,
): Promise<SearchResult[]> {
  const partners = await models.partners.find({}, { _id: 1 }).sort({ _id: 1 }).limit(maxPartners);
  const entries = await models.ledger
    .find({ partnerId: { $in: partners.map(({ _id }) => _id) }, reference: `topUp:${text}` })
    .limit(maxFound);
  return entries.map((entry) => searchResult('TRANSACTION', { ...entry, mode: 'LIVE' }, text));
}
