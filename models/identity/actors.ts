import type { Models } from '../schemas/index.ts';

/** The names of operators and partners' users, by id. */
export async function namesOfActors(
  models: Models,
  actorIds: readonly (string | null)[],
): Promise<Map<string, string>> {
  const ids = [...new Set(actorIds.filter((id) => id !== null))];
  const among = { _id: { $in: ids } };
  const [admins, users] = await Promise.all([
    models.operators.find(among, { name: 1 }),
    models.users.find(among, { name: 1 }),
  ]);
  return new Map([...admins, ...users].map(({ _id, name }) => [_id, name]));
}
