import type { Mode } from '../../domain/mode.ts';
import { keepReveal, takeReveal } from '../../models/identity/reveals.ts';
import type { RevealedSecret } from '../../operations/credentials/new-secret.ts';
import type { RevealedToken } from '../../operations/operators/new-token.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PortalDeps } from '../deps.ts';
import { operatorPaths } from '../html/links.ts';
import { say } from '../words/say.ts';

export const revealedPath = '/revealed';

/** What is shown once, in clear. */
export type Reveal =
  | { kind: 'KEY'; title: string; mode: Mode; credentialId: string; apiKey: string; secret: string }
  | { kind: 'WEBHOOK_SECRET'; mode: Mode; secret: string }
  | { kind: 'TOKEN'; name: string; token: string }
  | { kind: 'ACCESS_TOKEN'; name: string; token: string }
  | { kind: 'SERVICE_TOKEN'; mode: Mode; name: string; token: string }
  | { kind: 'CODES'; codes: string[]; to: string };

/**
 * Leads to the page that shows a secret once. It is a page of its own, so that a reload, or Back, never
 * does again what made the secret.
 * @param back where another is made, should this one be lost
 */
export async function reveal(
  deps: PortalDeps,
  ctx: PageContext<'user'>,
  what: Reveal,
  back: string,
): Promise<void> {
  await keepReveal(deps, ctx.state.viewer.session, { text: JSON.stringify(what), back });
  redirect(ctx, revealedPath);
}

/** What `reveal` kept for a session, this once; null where it was shown already, or waited too long. */
export async function takeRevealed(
  deps: PortalDeps,
  ctx: PageContext<'user'>,
): Promise<{ revealed: Reveal | null; back: string | null }> {
  const { text, back } = await takeReveal(deps, ctx.state.viewer.session);
  return { revealed: text === null ? null : JSON.parse(text), back };
}

/** The same for a key that a partner's user made or rotated. */
export async function revealKey(
  deps: PortalDeps,
  ctx: PageContext<'partner'>,
  title: string,
  { credential, secret }: RevealedSecret,
): Promise<void> {
  const { _id: credentialId, apiKey, mode } = credential;
  const what = { kind: 'KEY', title, mode, credentialId, apiKey, secret } as const;
  await reveal(deps, ctx, what, `/keys/${credentialId}`);
}

/** The same for a key's secret, or an operator's token, that an operator made. */
export async function revealMade(
  deps: PortalDeps,
  ctx: PageContext<'operator'>,
  outcome: RevealedSecret | RevealedToken,
): Promise<void> {
  if ('secret' in outcome) {
    const { _id: credentialId, apiKey, mode } = outcome.credential;
    const { secret } = outcome;
    const title = say('reveal.keepThisSecret');
    const what = { kind: 'KEY', title, mode, credentialId, apiKey, secret } as const;
    return await reveal(deps, ctx, what, operatorPaths.CREDENTIAL + credentialId);
  }
  const { operator, token } = outcome;
  const isOwn = operator._id === ctx.state.viewer.actorId;
  const back = isOwn ? '/admin/tokens' : operatorPaths.OPERATOR + operator._id;
  await reveal(deps, ctx, { kind: 'TOKEN', name: operator.name, token }, back);
}
