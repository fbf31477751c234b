import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Configuration, Provider } from 'oidc-provider';

/** Whom the provider signs in next, and what it says about them. */
export interface Person {
  email: string;
  email_verified?: boolean;
  groups?: string[];
}

export const clientId = 'portal';
export const clientSecret = 'a secret of the client, long enough for HS256';

/**
 * An OpenID Connect provider that signs in whoever the test says, without asking.
 * @param conformIdTokenClaims whether it says who they are at its userinfo endpoint alone
 */
export async function startProvider(
  redirectUri: string,
  { conformIdTokenClaims = false }: Pick<Configuration, 'conformIdTokenClaims'> = {},
) {
  let person: Person | null = null;
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const configuration: Configuration = {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
    claims: { openid: ['sub', 'email', 'email_verified', 'groups'], email: [], profile: [] },
    conformIdTokenClaims,
    features: { devInteractions: { enabled: false } },
    interactions: { url: () => '/interaction' },
    findAccount: (_ctx, accountId) => ({
      accountId,
      claims: () => ({ sub: accountId, email_verified: true, ...person }),
    }),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        clientId,
        accountId: oidc.session?.accountId ?? '',
      });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  };
  const provider = new Provider(issuer, configuration);
  provider.use(async (ctx, next) => {
    if (ctx.path !== '/interaction') return await next();
    if (person === null) {
      await provider.interactionFinished(ctx.req, ctx.res, { error: 'access_denied' });
    } else {
      const login = { accountId: person.email };
      await provider.interactionFinished(ctx.req, ctx.res, { login });
    }
    ctx.respond = false;
  });
  server.on('request', provider.callback());
  return {
    issuer,
    /** @param who null for nobody: the provider refuses */
    signsIn(who: Person | null): void {
      person = who;
    },
    /** What a browser does at the provider. @returns the address that it is sent back to */
    async visit(address: string): Promise<URL> {
      const cookies = new Map<string, string>();
      let next = new URL(address);
      while (next.href.startsWith(issuer)) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
        const response = await fetch(next, { redirect: 'manual', headers: { cookie } });
        for (const line of response.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
          cookies.set(name, value);
        }
        const location = response.headers.get('location');
        if (location === null) throw new Error(await response.text());
        next = new URL(location, next);
      }
      return next;
    },
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}
