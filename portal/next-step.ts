import { type PartnerRole, partnerMay } from '../domain/partner-roles.ts';
import type { PartnerDoc } from '../models/schemas/partner.ts';
import { readProgress } from '../models/views/set-up.ts';
import type { PageContext } from './context.ts';
import type { PageDeps } from './deps.ts';
import { nextBar, nextStepOf } from './html/next-step.ts';
import { type Page, render } from './html/view.ts';

/**
 * Answers with a page on which a step of the set-up is done: until the partner is LIVE, what is next stands
 * on it, so that nobody goes back to Home for it.
 * @param here the page, as the steps name it
 * @param place below the page where something on it is to be kept first
 */
export async function renderWithNext(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { options, content }: Page,
  { here = ctx.path, place = 'ABOVE' }: { here?: string; place?: 'ABOVE' | 'BELOW' } = {},
): Promise<void> {
  const { viewer } = ctx.state;
  if (viewer.partner.goLive.state === 'LIVE') return render(ctx, { options, content });
  const bar = nextBar(viewer, await readProgress(deps, viewer.partner), here);
  render(ctx, { options, content: place === 'ABOVE' ? [bar, content] : [content, bar] });
}

/** Where somebody begins who just joined: with the first step, or on Home where others have begun. */
export async function firstPath(
  deps: PageDeps,
  partner: PartnerDoc,
  role: PartnerRole,
): Promise<string> {
  const progress = await readProgress(deps, partner);
  const next = nextStepOf(partner, progress);
  const isNew = progress.setUp.next?.step === 'INTEGRATION';
  return isNew && next !== null && partnerMay(role, next.permission) ? next.path : '/';
}
