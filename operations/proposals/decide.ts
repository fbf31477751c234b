import { ServiceError } from '../../domain/errors.ts';
import type { ProposalDoc } from '../../models/schemas/audit.ts';
import { findProposal } from '../../models/views/proposals.ts';
import type { AuditDeps } from '../deps.ts';

/** Decides an open proposal that has not expired. @returns the proposal afterwards */
export async function decideProposal(
  { models, now }: AuditDeps,
  { partnerId, _id }: ProposalDoc,
  status: 'APPROVED' | 'REJECTED',
  decidedBy: string,
  reason: string | null,
): Promise<ProposalDoc> {
  const decidedAt = new Date(now());
  await models.proposals.updateOne(
    { partnerId, _id, status: 'PROPOSED', expiresAt: { $gt: decidedAt } },
    { $set: { status, decidedBy, decidedAt, reason } },
  );
  return await findProposal(models, _id);
}

export function alreadyDecided({ _id, status, decidedBy }: ProposalDoc): ServiceError {
  return new ServiceError(
    'CONFLICT',
    `${_id} was already ${status.toLowerCase()} by ${decidedBy}.`,
  );
}
