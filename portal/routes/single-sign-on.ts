import { ServiceError } from '../../domain/errors.ts';
import type { Flash, UserDoc } from '../../models/schemas/people.ts';
import { applyGroups } from '../../operations/group-roles.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import type { Routes } from '../routing/route-table.ts';
import { safePath } from '../routing/safe-path.ts';
import { attemptCookie, findActiveUser, signIn } from '../session/sign-in.ts';
import { type Identity, newAttempt, type SingleSignOn } from '../session/single-sign-on.ts';
import { showRefusedSignIn } from './sign-in.ts';

const open = { audience: 'public', permission: null } as const;

/** Signing in at the identity provider. */
export function singleSignOnPages(routes: Routes): void {
  routes.page({ ...open, path: '/sign-in/sso' }, begin);
  routes.page({ ...open, path: '/sign-in/sso/callback' }, finish);
}

async function begin(ctx: PageContext<'public'>, deps: PageDeps): Promise<void> {
  deps.throttle.tryAddress(ctx.state.address);
  const attempt = newAttempt();
  const where = await providerOf(deps).begin(attempt, safePath(ctx.query.to));
  attemptCookie(deps.config).write(ctx, attempt, { lasts: true });
  ctx.status = 303;
  ctx.set('Location', where.href);
  ctx.body = '';
}

async function finish(ctx: PageContext<'public'>, deps: PageDeps): Promise<void> {
  deps.throttle.tryAddress(ctx.state.address);
  const cookie = attemptCookie(deps.config);
  const attempt = cookie.read(ctx);
  cookie.clear(ctx);
  const address = new URL(ctx.url, deps.config.portal.url);
  const { requestId } = ctx.state;
  const found = await providerOf(deps)
    .finish(attempt ?? newAttempt(), address)
    .catch((error: Error) => {
      deps.log.warn({ err: error, requestId }, 'a sign-in at the provider failed');
    });
  if (found === undefined) {
    return showRefusedSignIn(ctx, deps, 'You were not signed in. Please try again.');
  }
  const user = await findActiveUser(deps, { email: found.identity.email });
  const admitted = user && (await admit(deps, user, found.identity));
  if (!user || !admitted) {
    const words = 'You have no account here, or no group that may sign in. Ask to be invited.';
    return showRefusedSignIn(ctx, deps, words);
  }
  await signIn(deps, ctx, user, 'SSO', admitted.flash);
  redirect(ctx, safePath(found.to));
}

function providerOf({ singleSignOn }: PageDeps): SingleSignOn {
  if (singleSignOn !== null) return singleSignOn;
  throw new ServiceError('NOT_FOUND', 'There is no single sign-on here.');
}

/** Whether they get in, and what is said about their role. */
async function admit(
  deps: PageDeps,
  user: UserDoc,
  { groups }: Identity,
): Promise<{ flash?: Flash } | null> {
  const mapped = deps.config.oidc?.groups ?? null;
  if (mapped === null) return {};
  const role = await applyGroups(deps, mapped, user, groups);
  if (role === null) return null;
  if (role.before === role.now) return {};
  const text = `Your groups changed your role from ${role.before} to ${role.now}.`;
  return { flash: { tone: 'bad', text } };
}
