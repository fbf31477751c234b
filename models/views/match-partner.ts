import type { ModelDeps } from './deps.ts';

/** Maximum number of matches. */
const maxMatches = 20;
/** Maximum number of names to choose from. */
const maxChoices = 500;

export interface NamedPartner {
  _id: string;
  name: string;
}

/** Matches values that contain the text, ignoring case. */
export const partOf = (text: string) => ({
  $regex: text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
  $options: 'i',
});

/**
 * Finds partners by id, or by a part of their name or legal name, ignoring case. There are few enough
 * partners that no index is needed.
 * @returns at most 20; only one if the text is its id or whole name
 */
export async function findPartnersByName(
  { models }: ModelDeps,
  typed: string,
): Promise<NamedPartner[]> {
  const text = typed.trim();
  if (text === '') return [];
  const part = partOf(text);
  const found = await models.partners
    .find({ $or: [{ _id: text }, { name: part }, { legalName: part }] }, { name: 1 })
    .sort({ _id: 1 })
    .limit(maxMatches);
  const whole = found.filter(
    ({ _id, name }) => _id === text || name.toLowerCase() === text.toLowerCase(),
  );
  return whole.length === 1 ? whole : found;
}

/** All partners to choose from, by name. */
export async function readPartnerChoices({ models }: ModelDeps): Promise<NamedPartner[]> {
  return await models.partners.find({}, { name: 1 }).sort({ name: 1 }).limit(maxChoices);
}
