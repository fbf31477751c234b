import type { Models } from '../schemas/index.ts';

/** Revokes all tokens of an operator; does nothing if there is no such operator. */
export async function endOperatorTokens(
  { models, now }: { models: Models; now: () => number },
  operatorId: string | null,
): Promise<void> {
  if (operatorId === null) return;
  await models.operators.updateOne(
    { _id: operatorId },
    { $set: { 'tokens.$[open].revokedAt': new Date(now()) } },
    { arrayFilters: [{ 'open.revokedAt': null }] },
  );
}
