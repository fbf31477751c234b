import { modes, requestTypes } from '../../domain/events.ts';
import { type LogPage, readLog } from '../../models/views/events-log.ts';
import { logCsv, maxCsvRows } from '../../models/views/log-csv.ts';
import type { PageContext } from '../context.ts';
import type { PortalDeps } from '../deps.ts';
import { filledWith } from '../forms.ts';
import { emptyState, linkButton, wordsOf } from '../html/components.ts';
import { findForm } from '../html/find-form.ts';
import { field, select } from '../html/form.ts';
import { numberText } from '../html/format.ts';
import { type Html, html, nothing } from '../html/html.ts';
import { logTable } from '../html/log-table.ts';
import { view } from '../html/view.ts';
import { filterOf, type LogQuery, logPath, logSchema, placeOf } from '../log-query.ts';
import { logCodes } from '../log-words.ts';
import { queryOf } from '../query.ts';
import type { Routes } from '../route-table.ts';

const pageRows = 25;
const anything = { value: '', text: 'All' };
/** A part of the same page takes the place of the one that is shown. */
const swap = html`hx-target="#log" hx-select="#log" hx-swap="outerHTML" hx-push-url="true"`;

/** The log: every signed request, accepted or refused. */
export function eventsPages(routes: Routes, { models }: PortalDeps): void {
  routes.page({ path: '/events', audience: 'partner', permission: 'read' }, async (ctx) => {
    const query = queryOf(ctx, logSchema);
    const { _id: partnerId } = ctx.state.viewer.partner;
    const page = await readLog(models, filterOf(partnerId, query), pageRows, placeOf(query));
    view(
      ctx,
      {
        title: 'Events',
        lead: 'Every signed request, accepted or refused, the newest first. Times and days are UTC.',
        actions: linkButton('/reconciliation', 'Compare with your orders', 'secondary'),
        ...(query.mode && { mode: query.mode }),
      },
      html`<section class="card find">${findForm()}</section>`,
      html`<section class="card">${filterForm(query)}${logPart(ctx, query, page)}</section>`,
    );
  });

  routes.page({ path: '/events.csv', audience: 'partner', permission: 'read' }, async (ctx) => {
    const query = queryOf(ctx, logSchema);
    ctx.set('Content-Disposition', 'attachment; filename="events.csv"');
    ctx.type = 'text/csv; charset=utf-8';
    ctx.body = logCsv(models, filterOf(ctx.state.viewer.partner._id, query));
  });
}

function filterForm(query: LogQuery): Html {
  const filled = filledWith({ ...query });
  const choices = (values: readonly string[]) => [
    anything,
    ...values.map((value) => ({ value, text: wordsOf(value) })),
  ];
  return html`<form method="get" action="/events" class="log-filters" aria-label="Filter" hx-get="/events" hx-trigger="submit, change" hx-sync="this:replace" ${swap}>
${select({ name: 'mode', label: 'Mode', filled, choices: choices(modes) })}
${select({ name: 'type', label: 'Type', filled, choices: choices(requestTypes) })}
${select({
  ...{ name: 'code', label: 'Outcome', filled },
  choices: [anything, ...logCodes.map((value) => ({ value, text: value }))],
})}
${field({ name: 'order', label: 'Order', filled, maxLength: 255, autocomplete: 'off' })}
${field({ name: 'from', label: 'From', type: 'date', filled })}
${field({ name: 'to', label: 'To', type: 'date', filled })}
<button type="submit" class="secondary">Show</button></form>`;
}

/** What a filter changes of the page. */
function logPart({ state }: PageContext, query: LogQuery, page: LogPage): Html {
  const { older: _, newer: __, ...filter } = query;
  const isFiltered = Object.keys(filter).length > 0;
  const empty = isFiltered
    ? emptyState(
        'No request is like that',
        'Nothing that was received fits all of these filters.',
        linkButton('/events', 'Show everything', 'secondary'),
      )
    : emptyState(
        'No request yet',
        'The first signed request shows here at once, also when it is refused.',
        state.mayOpen('/console') ? linkButton('/console', 'Open the test console') : nothing,
      );
  return html`<div id="log">${logTable(page.events, empty)}
${page.events.length === 0 ? nothing : html`<div class="log-foot"><p><a href="${logPath('/events.csv', filter)}" download>Download as CSV</a> <span class="muted">all that these filters show, up to ${numberText(maxCsvRows)} rows</span></p>${logPager(filter, page)}</div>`}</div>`;
}

function logPager(filter: LogQuery, { newer, older }: LogPage): Html {
  if (newer === null && older === null) return nothing;
  const link = (query: LogQuery, text: string, rel: string) => {
    const path = logPath('/events', query);
    return html`<a href="${path}" rel="${rel}" hx-get="${path}" ${swap}>${text}</a>`;
  };
  return html`<nav class="pager" aria-label="Pages">
${newer === null ? nothing : html`${link(filter, 'Newest', 'first')} ${link({ ...filter, newer }, 'Newer', 'prev')}`}
${older === null ? nothing : link({ ...filter, older }, 'Older', 'next')}</nav>`;
}
