import Joi from 'joi';
import { ServiceError } from '../domain/errors.ts';
import { type Permission, proposalLifeMs, refusalOf } from '../domain/operators.ts';
import { walletBalances } from '../models/ledger/index.ts';
import type { ProposalDoc } from '../models/schemas/audit.ts';
import type { Models } from '../models/schemas/index.ts';
import { sealForCustomer } from '../models/store/data-keys.ts';
import { insertOnce } from '../models/store/insert-once.ts';
import { announceWith } from '../models/webhooks/announce.ts';
import { proposalAnnounced } from '../models/webhooks/announcements.ts';
import { keyedHasher, sha256Hex } from '../platform/hashing.ts';
import { newId } from '../platform/ids.ts';
import { findProposal } from '../views/approvals.ts';
import type { OperatorActor } from './actor.ts';
import { audited } from './audit-log.ts';
import type { ApprovalDeps, AuditLogDeps } from './deps.ts';
import { idField, longText } from './fields.ts';
import { operation, type Shown } from './operation.ts';

/** Decides an open proposal that has not expired. @returns the proposal afterwards */
export async function decideProposal(
  { models, now }: AuditLogDeps,
  { partnerId, _id }: ProposalDoc,
  status: 'APPROVED' | 'REJECTED',
  decidedBy: string,
  reason: string | null,
): Promise<ProposalDoc> {
  const decidedAt = new Date(now());
  const seen = await fundingSeen(models, partnerId);
  await models.proposals.updateOne(
    { partnerId, _id, status: 'PROPOSED', expiresAt: { $gt: decidedAt } },
    { $set: { status, decidedBy, decidedAt, reason, ...seen } },
  );
  return await findProposal(models, _id);
}

/** What a proposal's page shows of the partner's LIVE funding once it is decided: what it was then. */
export async function fundingSeen(
  models: Pick<Models, 'wallets'>,
  partnerId: string | null,
): Promise<Pick<ProposalDoc, 'fundingCents'>> {
  if (partnerId === null) return {};
  const { fundingCents } = await walletBalances(models, { mode: 'LIVE', partnerId });
  return { fundingCents };
}

export function alreadyDecided({ _id, status, decidedBy }: ProposalDoc): ServiceError {
  return new ServiceError(
    'CONFLICT',
    `${_id} was already ${status.toLowerCase()} by ${decidedBy}.`,
  );
}

/** Why a proposal ends if what was shown has changed. */
export const changed =
  'Something that this proposal depends on has changed. Review it and propose it again.';

/** The content of a proposal. */
export interface Proposed {
  action: Permission;
  partnerId: string | null;
  targetId: string | null;
  /** The customer whose data the input may contain; null for none. */
  customerId: string | null;
  /** What lists show of it; never a secret or customer data. */
  details: Record<string, unknown>;
  /** The validated input of its operation, without secrets. The same input is the same proposal. */
  input: unknown;
  /** What the approval is bound to. */
  shown: Shown;
}

const maxRaces = 10;

/** Proposes an operation to the other operators, or finds the open proposal of the same operation and input. */
export async function propose(
  deps: ApprovalDeps,
  { id: actorId, requestId }: OperatorActor,
  what: Proposed,
): Promise<ProposalDoc> {
  const { action, partnerId, targetId, details } = what;
  return await audited(
    deps,
    { actorId, approvedBy: null, requestId },
    {
      action: 'proposal.create',
      partnerId,
      targetId: null,
      details: { action, target: targetId, ...details },
    },
    () => findOrPropose(deps, actorId, what),
    ({ _id }) => ({ targetId: _id }),
  );
}

async function findOrPropose(
  deps: ApprovalDeps,
  proposedBy: string,
  what: Proposed,
): Promise<ProposalDoc> {
  const { models, now } = deps;
  const { action, partnerId, targetId, customerId, details, shown } = what;
  const sameAs = proposalKeyOf(deps, what);
  for (let race = 0; race < maxRaces; race++) {
    await expire(deps, { partnerId, sameAs });
    const open = await models.proposals.findOne({ partnerId, sameAs, status: 'PROPOSED' });
    if (open) return open;
    const _id = newId('proposal');
    const proposal: ProposalDoc = {
      _id,
      action,
      partnerId,
      targetId,
      customerId,
      details,
      sameAs,
      proposedBy,
      sealedArguments: await sealInput(deps, what, _id),
      shown,
      shownHash: hashOfShown(shown),
      status: 'PROPOSED',
      proposedAt: new Date(now()),
      expiresAt: new Date(now() + proposalLifeMs),
      decidedBy: null,
      decidedAt: null,
      reason: null,
      carriedOutAt: null,
      ...(await fundingSeen(models, partnerId)),
    };
    const partner =
      partnerId === null ? null : await models.partners.findById(partnerId, { name: 1 });
    const create = () =>
      announceWith(models, async (session, announce) => {
        await models.proposals.create([proposal], { session });
        announce(proposalAnnounced(proposal, partner?.name ?? null));
      });
    if (await insertOnce(create)) return proposal;
  }
  throw new Error('the proposal does not exist and could not be created');
}

async function sealInput(
  deps: ApprovalDeps,
  { partnerId, customerId, input }: Proposed,
  proposalId: string,
): Promise<string> {
  const text = JSON.stringify(input);
  if (partnerId === null || customerId === null) return deps.sealer.seal(text, proposalId);
  return await sealForCustomer(deps, { partnerId, customerId }, text, proposalId);
}

/** Whether the same operation was approved and carried out; with a reference, repeating it moves nothing. */
export async function wasCarriedOut(
  deps: Pick<ApprovalDeps, 'models' | 'config'>,
  what: Proposed,
): Promise<boolean> {
  const { models } = deps;
  const { partnerId } = what;
  const done = await models.proposals.exists({
    partnerId,
    sameAs: proposalKeyOf(deps, what),
    status: 'APPROVED',
    carriedOutAt: { $ne: null },
  });
  return done !== null;
}

/** Marks proposals that were not decided in time as expired. */
async function expire(
  { models, now }: AuditLogDeps,
  same: Pick<ProposalDoc, 'partnerId' | 'sameAs'>,
): Promise<void> {
  await models.proposals.updateOne(
    {
      ...same,
      status: 'PROPOSED',
      expiresAt: { $lte: new Date(now()) },
    },
    { $set: { status: 'EXPIRED' } },
  );
}

/**
 * Identifies everything that would be approved: any difference makes another proposal. A keyed hash,
 * because the input may contain data of a customer who is erased later.
 */
function proposalKeyOf(
  { config }: Pick<ApprovalDeps, 'config'>,
  { action, targetId, details, input }: Proposed,
): string {
  const hashOf = keyedHasher(config.customerHashKey, 'what is proposed');
  return hashOf(JSON.stringify([action, targetId, sorted(details), sorted(input)]));
}

/** The hash of what was shown, which does not depend on the order of their fields. */
export function hashOfShown(shown: Shown): string {
  return sha256Hex(JSON.stringify(sorted(shown)));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return fields.map(([name, of]) => [name, sorted(of)]);
}

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
  async run(deps: AuditLogDeps, { reason }, { actor, found }): Promise<ProposalDoc> {
    if (actor.kind !== 'operator') throw new Error('only operators can decide proposals');
    const approver = { operatorId: actor.id, role: actor.role };
    const refusal = refusalOf(found, 'REJECTED', approver, deps.now());
    if (refusal) throw new ServiceError(refusal.code, refusal.message);
    const proposal = await decideProposal(deps, found, 'REJECTED', actor.id, reason);
    if (proposal.status === 'REJECTED') return proposal;
    throw alreadyDecided(proposal);
  },
});
