import { createHmac } from 'node:crypto';
import * as oidc from 'openid-client';
import {
  claimsOf,
  type Identity,
  isIncomplete,
  readIdentity,
} from '../../domain/provider-claims.ts';
import type { Config } from '../../platform/config.ts';
import { newToken } from '../../platform/hashing.ts';

export interface SingleSignOn {
  /** @throws Error that says what is wrong with the configuration, or that the provider cannot be reached */
  check(): Promise<void>;
  /**
   * @param secret of this attempt, which only the browser keeps
   * @param to the page to continue to
   * @returns where the browser signs in
   */
  begin(secret: string, to: string): Promise<URL>;
  /**
   * @param address of the page that the provider sent the browser to, with its query
   * @throws Error if the provider refused, or its response is not of this attempt
   */
  finish(secret: string, address: URL): Promise<{ identity: Identity; to: string }>;
}

export const newAttempt = newToken;

const timeoutSeconds = 10;

/** Signs people in at an OpenID Connect provider, with the authorization code flow and PKCE. */
export function createSingleSignOn({
  oidc: provider,
  portal,
}: Pick<Config, 'oidc' | 'portal'>): SingleSignOn | null {
  if (provider === null) return null;
  const { issuer, clientId, clientSecret, scopes, groups, verifiesEmails } = provider;
  let found: Promise<oidc.Configuration> | null = null;
  const discovered = async (): Promise<oidc.Configuration> => {
    const isPlain = issuer.startsWith('http:');
    found ??= discover(issuer, (url) =>
      oidc.discovery(url, clientId, clientSecret, undefined, {
        timeout: timeoutSeconds,
        // For a provider on this machine, to try it.
        ...(isPlain && { execute: [oidc.allowInsecureRequests] }),
      }),
    );
    return await found.catch((error: unknown) => {
      found = null;
      throw error;
    });
  };
  return {
    async check() {
      await discovered();
    },
    async begin(secret, to) {
      return oidc.buildAuthorizationUrl(await discovered(), {
        redirect_uri: `${portal.url}/sign-in/sso/callback`,
        scope: scopes,
        state: stateOf(secret, to),
        nonce: derived(secret, 'nonce'),
        code_challenge: await oidc.calculatePKCECodeChallenge(derived(secret, 'verifier')),
        code_challenge_method: 'S256',
      });
    },
    async finish(secret, address) {
      const [, encodedTo = ''] = (address.searchParams.get('state') ?? '').split('.');
      const to = Buffer.from(encodedTo, 'base64url').toString('utf8');
      const configuration = await discovered();
      const tokens = await oidc.authorizationCodeGrant(configuration, address, {
        expectedState: stateOf(secret, to),
        expectedNonce: derived(secret, 'nonce'),
        pkceCodeVerifier: derived(secret, 'verifier'),
        idTokenExpected: true,
      });
      const idToken: Partial<oidc.IDToken> = tokens.claims() ?? {};
      const hasMore =
        isIncomplete(idToken, groups !== null) &&
        configuration.serverMetadata().userinfo_endpoint !== undefined;
      const claims = hasMore
        ? claimsOf(
            idToken,
            await oidc.fetchUserInfo(configuration, tokens.access_token, idToken.sub ?? ''),
          )
        : idToken;
      return { identity: readIdentity(claims, verifiesEmails), to };
    },
  };
}

/**
 * Finds the provider, with or without the slash at the end of its name.
 * @throws Error with both names if it calls itself otherwise
 */
async function discover(
  issuer: string,
  ask: (url: URL) => Promise<oidc.Configuration>,
): Promise<oidc.Configuration> {
  try {
    return await ask(new URL(issuer));
  } catch (error) {
    const named = issuerIn(error);
    if (named === undefined) throw error;
    if (withoutSlash(named) === withoutSlash(issuer)) return await ask(new URL(named));
    throw new Error(`OIDC_ISSUER is ${issuer}, but the provider calls itself ${named}: set that`);
  }
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

/** What the provider's own description names, if that is why it was refused. */
function issuerIn(error: unknown): string | undefined {
  const causes = [error, (error as Error).cause, ((error as Error).cause as Error)?.cause];
  return causes
    .map((cause) => (cause as { body?: { issuer?: unknown } } | undefined)?.body?.issuer)
    .find((one) => typeof one === 'string');
}

/** Names the page to continue to, so that the attempt needs no storage; only this browser could make it. */
const stateOf = (secret: string, to: string): string =>
  `${derived(secret, `state ${to}`)}.${Buffer.from(to).toString('base64url')}`;

const derived = (secret: string, purpose: string): string =>
  createHmac('sha256', secret).update(purpose).digest('base64url');
