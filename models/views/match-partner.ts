import type { ModelDeps } from './deps.ts';

/** More than a reader chooses among. */
const maxNamed = 20;
/** Offered while a name is typed. */
const maxOffered = 500;

export interface NamedPartner {
  _id: string;
  name: string;
}

/** Matches whatever has this text in it, in any case. */
export const partOf = (text: string) => ({
  $regex: text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
  $options: 'i',
});

/**
 * The partners that a text names: by id, else by their name or legal name, or a part of it, whatever its case.
 * There are as many partners as contracts, so that no index is needed.
 * @returns at most 20; one alone where the whole name is the text
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
    .limit(maxNamed)
    .lean();
  const whole = found.filter(
    ({ _id, name }) => _id === text || name.toLowerCase() === text.toLowerCase(),
  );
  return whole.length === 1 ? whole : found;
}

/** The names to choose from, in their order. */
export async function readPartnerChoices({ models }: ModelDeps): Promise<NamedPartner[]> {
  return await models.partners.find({}, { name: 1 }).sort({ name: 1 }).limit(maxOffered).lean();
}
