import Joi from 'joi';
import { ServiceError } from '../../../domain/errors.ts';
import { proposalStatusAt } from '../../../domain/operators.ts';
import { pageSchema } from '../../../http/query.ts';
import { approve as approveProposal } from '../../../operations/approve.ts';
import { auditRead } from '../../../operations/audit-log.ts';
import { execute } from '../../../operations/execute.ts';
import { sensitiveOperationNamed } from '../../../operations/index.ts';
import { rejectProposal } from '../../../operations/proposals.ts';
import {
  openProposal,
  readApprovers,
  readProposal,
  readProposals,
} from '../../../views/approvals.ts';
import { readPartner } from '../../../views/partners.ts';
import { operatorPaths } from '../../components/links.ts';
import { render } from '../../components/view.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import { reasonField } from '../../forms/fields.ts';
import { emptyForm, type Filled } from '../../forms/submit.ts';
import { asked } from '../../lists/filters.ts';
import { actorOf, whenDone } from '../../operate.ts';
import {
  approvalFilters,
  approvalsPage,
  evidenceIn,
  proposalPage,
} from '../../pages/admin/approvals.ts';
import { nameEvidence, nameIds } from '../../routing/name-ids.ts';
import { queryOf } from '../../routing/query.ts';
import type { Routes } from '../../routing/route-table.ts';

const approvalSchema = Joi.object({});
const rejectionSchema = Joi.object<{ reason: string }>({ reason: reasonField.required() });

const ofProposal = {
  path: '/admin/approvals/:proposalId',
  params: { proposalId: 'proposal' },
  audience: 'operator',
  permission: 'proposal.decide',
} as const;
const approving = {
  ...ofProposal,
  path: `${ofProposal.path}/approve`,
  secondFactor: true,
} as const;
const again = {
  ...ofProposal,
  path: `${ofProposal.path}/propose-again`,
  secondFactor: true,
} as const;
const rejecting = { ...ofProposal, path: `${ofProposal.path}/reject`, secondFactor: true } as const;

/** Proposals that need a second operator. */
export function operatorApprovalPages(routes: Routes): void {
  routes.page(
    { path: '/admin/approvals', audience: 'operator', permission: 'read' },
    showProposals,
  );
  routes.page(ofProposal, showProposal);
  routes.action(approving, { schema: approvalSchema, act: approve, retry: showProposal });
  routes.action(again, { schema: approvalSchema, act: proposeAgain, retry: showProposal });
  routes.action(rejecting, { schema: rejectionSchema, act: reject, retry: showProposal });
}

async function showProposals(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const list = await asked(ctx, deps, approvalFilters);
  const proposals = await readProposals(deps, list.filter, queryOf(ctx, pageSchema));
  render(ctx, approvalsPage(ctx, list, proposals, deps.config.approvals.isOn));
}

async function showProposal(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const details = await readProposal(deps, param(ctx, 'proposalId'));
  const { _id: targetId, partnerId } = details.proposal;
  await auditRead(deps, actorOf(ctx), { action: 'proposal.read', partnerId, targetId });
  const input = (await openProposal(deps, details.proposal)) as Record<string, unknown> | null;
  const evidence = evidenceIn(details.proposal);
  if (partnerId === null) await nameIds(ctx, deps, evidence);
  else await nameEvidence(ctx, deps, await readPartner(deps, partnerId), evidence);
  const { proposedBy } = details.proposal;
  const nowMs = deps.now();
  const isOwn = proposedBy === ctx.state.viewer.actorId;
  const isTold = isOwn && proposalStatusAt(details.proposal, nowMs) === 'PROPOSED';
  const approvers = isTold ? await readApprovers(deps, details.proposal) : 'SOMEBODY';
  render(ctx, proposalPage(ctx, details, input, { filled, nowMs, approvers }));
}

async function approve(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const proposalId = param(ctx, 'proposalId');
  const { done } = await approveProposal(deps, actorOf(ctx), proposalId);
  const isForOwner =
    typeof done?.outcome === 'object' && done.outcome !== null && 'secret' in done.outcome;
  const said = isForOwner
    ? 'Approved and carried out. An owner of the partner is shown the secret, once.'
    : 'Approved and carried out.';
  redirect(ctx, operatorPaths.PROPOSAL + proposalId, said);
}

/** Proposes the same input as a proposal that came to nothing. */
async function proposeAgain(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const { proposal } = await readProposal(deps, param(ctx, 'proposalId'));
  const input = await openProposal(deps, proposal);
  const status = proposalStatusAt(proposal, deps.now());
  if (input === null || (status !== 'FAILED' && status !== 'EXPIRED')) {
    throw new ServiceError(
      'CONFLICT',
      'Only what expired or could not be carried out is proposed again.',
    );
  }
  const operation = sensitiveOperationNamed(proposal.action);
  const executed = await execute(deps, operation, actorOf(ctx), input);
  await whenDone(ctx, executed, () =>
    redirect(
      ctx,
      operatorPaths.PROPOSAL + proposal._id,
      'Carried out. It needed no second operator.',
    ),
  );
}

async function reject(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  { reason }: { reason: string },
): Promise<void> {
  const proposalId = param(ctx, 'proposalId');
  await execute(deps, rejectProposal, actorOf(ctx), { proposalId, reason });
  redirect(ctx, '/admin/approvals', 'Rejected. Nothing was changed.');
}
