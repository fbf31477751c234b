import { approvalsOff, type ProposalStatus, proposalStatusAt } from '../domain/operators.ts';
import { type Approvers, approversOf } from '../models/identity/introductions.ts';
import { namesOfActors } from '../models/identity/operators.ts';
import { walletBalances } from '../models/ledger/index.ts';
import { toEarningRule } from '../models/rewards/rules.ts';
import type { AloneDoc, ProposalDoc } from '../models/schemas/audit.ts';
import type { Models } from '../models/schemas/index.ts';
import { openSealed } from '../models/store/data-keys.ts';
import { given, type PageQuery, readPage } from '../models/store/paging.ts';
import { requireFound } from '../models/store/require-found.ts';
import type { Sealer } from '../platform/sealing.ts';
import type { TimedDeps, ViewDeps } from './deps.ts';

/** Names, currencies and orders of the ids in proposals. */
export interface ProposalNames {
  nameOf(id: string | null): string;
  currencyOf(partnerId: string | null): string;
  /** @param id of a review or a reward */
  orderOf(id: string | null): string;
}

export async function readProposalNames(
  { models }: Pick<ViewDeps, 'models'>,
  proposals: readonly ProposalDoc[],
): Promise<ProposalNames> {
  const ids = new Set(
    proposals.flatMap(({ partnerId, targetId, details: { integrationId } }) =>
      [partnerId, targetId, integrationId].filter((id) => typeof id === 'string'),
    ),
  );
  const among = { _id: { $in: [...ids] } };
  const [partners, integrations, operators, reviews, rewards] = await Promise.all([
    models.partners.find(among, { name: 1, currency: 1 }),
    models.integrations.find(among, { name: 1 }),
    models.operators.find(among, { name: 1 }),
    models.reviews.find(among, { externalOrderId: 1 }),
    models.rewards.find(among, { externalOrderId: 1 }),
  ]);
  const names = new Map(
    [...partners, ...integrations, ...operators].map((one) => [one._id, one.name]),
  );
  const currencies = new Map(partners.map(({ _id, currency }) => [_id, currency]));
  const orders = new Map(
    [...reviews, ...rewards].map(({ _id, externalOrderId }) => [_id, externalOrderId]),
  );
  return {
    nameOf: (id) => names.get(id ?? '') ?? id ?? 'nobody',
    currencyOf: (partnerId) => currencies.get(partnerId ?? '') ?? 'USD',
    orderOf: (id) => orders.get(id ?? '') ?? id ?? '',
  };
}

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

export interface ProposalFilter {
  status: ProposalStatus | 'ANY';
  partnerId: string | undefined;
}

/** A page of proposals, with the names of their targets and proposers. */
export async function readProposals(
  { models, now }: TimedDeps,
  { status, partnerId }: ProposalFilter,
  query: PageQuery,
) {
  const proposals = await readPage(
    models.proposals,
    [
      ...(status === 'ANY' ? [] : [ofProposalStatus(status, new Date(now()))]),
      ...given({ partnerId }),
    ],
    query,
    (proposal: ProposalDoc) => proposal,
  );
  const { items } = proposals;
  const [names, nameOf] = await Promise.all([
    readProposalNames({ models }, items),
    namesOfActors(
      models,
      items.map(({ proposedBy }) => proposedBy),
    ),
  ]);
  return { ...proposals, names, nameOf };
}

export type Proposals = Awaited<ReturnType<typeof readProposals>>;

/**
 * A proposal with the names of its target, proposer and decider, the rules that it names, and the partner's LIVE
 * funding: now if it is open, and otherwise what it was then. @throws ServiceError NOT_FOUND
 */
export async function readProposal({ models, now }: TimedDeps, proposalId: string) {
  const proposal = await findProposal(models, proposalId);
  const { partnerId, shown } = proposal;
  const ruleIds = [shown.ruleId, shown.activeRuleId].filter((id) => typeof id === 'string');
  const [names, nameOf, rules, funding] = await Promise.all([
    readProposalNames({ models }, [proposal]),
    namesOfActors(models, [proposal.proposedBy, proposal.decidedBy]),
    ruleIds.length === 0 ? [] : models.earningRules.find({ _id: { $in: ruleIds } }),
    partnerId === null ? null : walletBalances(models, { mode: 'LIVE', partnerId }),
  ]);
  const ruleOf = new Map(rules.map((one) => [one._id, toEarningRule(one)]));
  const nowCents = funding?.fundingCents ?? 0;
  const isOpen = proposalStatusAt(proposal, now()) === 'PROPOSED';
  const fundingCents = isOpen ? nowCents : (proposal.fundingCents ?? nowCents);
  return { proposal, names, nameOf, ruleOf, fundingCents };
}

export type ProposalDetails = Awaited<ReturnType<typeof readProposal>>;

/** Counting stops here: this many means "at least this many". */
const countLimit = 10_000;

/**
 * The period in which approvals were switched off, and how many operations one operator carried out alone
 * in it; null if they were never off.
 */
export async function readApprovalsOff({
  auditEntries,
}: Pick<Models, 'auditEntries'>): Promise<AloneDoc | null> {
  const isAlone = { isAlone: true } as const;
  const [first, last, operations] = await Promise.all([
    auditEntries.findOne(isAlone, { at: 1 }).sort({ _id: 1 }),
    auditEntries.findOne(isAlone, { at: 1 }).sort({ _id: -1 }),
    auditEntries.countDocuments(
      { ...isAlone, action: { $ne: approvalsOff } },
      { limit: countLimit },
    ),
  ]);
  return first && last ? { operations, from: first.at, to: last.at } : null;
}

/** Who can approve a proposal, as far as its proposer has to know. */
export const readApprovers = (
  { models, now }: Pick<ViewDeps, 'models' | 'now'>,
  proposal: ProposalDoc,
): Promise<Approvers> => approversOf(models, proposal, now());
