import { createHmac } from 'node:crypto';
import * as oidc from 'openid-client';
import type { Config } from '../../platform/config.ts';
import { newToken } from '../../platform/hashing.ts';

/** Somebody whom the identity provider knows. */
export interface Identity {
  /** Which the provider has verified. */
  email: string;
  groups: string[];
}

export interface SingleSignOn {
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
  const { issuer, clientId, clientSecret, scopes } = provider;
  let found: Promise<oidc.Configuration> | null = null;
  const discovered = async (): Promise<oidc.Configuration> => {
    const url = new URL(issuer);
    const isPlain = url.protocol === 'http:';
    found ??= oidc.discovery(url, clientId, clientSecret, undefined, {
      timeout: timeoutSeconds,
      // For a provider on this machine, to try it.
      ...(isPlain && { execute: [oidc.allowInsecureRequests] }),
    });
    return await found.catch((error: unknown) => {
      found = null;
      throw error;
    });
  };
  return {
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
      const tokens = await oidc.authorizationCodeGrant(await discovered(), address, {
        expectedState: stateOf(secret, to),
        expectedNonce: derived(secret, 'nonce'),
        pkceCodeVerifier: derived(secret, 'verifier'),
        idTokenExpected: true,
      });
      const claims: Partial<oidc.IDToken> = tokens.claims() ?? {};
      const { email, email_verified: isVerified, groups } = claims;
      if (typeof email !== 'string' || isVerified !== true) {
        throw new Error('the provider names no verified email address');
      }
      const names = Array.isArray(groups) ? groups.filter((one) => typeof one === 'string') : [];
      return { identity: { email: email.toLowerCase(), groups: names }, to };
    },
  };
}

/** Names the page to continue to, so that the attempt needs no storage; only this browser could make it. */
const stateOf = (secret: string, to: string): string =>
  `${derived(secret, `state ${to}`)}.${Buffer.from(to).toString('base64url')}`;

const derived = (secret: string, purpose: string): string =>
  createHmac('sha256', secret).update(purpose).digest('base64url');
