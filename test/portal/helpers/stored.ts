import { randomUUID } from 'node:crypto';
import type { Draft } from '../../../domain/draft.ts';
import { lookedAt } from '../../../domain/facts.ts';
import type { SealedPurchase } from '../../../domain/purchase.ts';
import type { Commit } from '../../../models/commit.ts';
import type { ReviewDoc } from '../../../models/schemas/reviews.ts';
import type { OperationDeps } from '../../../operations/deps.ts';
import { newToken } from '../../../platform/hashing.ts';
import { type Reviewed, townIn } from '../../helpers/town-in-database.ts';

/**
 * A claimed reward that was refunded, with its open review, for which no workflow waits: nothing changes it while a
 * page is looked at.
 * @param mark a word in all that the shop and the customer wrote
 * @param changes to the review; its mode, by default TEST, is that of the purchase
 */
export async function storeReview(
  { deps }: { deps: Pick<OperationDeps, 'config' | 'models' | 'commit' | 'sealer' | 'now'> },
  { partnerId, mark }: { partnerId: string; mark: string },
  { mode = 'TEST', ...changes }: Partial<ReviewDoc> = {},
): Promise<Reviewed> {
  const { models, sealer } = deps;
  const town = townIn({ ...deps, commit: withNothingDue(deps.commit) });
  const stored = await town.reviewed(
    { partnerId, mode },
    {
      shop: `${mark} shop`,
      externalOrderId: `${mark}-${randomUUID()}`,
      reason: `${mark} sent it back`,
    },
  );
  // An address is recorded in lower case, in which the mark would not be found.
  const bought: SealedPurchase = {
    email: `${mark}@customers.example`,
    phone: null,
    claimToken: newToken(),
    claimUrl: null,
    metadata: null,
  };
  const { _id } = stored.purchase;
  const sealed = sealer.seal(JSON.stringify(bought), _id);
  await models.orderEvents.updateOne({ partnerId, _id }, { $set: { sealed } });
  const review = { ...stored.review, ...changes };
  await models.reviews.updateOne({ partnerId, _id: review._id }, { $set: changes });
  return { ...stored, review };
}

/** Commits of which no workflow is told. */
const withNothingDue =
  (commit: Commit): Commit =>
  (fact) =>
    commit({
      ...fact,
      decide(draft: Draft, terms) {
        const outcome = fact.decide(draft, terms);
        for (const reward of draft.rewards.values()) lookedAt(draft, reward);
        for (const { into, document } of draft.inserts) {
          if (into === 'orderEvents') Object.assign(document, { due: null });
        }
        return outcome;
      },
    });
