import type { Models } from '../../models/schemas/index.ts';
import type { GoLive } from '../../models/schemas/partners.ts';

/** The state after an approved go-live request. */
export const approved: GoLive = {
  state: 'LIVE',
  requestedAt: new Date('2026-01-01T00:00:00Z'),
  reviewerId: 'opr_reviewer',
  decidedAt: new Date('2026-01-02T00:00:00Z'),
  reason: null,
};

/** Makes a partner live directly in the database, for tests that are not about going live. */
export async function makeLive(models: Models, partnerId: string): Promise<void> {
  await models.partners.updateOne({ _id: partnerId }, { $set: { goLive: approved } });
}
