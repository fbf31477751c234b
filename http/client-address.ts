import { clientAddressOf } from '../platform/addresses.ts';
import type { HttpMiddleware } from './context.ts';

/**
 * Sets the client's address.
 * @param proxies the number of trusted proxies in front of this process
 */
export function clientAddress(proxies: number): HttpMiddleware {
  return async (ctx, next) => {
    const { remoteAddress = '' } = ctx.req.socket;
    ctx.state.address = clientAddressOf(remoteAddress, ctx.get('x-forwarded-for'), proxies);
    await next();
  };
}
