import type { RouterContext } from '@koa/router';
import type { Next } from 'koa';
import { ServiceError } from '../../domain/errors.ts';
import { type ParamKind, paramKinds } from '../routing/params.ts';
import { say } from '../words/say.ts';

/** What stands in the path has the form of its kind; else there is nothing at this path. */
export function wellFormed(params: Readonly<Record<string, ParamKind>>) {
  return async (ctx: Pick<RouterContext, 'params'>, next: Next): Promise<void> => {
    for (const [name, kind] of Object.entries(params)) {
      if (!paramKinds[kind].test(ctx.params[name] ?? '')) throw nothingHere();
    }
    await next();
  };
}

export function nothingHere(): ServiceError {
  return new ServiceError('NOT_FOUND', say('error.noPage'));
}

/** @throws ServiceError NOT_FOUND in the place of nothing */
export function orNotFound<T>(found: T | null): T {
  if (found === null) throw nothingHere();
  return found;
}
