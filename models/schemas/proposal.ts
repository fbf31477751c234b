import { Schema } from 'mongoose';
import { type ProposalStatus, proposalStatuses } from '../../domain/approvals.ts';
import type { Permission } from '../../domain/operator-roles.ts';

/**
 * An operation proposed by one operator, for another to approve (docs/domain.md, Who may do what).
 */
export interface ProposalDoc {
  _id: string;
  /** The name of the operation, which is also the permission it requires. */
  action: Permission;
  partnerId: string | null;
  /** Null if the target is yet to be created. */
  targetId: string | null;
  /** The customer whose data key seals the input; null if the master key does. */
  customerId: string | null;
  /** What lists and the audit log show; never a secret or customer data. */
  details: Record<string, unknown>;
  /** The validated input of the operation, bound to the proposal's id, without secrets. */
  sealedArguments: string;
  /** The facts that the approval is bound to, by their hash. */
  facts: Record<string, unknown>;
  factsHash: string;
  /** Identifies what is proposed: only one proposal with the same value can be open. */
  sameAs: string;
  status: ProposalStatus;
  proposedBy: string;
  proposedAt: Date;
  expiresAt: Date;
  decidedBy: string | null;
  decidedAt: Date | null;
  /** Why it was rejected. */
  reason: string | null;
  /** When the approved operation was carried out; null before. */
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
