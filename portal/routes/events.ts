import { logCsv, readLog, readLogOutcomes } from '../../models/views/log.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { filterOf, logSchema, placeOf } from '../forms/log-query.ts';
import { eventsPage } from '../html/pages/events.ts';
import { render } from '../html/view.ts';
import { modeOf } from '../routing/chosen-mode.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { Routes } from '../routing/route-table.ts';

const pageRows = 25;
const reading = { audience: 'partner', permission: 'read' } as const;

/** The log of signed requests, accepted or refused. */
export function eventsPages(routes: Routes): void {
  routes.page({ ...reading, path: '/events' }, showEvents);
  routes.page({ ...reading, path: '/events.csv' }, downloadEvents);
}

async function showEvents(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const query = queryOf(ctx, logSchema);
  const log = await readLog(
    deps,
    filterOf(ownScope(ctx), modeOf(ctx), query),
    pageRows,
    placeOf(query),
  );
  const outcomes = await readLogOutcomes(deps, ownScope(ctx), log.events);
  render(ctx, eventsPage(ctx, query, log, outcomes, deps.now()));
}

function downloadEvents(ctx: PageContext<'partner'>, deps: PageDeps): void {
  const query = queryOf(ctx, logSchema);
  ctx.set('Content-Disposition', 'attachment; filename="events.csv"');
  ctx.type = 'text/csv; charset=utf-8';
  ctx.body = logCsv(deps, filterOf(ownScope(ctx), modeOf(ctx), query));
}
