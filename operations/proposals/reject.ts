import Joi from 'joi';
import { refusalOf } from '../../domain/approvals.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { ProposalDoc } from '../../models/schemas/audit.ts';
import { findProposal } from '../../models/views/proposals.ts';
import type { AuditDeps } from '../deps.ts';
import { idField, longText } from '../fields.ts';
import { operation } from '../operation.ts';
import { alreadyDecided, decideProposal } from './decide.ts';

/** Rejects a proposal, or withdraws one's own. */
export const rejectProposal = operation({
  name: 'proposal.reject',
  permission: { operator: 'proposal.decide', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ proposalId: string; reason: string }>({
    proposalId: idField,
    reason: longText(500).required(),
  }),
  approval: 'NONE',
  find: ({ models }, { proposalId }) => findProposal(models, proposalId),
  audit: (_input, { _id: targetId, partnerId }) => ({ targetId, partnerId }),

  /** @throws ServiceError FORBIDDEN without the permission, CONFLICT for an approved or expired proposal */
  async run(deps: AuditDeps, { reason }, { actor, found }): Promise<ProposalDoc> {
    if (actor.kind !== 'operator') throw new Error('only operators can decide proposals');
    const approver = { operatorId: actor.id, role: actor.role };
    const refusal = refusalOf(found, 'REJECTED', approver, deps.now());
    if (refusal) throw new ServiceError(refusal.code, refusal.message);
    const proposal = await decideProposal(deps, found, 'REJECTED', actor.id, reason);
    if (proposal.status === 'REJECTED') return proposal;
    throw alreadyDecided(proposal);
  },
});
