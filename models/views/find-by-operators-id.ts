import type { Models } from '../schemas/index.ts';
import type { ViewDeps } from './deps.ts';

/** Collections for operators only, whose documents belong to no partner, by the prefix of their ids. */
const ownKinds = {
  prp: 'proposals',
  opr: 'operators',
  pln: 'planVersions',
  aud: 'auditEntries',
  aur: 'auditRuns',
} as const satisfies Record<string, keyof Models>;

export type OperatorsKind = (typeof ownKinds)[keyof typeof ownKinds];

/** The collection that contains an id; null if none does. */
export async function findByOperatorsId(
  { models }: Pick<ViewDeps, 'models'>,
  _id: string,
): Promise<OperatorsKind | null> {
  const [, prefix = ''] = /^([a-z]{3})_[0-9A-Z]{26}$/.exec(_id) ?? [];
  const kind = Object.hasOwn(ownKinds, prefix) ? ownKinds[prefix as keyof typeof ownKinds] : null;
  if (kind === null) return null;
  const count = await models[kind].collection.countDocuments({ _id }, { limit: 1 });
  return count > 0 ? kind : null;
}
