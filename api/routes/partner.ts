import Router from '@koa/router';
import type { RequestType } from '../../domain/purchase.ts';
import { redemptionActions } from '../../domain/redemption.ts';
import { noStore, responseTimeout } from '../../http/requests.ts';
import { createPublishedPlans } from '../../models/billing/index.ts';
import { createRequestHashes } from '../../platform/hashing.ts';
import type { ApiState } from '../context.ts';
import type { ApiDeps } from '../deps.ts';
import { authenticate, authorize, identify } from '../middleware/authenticate.ts';
import { fileBody, limitLists } from '../middleware/file-body.ts';
import { limitByPartner } from '../middleware/rate-limit.ts';
import { rehearsed } from '../middleware/rehearsal.ts';
import {
  idempotencyKey,
  noQuery,
  rawBody,
  setRequestType,
  validated,
} from '../middleware/request.ts';
import { createPrincipals, usualCredentialCacheMs } from '../principals.ts';
import { getBilling, getPlans, getUsage } from './account.ts';
import { postPurchase, postRefund, purchaseRequestSchema, refundRequestSchema } from './events.ts';
import {
  getOrder,
  getOrders,
  orderSearchSchema,
  postOrderSearch,
  postRelease,
  releaseSchema,
} from './orders.ts';
import { getDifferences, getReconciliation, postReconciliation } from './reconciliations.ts';
import {
  actionSchemas,
  balanceRequestSchema,
  getRedemption,
  getRedemptions,
  postAction,
  postBalance,
  postQuote,
  postRedemption,
  postRedemptionSearch,
  quoteRequestSchema,
  redemptionRequestSchema,
  redemptionSearchSchema,
} from './redemptions.ts';
import { getRehearsal, postRehearsal, rehearsalRequestSchema } from './rehearsals.ts';
import { getReceipt, getReward } from './rewards.ts';

/** The signed API. `reading` and `writing` check requests in the order of docs/integrate/requests.md. */
export function createPartnerRouter(deps: ApiDeps): Router<ApiState> {
  const { responseTimeoutMs } = deps.config.http;
  const { credentialCacheMs = usualCredentialCacheMs } = deps;
  const principals = createPrincipals(deps);
  const timeout = responseTimeout(responseTimeoutMs);
  const identified = identify(deps, principals);
  const signed = authenticate(deps, principals);
  const limited = limitByPartner(deps);
  const keyed = idempotencyKey(createRequestHashes(deps.config.customerHashKey));
  const rehearse = rehearsed(deps);
  const mayRead = authorize('events:read');
  const mayBuy = authorize('events:write');
  const mayRefund = authorize('events:write', { suspended: 'ALLOWED' });
  const received = [noStore, timeout, identified] as const;
  const mayRedeem = authorize('redemptions:write');
  const mayEndRedemption = authorize('redemptions:write', { suspended: 'ALLOWED' });
  const asking = (...may: (typeof mayBuy)[]) =>
    [setRequestType('READ'), ...received, rawBody, signed, ...may, limited, noQuery] as const;
  const listing = [setRequestType('READ'), ...received, signed, mayRead, limited];
  const reading = [...listing, noQuery];
  const writing = (type: RequestType, may: typeof mayBuy) =>
    [
      setRequestType(type),
      ...received,
      rawBody,
      signed,
      may,
      limited,
      noQuery,
      keyed,
      rehearse,
    ] as const;

  const router = new Router<ApiState>({ prefix: '/api/v1/partner' });
  const buying = writing('PURCHASE', mayBuy);
  const refunding = writing('REFUND', mayRefund);
  router.post(
    '/purchases',
    ...buying,
    validated(purchaseRequestSchema, postPurchase(deps), deps.now),
  );
  router.post('/refunds', ...refunding, validated(refundRequestSchema, postRefund(deps), deps.now));
  router.post(
    '/orders/:externalOrderId/release',
    ...writing('RELEASE', mayBuy),
    validated(releaseSchema, postRelease(deps), deps.now),
  );
  const quoting = asking(mayRead);
  const mayReadCustomers = authorize('customers:read');
  const askingBalance = asking(mayReadCustomers);
  const searching = asking(mayRead, mayReadCustomers);
  const redeeming = writing('REDEMPTION', mayRedeem);
  const endingRedemption = writing('REDEMPTION', mayEndRedemption);
  router.post('/quotes', ...quoting, validated(quoteRequestSchema, postQuote(deps), deps.now));
  router.post(
    '/balances',
    ...askingBalance,
    validated(balanceRequestSchema, postBalance(deps), deps.now),
  );
  router.post(
    '/redemptions',
    ...redeeming,
    validated(redemptionRequestSchema, postRedemption(deps), deps.now),
  );
  for (const action of redemptionActions) {
    router.post(
      `/redemptions/:redemptionId/${action.toLowerCase()}`,
      ...endingRedemption,
      validated(actionSchemas[action], postAction(deps, action), deps.now),
    );
  }
  router.post(
    '/redemptions/search',
    ...searching,
    validated(redemptionSearchSchema, postRedemptionSearch(deps), deps.now),
  );
  router.get('/redemptions', ...listing, getRedemptions(deps));
  router.get('/redemptions/:redemptionId', ...reading, getRedemption(deps));
  const accounts = {
    ...deps,
    publishedPlans: createPublishedPlans(deps.models, credentialCacheMs),
  };
  router.get('/plans', ...reading, getPlans(accounts));
  router.get('/usage', ...reading, getUsage(accounts));
  router.get('/billing', ...reading, getBilling(accounts));
  router.get('/rewards/:rewardId', ...reading, getReward(deps));
  router.get('/rewards/:rewardId/receipt', ...reading, getReceipt(deps));
  router.post(
    '/orders/search',
    ...searching,
    validated(orderSearchSchema, postOrderSearch(deps), deps.now),
  );
  router.get('/orders', ...listing, getOrders(deps));
  router.get('/orders/:externalOrderId', ...reading, getOrder(deps));
  router.post(
    '/test/rehearsals',
    ...asking(mayBuy),
    validated(rehearsalRequestSchema, postRehearsal(deps), deps.now),
  );
  router.get('/test/rehearsals/:rehearsalId', ...reading, getRehearsal(deps));
  const sending = [
    setRequestType('READ'),
    ...received,
    fileBody(),
    signed,
    mayRead,
    limited,
    limitLists(),
  ];
  router.post('/reconciliations', ...sending, postReconciliation(deps));
  router.get('/reconciliations/:reconciliationId', ...reading, getReconciliation(deps));
  router.get('/reconciliations/:reconciliationId/pages/:page', ...reading, getDifferences(deps));
  return router;
}
