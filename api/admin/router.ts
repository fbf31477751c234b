import { Router } from '@koa/router';
import type { ApiDeps } from '../deps.ts';
import { authenticateOperator, createOperationRoutes, type OperatorState } from './context.ts';
import { eventRoutes, refusedRequestRoutes, requestLogRoutes } from './events.ts';
import { credentialRoutes, serviceAccountRoutes, webhookRoutes } from './keys.ts';
import { moneyRoutes } from './money.ts';
import {
  auditEntryRoutes,
  auditRunRoutes,
  operatorRoutes,
  proposalRoutes,
  reconciliationRunRoutes,
} from './operators.ts';
import {
  earningRuleRoutes,
  goLiveRoutes,
  integrationRoutes,
  invitationRoutes,
  partnerRoutes,
  planRoutes,
  subscriptionRoutes,
} from './partners.ts';
import { reviewRoutes } from './reviews.ts';
import { customerRoutes, rewardRoutes } from './rewards.ts';

/**
 * The operators' JSON API. Every route requires an operator's bearer token and a permission, every
 * write adds an audit entry, every list is `{ items, nextCursor }`, newest first.
 */
export function createOperatorRouter(deps: ApiDeps): Router<OperatorState> {
  const router = new Router<OperatorState>({ prefix: '/admin/v1' });
  router.use(authenticateOperator(deps));
  const operations = createOperationRoutes(router, deps);
  partnerRoutes(router, deps, operations);
  invitationRoutes(operations);
  goLiveRoutes(router, deps, operations);
  integrationRoutes(router, deps, operations);
  moneyRoutes(router, deps, operations);
  customerRoutes(router, deps, operations);
  planRoutes(router, deps, operations);
  subscriptionRoutes(router, deps, operations);
  credentialRoutes(router, deps, operations);
  serviceAccountRoutes(router, deps, operations);
  webhookRoutes(router, deps, operations);
  earningRuleRoutes(router, deps, operations);
  rewardRoutes(router, deps, operations);
  eventRoutes(router, deps);
  requestLogRoutes(router, deps);
  refusedRequestRoutes(router, deps);
  reviewRoutes(router, deps, operations);
  proposalRoutes(router, deps, operations);
  operatorRoutes(router, deps, operations);
  auditEntryRoutes(router, deps, operations);
  auditRunRoutes(router, deps);
  reconciliationRunRoutes(router, deps);
  return router;
}
