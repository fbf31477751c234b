import { proposalStatusAt } from '../../domain/approvals.ts';
import type { ProposalDoc } from '../../models/schemas/audit.ts';
import type { ApiDeps } from '../deps.ts';

/** A proposal without its arguments, which may identify a customer. */
export function presentProposal({ now }: Pick<ApiDeps, 'now'>, proposal: ProposalDoc) {
  const { _id: proposalId, action, partnerId, targetId, details, facts, expiresAt } = proposal;
  const { proposedBy, proposedAt, decidedBy, decidedAt, reason, carriedOutAt } = proposal;
  return {
    proposalId,
    action,
    partnerId,
    targetId,
    details,
    facts,
    status: proposalStatusAt(proposal, now()),
    proposedBy,
    proposedAt,
    expiresAt,
    decidedBy,
    decidedAt,
    reason,
    carriedOutAt,
  };
}
