import {
  type FaultyRequest,
  type OngoingRehearsal,
  type RehearsalReport,
  rehearsalLimits,
  rehearsalReportOf,
  type WebhookFault,
} from '../domain/rehearsal.ts';
import { dayMs } from '../domain/utc-days.ts';
import { newId } from '../platform/ids.ts';
import type { Models } from './schemas/index.ts';
import type { CredentialDoc } from './schemas/integrations.ts';
import type { ComparisonJob } from './schemas/jobs.ts';
import { redemptionEventTypes } from './schemas/redemptions.ts';
import type { RehearsalDoc } from './schemas/rehearsals.ts';

const keptMs = 90 * dayMs;

/** The TEST key that takes part. */
export type RehearsingKey = Pick<CredentialDoc, 'partnerId' | 'integrationId'> & {
  credentialId: string;
};

/**
 * Starts a rehearsal of a TEST key and of its partner's TEST webhooks; the caller has checked the mode. While one is
 * on, it is returned.
 * @param seed new for each
 */
export async function startRehearsal(
  models: Models,
  key: RehearsingKey,
  { minutes, seed, now }: { minutes: number; seed: string; now: Date },
): Promise<RehearsalDoc> {
  const ongoing = await newestRehearsal(models, key);
  if (ongoing !== null && ongoing.endsAt > now) return ongoing;
  const endsAt = new Date(now.getTime() + minutes * 60_000);
  const made: RehearsalDoc = {
    _id: newId('rehearsal', now.getTime()),
    ...key,
    seed,
    startedAt: now,
    endsAt,
    faults: [],
    webhooks: {},
    expiresAt: new Date(endsAt.getTime() + keptMs),
  };
  await models.rehearsals.create(made);
  const rehearsal: OngoingRehearsal = { rehearsalId: made._id, seed, endsAt };
  const { partnerId, credentialId: _id } = key;
  const mode = 'TEST';
  await models.webhookEndpoints.updateMany(
    { partnerId, mode, status: 'ACTIVE', userId: { $exists: false } },
    { $set: { rehearsal } },
  );
  await models.credentials.updateOne({ partnerId, _id, mode }, { $set: { rehearsal } });
  return made;
}

/** Ends a rehearsal now, if it is on. */
export async function endRehearsal(
  models: Models,
  { _id, partnerId, endsAt }: RehearsalDoc,
  now: Date,
): Promise<void> {
  if (endsAt <= now) return;
  await models.rehearsals.updateOne({ partnerId, _id }, { $set: { endsAt: now } });
  const its = { partnerId, 'rehearsal.rehearsalId': _id };
  await models.credentials.updateMany(its, { $unset: { rehearsal: 1 } });
  await models.webhookEndpoints.updateMany(its, { $unset: { rehearsal: 1 } });
}

/** The newest rehearsal of a partner, or of one of its keys. */
export async function newestRehearsal(
  { rehearsals }: Models,
  { partnerId, credentialId }: { partnerId: string; credentialId?: string },
): Promise<RehearsalDoc | null> {
  return await rehearsals
    .findOne({ partnerId, ...(credentialId !== undefined && { credentialId }) })
    .sort({ _id: -1 });
}

export async function findRehearsal(
  { rehearsals }: Models,
  partnerId: string,
  rehearsalId: string,
): Promise<RehearsalDoc | null> {
  return await rehearsals.findOne({ partnerId, _id: rehearsalId });
}

/**
 * Records that a request meets a fault, unless its key has met one or there were enough.
 * @returns whether it meets it
 */
export async function meetFault(
  { rehearsals }: Models,
  { partnerId, rehearsalId: _id }: { partnerId: string; rehearsalId: string },
  fault: FaultyRequest,
): Promise<boolean> {
  const hasRoom = { [`faults.${rehearsalLimits.maxFaults - 1}`]: { $exists: false } };
  const { modifiedCount } = await rehearsals.updateOne(
    { partnerId, _id, 'faults.key': { $ne: fault.key }, ...hasRoom },
    { $push: { faults: fault } },
  );
  return modifiedCount === 1;
}

/** Records a request as the first retry of the one with its key that met a fault, if there is one. */
export async function noteRetry(
  { rehearsals }: Models,
  { partnerId, rehearsalId: _id }: { partnerId: string; rehearsalId: string },
  { key, ...retry }: { key: string } & NonNullable<FaultyRequest['retry']>,
): Promise<void> {
  await rehearsals.updateOne(
    { partnerId, _id, faults: { $elemMatch: { key, retry: null } } },
    { $set: { 'faults.$.retry': retry } },
  );
}

export async function noteWebhook(
  { rehearsals }: Models,
  { partnerId, rehearsalId: _id }: { partnerId: string; rehearsalId: string },
  fault: WebhookFault,
  isAccepted: boolean,
): Promise<void> {
  const accepted = isAccepted ? 1 : 0;
  await rehearsals.updateOne(
    { partnerId, _id },
    { $inc: { [`webhooks.${fault}.sent`]: 1, [`webhooks.${fault}.accepted`]: accepted } },
  );
}

/** How the integration did so far. Reads the events of at most 200 keys, and the newest comparison of orders. */
export async function readReport(
  models: Models,
  rehearsal: RehearsalDoc,
  nowMs: number,
): Promise<RehearsalReport> {
  const { partnerId, integrationId, credentialId, startedAt, faults } = rehearsal;
  const hashes = faults.map(({ key }) => key.slice(key.indexOf('/') + 1));
  const ofKeys = { partnerId, credentialId, idempotencyKeyHash: { $in: hashes } };
  const fields = { type: 1, idempotencyKeyHash: 1 } as const;
  const types = { $in: ['PURCHASE', 'REFUND'] as const };
  const [events, redemptions, comparison] = await Promise.all([
    models.orderEvents.find({ ...ofKeys, type: types }, fields),
    models.redemptionEvents.find({ ...ofKeys, type: { $in: redemptionEventTypes } }, fields),
    models.jobs
      .findOne({
        partnerId,
        kind: 'ORDER_COMPARISON',
        mode: 'TEST',
        status: 'DONE',
        createdAt: { $gte: startedAt },
        'input.integrationId': integrationId,
      })
      .sort({ _id: -1 })
      .lean<ComparisonJob | null>(),
  ]);
  const recorded = [
    ...events.map(({ type, idempotencyKeyHash }) => `${type}/${idempotencyKeyHash}`),
    // A release is no event: whoever sends it again ends the hold, if it has not ended yet.
    ...faults.flatMap(({ key, retry }) => (key.startsWith('RELEASE/') && retry ? [key] : [])),
    ...redemptions.map(({ idempotencyKeyHash }) => `REDEMPTION/${idempotencyKeyHash}`),
  ];
  const missing = comparison?.result?.faults.MISSING ?? null;
  return rehearsalReportOf(rehearsal, new Set(recorded), missing, nowMs);
}
