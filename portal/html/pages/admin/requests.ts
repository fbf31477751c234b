import { requestTypes } from '../../../../domain/purchase.ts';
import type { IntegrationEventDoc } from '../../../../models/schemas/requests.ts';
import type { AnyRequest, EveryonesLog } from '../../../../models/views/requests.ts';
import type { PageContext } from '../../../context.ts';
import { badge, code, emptyState, facts, section, table, wordsOf } from '../../components.ts';
import { dayFilters, daysOf } from '../../date-presets.ts';
import { choicesOf, filterBar } from '../../filters.ts';
import { exactTime, number, time } from '../../format.ts';
import { type Html, html } from '../../html.ts';
import { operatorPaths, to, toId, toOptional } from '../../links.ts';
import { twoWayPager } from '../../pager.ts';
import { partnerFilter, partnerFilterNote } from '../../partner-filter.ts';
import { type Page, page } from '../../view.ts';

export function requestsPage(
  ctx: PageContext<'operator'>,
  { log, nameOf }: EveryonesLog,
  nowMs: number,
): Page {
  return page(
    { title: 'Requests', lead: 'Every signed request, accepted or refused.' },
    filterBar(ctx, [
      partnerFilter(ctx),
      { name: 'mode', label: 'Mode', choices: choicesOf(['LIVE', 'TEST'], wordsOf) },
      { name: 'type', label: 'Type', choices: choicesOf(requestTypes, wordsOf) },
      { name: 'code', label: 'Code', placeholder: 'INVALID_SIGNATURE' },
      { name: 'order', label: 'Order' },
      ...dayFilters(),
    ]),
    html`<div id="list">${daysOf(ctx, nowMs)}<section class="card">${partnerFilterNote(ctx)}${table(
      {
        caption: 'Requests',
        columns: [
          {
            heading: 'Received',
            cell: ({ requestId, receivedAt }) =>
              html`<a href="${operatorPaths.REQUEST}${requestId}">${exactTime(receivedAt)}</a>`,
          },
          {
            heading: 'Partner',
            cell: ({ partnerId }) => to('PARTNER', partnerId, nameOf.get(partnerId)),
          },
          { heading: 'Mode', cell: (one) => badge(one.mode) },
          { heading: 'Type', cell: ({ type }) => wordsOf(type) },
          { heading: 'Order', cell: orderOf, isText: true },
          { heading: 'Response', cell: answerOf },
          {
            heading: 'Count',
            cell: ({ count }) => number(count),
            isNumber: true,
          },
        ],
        rows: log.events,
        empty: emptyState('No requests', 'Signed requests appear within a second.'),
      },
    )}${twoWayPager(ctx, log)}</section></div>`,
  );
}

export function anyRequestPage(
  ctx: PageContext<'operator'>,
  { request: event, partnerName }: AnyRequest,
): Page {
  return page(
    {
      title: `${event.method} ${event.path}`,
      crumbs: [['Requests', '/admin/requests']],
      lead: html`${badge(event.mode)} ${answerOf(event)} ${to('PARTNER', event.partnerId, partnerName)}`,
      mode: event.mode,
    },
    section(
      'Request',
      facts([
        ['Received', time(event.receivedAt)],
        ['Responded', String(event.status)],
        ['Code', code(event.code)],
        ['Type', wordsOf(event.type)],
        ['Order', orderOf(event)],
        ['Event', toOptional('EVENT', event.eventId)],
        ['Integration', toId(ctx, event.integrationId)],
        ['Key', toId(ctx, event.credentialId)],
        [
          'Count',
          event.minute === null
            ? '1'
            : html`${number(event.count)} within the minute of ${time(event.minute)}; the newest is shown`,
        ],
        ['From', event.address ?? event.network ?? 'no longer stored'],
        ['Request ID', code(event.requestId, { canCopy: true })],
      ]),
    ),
  );
}

function orderOf({ externalOrderId, eventId }: IntegrationEventDoc): Html {
  if (externalOrderId === null) return html`<span class="muted">–</span>`;
  return eventId === null ? html`${externalOrderId}` : to('EVENT', eventId, externalOrderId);
}

function answerOf({ status, code: text }: IntegrationEventDoc): Html {
  return html`${badge(status < 400 ? 'ACCEPTED' : 'REFUSED', String(status))} <code>${text}</code>`;
}
