import { proposalStatuses } from '../../domain/approvals.ts';
import type { Permission } from '../../domain/operator-roles.ts';
import { collection, date, mixed, nullable, oneOf, type Stored, text, textOf } from './fields.ts';

/**
 * An operation proposed by one operator, for another to approve (docs/domain.md, Who may do what).
 */
export const proposalSchema = collection(
  'proposals',
  {
    _id: text,
    /** The name of the operation, which is also the permission it requires. */
    action: textOf<Permission>(),
    partnerId: nullable(text),
    /** Null if the target is yet to be created. */
    targetId: nullable(text),
    /** The customer whose data key seals the input; null if the master key does. */
    customerId: nullable(text),
    /** What lists and the audit log show; never a secret or customer data. */
    details: mixed<Record<string, unknown>>(),
    /** The validated input of the operation, bound to the proposal's id, without secrets. */
    sealedArguments: text,
    /** The facts that the approval is bound to, by their hash. */
    facts: mixed<Record<string, unknown>>(),
    factsHash: text,
    /** Identifies what is proposed: only one proposal with the same value can be open. */
    sameAs: text,
    status: oneOf(proposalStatuses),
    proposedBy: text,
    proposedAt: date,
    expiresAt: date,
    decidedBy: nullable(text),
    decidedAt: nullable(date),
    /** Why it was rejected. */
    reason: nullable(text),
    /** When the approved operation was carried out; null before. */
    carriedOutAt: nullable(date),
  },
  { minimize: false },
);
export type ProposalDoc = Stored<typeof proposalSchema>;
proposalSchema.index(
  { partnerId: 1, sameAs: 1 },
  { unique: true, name: 'one_open', partialFilterExpression: { status: 'PROPOSED' } },
);
proposalSchema.index({ partnerId: 1, sameAs: 1, status: 1 });
proposalSchema.index({ status: 1, _id: -1 });
proposalSchema.index({ partnerId: 1, _id: 1 }, { unique: true });
