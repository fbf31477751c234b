import { CommanderError } from 'commander';
import { ConnectionError, PartnerApiError } from '../errors.ts';
import { adviceFor } from './advice.ts';
import { toJson } from './json.ts';
import { UsageError } from './usage-error.ts';

/** The error as `--json` prints it. */
export function describe(error: PartnerApiError | ConnectionError) {
  const { message } = error;
  if (error instanceof ConnectionError) return { error: { code: 'NO_ANSWER', message } };
  const { code, status, requestId } = error;
  return { error: { code, message, status, requestId } };
}

/** The error as text: what happened, and what to do about it. */
export function explain(error: PartnerApiError | ConnectionError): string {
  const { code, message, requestId } = { requestId: undefined, ...describe(error).error };
  const advice =
    error instanceof PartnerApiError
      ? adviceFor(code)
      : 'Check the address (--url or --portal) and that the service is running; then run the same command again.';
  const rows = [`${code}: ${message}`];
  if (advice) rows.push(`  What to do    ${advice}`);
  if (requestId) rows.push(`  Request       ${requestId}`);
  return `${rows.join('\n')}\n`;
}

/**
 * Reports that the service refused or did not respond, and sets the exit code.
 * @throws any other error
 */
export function reportFailure(error: unknown, { json = false }: { json?: boolean }): void {
  if (!(error instanceof PartnerApiError || error instanceof ConnectionError)) throw error;
  process.stderr.write(json ? toJson(describe(error)) : explain(error));
  process.exitCode = 1;
}

/**
 * Reports the error that ended the command.
 * @returns the exit code: 0 after help, 2 for a wrong command, 1 for anything else
 */
export function reportExit(error: unknown): number {
  // Commander has already printed its message or the help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  return error instanceof UsageError ? 2 : 1;
}
