import { Schema } from 'mongoose';
import { type GraveAction, type ProposalStatus, proposalStatuses } from '../../domain/four-eyes.ts';

/** What one operator proposes, for another one to approve (domain, Who may do what). */
export interface ProposalDoc {
  _id: string;
  action: GraveAction;
  partnerId: string | null;
  /** Null for what is still to be made. */
  targetId: string | null;
  /** Whose data key the arguments are sealed under; null for the master key. */
  customerKey: string | null;
  /** What an operator may read of it in a list, and the trail keeps; never a secret, never a customer. */
  details: Record<string, unknown>;
  /** The checked arguments of the command, bound to the proposal's id. No secret is among them. */
  sealedArguments: string;
  /** What is proposed, in short: as long as it is open, nobody opens another one for the same. */
  sameAs: string;
  status: ProposalStatus;
  proposedBy: string;
  proposedAt: Date;
  expiresAt: Date;
  decidedBy: string | null;
  decidedAt: Date | null;
  /** Why it was rejected. */
  reason: string | null;
  /** When what was approved was done; null until then. */
  carriedOutAt: Date | null;
}

const date = { type: Date, required: true };
const text = { type: String, required: true };

export const proposalSchema = new Schema<ProposalDoc>(
  {
    _id: text,
    action: text,
    partnerId: { type: String, default: null },
    targetId: { type: String, default: null },
    customerKey: { type: String, default: null },
    details: { type: Schema.Types.Mixed, required: true },
    sealedArguments: text,
    sameAs: text,
    status: { type: String, enum: proposalStatuses, required: true },
    proposedBy: text,
    proposedAt: date,
    expiresAt: date,
    decidedBy: { type: String, default: null },
    decidedAt: { type: Date, default: null },
    reason: { type: String, default: null },
    carriedOutAt: { type: Date, default: null },
  },
  { collection: 'proposals', versionKey: false, minimize: false },
);
proposalSchema.index(
  { partnerId: 1, sameAs: 1 },
  { unique: true, name: 'one_open', partialFilterExpression: { status: 'PROPOSED' } },
);
proposalSchema.index({ partnerId: 1, sameAs: 1, status: 1 });
proposalSchema.index({ status: 1, _id: -1 });
proposalSchema.index({ partnerId: 1, _id: 1 }, { unique: true });
