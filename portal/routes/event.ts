import { readEventDetails } from '../../models/views/event.ts';
import { purchaseOfReward, readRequest } from '../../models/views/requests.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { eventPage, requestPage } from '../html/pages/event.ts';
import { render } from '../html/view.ts';
import { orNotFound } from '../middleware/well-formed.ts';
import { ownScope } from '../routing/own-scope.ts';
import type { Routes } from '../routing/route-table.ts';

const reading = { audience: 'partner', permission: 'read' } as const;

/** The page of an event with its outcome, the page of a request, and redirects for reward ids. */
export function eventPages(routes: Routes): void {
  routes.page({ ...reading, path: '/events/:eventId', params: { eventId: 'event' } }, showEvent);
  routes.page(
    { ...reading, path: '/rewards/:rewardId', params: { rewardId: 'reward' } },
    showReward,
  );
  routes.page(
    { ...reading, path: '/requests/:requestId', params: { requestId: 'request' } },
    showRequest,
  );
}

async function showEvent(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const details = await readEventDetails(deps, ownScope(ctx), param(ctx, 'eventId'));
  render(ctx, eventPage(ctx, orNotFound(details)));
}

async function showReward(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const eventId = await purchaseOfReward(deps, ownScope(ctx), param(ctx, 'rewardId'));
  redirect(ctx, `/events/${orNotFound(eventId)}`);
}

async function showRequest(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const shown = orNotFound(await readRequest(deps, ownScope(ctx), param(ctx, 'requestId')));
  if (shown.request === null) return redirect(ctx, `/events/${shown.eventId}`);
  render(ctx, requestPage(ctx, shown));
}
