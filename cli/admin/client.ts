import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Which API is asked, and as whom. */
export interface ApiTarget {
  url: string;
  token: string;
}

/** What the operator reads on standard error. */
export class CliError extends Error {
  override name = 'CliError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Takes the flags, else ADMIN_URL and ADMIN_TOKEN, else the demo file that `npm start` writes.
 * @throws CliError when one of the two is nowhere to be found
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

/** The slowest answer is that to a review's decision: it waits until the workflow has written it. */
const patienceMs = 30_000;

/**
 * Asks the operators' API.
 * @param path below `/admin/v1`
 * @returns the answer's JSON
 * @throws CliError with the API's own code and message, or UNREACHABLE
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
      signal: AbortSignal.timeout(patienceMs),
    });
    text = await response.text();
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new CliError('UNREACHABLE', `${url} does not answer: ${String(cause)}`);
  }
  const answer = parse(text);
  if (response.ok && answer !== undefined) return answer;
  const { code, message } =
    (answer as { error?: { code?: string; message?: string } })?.error ?? {};
  throw new CliError(
    code ?? 'UNEXPECTED_ANSWER',
    message ?? `${url} answered ${response.status} in an unknown format. Check the URL.`,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
