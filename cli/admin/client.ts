import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The API to call, and the operator's token. */
export interface ApiTarget {
  url: string;
  token: string;
}

/** An error that the command prints to standard error, without a stack. */
export class CliError extends Error {
  override name = 'CliError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Finds the URL and the token: in the flags, in ADMIN_URL and ADMIN_TOKEN, or in the demo file that
 * `npm start` writes, in this order.
 * @throws CliError NO_TARGET if one of the two is in none of them
 */
export async function findTarget(
  flags: Partial<ApiTarget>,
  env: NodeJS.ProcessEnv,
): Promise<ApiTarget> {
  const demo = await readDemo(env.DATA_DIR || '.data');
  const url = flags.url ?? (env.ADMIN_URL || demo.adminUrl);
  const token = flags.token ?? (env.ADMIN_TOKEN || demo.adminToken);
  if (url && token) return { url: url.replace(/\/$/, ''), token };
  throw new CliError(
    'NO_TARGET',
    'Give --url and --token, set ADMIN_URL and ADMIN_TOKEN, or run `npm start` first.',
  );
}

async function readDemo(dataDir: string): Promise<{ adminUrl?: string; adminToken?: string }> {
  try {
    return JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8'));
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return {};
    throw error;
  }
}

/** Longer than the slowest response: a review's decision waits for the workflow. */
const requestTimeoutMs = 30_000;

/**
 * Calls the operators' API.
 * @param path below `/admin/v1`
 * @returns the response's JSON
 * @throws CliError with the API's code and message, UNREACHABLE, or UNEXPECTED_ANSWER for a response that
 *   is not the API's
 */
export async function request(
  { url, token }: ApiTarget,
  method: string,
  path: string,
  body?: Record<string, unknown>,
): Promise<unknown> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
    text = await response.text();
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new CliError('UNREACHABLE', `${url} does not respond: ${String(cause)}`);
  }
  const json = parse(text);
  if (response.ok && json !== undefined) return json;
  const { code, message } = (json as { error?: { code?: string; message?: string } })?.error ?? {};
  throw new CliError(
    code ?? 'UNEXPECTED_ANSWER',
    message ?? `${url} responded with ${response.status} in an unknown format. Check the URL.`,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
