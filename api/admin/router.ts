import { Router } from '@koa/router';
import type { ApiDeps } from '../deps.ts';
import { auditEntryRoutes } from './audit-entries.ts';
import { auditRunRoutes } from './audit-runs.ts';
import { authenticate } from './authenticate.ts';
import type { OperatorState } from './context.ts';
import { credentialRoutes } from './credentials.ts';
import { customerRoutes } from './customers.ts';
import { earningRuleRoutes } from './earning-rules.ts';
import { eventRoutes } from './events.ts';
import { goLiveRoutes } from './go-live.ts';
import { integrationEventRoutes } from './integration-events.ts';
import { integrationRoutes } from './integrations.ts';
import { invitationRoutes } from './invitations.ts';
import { moneyRoutes } from './money.ts';
import { createOperationRoutes } from './operation-routes.ts';
import { operatorRoutes } from './operators.ts';
import { partnerRoutes } from './partners.ts';
import { planRoutes } from './plans.ts';
import { proposalRoutes } from './proposals.ts';
import { reconciliationRunRoutes } from './reconciliation-runs.ts';
import { refusedRequestRoutes } from './refused-requests.ts';
import { reviewRoutes } from './reviews.ts';
import { rewardRoutes } from './rewards.ts';
import { serviceAccountRoutes } from './service-accounts.ts';
import { subscriptionRoutes } from './subscriptions.ts';
import { webhookRoutes } from './webhook-endpoints.ts';

/**
 * The operators' JSON API. Every route requires an operator's bearer token and a permission, every
 * write adds an audit entry, every list is `{ items, nextCursor }`, newest first.
 */
export function createOperatorRouter(deps: ApiDeps): Router<OperatorState> {
  const router = new Router<OperatorState>({ prefix: '/admin/v1' });
  router.use(authenticate(deps));
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
  integrationEventRoutes(router, deps);
  refusedRequestRoutes(router, deps);
  reviewRoutes(router, deps, operations);
  proposalRoutes(router, deps, operations);
  operatorRoutes(router, deps, operations);
  auditEntryRoutes(router, deps, operations);
  auditRunRoutes(router, deps);
  reconciliationRunRoutes(router, deps);
  return router;
}
