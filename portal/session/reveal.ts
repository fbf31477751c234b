import type { Mode } from '../../domain/mode.ts';
import { keepReveal, takeReveal } from '../../models/identity/reveals.ts';
import { type RevealedSecret, shownSecret } from '../../operations/credentials.ts';
import type { RevealedToken } from '../../operations/operator-tokens.ts';
import { operatorPaths } from '../components/links.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PortalDeps } from '../deps.ts';

export const revealedPath = '/revealed';

/** A secret that is shown once, in plain text. */
export type Reveal =
  | { kind: 'KEY'; title: string; mode: Mode; credentialId: string; apiKey: string; secret: string }
  | { kind: 'WEBHOOK_SECRET'; mode: Mode; secret: string }
  | { kind: 'TOKEN'; name: string; token: string }
  | { kind: 'ACCESS_TOKEN'; name: string; token: string }
  | { kind: 'SERVICE_TOKEN'; mode: Mode; name: string; token: string }
  | { kind: 'CODES'; codes: string[]; to: string };

/**
 * Redirects to the page that shows a secret once. It is a separate page, so that reloading or going back
 * never creates another secret.
 * @param back where another can be created if this one is lost
 */
export async function reveal(
  deps: PortalDeps,
  ctx: PageContext<'user'>,
  what: Reveal,
  back: string,
): Promise<void> {
  await keepReveal(deps, ctx.state.viewer.session, {
    text: JSON.stringify({ what, role: ctx.state.viewer.role }),
    back,
  });
  redirect(ctx, revealedPath);
}

/**
 * Takes the secret that `reveal` stored for the session; null if it was already shown or has expired, or was stored
 * for another role than the user has by now.
 */
export async function takeRevealed(
  deps: PortalDeps,
  ctx: PageContext<'user'>,
): Promise<{ revealed: Reveal | null; back: string | null }> {
  const { text, back } = await takeReveal(deps, ctx.state.viewer.session);
  const stored: { what: Reveal; role: string } | null = text === null ? null : JSON.parse(text);
  return { revealed: stored?.role === ctx.state.viewer.role ? stored.what : null, back };
}

/** Reveals a key that a partner's user created or rotated. */
export async function revealKey(
  deps: PortalDeps,
  ctx: PageContext<'partner'>,
  title: string,
  { credential, secret }: RevealedSecret,
): Promise<void> {
  const { _id: credentialId, apiKey, mode } = credential;
  const key = { title, mode, credentialId, apiKey, secret: shownSecret(secret) };
  await reveal(deps, ctx, { kind: 'KEY', ...key }, `/keys/${credentialId}`);
}

/** Reveals a TEST key's secret or an operator's own token that they created; LIVE secrets are for owners. */
export async function revealCreated(
  ctx: PageContext<'operator'>,
  deps: PortalDeps,
  outcome: RevealedSecret | RevealedToken,
): Promise<void> {
  if ('secret' in outcome) {
    const { _id: credentialId, apiKey, mode } = outcome.credential;
    const { secret } = outcome;
    const path = operatorPaths.CREDENTIAL + credentialId;
    if (secret === null)
      return redirect(ctx, path, 'Done. An owner of the partner is shown the secret, once.');
    const title = 'Save this secret';
    const what = { kind: 'KEY', title, mode, credentialId, apiKey, secret } as const;
    return await reveal(deps, ctx, what, path);
  }
  const { operator, token } = outcome;
  const isOwn = operator._id === ctx.state.viewer.actorId;
  const back = isOwn ? '/admin/tokens' : operatorPaths.OPERATOR + operator._id;
  await reveal(deps, ctx, { kind: 'TOKEN', name: operator.name, token }, back);
}
