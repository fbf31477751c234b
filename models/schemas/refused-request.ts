import { Schema } from 'mongoose';
import { type Mode, modes } from '../../domain/mode.ts';

/**
 * A request with a known key whose signature was refused, kept for a week so that the partner can
 * find out why: the newest hundred of each credential.
 */
export interface RefusedRequestDoc {
  /** The id of the request. */
  _id: string;
  partnerId: string;
  integrationId: string;
  credentialId: string;
  mode: Mode;
  /** The code of the refusal. */
  code: string;
  receivedAt: Date;
  /** What was signed, and part of the body, as JSON, sealed and bound to `_id`. */
  sealed: string;
}

const refusedRequestDays = 7;

export const refusedRequestSchema = new Schema<RefusedRequestDoc>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    integrationId: { type: String, required: true },
    credentialId: { type: String, required: true },
    mode: { type: String, enum: modes, required: true },
    code: { type: String, required: true },
    receivedAt: { type: Date, required: true },
    sealed: { type: String, required: true },
  },
  { collection: 'refused_requests', versionKey: false },
);
refusedRequestSchema.index({ partnerId: 1, credentialId: 1, _id: -1 });
refusedRequestSchema.index({ receivedAt: 1 }, { expireAfterSeconds: refusedRequestDays * 86_400 });
