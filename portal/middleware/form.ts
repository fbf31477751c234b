import { timingSafeEqual } from 'node:crypto';
import type { RouterContext } from '@koa/router';
import type { Next } from 'koa';
import { ServiceError } from '../../domain/errors.ts';
import { readBody } from '../../http/read-body.ts';
import type { PortalContext, PortalMiddleware } from '../context.ts';
import { type ParamKind, paramKinds } from '../routing/params.ts';
import { TitledError } from '../titled-error.ts';

export const csrfField = 'csrf';
const maxFormBytes = 64 * 1024;
const maxFields = 200;
const tooLarge = () =>
  new ServiceError('PAYLOAD_TOO_LARGE', `A form can’t be larger than ${maxFormBytes} bytes.`);
export const incompleteForm = () =>
  new ServiceError('VALIDATION_FAILED', 'The form arrived incomplete. Send it again.');

/** Reads a form; requires the CSRF token of this visitor. */
export const readForm: PortalMiddleware = async (ctx, next) => {
  const { sentBefore } = ctx.state;
  // Its token was checked when it was kept.
  if (sentBefore) ctx.state.form = sentBefore.fields;
  else takeFields(ctx, await readFields(ctx));
  await next();
};

/**
 * Stores the submitted fields for the form's handler.
 * @throws ServiceError FORBIDDEN without this visitor's CSRF token
 */
export function takeFields(ctx: PortalContext, sent: URLSearchParams): void {
  if (sent.size > maxFields || sent.has('__proto__')) {
    throw new ServiceError('VALIDATION_FAILED', 'Reload the page and try again.');
  }
  const tokens = sent.getAll(csrfField);
  if (tokens.length !== 1 || !isSame(tokens[0] ?? '', ctx.state.csrf)) {
    throw new TitledError(
      'FORBIDDEN',
      'Load the page again',
      'You have signed in again since this page was loaded, in this tab or another. Nothing was changed: load the page again, and send its form from there.',
    );
  }
  const names = new Set(sent.keys());
  names.delete(csrfField);
  ctx.state.form = Object.fromEntries(
    [...names].map((name) => {
      const values = sent.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
}

async function readFields(ctx: PortalContext): Promise<URLSearchParams> {
  if (ctx.request.type !== 'application/x-www-form-urlencoded') {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'This page accepts only a form.');
  }
  const body = await readBody(ctx, maxFormBytes, { tooLarge, incomplete: incompleteForm });
  return new URLSearchParams(body.toString('utf8'));
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Requires path parameters in the format of their kind; otherwise the page is not found. */
export function requireWellFormed(params: Readonly<Record<string, ParamKind>>) {
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

/**
 * Refuses forms sent from other sites, according to the headers that browsers add. Without these headers,
 * only the CSRF token decides.
 */
export function ownOrigin(portalUrl: string): PortalMiddleware {
  return async (ctx, next) => {
    if (ctx.state.sentBefore) return await next();
    const site = ctx.get('sec-fetch-site');
    const origin = ctx.get('origin');
    const own = [`${ctx.protocol}://${ctx.host}`, new URL(portalUrl).origin];
    const isForeign = site !== '' ? site !== 'same-origin' : origin !== '' && !own.includes(origin);
    if (isForeign) throw new ServiceError('FORBIDDEN', 'This form was sent from another site.');
    await next();
  };
}
