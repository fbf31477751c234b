import { timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../domain/errors.ts';
import { readBody } from '../../http/read-body.ts';
import type { PortalContext, PortalMiddleware } from '../context.ts';

export const csrfField = 'csrf';
const maxFormBytes = 64 * 1024;
const maxFields = 200;
const tooLarge = () =>
  new ServiceError('PAYLOAD_TOO_LARGE', `A form can’t be larger than ${maxFormBytes} bytes.`);
export const incompleteForm = () =>
  new ServiceError('VALIDATION_FAILED', 'The form arrived incomplete. Send it again.');

/** Reads a form; requires the CSRF token of this visitor. */
export const form: PortalMiddleware = async (ctx, next) => {
  takeFields(ctx, await readFields(ctx));
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
    throw new ServiceError(
      'FORBIDDEN',
      'This form belongs to another session or is too old. Go back, reload the page and try again.',
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
