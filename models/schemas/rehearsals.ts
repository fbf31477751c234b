import type { FaultyRequest, WebhookCounts } from '../../domain/rehearsal.ts';
import { collection, date, listOf, mixed, type Stored, text } from './fields.ts';

/** A rehearsal of a TEST key, with what happened in it. */
export const rehearsalSchema = collection(
  'rehearsals',
  {
    _id: text,
    partnerId: text,
    integrationId: text,
    credentialId: text,
    /** From which its faults follow. */
    seed: text,
    startedAt: date,
    /** Moved forward when it is ended early. */
    endsAt: date,
    /** At most `rehearsalLimits.maxFaults`, one for each idempotency key. */
    faults: listOf(mixed<FaultyRequest>()),
    webhooks: mixed<WebhookCounts>(),
    /** When the database drops it. */
    expiresAt: date,
  },
  { minimize: false },
);
export type RehearsalDoc = Stored<typeof rehearsalSchema>;
rehearsalSchema.index({ partnerId: 1, _id: -1 });
rehearsalSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
