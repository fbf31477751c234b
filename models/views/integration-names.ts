import type { Models } from '../schemas/index.ts';

/** What the integrations of some rules or keys are called, by their ids; null is all of them. */
export async function integrationNames(
  models: Models,
  partnerId: string,
  of: readonly { integrationId: string | null }[],
): Promise<(integrationId: string | null) => string> {
  const ids = [...new Set(of.flatMap(({ integrationId }) => integrationId ?? []))];
  const found =
    ids.length === 0
      ? []
      : await models.integrations.find({ partnerId, _id: { $in: ids } }, { name: 1 }).lean();
  const names = new Map(found.map(({ _id, name }) => [_id, name]));
  return (id) => (id === null ? 'All integrations' : (names.get(id) ?? id));
}
