import Router from '@koa/router';
import type { EventType } from '../../domain/request.ts';
import { noStore } from '../../http/no-store.ts';
import { responseTimeout } from '../../http/response-timeout.ts';
import { createPublishedPlans } from '../../models/billing/index.ts';
import { createRequestHashes } from '../../platform/hashing.ts';
import type { ApiState } from '../context.ts';
import type { ApiDeps } from '../deps.ts';
import { authenticate, identify } from '../middleware/authenticate.ts';
import { authorize } from '../middleware/authorize.ts';
import { idempotencyKey } from '../middleware/idempotency-key.ts';
import { noQuery } from '../middleware/no-query.ts';
import { limitByPartner } from '../middleware/rate-limit.ts';
import { rawBody } from '../middleware/raw-body.ts';
import { setRequestType } from '../middleware/request-type.ts';
import { validated } from '../middleware/validate.ts';
import { createPrincipals } from '../principals.ts';
import { getBilling } from './billing.ts';
import { getPlans } from './plans.ts';
import { purchaseSchema } from './purchases.schema.ts';
import { postPurchase } from './purchases.ts';
import { refundSchema } from './refunds.schema.ts';
import { postRefund } from './refunds.ts';
import { getReward } from './rewards.ts';
import { getUsage } from './usage.ts';

/** The signed API. `reading` and `writing` check requests in the order of docs/contract.md. */
export function createPartnerRouter(deps: ApiDeps): Router<ApiState> {
  const { answerTimeoutMs, credentialCacheMs } = deps.config.http;
  const principals = createPrincipals(deps);
  const timeout = responseTimeout(answerTimeoutMs);
  const identified = identify(deps, principals);
  const signed = authenticate(deps, principals);
  const limited = limitByPartner(deps);
  const keyed = idempotencyKey(createRequestHashes(deps.config.customerHashKey));
  const mayRead = authorize('events:read');
  const mayBuy = authorize('events:write');
  const mayRefund = authorize('events:write', { suspended: 'ALLOWED' });
  const received = [noStore, timeout, identified] as const;
  const reading = [setRequestType('READ'), ...received, signed, mayRead, limited, noQuery];
  const writing = (type: EventType, may: typeof mayBuy) =>
    [setRequestType(type), ...received, rawBody, signed, may, limited, noQuery, keyed] as const;

  const router = new Router<ApiState>({ prefix: '/api/v1/partner' });
  const buying = writing('PURCHASE', mayBuy);
  const refunding = writing('REFUND', mayRefund);
  router.post('/purchases', ...buying, validated(purchaseSchema, postPurchase(deps)));
  router.post('/refunds', ...refunding, validated(refundSchema, postRefund(deps)));
  const accounts = {
    ...deps,
    publishedPlans: createPublishedPlans(deps.models, credentialCacheMs),
  };
  router.get('/plans', ...reading, getPlans(accounts));
  router.get('/usage', ...reading, getUsage(accounts));
  router.get('/billing', ...reading, getBilling(accounts));
  router.get('/rewards/:rewardId', ...reading, getReward(deps));
  return router;
}
