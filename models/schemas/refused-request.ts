import { Schema } from 'mongoose';
import { type Mode, modes } from '../../domain/mode.ts';

/**
 * A request that named a credential and whose signature was refused, kept for a week so that its
 * partner finds out why. Of each credential the newest hundred are kept.
 */
export interface RefusedRequestDoc {
  /** The request's own id. */
  _id: string;
  partnerId: string;
  integrationId: string;
  credentialId: string;
  mode: Mode;
  /** Of the refusal. */
  code: string;
  receivedAt: Date;
  /** What was signed and what of the body is kept, as JSON, sealed and bound to `_id`. */
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
