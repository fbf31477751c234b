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

/** Where the command is told which portal to ask, and in whose name. */
export interface PortalOptions {
  portal?: string;
  token?: string;
}

export interface Credential {
  key: string;
  secret: string;
}

/** What the command uses of the file that a first local start writes. */
interface DemoFile {
  baseUrl: string;
  portalUrl: string;
  accessToken: string;
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

/**
 * The portal and the access token for it: from the options, else from PARTNER_PORTAL_URL and PARTNER_TOKEN,
 * else the demo's. They come together, so that no token goes to a portal that it is not of.
 * @throws UsageError when one is given alone, or where the token would travel in clear
 */
export function resolvePortal(
  options: PortalOptions,
  env: NodeJS.ProcessEnv,
): { portalUrl: string; token: string } {
  const portalUrl = options.portal || env.PARTNER_PORTAL_URL;
  const token = options.token || env.PARTNER_TOKEN;
  if (!portalUrl && !token) {
    const demo = readDemoFile(env);
    return { portalUrl: demo.portalUrl, token: demo.accessToken };
  }
  if (!portalUrl || !token) {
    throw new UsageError("the portal's address and an access token are given together");
  }
  const { protocol, hostname } = URL.parse(portalUrl) ?? {};
  const isHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname ?? '');
  if (protocol !== 'https:' && !(protocol === 'http:' && isHere)) {
    throw new UsageError(
      `${portalUrl} is no https:// address: the access token would travel in clear`,
    );
  }
  return { portalUrl, token };
}

function readDemoFile(env: NodeJS.ProcessEnv): DemoFile {
  const path = join(env.DATA_DIR || '.data', 'demo.json');
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as DemoFile;
  } catch (cause) {
    throw new UsageError(
      `no demo credentials in ${path}: run "npm start" first, or give the address and what it asks for (--help says how)`,
      { cause },
    );
  }
}
