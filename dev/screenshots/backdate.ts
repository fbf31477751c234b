import { dayOf } from '../../domain/billing-periods.ts';
import type { Models } from '../../models/schemas/index.ts';

/**
 * Backdates a purchase and everything that followed. Only for screenshots: the audit would report the ledger
 * afterwards.
 */
export async function backdate(models: Models, rewardId: string, byMs: number): Promise<void> {
  const earlier = (name: string) => ({ $subtract: [`$${name}`, byMs] });
  const move = { $mergeObjects: ['$$move', { at: { $subtract: ['$$move.at', byMs] } }] };
  const events = await models.orderEvents.find({ rewardId }, { _id: 1 }).lean();
  const eventId = { $in: events.map(({ _id }) => _id) };
  const received = { receivedAt: earlier('receivedAt') };
  const asPipeline = { updatePipeline: true };
  await Promise.all([
    models.orderEvents.updateMany({ rewardId }, [{ $set: received }], asPipeline),
    models.integrationEvents.updateMany({ eventId }, [{ $set: received }], asPipeline),
    models.ledger.updateMany({ rewardId }, [{ $set: { at: earlier('at') } }], asPipeline),
    models.usageEntries.updateMany({ rewardId }, [{ $set: { at: earlier('at') } }], asPipeline),
    models.reviews.updateMany(
      { rewardId },
      [{ $set: { openedAt: earlier('openedAt'), dueAt: earlier('dueAt') } }],
      asPipeline,
    ),
    models.rewards.updateMany(
      { _id: rewardId },
      [
        {
          $set: {
            createdAt: earlier('createdAt'),
            updatedAt: earlier('updatedAt'),
            claimExpiresAt: earlier('claimExpiresAt'),
            moves: { $map: { input: '$moves', as: 'move', in: move } },
          },
        },
      ],
      asPipeline,
    ),
  ]);
}

/** Recomputes each day's totals after entries have moved to other days. */
export async function recountDays(models: Models, partnerId: string): Promise<void> {
  const days = new Map<string, { seq: number; points: number; cents: number }>();
  const entries = await models.usageEntries
    .find({ partnerId, day: { $exists: true } })
    .sort({ _id: 1 })
    .lean();
  for (const { _id, rewardId, at } of entries) {
    const { points, liabilityCents } = await models.rewards.findById(rewardId).lean().orFail();
    const of = dayOf(at.toISOString());
    const before = days.get(of) ?? { seq: 0, points: 0, cents: 0 };
    const day = {
      seq: before.seq + 1,
      points: before.points + points,
      cents: before.cents + liabilityCents,
    };
    days.set(of, day);
    await models.usageEntries.updateOne({ _id }, { $set: { day: { of, ...day } } });
  }
}
