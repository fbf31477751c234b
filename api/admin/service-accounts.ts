import type { Router } from '@koa/router';
import { page, pageSchema } from '../../http/paging.ts';
import { findPartner } from '../../models/identity/partners.ts';
import type { ServiceAccountDoc } from '../../models/schemas/integrations.ts';
import { revokeServiceAccount } from '../../operations/service-accounts/revoke.ts';
import type { ApiDeps } from '../deps.ts';
import { type OperatorState, param, queryOf } from './context.ts';
import type { OperationRoutes } from './operation-routes.ts';
import { requirePermission } from './require-permission.ts';

/** A service account, with its tokens but without their hashes. */
function presentAccount({ _id: id, tokens, ...account }: ServiceAccountDoc) {
  const { partnerId, mode, name, scopes, createdAt, expiresAt, revokedAt } = account;
  return {
    id,
    partnerId,
    mode,
    name,
    scopes,
    tokens: tokens.map((token) => ({
      createdAt: token.createdAt,
      endsAt: token.endsAt,
      lastUsedAt: token.lastUsedAt,
      lastUsedFrom: token.lastUsedFrom,
    })),
    createdAt,
    expiresAt,
    revokedAt,
  };
}

const allOf = '/partners/:partnerId/service-accounts';

/** Partners' service accounts. Operators can list and revoke them, but never get a token. */
export function serviceAccountRoutes(
  router: Router<OperatorState>,
  { models }: ApiDeps,
  operations: OperationRoutes,
): void {
  router.get(allOf, requirePermission('read'), async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    const query = queryOf(ctx, pageSchema);
    ctx.body = await page(models.serviceAccounts, [{ partnerId }], query, presentAccount);
  });
  operations.route('delete', `${allOf}/:serviceAccountId`, revokeServiceAccount, {
    respond: (account) => ({ status: 200, body: presentAccount(account) }),
  });
}
