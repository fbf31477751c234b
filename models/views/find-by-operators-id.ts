import type { Models } from '../schemas/index.ts';
import type { ViewDeps } from './deps.ts';

/** What operators alone have: it belongs to no partner. */
const ownKinds = {
  prp: 'proposals',
  opr: 'operators',
  pln: 'planVersions',
  aud: 'auditEntries',
  aur: 'auditRuns',
} as const satisfies Record<string, keyof Models>;

export type OperatorsKind = (typeof ownKinds)[keyof typeof ownKinds];

/** Which of these an id names; null where it is none, or is not there. */
export async function findByOperatorsId(
  { models }: Pick<ViewDeps, 'models'>,
  _id: string,
): Promise<OperatorsKind | null> {
  const [, prefix = ''] = /^([a-z]{3})_[0-9A-Z]{26}$/.exec(_id) ?? [];
  const kind = Object.hasOwn(ownKinds, prefix) ? ownKinds[prefix as keyof typeof ownKinds] : null;
  if (kind === null) return null;
  const there = await models[kind].collection.countDocuments({ _id } as never, { limit: 1 });
  return there > 0 ? kind : null;
}
