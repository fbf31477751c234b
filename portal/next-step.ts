import { type PartnerRole, partnerMay } from '../domain/partners.ts';
import type { PartnerDoc } from '../models/schemas/partners.ts';
import { readProgress } from '../views/go-live.ts';
import { nextBar, nextSetUpStepOf } from './components/steps.ts';
import { type Page, render } from './components/view.ts';
import type { PageContext } from './context.ts';
import type { PageDeps } from './deps.ts';

/**
 * Renders a page on which a step of the set-up is completed. Until the partner is LIVE, it shows the next
 * step, so that users need not return to Home.
 * @param here the page's path as the steps know it
 * @param place below the content if something on the page must be saved first
 */
export async function renderWithNext(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { options, content }: Page,
  { here = ctx.path, place = 'ABOVE' }: { here?: string; place?: 'ABOVE' | 'BELOW' } = {},
): Promise<void> {
  const { viewer } = ctx.state;
  if (viewer.partner.goLive.state === 'LIVE') return render(ctx, { options, content });
  const bar = nextBar(ctx, await readProgress(deps, viewer.partner), here, deps.now());
  render(ctx, { options, content: place === 'ABOVE' ? [bar, content] : [content, bar] });
}

/** Where a new user starts: at the first step, or on Home if others have already begun. */
export async function firstPath(
  deps: PageDeps,
  partner: PartnerDoc,
  role: PartnerRole,
): Promise<string> {
  const progress = await readProgress(deps, partner);
  const next = nextSetUpStepOf(partner, progress);
  const isNew = progress.setUp.next?.step === 'INTEGRATION';
  return isNew && next !== null && partnerMay(role, next.permission) ? next.path : '/';
}
