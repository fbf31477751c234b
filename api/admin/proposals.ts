import type { Router } from '@koa/router';
import Joi from 'joi';
import { type ProposalStatus, proposalStatuses } from '../../domain/four-eyes.ts';
import { given, type PageQuery, page, pageParameters, searchText } from '../../http/paging.ts';
import {
  approveProposal,
  findProposal,
  rejectProposal,
} from '../../models/commands/decide-proposal.ts';
import { openProposal } from '../../models/commands/propose.ts';
import { ofProposalStatus } from '../../models/views/proposals.ts';
import type { ApiDeps } from '../deps.ts';
import { type AdminState, bodyOf, jsonBody, param, queryOf } from './context.ts';
import { deed, noteRead } from './deeds.ts';
import { shortText } from './fields.ts';
import type { FourEyesGuard } from './four-eyes.ts';
import { permit } from './permit.ts';
import { presentProposal } from './present-proposal.ts';

const querySchema = Joi.object<PageQuery & { status?: ProposalStatus; partner?: string }>({
  status: Joi.string().valid(...proposalStatuses),
  partner: searchText,
  ...pageParameters,
});
const rejectionSchema = Joi.object<{ reason: string }>({ reason: shortText(500).required() });

/** What operators propose to each other, and decide. */
export function proposalRoutes(
  router: Router<AdminState>,
  deps: ApiDeps,
  fourEyes: FourEyesGuard,
): void {
  const { models } = deps;

  router.get('/proposals', permit('read'), async (ctx) => {
    const { status, partner, ...paging } = queryOf(ctx, querySchema);
    const conditions = status ? [ofProposalStatus(status, new Date(deps.now()))] : [];
    ctx.body = await page(
      models.proposals,
      [...conditions, ...given({ partnerId: partner })],
      paging,
      (proposal) => presentProposal(deps, proposal),
    );
  });

  router.get('/proposals/:proposalId', permit('proposal.decide'), async (ctx) => {
    const proposal = await findProposal(models, param(ctx, 'proposalId'));
    const { _id: targetId, partnerId } = proposal;
    await noteRead(deps, ctx, { action: 'proposal.read', partnerId, targetId });
    const opened = await openProposal(deps, proposal);
    ctx.body = { ...presentProposal(deps, proposal), arguments: opened };
  });

  router.post('/proposals/:proposalId/approval', permit('proposal.decide'), async (ctx) => {
    const approved = await approveProposal(deps, param(ctx, 'proposalId'), ctx.state.admin);
    const { proposal, result } = await fourEyes.carryOutProposal(ctx, approved);
    // It may hold a secret, shown this once.
    ctx.set('Cache-Control', 'no-store');
    ctx.body = { proposal: presentProposal(deps, proposal), result };
  });

  router.post(
    '/proposals/:proposalId/rejection',
    permit('proposal.decide'),
    jsonBody,
    async (ctx) => {
      const { reason } = bodyOf(ctx, rejectionSchema);
      const { _id: targetId, partnerId } = await findProposal(models, param(ctx, 'proposalId'));
      const proposal = await deed(
        deps,
        ctx,
        { action: 'proposal.reject', partnerId, targetId },
        () => rejectProposal(deps, targetId, ctx.state.admin, reason),
      );
      ctx.body = presentProposal(deps, proposal);
    },
  );
}
