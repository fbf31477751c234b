import test from 'ava';
import { type ErrorCode, otherErrors, partnerErrors } from '../../domain/error-codes.ts';
import { ServiceError, unavailable } from '../../domain/errors.ts';

/** The contract's table of codes. */
const contract: [code: ErrorCode, status: number][] = [
  ['INVALID_JSON', 400],
  ['VALIDATION_FAILED', 400],
  ['FORBIDDEN_METADATA_FIELD', 400],
  ['IDEMPOTENCY_KEY_REQUIRED', 400],
  ['IDEMPOTENCY_KEY_INVALID', 400],
  ['UNEXPECTED_QUERY', 400],
  ['AUTHENTICATION_MISSING', 401],
  ['INVALID_API_KEY', 401],
  ['INVALID_SIGNATURE', 401],
  ['TIMESTAMP_OUT_OF_RANGE', 401],
  ['INSUFFICIENT_SCOPE', 403],
  ['PARTNER_NOT_ACTIVE', 403],
  ['NOT_FOUND', 404],
  ['ORIGINAL_PURCHASE_NOT_FOUND', 404],
  ['METHOD_NOT_ALLOWED', 405],
  ['REQUEST_TIMEOUT', 408],
  ['IDEMPOTENCY_CONFLICT', 409],
  ['DUPLICATE_EXTERNAL_ORDER', 409],
  ['DUPLICATE_EXTERNAL_REFUND', 409],
  ['DUPLICATE_EXTERNAL_REDEMPTION', 409],
  ['TOO_MANY_REFUNDS', 409],
  ['REDEMPTION_ENDED', 409],
  ['PAYLOAD_TOO_LARGE', 413],
  ['UNSUPPORTED_MEDIA_TYPE', 415],
  ['NO_ACTIVE_EARNING_RULE', 422],
  ['CURRENCY_MISMATCH', 422],
  ['REFUND_EXCEEDS_ORDER', 422],
  ['INSUFFICIENT_POINTS', 422],
  ['RATE_LIMITED', 429],
  ['INTERNAL', 500],
  ['UNAVAILABLE', 503],
];

for (const [code, status] of contract) {
  test(`${code} has the status ${status}`, (t) => {
    const error = new ServiceError(code, 'Say what to do.');
    t.is(error.code, code);
    t.is(error.status, status);
    t.is(error.message, 'Say what to do.');
    t.deepEqual(error.headers, {});
    t.true(error instanceof Error);
  });
}

const statusesOf = (errors: Record<string, { status: number }>): Record<string, number> =>
  Object.fromEntries(Object.entries(errors).map(([code, { status }]) => [code, status]));

test('partners only meet the errors of the table', (t) => {
  t.deepEqual(statusesOf(partnerErrors), Object.fromEntries(contract));
});

test('the claim page and the operators’ API have their own errors, outside the table', (t) => {
  t.deepEqual(statusesOf(otherErrors), {
    INVALID_ADMIN_TOKEN: 401,
    INVALID_ACCESS_TOKEN: 401,
    FORBIDDEN: 403,
    CONFLICT: 409,
    PARTNER_SUSPENDED: 409,
    REWARD_NOT_CLAIMABLE: 409,
    CLAIM_EXPIRED: 410,
  });
});

test('an error carries its response headers', (t) => {
  t.deepEqual(new ServiceError('RATE_LIMITED', 'Wait.', { 'Retry-After': '7' }).headers, {
    'Retry-After': '7',
  });
});

test('an unavailable error says when to retry', (t) => {
  const error = unavailable();
  t.is(error.status, 503);
  t.deepEqual(error.headers, { 'Retry-After': '2' });
});
