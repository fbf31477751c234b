import { requestTypes } from '../../../domain/request.ts';
import type { LogPage } from '../../../models/views/events-log.ts';
import { maxCsvRows } from '../../../models/views/log-csv.ts';
import type { LogOutcome } from '../../../models/views/log-outcomes.ts';
import type { PageContext } from '../../context.ts';
import { type LogQuery, logPath } from '../../forms/log-query.ts';
import { filledWith } from '../../forms/submit.ts';
import { logCodes } from '../../words/log-words.ts';
import { say } from '../../words/say.ts';
import { emptyState, linkButton, wordsOf } from '../components.ts';
import { type DayRange, datePresets } from '../date-presets.ts';
import { findForm } from '../find-form.ts';
import { field, select } from '../form.ts';
import { numberText } from '../format.ts';
import { type Html, html, nothing } from '../html.ts';
import { logTable } from '../log-table.ts';
import { savedViews } from '../saved-views.ts';
import { type Page, page } from '../view.ts';

const anything = () => ({ value: '', text: say('events.all') });
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
      title: say('events.title'),
      lead: say('events.lead'),
      actions: linkButton('/reconciliation', say('events.button'), 'secondary'),
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
  return html`<form method="get" action="/events" class="log-filters" aria-label="${say('events.filter')}" hx-get="/events" hx-trigger="submit, change" hx-sync="this:replace" ${swap}>
${select({ name: 'type', label: say('common.type'), filled, choices: choices(requestTypes) })}
${select({
  name: 'code',
  label: say('events.code'),
  filled,
  choices: [anything(), ...logCodes.map((value) => ({ value, text: value }))],
})}
${field({ name: 'order', label: say('common.order'), filled, maxLength: 255, autocomplete: 'off' })}
${field({ name: 'from', label: say('common.from'), type: 'date', filled })}
${field({ name: 'to', label: say('common.to'), type: 'date', filled })}
<button type="submit" class="secondary">${say('filters.filter')}</button></form>`;
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
        say('events.log.empty.title'),
        say('events.log.empty.text'),
        linkButton('/events', say('events.showEverything'), 'secondary'),
      )
    : emptyState(
        say('events.log.empty.title.requestYet'),
        say('events.log.empty.text.firstSigned'),
        state.mayOpen('/console') ? linkButton('/console', say('events.log.openTest')) : nothing,
      );
  return html`<div id="log">${savedViews(ctx, 'events')}${datePresets(log.nowMs, query, ofDays)}${logTable(log.events, log.outcomes, empty)}
${log.events.length === 0 ? nothing : html`<div class="log-foot"><p><a href="${logPath('/events.csv', filter)}" download>${say('events.downloadAsCsv')}</a> <span class="muted">${say('events.log.filtersShow', { maxCsvRows: numberText(maxCsvRows) })}</span></p>${logPager(filter, log)}</div>`}</div>`;
}

function logPager(filter: LogQuery, { newer, older }: LogPage): Html {
  if (newer === null && older === null) return nothing;
  const link = (query: LogQuery, text: string, rel: string) => {
    const path = logPath('/events', query);
    return html`<a href="${path}" rel="${rel}" hx-get="${path}" ${swap}>${text}</a>`;
  };
  return html`<nav class="pager" aria-label="${say('events.pages')}">
${newer === null ? nothing : html`${link(filter, say('events.newest'), 'first')} ${link({ ...filter, newer }, say('events.newer'), 'prev')}`}
${older === null ? nothing : link({ ...filter, older }, say('events.older'), 'next')}</nav>`;
}
