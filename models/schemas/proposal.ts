import { Schema } from 'mongoose';
import { type ProposalStatus, proposalStatuses } from '../../domain/approvals.ts';
import type { Permission } from '../../domain/operator-roles.ts';

/** What one operator proposes, for another one to approve (docs/domain.md, Who may do what). */
export interface ProposalDoc {
  _id: string;
  /** The name of the operation, and the permission that it asks for. */
  action: Permission;
  partnerId: string | null;
  /** Null for what is still to be made. */
  targetId: string | null;
  /** Whose data key the input is sealed under; null for the master key. */
  customerId: string | null;
  /** What an operator may read of it in a list, and the audit log keeps; never a secret, never a customer. */
  details: Record<string, unknown>;
  /** The checked input of the operation, bound to the proposal's id. No secret is in it. */
  sealedArguments: string;
  /** What the approval covers. By their hash it is told whether they hold still. */
  facts: Record<string, unknown>;
  factsHash: string;
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
    customerId: { type: String, default: null },
    details: { type: Schema.Types.Mixed, required: true },
    sealedArguments: text,
    facts: { type: Schema.Types.Mixed, required: true },
    factsHash: text,
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
