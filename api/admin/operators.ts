import type { Router } from '@koa/router';
import { page, pageSchema } from '../../http/paging.ts';
import { findOperator } from '../../models/identity/operators.ts';
import type { OperatorDoc } from '../../models/schemas/people.ts';
import { changeRole } from '../../operations/operators/change-role.ts';
import { confirmOperator } from '../../operations/operators/confirm.ts';
import { createOperator } from '../../operations/operators/create.ts';
import type { RevealedToken } from '../../operations/operators/new-token.ts';
import { resetOperatorFactor } from '../../operations/operators/reset-second-factor.ts';
import { revokeOperator } from '../../operations/operators/revoke.ts';
import { revokeOwnToken } from '../../operations/operators/revoke-own-token.ts';
import { revokeOperatorToken } from '../../operations/operators/revoke-token.ts';
import { rotateOwnToken } from '../../operations/operators/rotate-own-token.ts';
import type { ApiDeps } from '../deps.ts';
import { type OperatorState, param, queryOf } from './context.ts';
import type { OperationRoutes } from './operation-routes.ts';
import { requirePermission } from './require-permission.ts';

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

/** Operators, their roles and their tokens (docs/domain.md, Who may do what). */
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
    ctx.body = await page(models.operators, [], queryOf(ctx, pageSchema), presentOperator);
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
