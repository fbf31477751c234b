import { ServiceError } from '../domain/errors.ts';
import { may, permittedRoles, refusalOf } from '../domain/operators.ts';
import { accounts } from '../domain/postings.ts';
import { areIndependent } from '../models/identity/introductions.ts';
import type { ProposalDoc } from '../models/schemas/audit.ts';
import type { EntryDoc } from '../models/schemas/entries.ts';
import { correspondingId, type IdKind } from '../platform/ids.ts';
import { findProposal, openProposal } from '../views/approvals.ts';
import type { OperatorActor } from './actor.ts';
import type { OperationDeps } from './deps.ts';
import { requireFreshFactor, runAudited } from './execute.ts';
import { sensitiveOperationNamed } from './index.ts';
import type { AnyOperation, Shown } from './operation.ts';
import { alreadyDecided, changed, decideProposal, fundingSeen, hashOfShown } from './proposals.ts';

/** An operation that was approved and has run. */
export interface ApprovedOperation {
  operation: AnyOperation;
  input: object;
  outcome: unknown;
}

const erased = 'The customer was erased, and the proposal’s details with them. Propose it again.';

/**
 * Approves a proposal and runs its operation, in the name of both operators. If several approve at once, one
 * wins. The winner can approve again until the operation has run or the proposal has expired, since the
 * process may have ended midway; a refusal ends it.
 * @returns `done` is null if the operation had run before
 * @throws ServiceError NOT_FOUND; FORBIDDEN for operators who may not approve it; CONFLICT if it was decided
 *   otherwise or has expired, what was shown has changed, its proposer lost the permission, or its customer was
 *   erased; and what the operation itself throws
 */
export async function approve(
  deps: OperationDeps,
  approver: OperatorActor,
  proposalId: string,
): Promise<{ proposal: ProposalDoc; done: ApprovedOperation | null }> {
  const { role } = approver;
  if (!may(role, 'proposal.decide')) {
    const allowed = permittedRoles['proposal.decide'].join(' or ');
    throw new ServiceError(
      'FORBIDDEN',
      `Your role is ${role}, but proposal.decide requires ${allowed}.`,
    );
  }
  requireFreshFactor(approver, deps.now());
  const approved = await decide(deps, approver, await findProposal(deps.models, proposalId));
  if (approved.carriedOutAt) return { proposal: approved, done: null };
  const operation = sensitiveOperationNamed(approved.action);
  const input = (await openProposal(deps, approved)) as object | null;
  if (input === null) throw new ServiceError('CONFLICT', erased);
  const actor = await requireProposer(deps, approved, approver);
  const found = await operation.find(deps, input, actor);
  const target = operation.audit(input, found, actor);
  const outcome = await runOrEnd(
    deps,
    approved,
    operation,
    input,
    {
      actor,
      approvedBy: approver.id,
      found,
      shown: approved.shown as Shown,
      idOf: (kind: IdKind) => correspondingId(kind, approved._id),
    },
    // Repeats of the approval share one audit entry.
    { once: approved._id, ...target },
  );
  const proposal = await markCarriedOut(deps, approved, outcome);
  return { proposal, done: { operation, input, outcome } };
}

/** Runs the operation. A refusal ends the proposal: nothing of it is tried again once it would be possible. */
async function runOrEnd(
  deps: OperationDeps,
  proposal: ProposalDoc,
  ...run: Parameters<typeof runAudited> extends [unknown, ...infer Rest] ? Rest : never
): Promise<unknown> {
  try {
    return await runAudited(deps, ...run);
  } catch (error) {
    if (error instanceof ServiceError && error.status < 500) {
      await endProposal(deps, proposal, error.message);
    }
    throw error;
  }
}

async function decide(
  deps: OperationDeps,
  approver: OperatorActor,
  before: ProposalDoc,
): Promise<ProposalDoc> {
  const { id: operatorId, role } = approver;
  const refusal = refusalOf(before, 'APPROVED', { operatorId, role }, deps.now());
  if (refusal) throw new ServiceError(refusal.code, refusal.message);
  const actor = await requireProposer(deps, before, approver);
  await requireAnother(deps, before, approver);
  if (before.status === 'PROPOSED') await requireSameShown(deps, before, actor);
  const proposal = await decideProposal(deps, before, 'APPROVED', operatorId, null);
  const isOver = proposal.carriedOutAt === null && proposal.expiresAt.getTime() <= deps.now();
  if (proposal.status === 'APPROVED' && proposal.decidedBy === operatorId && !isOver) {
    return proposal;
  }
  throw alreadyDecided(proposal);
}

/** The second operator must be independent of the proposer. @throws ServiceError FORBIDDEN */
async function requireAnother(
  { models, now }: OperationDeps,
  { proposedBy }: ProposalDoc,
  { id }: OperatorActor,
): Promise<void> {
  if (await areIndependent(models, [proposedBy, id], now())) return;
  throw new ServiceError(
    'FORBIDDEN',
    'In the last 30 days, you or the proposer introduced the other, or the same operator introduced both of you. Another operator must approve it, or confirm whichever of you is the newer operator.',
  );
}

/** @returns the proposer, who must still have the permission @throws ServiceError CONFLICT */
async function requireProposer(
  { models }: OperationDeps,
  { proposedBy, action }: ProposalDoc,
  { requestId, factor }: OperatorActor,
): Promise<OperatorActor> {
  const proposer = await models.operators.findById(proposedBy);
  if (proposer?.revokedAt === null && may(proposer.role, action)) {
    return { kind: 'operator', id: proposedBy, role: proposer.role, requestId, factor };
  }
  throw new ServiceError(
    'CONFLICT',
    'The proposer is no longer allowed to do this. Propose it again.',
  );
}

/** Ends the proposal if what was shown has changed since it was made. @throws ServiceError CONFLICT */
async function requireSameShown(
  deps: OperationDeps,
  proposal: ProposalDoc,
  actor: OperatorActor,
): Promise<void> {
  const { approval, find } = sensitiveOperationNamed(proposal.action);
  const input = (await openProposal(deps, proposal)) as object | null;
  if (input === null) return;
  const shown = await approval.shown(deps, input, await find(deps, input, actor), actor);
  if (hashOfShown(shown) === proposal.shownHash) return;
  await endProposal(deps, proposal, changed);
  throw new ServiceError('CONFLICT', changed);
}

/** Ends a proposal that is open, or approved and not carried out. */
async function endProposal(
  { models }: OperationDeps,
  { partnerId, _id }: ProposalDoc,
  reason: string,
): Promise<void> {
  const seen = await fundingSeen(models, partnerId);
  await models.proposals.updateOne(
    { partnerId, _id, status: { $in: ['PROPOSED', 'APPROVED'] }, carriedOutAt: null },
    { $set: { status: 'FAILED', reason, ...seen } },
  );
}

async function markCarriedOut(
  { models, now }: OperationDeps,
  { partnerId, _id }: ProposalDoc,
  outcome: unknown,
): Promise<ProposalDoc> {
  const fundingCents = fundingBefore(outcome);
  await models.proposals.updateOne(
    { partnerId, _id, carriedOutAt: null },
    {
      $set: {
        carriedOutAt: new Date(now()),
        ...(fundingCents !== undefined && { fundingCents }),
      },
    },
  );
  return await findProposal(models, _id);
}

/** The funding before the entry that an operation made; undefined if it made none that changed it. */
function fundingBefore(outcome: unknown): number | undefined {
  const { entry } = (outcome ?? {}) as { entry?: Partial<EntryDoc> };
  const moved = entry?.postings?.find(({ account }) => account === accounts.funding);
  return moved && moved.balanceAfter - moved.amount;
}
