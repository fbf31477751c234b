import type { ProposalStatus } from '../../domain/four-eyes.ts';

/**
 * What holds of the proposals of a status at an instant: one that nobody decided in time has expired,
 * whether that is written yet or not.
 */
export function ofProposalStatus(status: ProposalStatus, at: Date): Record<string, unknown> {
  if (status === 'PROPOSED') return { status, expiresAt: { $gt: at } };
  if (status !== 'EXPIRED') return { status };
  return { $or: [{ status }, { status: 'PROPOSED', expiresAt: { $lte: at } }] };
}
