import { ServiceError } from '../../domain/errors.ts';
import { refusalOf } from '../../domain/four-eyes.ts';
import { may, type Role } from '../../domain/operator-roles.ts';
import type { Models } from '../schemas/index.ts';
import type { ProposalDoc } from '../schemas/proposal.ts';
import type { CommandDeps } from './deps.ts';

type ProposalDeps = Pick<CommandDeps, 'models' | 'now'>;

export interface Decider {
  adminId: string;
  role: Role;
}

/** @throws ServiceError NOT_FOUND */
export async function findProposal(models: Models, proposalId: string): Promise<ProposalDoc> {
  const proposal = await models.proposals.findById(proposalId).lean();
  if (proposal) return proposal;
  throw new ServiceError('NOT_FOUND', `There is no proposal ${JSON.stringify(proposalId)}.`);
}

/**
 * Approves a proposal; of several operators at once, one does. The same operator may approve it again,
 * until it is carried out or its day is over: what the first approval began may have died midway.
 * @throws ServiceError NOT_FOUND, FORBIDDEN for who may not, CONFLICT for one that is decided otherwise,
 *   expired, or whose proposer may not do it any more
 */
export async function approveProposal(
  deps: ProposalDeps,
  proposalId: string,
  decider: Decider,
): Promise<ProposalDoc> {
  const { models, now } = deps;
  const before = await findProposal(models, proposalId);
  refuse(before, 'APPROVED', decider, now());
  await requireProposer(models, before);
  const proposal = await decide(deps, before, 'APPROVED', decider.adminId, null);
  const isOver = proposal.carriedOutAt === null && proposal.expiresAt.getTime() <= now();
  if (proposal.status === 'APPROVED' && proposal.decidedBy === decider.adminId && !isOver) {
    return proposal;
  }
  throw decidedAlready(proposal);
}

/**
 * Rejects a proposal, or takes back one's own.
 * @throws ServiceError NOT_FOUND, FORBIDDEN for who may not, CONFLICT for one that is approved or expired
 */
export async function rejectProposal(
  deps: ProposalDeps,
  proposalId: string,
  decider: Decider,
  reason: string,
): Promise<ProposalDoc> {
  const before = await findProposal(deps.models, proposalId);
  refuse(before, 'REJECTED', decider, deps.now());
  const proposal = await decide(deps, before, 'REJECTED', decider.adminId, reason);
  if (proposal.status === 'REJECTED') return proposal;
  throw decidedAlready(proposal);
}

/** Notes that what was approved is done. */
export async function noteCarriedOut(
  { models, now }: ProposalDeps,
  { partnerId, _id }: ProposalDoc,
): Promise<ProposalDoc> {
  await models.proposals.updateOne(
    { partnerId, _id, carriedOutAt: null },
    { $set: { carriedOutAt: new Date(now()) } },
  );
  return await findProposal(models, _id);
}

async function decide(
  { models, now }: ProposalDeps,
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

function refuse(...[proposal, ...rest]: Parameters<typeof refusalOf>): void {
  const refusal = refusalOf(proposal, ...rest);
  if (refusal) throw new ServiceError(refusal.code, refusal.message);
}

/** Whoever was revoked, or lost the role, proposes nothing any more. */
async function requireProposer(models: Models, { proposedBy, action }: ProposalDoc): Promise<void> {
  const proposer = await models.admins.findById(proposedBy).lean();
  if (proposer?.revokedAt === null && may(proposer.role, action)) return;
  throw new ServiceError('CONFLICT', 'Who proposed this may not do it any more. Propose it anew.');
}

function decidedAlready({ _id, status, decidedBy }: ProposalDoc): ServiceError {
  return new ServiceError('CONFLICT', `${_id} is ${status} already, by ${decidedBy}.`);
}
