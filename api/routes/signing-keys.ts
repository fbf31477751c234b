import Router from '@koa/router';
import { readSigningKeys } from '../../models/receipts/signing-keys.ts';
import type { ApiState } from '../context.ts';
import type { ApiDeps } from '../deps.ts';

/** The public keys of receipts, with those that no longer sign, as a JWK set (RFC 7517); public. */
export function createSigningKeysRouter({ models }: Pick<ApiDeps, 'models'>): Router<ApiState> {
  const router = new Router<ApiState>();
  router.get('/.well-known/jwks.json', async (ctx) => {
    ctx.set('Cache-Control', 'public, max-age=300');
    ctx.body = { keys: await readSigningKeys(models) };
  });
  return router;
}
