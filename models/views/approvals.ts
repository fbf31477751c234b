import type { ProposalStatus } from '../../domain/approvals.ts';
import { namesOfActors } from '../identity/actors.ts';
import type { ProposalDoc } from '../schemas/audit.ts';
import { given, type PageQuery, page } from '../store/paging.ts';
import { requireFound } from '../store/require-found.ts';
import type { TimedDeps, ViewDeps } from './deps.ts';
import { readProposalNames } from './proposal-names.ts';
import { ofProposalStatus } from './proposals.ts';

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
  const proposals = await page(
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

/** A proposal with the names of its target, proposer and decider. @throws ServiceError NOT_FOUND */
export async function readProposal({ models }: Pick<ViewDeps, 'models'>, proposalId: string) {
  const stored = await models.proposals.findById(proposalId);
  const proposal = requireFound(stored, 'proposal', proposalId);
  const [names, nameOf] = await Promise.all([
    readProposalNames({ models }, [proposal]),
    namesOfActors(models, [proposal.proposedBy, proposal.decidedBy]),
  ]);
  return { proposal, names, nameOf };
}

export type ProposalDetails = Awaited<ReturnType<typeof readProposal>>;
