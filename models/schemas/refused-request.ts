import { modes } from '../../domain/mode.ts';
import { collection, date, oneOf, type Stored, text } from './fields.ts';

const refusedRequestDays = 7;

/**
 * A request with a known key whose signature was refused, kept for a week so that the partner can
 * find out why: the newest hundred of each credential.
 */
export const refusedRequestSchema = collection('refused_requests', {
  /** The id of the request. */
  _id: text,
  partnerId: text,
  integrationId: text,
  credentialId: text,
  mode: oneOf(modes),
  /** The code of the refusal. */
  code: text,
  receivedAt: date,
  /** What was signed, and part of the body, as JSON, sealed and bound to `_id`. */
  sealed: text,
});
export type RefusedRequestDoc = Stored<typeof refusedRequestSchema>;
refusedRequestSchema.index({ partnerId: 1, credentialId: 1, _id: -1 });
refusedRequestSchema.index({ receivedAt: 1 }, { expireAfterSeconds: refusedRequestDays * 86_400 });
