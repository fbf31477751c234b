import { readEventDetails } from '../../../models/views/event.ts';
import { readPartner } from '../../../models/views/partners.ts';
import { auditRead } from '../../../operations/audit-log.ts';
import { actorOf } from '../../../portal/operate.ts';
import { type PageContext, param } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import { anyEventPage } from '../../html/pages/admin/events.ts';
import { render } from '../../html/view.ts';
import { orNotFound } from '../../middleware/well-formed.ts';
import type { Routes } from '../../routing/route-table.ts';

/** An accepted purchase or refund: request, response and outcome. */
export function operatorEventPages(routes: Routes): void {
  routes.page(
    {
      path: '/admin/events/:eventId',
      params: { eventId: 'event' },
      audience: 'operator',
      permission: 'read',
    },
    showEvent,
  );
}

async function showEvent(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const details = orNotFound(await readEventDetails(deps, null, param(ctx, 'eventId')));
  const { _id: targetId, partnerId } = details.event;
  await auditRead(deps, actorOf(ctx), { action: 'event.read', partnerId, targetId });
  render(ctx, anyEventPage(ctx, details, await readPartner(deps, partnerId), deps.config));
}
