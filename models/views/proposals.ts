import type { ProposalStatus } from '../../domain/approvals.ts';
import type { Sealer } from '../../platform/sealing.ts';
import type { ProposalDoc } from '../schemas/audit.ts';
import type { Models } from '../schemas/index.ts';
import { openSealed } from '../store/data-keys.ts';
import { requireFound } from '../store/require-found.ts';

/** @throws ServiceError NOT_FOUND */
export async function findProposal(models: Models, proposalId: string): Promise<ProposalDoc> {
  return requireFound(await models.proposals.findById(proposalId), 'proposal', proposalId);
}

/** @returns the proposed input; null if its customer was erased */
export async function openProposal(
  deps: { models: Models; sealer: Sealer },
  { _id: context, partnerId, customerId, sealedArguments: sealed }: ProposalDoc,
): Promise<unknown> {
  const isOfCustomer = partnerId !== null && customerId !== null;
  const text = isOfCustomer
    ? await openSealed(deps, { partnerId, sealed, context })
    : deps.sealer.open(sealed, context);
  return text === null ? null : JSON.parse(text);
}

/**
 * The condition on proposals with a status at an instant. A proposal that was not decided in time has
 * expired, even if this is not stored yet.
 */
export function ofProposalStatus(status: ProposalStatus, at: Date): Record<string, unknown> {
  if (status === 'PROPOSED') return { status, expiresAt: { $gt: at } };
  if (status !== 'EXPIRED') return { status };
  return { $or: [{ status }, { status: 'PROPOSED', expiresAt: { $lte: at } }] };
}
