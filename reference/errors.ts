import {
  type ErrorDescription,
  otherErrors,
  partnerErrors,
  type Retry,
} from '../domain/error-codes.ts';
import { object, type Schema, text } from './shapes.ts';

/** Whether a retry helps. */
export const retryWords: Record<Retry, string> = {
  NO: 'no',
  LATER: 'the same request, later',
  CHANGED: 'after a change',
};

/** The schema of error codes, whose description is a table of them. */
export function errorCodeSchema(errors: Record<string, ErrorDescription>): Schema {
  const rows = Object.entries(errors).map(
    ([code, { status, meaning, action, retry }]) =>
      `| \`${code}\` | ${status} | ${meaning} | ${action} | ${retryWords[retry]} |\n`,
  );
  const head =
    '| code | status | meaning | what to do | retry |\n| --- | --- | --- | --- | --- |\n';
  return { type: 'string', description: head + rows.join(''), enum: Object.keys(errors) };
}

export const ErrorCode: Schema = errorCodeSchema({ ...partnerErrors, ...otherErrors });

export const ErrorBody: Schema = object(
  {
    error: object(
      {
        code: ErrorCode,
        message: text(
          'What is wrong with this request and what to do, in English. It can change; decide by `code`.',
          { example: 'order.subtotalCents must be an integer' },
        ),
      },
      { description: 'What was refused, and why.' },
    ),
  },
  { description: 'The body of every refused request.' },
);
