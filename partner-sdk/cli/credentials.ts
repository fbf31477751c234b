import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from './usage-error.ts';

/** Where the command is told which service to talk to, and as whom. */
export interface ConnectionOptions {
  apiKey?: string;
  secret?: string;
  url?: string;
  live?: boolean;
}

export interface Credential {
  key: string;
  secret: string;
}

/** What the command uses of the file that a first local start writes. */
interface DemoFile {
  baseUrl: string;
  test: Credential;
  live: Credential;
}

/**
 * The key and its secret: from the options, else from PARTNER_KEY and PARTNER_SECRET, else the
 * demo's TEST credential, or with `live` its LIVE one.
 * @throws UsageError when one of the two is given alone, or `live` beside a given key
 */
export function resolveCredential(options: ConnectionOptions, env: NodeJS.ProcessEnv): Credential {
  const key = options.apiKey || env.PARTNER_KEY;
  const secret = options.secret || env.PARTNER_SECRET;
  if (!key && !secret) return options.live ? readDemoFile(env).live : readDemoFile(env).test;
  if (!key || !secret) throw new UsageError('an API key and its secret are given together');
  if (options.live) {
    throw new UsageError('--live picks a demo credential; a given API key has its mode already');
  }
  return { key, secret };
}

/** The secret of the demo's other mode, where the demo's credentials are used. */
export function otherModeSecret(
  options: ConnectionOptions,
  env: NodeJS.ProcessEnv,
): string | undefined {
  if (options.apiKey || env.PARTNER_KEY) return undefined;
  const { test, live } = readDemoFile(env);
  return (options.live ? test : live).secret;
}

/** The base URL: from the option, else from PARTNER_URL, else the demo's. */
export function resolveBaseUrl(options: ConnectionOptions, env: NodeJS.ProcessEnv): string {
  return options.url || env.PARTNER_URL || readDemoFile(env).baseUrl;
}

function readDemoFile(env: NodeJS.ProcessEnv): DemoFile {
  const path = join(env.DATA_DIR || '.data', 'demo.json');
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as DemoFile;
  } catch (cause) {
    throw new UsageError(
      `no demo credentials in ${path}: run "npm start" first, or give --url, --api-key and --secret (PARTNER_URL, PARTNER_KEY, PARTNER_SECRET)`,
      { cause },
    );
  }
}
