import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isEncryptedOrHere } from '../portal-client.ts';
import { UsageError } from './usage-error.ts';

/** The options for the service and the credential. */
export interface ConnectionOptions {
  apiKey?: string;
  secret?: string;
  url?: string;
  live?: boolean;
}

/** The options for the portal and the access token. */
export interface PortalOptions {
  portal?: string;
  token?: string;
}

export interface Credential {
  key: string;
  secret: string;
}

/** The fields that the command uses of the file that `npm start` writes. */
interface DemoFile {
  baseUrl: string;
  portalUrl: string;
  accessToken: string;
  test: Credential;
  live: Credential;
}

const signingVariables = 'PARTNER_URL, PARTNER_KEY and PARTNER_SECRET';

/**
 * The key and its secret: from the options, else from PARTNER_KEY and PARTNER_SECRET, else the
 * demo's TEST credential, or with `live` its LIVE one.
 * @throws UsageError if only one of the two is given, or `live` together with a key
 */
export function resolveCredential(options: ConnectionOptions, env: NodeJS.ProcessEnv): Credential {
  const key = options.apiKey || env.PARTNER_KEY;
  const secret = options.secret || env.PARTNER_SECRET;
  if (!key && !secret) return readDemoFile(env, signingVariables)[options.live ? 'live' : 'test'];
  if (!key || !secret)
    throw new UsageError('Set both PARTNER_KEY and PARTNER_SECRET (or --api-key and --secret).');
  if (options.live) {
    throw new UsageError('--live chooses a demo credential; your API key already has a mode');
  }
  return { key, secret };
}

/** The secret of the demo's other mode; undefined if another credential is used. */
export function otherModeSecret(
  options: ConnectionOptions,
  env: NodeJS.ProcessEnv,
): string | undefined {
  if (options.apiKey || env.PARTNER_KEY) return undefined;
  const { test, live } = readDemoFile(env, signingVariables);
  return (options.live ? test : live).secret;
}

/** The base URL: from the option, else from PARTNER_URL, else the demo's. */
export function resolveBaseUrl(options: ConnectionOptions, env: NodeJS.ProcessEnv): string {
  return options.url || env.PARTNER_URL || readDemoFile(env, signingVariables).baseUrl;
}

/**
 * The portal and the access token for it: from the options, else from PARTNER_PORTAL_URL and PARTNER_TOKEN,
 * else the demo's. Both have the same source, so that no token is sent to another portal.
 * @throws UsageError if only one is given, or if the token would be sent unencrypted
 */
export function resolvePortal(
  options: PortalOptions,
  env: NodeJS.ProcessEnv,
): { portalUrl: string; token: string } {
  const portalUrl = options.portal || env.PARTNER_PORTAL_URL;
  const token = options.token || env.PARTNER_TOKEN;
  if (!portalUrl && !token) {
    const demo = readDemoFile(env, 'PARTNER_PORTAL_URL and PARTNER_TOKEN');
    return encrypted(demo.portalUrl, demo.accessToken);
  }
  if (!portalUrl || !token) {
    throw new UsageError(
      'Set both PARTNER_PORTAL_URL and PARTNER_TOKEN (or --portal and --token).',
    );
  }
  return encrypted(portalUrl, token);
}

/** @throws UsageError if the token would be sent unencrypted to another machine */
function encrypted(portalUrl: string, token: string): { portalUrl: string; token: string } {
  if (isEncryptedOrHere(portalUrl)) return { portalUrl, token };
  throw new UsageError(
    `${portalUrl} is not an https:// address: the access token would be sent unencrypted`,
  );
}

function readDemoFile(env: NodeJS.ProcessEnv, needed: string): DemoFile {
  const path = join(env.DATA_DIR || '.data', 'demo.json');
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as DemoFile;
  } catch (cause) {
    throw new UsageError(
      `Set ${needed} (--help says more). Without them, the demo credentials in ${path} are used, and there are none: "npm start" in the service's repository writes them.`,
      { cause },
    );
  }
}
