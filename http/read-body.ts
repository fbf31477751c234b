import getRawBody from 'raw-body';
import type { ServiceError } from '../domain/errors.ts';
import type { HttpContext } from './context.ts';

/**
 * Reads the body. If the response's timeout (`responseTimeout`) is over before the body has arrived, that is the
 * client's fault, and not a failure of the service.
 * @throws what the functions return
 */
export async function readBody(
  ctx: Pick<HttpContext, 'req' | 'request' | 'state' | 'set'>,
  limit: number,
  errors: { tooLarge: () => ServiceError; incomplete: () => ServiceError },
): Promise<Buffer> {
  const { state } = ctx;
  state.ifLate = errors.incomplete;
  try {
    const { length } = ctx.request;
    return await getRawBody(ctx.req, { limit, ...(length !== undefined && { length }) });
  } catch (error) {
    // The rest of the body is never read, so the connection cannot be used again.
    ctx.set('Connection', 'close');
    const isTooLarge = (error as { type?: string }).type === 'entity.too.large';
    throw isTooLarge ? errors.tooLarge() : errors.incomplete();
  } finally {
    state.ifLate = undefined;
  }
}
