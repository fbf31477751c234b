import Router from '@koa/router';
import type Joi from 'joi';
import { type ApiMiddleware, asKoa } from '../context.ts';
import type { ApiDeps } from '../deps.ts';
import { answerInTime } from '../middleware/answer-in-time.ts';
import { authenticate, identify } from '../middleware/authenticate.ts';
import { authorize } from '../middleware/authorize.ts';
import { idempotencyKey } from '../middleware/idempotency-key.ts';
import { noQuery } from '../middleware/no-query.ts';
import { limitByCredential } from '../middleware/rate-limit.ts';
import { rawBody } from '../middleware/raw-body.ts';
import { validate } from '../middleware/validate.ts';
import { createPrincipals } from '../principals.ts';
import { getBilling } from './billing.ts';
import { getPlans } from './plans.ts';
import { purchaseSchema } from './purchases.schema.ts';
import { postPurchase } from './purchases.ts';
import { refundSchema } from './refunds.schema.ts';
import { postRefund } from './refunds.ts';
import { getUsage } from './usage.ts';

/** The signed API. Each line reads in the contract's order of checks. */
export function createPartnerRouter(deps: ApiDeps): Router {
  const principals = createPrincipals(deps);
  const inTime = answerInTime(deps.config.http.answerTimeoutMs);
  const known = identify(deps, principals);
  const auth = authenticate(deps, principals);
  const limit = limitByCredential(deps.models, deps.log);
  const router = new Router({ prefix: '/api/v1/partner' });
  const write = authorize('events:write');
  const read = authorize('events:read');
  const get = (path: string, handler: ApiMiddleware) =>
    router.get(path, ...[inTime, known, auth, read, limit, noQuery, handler].map(asKoa));
  const post = (path: string, schema: Joi.ObjectSchema, handler: ApiMiddleware) => {
    const checks = [rawBody, auth, write, limit, noQuery, idempotencyKey, validate(schema)];
    router.post(path, ...[inTime, known, ...checks, handler].map(asKoa));
  };

  post('/purchases', purchaseSchema, postPurchase(deps));
  post('/refunds', refundSchema, postRefund(deps));
  get('/plans', getPlans(deps));
  get('/usage', getUsage(deps));
  get('/billing', getBilling(deps));
  return router;
}
