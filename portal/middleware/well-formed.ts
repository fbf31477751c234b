import type { RouterContext } from '@koa/router';
import type { Next } from 'koa';
import { ServiceError } from '../../domain/errors.ts';
import { type ParamKind, paramKinds } from '../routing/params.ts';

/** Requires path parameters in the format of their kind; otherwise the page is not found. */
export function wellFormed(params: Readonly<Record<string, ParamKind>>) {
  return async (ctx: Pick<RouterContext, 'params'>, next: Next): Promise<void> => {
    for (const [name, kind] of Object.entries(params)) {
      if (!paramKinds[kind].test(ctx.params[name] ?? '')) throw notFound();
    }
    await next();
  };
}

export function notFound(): ServiceError {
  return new ServiceError('NOT_FOUND', 'There is no page at this address.');
}

/** @throws ServiceError NOT_FOUND if it is null */
export function orNotFound<T>(found: T | null): T {
  if (found === null) throw notFound();
  return found;
}
