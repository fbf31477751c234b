import type { Router } from '@koa/router';
import Joi from 'joi';
import { type ProposalStatus, proposalStatuses } from '../../domain/approvals.ts';
import { given, type PageQuery, page, pageParameters, searchText } from '../../http/paging.ts';
import { findProposal, ofProposalStatus, openProposal } from '../../models/views/proposals.ts';
import { approve } from '../../operations/approve.ts';
import { auditRead } from '../../operations/audit-log.ts';
import { rejectProposal } from '../../operations/proposals/reject.ts';
import type { ApiDeps } from '../deps.ts';
import { actorOf } from './actor.ts';
import { type OperatorState, param, queryOf } from './context.ts';
import type { OperationRoutes } from './operation-routes.ts';
import { presentProposal } from './present-proposal.ts';
import { requirePermission } from './require-permission.ts';

const querySchema = Joi.object<PageQuery & { status?: ProposalStatus; partner?: string }>({
  status: Joi.string().valid(...proposalStatuses),
  partner: searchText,
  ...pageParameters,
});

/** Proposals of sensitive operations, and their approval or rejection by a second operator. */
export function proposalRoutes(
  router: Router<OperatorState>,
  deps: ApiDeps,
  operations: OperationRoutes,
): void {
  const { models } = deps;

  router.get('/proposals', requirePermission('read'), async (ctx) => {
    const { status, partner, ...paging } = queryOf(ctx, querySchema);
    const conditions = status ? [ofProposalStatus(status, new Date(deps.now()))] : [];
    ctx.body = await page(
      models.proposals,
      [...conditions, ...given({ partnerId: partner })],
      paging,
      (proposal) => presentProposal(deps, proposal),
    );
  });

  router.get('/proposals/:proposalId', requirePermission('proposal.decide'), async (ctx) => {
    const proposal = await findProposal(models, param(ctx, 'proposalId'));
    const { _id: targetId, partnerId } = proposal;
    await auditRead(deps, actorOf(ctx), { action: 'proposal.read', partnerId, targetId });
    const opened = await openProposal(deps, proposal);
    ctx.body = { ...presentProposal(deps, proposal), arguments: opened };
  });

  router.post(
    '/proposals/:proposalId/approval',
    requirePermission('proposal.decide'),
    async (ctx) => {
      const { proposal, done } = await approve(deps, actorOf(ctx), param(ctx, 'proposalId'));
      const result = done && (await operations.responseTo(done));
      // The result may contain a secret, which is shown only once.
      ctx.set('Cache-Control', 'no-store');
      ctx.body = { proposal: presentProposal(deps, proposal), result };
    },
  );

  operations.route('post', '/proposals/:proposalId/rejection', rejectProposal, {
    body: true,
    respond: (proposal) => ({ status: 200, body: presentProposal(deps, proposal) }),
  });
}
