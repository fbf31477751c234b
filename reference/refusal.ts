import type { ErrorCode } from '../domain/error-codes.ts';
import { ErrorBody } from './errors.ts';
import { headers } from './headers.ts';
import type { Header, OperationResponse } from './openapi.ts';

const named = (codes: readonly ErrorCode[]): string =>
  codes.length === 1
    ? `The code is \`${codes[0]}\`.`
    : `The code is one of ${codes.map((code) => `\`${code}\``).join(', ')}.`;

const response = (
  why: string,
  codes: readonly ErrorCode[],
  more: Record<string, Header> = {},
): OperationResponse => ({
  description: `${why} ${named(codes)}`,
  'x-codes': codes,
  headers: { 'X-Request-Id': headers.RequestId, ...more },
  content: { 'application/json': { schema: ErrorBody } },
});

/** A response with one of these error codes. */
export const refusal = (why: string, ...codes: ErrorCode[]): OperationResponse =>
  response(why, codes);

/** One that says when to try again. */
export const refusedForNow = (why: string, ...codes: ErrorCode[]): OperationResponse =>
  response(why, codes, { 'Retry-After': headers.RetryAfter });
