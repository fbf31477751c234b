import type { Identity } from '../../domain/provider-claims.ts';
import type { Flash, UserDoc } from '../../models/schemas/people.ts';
import { admitByGroups } from '../../operations/group-roles.ts';
import type { Config } from '../../platform/config.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { safePath } from '../routing/safe-path.ts';
import { continueTo } from '../session/carry-on.ts';
import { attemptCookie, findActiveUser, signIn } from '../session/sign-in.ts';
import { createSingleSignOn, newAttempt, type SingleSignOn } from '../session/single-sign-on.ts';
import { showRefusedSignIn } from './sign-in.ts';

/** Signing in at the identity provider, if there is one. */
export function singleSignOnPages(routes: RoutesOf<'public'>, config: Config): void {
  const provider = createSingleSignOn(config);
  if (provider === null) return;
  routes.page('/sign-in/sso', begin(provider));
  routes.page('/sign-in/sso/callback', finish(provider));
}

const begin =
  (provider: SingleSignOn) =>
  async (ctx: PageContext<'public'>, deps: PageDeps): Promise<void> => {
    deps.throttle.tryAddress(ctx.state.address);
    const attempt = newAttempt();
    const where = await provider.begin(attempt, safePath(ctx.query.to));
    attemptCookie(deps.config).write(ctx, attempt, { lasts: true });
    ctx.status = 303;
    ctx.set('Location', where.href);
    ctx.body = '';
  };

const finish =
  (provider: SingleSignOn) =>
  async (ctx: PageContext<'public'>, deps: PageDeps): Promise<void> => {
    deps.throttle.tryAddress(ctx.state.address);
    const cookie = attemptCookie(deps.config);
    const attempt = cookie.read(ctx) ?? newAttempt();
    cookie.clear(ctx);
    const address = new URL(ctx.url, deps.config.portal.url);
    const { requestId } = ctx.state;
    // Of the error only its message: it holds what the provider sent, codes and addresses among it.
    const found = await provider.finish(attempt, address).catch(({ message: reason }: Error) => {
      deps.log.warn({ reason, requestId }, 'a sign-in at the provider failed');
    });
    if (found === undefined) {
      return showRefusedSignIn(ctx, deps, 'You were not signed in. Please try again.');
    }
    if (deps.config.oidc?.groups && found.identity.groups.length === 0) {
      const reason =
        'the provider names no groups: have it send the claim groups, or see OIDC_SCOPES';
      deps.log.warn({ reason, requestId }, 'somebody without a group was not let in');
    }
    const user = await findActiveUser(deps, { email: found.identity.email });
    const admitted = user && (await admit(deps, user, found.identity));
    if (!user || !admitted) {
      const words = 'You have no account here, or no group that may sign in. Ask to be invited.';
      return showRefusedSignIn(ctx, deps, words);
    }
    const { token } = await signIn(deps, ctx, user, 'SSO', admitted.flash);
    continueTo(ctx, safePath(found.to), token);
  };

/** Whether they get in, and what is said about their role. */
async function admit(
  deps: PageDeps,
  user: UserDoc,
  { groups }: Identity,
): Promise<{ flash?: Flash } | null> {
  const mapped = deps.config.oidc?.groups ?? null;
  const admitted = await admitByGroups(deps, mapped, user, groups);
  if (admitted === null) return null;
  const { change } = admitted;
  if (change === null) return {};
  const text = `Your groups changed your role from ${change.before} to ${change.now}.`;
  return { flash: { tone: 'bad', text } };
}
