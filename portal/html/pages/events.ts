import { requestTypes } from '../../../domain/purchase.ts';
import { type LogOutcome, type LogPage, maxCsvRows } from '../../../models/views/log.ts';
import type { PageContext } from '../../context.ts';
import { type LogQuery, logPath } from '../../forms/log-query.ts';
import { filledWith } from '../../forms/submit.ts';
import { logCodes } from '../../words/log-words.ts';
import { emptyState, linkButton, wordsOf } from '../components.ts';
import { type DayRange, datePresets } from '../date-presets.ts';
import { findForm } from '../find-form.ts';
import { field, select } from '../form.ts';
import { numberText } from '../format.ts';
import { type Html, html, nothing } from '../html.ts';
import { logTable } from '../log-table.ts';
import { type Page, page } from '../view.ts';

const anything = () => ({ value: '', text: 'All' });
/** Replaces the log on the page by that of the response. */
const swap = html`hx-target="#log" hx-select="#log" hx-swap="outerHTML" hx-push-url="true"`;

/** @param outcomes of the events in the log, by event id */
export function eventsPage(
  ctx: PageContext<'partner'>,
  query: LogQuery,
  log: LogPage,
  outcomes: ReadonlyMap<string, LogOutcome>,
  nowMs: number,
): Page {
  return page(
    {
      title: 'Events',
      lead: 'Every signed request, accepted or refused, newest first. Days are UTC.',
      actions: linkButton('/reconciliation', 'Compare with your orders', 'secondary'),
    },
    html`<section class="card find">${findForm()}</section>`,
    html`<section class="card">${filterForm(query)}${logPart(ctx, query, { ...log, outcomes, nowMs })}</section>`,
  );
}

function filterForm(query: LogQuery): Html {
  const filled = filledWith({ ...query });
  const choices = (values: readonly string[]) => [
    anything(),
    ...values.map((value) => ({ value, text: wordsOf(value) })),
  ];
  return html`<form method="get" action="/events" class="log-filters" aria-label="Filter" hx-get="/events" hx-trigger="submit, change" hx-sync="this:replace" ${swap}>
${select({ name: 'type', label: 'Type', filled, choices: choices(requestTypes) })}
${select({
  name: 'code',
  label: 'Outcome',
  filled,
  choices: [anything(), ...logCodes.map((value) => ({ value, text: value }))],
})}
${field({ name: 'order', label: 'Order', filled, maxLength: 255, autocomplete: 'off' })}
${field({ name: 'from', label: 'From', type: 'date', filled })}
${field({ name: 'to', label: 'To', type: 'date', filled })}
<button type="submit" class="secondary">Filter</button></form>`;
}

/** The part of the page that filters change. */
function logPart(
  ctx: PageContext<'partner'>,
  query: LogQuery,
  log: LogPage & { outcomes: ReadonlyMap<string, LogOutcome>; nowMs: number },
): Html {
  const { state } = ctx;
  const { older: _, newer: __, ...filter } = query;
  const { from: _from, to: _to, ...others } = filter;
  const ofDays = ({ from, to }: DayRange) =>
    logPath('/events', { ...others, ...(from && { from }), ...(to && { to }) });
  const isFiltered = Object.keys(filter).some((name) => name !== 'mode');
  const empty = isFiltered
    ? emptyState(
        'No matching requests',
        'No received request matches all of these filters.',
        linkButton('/events', 'Show everything', 'secondary'),
      )
    : emptyState(
        'No requests yet',
        'Your first signed request appears here at once, even if it is refused.',
        state.mayOpen('/console') ? linkButton('/console', 'Open test console') : nothing,
      );
  return html`<div id="log">${datePresets(log.nowMs, query, ofDays)}${logTable(log.events, log.outcomes, empty)}
${log.events.length === 0 ? nothing : html`<div class="log-foot"><p><a href="${logPath('/events.csv', filter)}" download>Download as CSV</a> <span class="muted">everything these filters show, up to ${numberText(maxCsvRows)} rows</span></p>${logPager(filter, log)}</div>`}</div>`;
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
