import type { Router } from '@koa/router';
import Joi from 'joi';
import {
  type AuditStatus,
  auditStatuses,
  type ProposalStatus,
  proposalStatuses,
} from '../../domain/operators.ts';
import { param } from '../../http/context.ts';
import {
  given,
  type PageQuery,
  pageParameters,
  pageSchema,
  readPage,
  searchText,
} from '../../http/query.ts';
import { findOperator, namesOfActors } from '../../models/identity/operators.ts';
import type { AuditEntryDoc, AuditRunDoc } from '../../models/schemas/audit.ts';
import type { Models } from '../../models/schemas/index.ts';
import type { OperatorDoc } from '../../models/schemas/people.ts';
import type { ReconciliationRunDoc } from '../../models/schemas/processes.ts';
import { approve } from '../../operations/approve.ts';
import { closeAuditEntry } from '../../operations/audit-entries.ts';
import { auditRead } from '../../operations/audit-log.ts';
import { retryDue } from '../../operations/due.ts';
import {
  type RevealedToken,
  revokeOperatorToken,
  revokeOwnToken,
  rotateOwnToken,
} from '../../operations/operator-tokens.ts';
import {
  changeRole,
  confirmOperator,
  createOperator,
  resetOperatorFactor,
  revokeOperator,
} from '../../operations/operators.ts';
import { rejectProposal } from '../../operations/proposals.ts';
import { retireSigningKey } from '../../operations/signing-keys.ts';
import { findProposal, ofProposalStatus, openProposal } from '../../views/approvals.ts';
import type { ApiDeps } from '../deps.ts';
import {
  checkQuery,
  type OperationRoutes,
  type OperatorState,
  operatorActorOf,
  presentProposal,
  requirePermission,
} from './context.ts';

/** An operator, with its tokens but without their hashes. */
function presentOperator({ _id, name, role, tokens, ...operator }: OperatorDoc) {
  const { introductions, createdAt, revokedAt } = operator;
  const shown = tokens.map(({ hash, ...token }) => token);
  return { operatorId: _id, name, role, tokens: shown, introductions, createdAt, revokedAt };
}

/** The only response that contains the token in clear text. */
function presentToken({ operator, tokenId, token }: RevealedToken) {
  return { operator: presentOperator(operator), tokenId, token };
}

/** Operators, their roles and their tokens (docs/operate/roles.md, Two operators). */
export function operatorRoutes(
  router: Router<OperatorState>,
  { models }: ApiDeps,
  operations: OperationRoutes,
): void {
  const revealed = (made: RevealedToken) => ({ status: 201, body: presentToken(made) });
  const changed = (operator: OperatorDoc) => ({ status: 200, body: presentOperator(operator) });

  router.get('/operators/me', requirePermission('read'), async (ctx) => {
    ctx.body = presentOperator(await findOperator(models, ctx.state.operator.operatorId));
  });
  operations.route('post', '/operators/me/tokens', rotateOwnToken, {
    secret: true,
    respond: revealed,
  });
  operations.route('delete', '/operators/me/tokens/:tokenId', revokeOwnToken, { respond: changed });

  router.get('/operators', requirePermission('operator.read'), async (ctx) => {
    ctx.body = await readPage(models.operators, [], checkQuery(ctx, pageSchema), presentOperator);
  });
  operations.route('post', '/operators', createOperator, {
    body: true,
    respond: (operator) => ({ status: 201, body: presentOperator(operator) }),
  });
  router.get('/operators/:operatorId', requirePermission('operator.read'), async (ctx) => {
    ctx.body = presentOperator(await findOperator(models, param(ctx, 'operatorId')));
  });
  operations.route('patch', '/operators/:operatorId', changeRole, { body: true, respond: changed });
  operations.route('delete', '/operators/:operatorId', revokeOperator, { respond: changed });
  operations.route('post', '/operators/:operatorId/confirmation', confirmOperator, {
    respond: changed,
  });
  operations.route('delete', '/operators/:operatorId/tokens/:tokenId', revokeOperatorToken, {
    respond: changed,
  });
  // Only the portal proposes this operation, but it can be approved through either.
  operations.respondToApproved(resetOperatorFactor, changed);
}

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
    const { status, partner, ...paging } = checkQuery(ctx, querySchema);
    const conditions = status ? [ofProposalStatus(status, new Date(deps.now()))] : [];
    ctx.body = await readPage(
      models.proposals,
      [...conditions, ...given({ partnerId: partner })],
      paging,
      (proposal) => presentProposal(deps, proposal),
    );
  });

  router.get('/proposals/:proposalId', requirePermission('proposal.decide'), async (ctx) => {
    const proposal = await findProposal(models, param(ctx, 'proposalId'));
    const { _id: targetId, partnerId } = proposal;
    await auditRead(deps, operatorActorOf(ctx), { action: 'proposal.read', partnerId, targetId });
    const opened = await openProposal(deps, proposal);
    ctx.body = { ...presentProposal(deps, proposal), arguments: opened };
  });

  router.post(
    '/proposals/:proposalId/approval',
    requirePermission('proposal.decide'),
    async (ctx) => {
      const { proposal, done } = await approve(
        deps,
        operatorActorOf(ctx),
        param(ctx, 'proposalId'),
      );
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

const auditQuerySchema = Joi.object<PageQuery & { partner?: string; status?: AuditStatus }>({
  partner: searchText,
  status: Joi.string().valid(...auditStatuses),
  ...pageParameters,
});

function presentAuditEntry({
  _id,
  once,
  isAlone = false,
  ...entry
}: Omit<AuditEntryDoc, 'isAlone'> & { isAlone?: boolean }) {
  return { auditEntryId: _id, ...entry, isAlone };
}

/** Adds the names of the actor and of the approver; null where the id has no name. */
async function withNames(models: Models, entries: ReturnType<typeof presentAuditEntry>[]) {
  const ids = entries.flatMap(({ actorId, approvedBy }) => [actorId, approvedBy]);
  const nameOf = await namesOfActors(models, ids);
  return entries.map((entry) => ({
    ...entry,
    actorName: nameOf.get(entry.actorId) ?? null,
    approvedByName: nameOf.get(entry.approvedBy ?? '') ?? null,
  }));
}

export function auditEntryRoutes(
  router: Router<OperatorState>,
  { models }: ApiDeps,
  operations: OperationRoutes,
): void {
  router.get('/audit', requirePermission('read'), async (ctx) => {
    const { partner, status, ...paging } = checkQuery(ctx, auditQuerySchema);
    const found = await readPage(
      models.auditEntries,
      given({ partnerId: partner, status }),
      paging,
      presentAuditEntry,
    );
    const items = await withNames(models, found.items);
    ctx.body = { ...found, items };
  });

  operations.route('post', '/audit/:auditEntryId/closure', closeAuditEntry, {
    body: true,
    async respond(closed) {
      const [body = {}] = await withNames(models, [presentAuditEntry(closed)]);
      return { status: 200, body };
    },
  });
  operations.route('post', '/due/retry', retryDue, {
    respond: (body) => ({ status: 200, body }),
  });
  operations.route('post', '/signing-key/retirement', retireSigningKey, {
    respond: (body) => ({ status: 200, body }),
  });
}

function presentAuditRun({ _id, ...run }: AuditRunDoc) {
  return { auditRunId: _id, alone: null, ...run };
}

export function auditRunRoutes(router: Router<OperatorState>, { models }: ApiDeps): void {
  router.get('/audit-runs', requirePermission('read'), async (ctx) => {
    ctx.body = await readPage(models.auditRuns, [], checkQuery(ctx, pageSchema), presentAuditRun);
  });
}

function presentReconciliationRun({ _id, ...run }: ReconciliationRunDoc) {
  return { reconciliationRunId: _id, ...run };
}

export function reconciliationRunRoutes(router: Router<OperatorState>, { models }: ApiDeps): void {
  router.get('/reconciliation-runs', requirePermission('read'), async (ctx) => {
    const query = checkQuery(ctx, pageSchema);
    ctx.body = await readPage(models.reconciliationRuns, [], query, presentReconciliationRun);
  });
}
