import { utc } from '../../domain/time-zones.ts';
import { keptFormOf, takeSentForm } from '../../models/identity/kept-forms.ts';
import { findSession } from '../../models/identity/sessions.ts';
import { inZone } from '../components/format.ts';
import { type PageContext, type PortalContext, redirect } from '../context.ts';
import type { PortalDeps } from '../deps.ts';
import { csrfTokenOf } from './sign-in.ts';
import { viewerOf } from './viewer.ts';

/** The page of a form that is kept until its user has signed in, or given their second factor. */
export const carryOnPath = '/carry-on';

/** @param name of the kept form */
export const pathOfKept = (name: string): string => `${carryOnPath}?form=${name}`;

/** Whether a path continues with a kept form. */
export const isCarryingOn = (path: string): boolean => nameIn(path) !== undefined;

/** The name of the kept form that a path continues with. */
export const nameIn = (path: string): string | undefined =>
  /^\/carry-on\?form=([\w-]{43})$/.exec(path)?.[1];

/**
 * Continues to a page, or carries out the form that was kept until now, in the same request.
 * @param token the value that the session's cookie has from now on
 */
export function continueTo(ctx: PageContext, to: string, token: string): void {
  redirect(ctx, to);
  const name = nameIn(to);
  if (name !== undefined) ctx.state.carryOn = { name, token };
}

/** The page with the form that the viewer sent before, and that can be carried out; null if there is none. */
export function keptPage(
  deps: Pick<PortalDeps, 'now'>,
  { state, query }: PageContext<'user'>,
): { name: string; page: string } | null {
  const { form: name } = query;
  const kept = typeof name === 'string' ? keptFormOf(deps, state.viewer.session, name) : null;
  return kept && { name: kept.name, page: kept.path + kept.search };
}

/**
 * Sends the form that a request has freed, as if its user had sent it again; its checks are those of any form.
 * @param send responds to the request as it is now
 */
export async function carryOn(
  deps: PortalDeps,
  ctx: PortalContext,
  send: () => Promise<void>,
): Promise<void> {
  const { carryOn: freed } = ctx.state;
  delete ctx.state.carryOn;
  if (freed === undefined) return;
  const session = await findSession(deps, freed.token);
  const viewer = session && (await viewerOf(deps, session));
  const sent = session && (await takeSentForm(deps, session, freed.name));
  if (!viewer || !sent?.action) return;
  ctx.state.viewer = viewer;
  ctx.state.csrf = csrfTokenOf(freed.token);
  ctx.state.sentBefore = sent;
  ctx.method = 'POST';
  ctx.url = sent.action;
  ctx.remove('Location');
  ctx.body = '';
  ctx.status = 200;
  await inZone(viewer.user.timeZone ?? utc, send);
}
