import { createSecretKey, type KeyObject } from 'node:crypto';
import { heldMs, type WebhookFault, webhookFaultOf } from '../domain/rehearsal.ts';
import { noteWebhook } from '../models/rehearsals.ts';
import type { Models } from '../models/schemas/index.ts';
import type { WebhookDeliveryDoc, WebhookEndpointDoc } from '../models/schemas/webhooks.ts';
import { type AttemptResult, isSuccess } from '../models/webhooks/deliveries.ts';
import { sha256 } from '../platform/hashing.ts';

/** @param other a key that signs as well */
export type Sender = (delivery: WebhookDeliveryDoc, other?: KeyObject) => Promise<AttemptResult>;

/**
 * Sends webhooks as a rehearsal of the endpoint has it (docs/integrate/testing.md, Rehearsals), and as usual without one.
 * @returns null for one that is held back, which is due again later
 */
export async function sendRehearsed(
  models: Models,
  { partnerId, mode, rehearsal }: WebhookEndpointDoc,
  delivery: WebhookDeliveryDoc,
  send: Sender,
): Promise<AttemptResult | null> {
  const now = new Date();
  if (rehearsal === undefined || mode !== 'TEST' || rehearsal.endsAt <= now) {
    return await send(delivery);
  }
  const { rehearsalId, seed } = rehearsal;
  const digest = sha256(Buffer.from(`${seed}/${delivery.eventId}`));
  const fault = delivery.tries === 0 ? webhookFaultOf(digest) : null;
  if (fault === null) return await send(delivery);
  if (await isHeld(models, delivery, fault, now)) return null;
  // As while a secret is replaced: a signature that the receiver does not know stands beside the one it knows.
  const other = fault === 'ROTATED' ? createSecretKey(digest) : undefined;
  const attempt = await send(delivery, other);
  const last = fault === 'DOUBLED' ? await send(delivery) : attempt;
  await noteWebhook(models, { partnerId, rehearsalId }, fault, isSuccess(last));
  return attempt;
}

/** Makes a delivery that has to wait due later. @returns whether it has to */
async function isHeld(
  { webhookDeliveries }: Models,
  { _id, partnerId, createdAt }: WebhookDeliveryDoc,
  fault: WebhookFault,
  now: Date,
): Promise<boolean> {
  const nextTryAt = new Date(createdAt.getTime() + heldMs[fault]);
  if (nextTryAt <= now) return false;
  const pending = { partnerId, _id, state: 'PENDING', tries: 0 } as const;
  await webhookDeliveries.updateOne(pending, { $set: { nextTryAt } });
  return true;
}
