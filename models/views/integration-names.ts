import type { Models } from '../schemas/index.ts';

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
