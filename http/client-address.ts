import { clientAddressOf } from '../platform/addresses.ts';
import type { HttpMiddleware } from './context.ts';

/** Says where the request came from. @param proxies how many of ours it came through */
export function clientAddress(proxies: number): HttpMiddleware {
  return async (ctx, next) => {
    const { remoteAddress = '' } = ctx.req.socket;
    ctx.state.address = clientAddressOf(remoteAddress, ctx.get('x-forwarded-for'), proxies);
    await next();
  };
}
