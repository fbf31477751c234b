import { requestTypes } from '../../../../domain/request.ts';
import type { IntegrationEventDoc } from '../../../../models/schemas/integration-event.ts';
import type { AnyRequest, EveryonesLog } from '../../../../models/views/requests.ts';
import type { PageContext } from '../../../context.ts';
import { badge, code, emptyState, facts, section, table, wordsOf } from '../../components.ts';
import { choicesOf, filterBar } from '../../filters.ts';
import { number, time } from '../../format.ts';
import { type Html, html } from '../../html.ts';
import { adminPaths, to, toAny } from '../../links.ts';
import { bothWays } from '../../pager.ts';
import { partnerFilter, partnerFilterNote } from '../../partner-filter.ts';
import { type Page, page } from '../../view.ts';

export function requestsPage(ctx: PageContext<'operator'>, { log, nameOf }: EveryonesLog): Page {
  return page(
    { title: 'Requests', lead: 'Every signed request, accepted or refused.' },
    filterBar(ctx, [
      partnerFilter(ctx),
      { name: 'mode', label: 'Mode', choices: choicesOf(['LIVE', 'TEST'], wordsOf) },
      { name: 'type', label: 'Type', choices: choicesOf(requestTypes, wordsOf) },
      { name: 'code', label: 'Code', placeholder: 'INVALID_SIGNATURE' },
      { name: 'order', label: 'Order' },
      { name: 'from', label: 'From', type: 'date' },
      { name: 'to', label: 'To', type: 'date' },
    ]),
    html`<section class="card" id="list">${partnerFilterNote(ctx)}${table({
      caption: 'Requests',
      columns: [
        {
          heading: 'Received',
          cell: ({ requestId, receivedAt }) =>
            html`<a href="${adminPaths.REQUEST}${requestId}">${time(receivedAt)}</a>`,
        },
        {
          heading: 'Partner',
          cell: ({ partnerId }) => to('PARTNER', partnerId, nameOf.get(partnerId)),
        },
        { heading: 'Mode', cell: (one) => badge(one.mode) },
        { heading: 'Type', cell: ({ type }) => wordsOf(type) },
        { heading: 'Order', cell: orderOf, isText: true },
        { heading: 'Answer', cell: answerOf },
        { heading: 'Times', cell: ({ count }) => number(count), isNumber: true },
      ],
      rows: log.events,
      empty: emptyState('No request here', 'Signed requests show a second after they came.'),
    })}${bothWays(ctx, log)}</section>`,
  );
}

export function anyRequestPage({ request: event, partnerName }: AnyRequest): Page {
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
        ['Answered', String(event.status)],
        ['Code', code(event.code)],
        ['Type', wordsOf(event.type)],
        ['Order', orderOf(event)],
        ['Event', toAny('EVENT', event.eventId)],
        ['Integration', to('INTEGRATION', event.integrationId)],
        ['Key', to('CREDENTIAL', event.credentialId)],
        [
          'Times',
          event.minute === null
            ? '1'
            : html`${number(event.count)} within the minute of ${time(event.minute)}; the newest shows`,
        ],
        ['From', event.address ?? event.network ?? 'no longer known'],
        ['Request id', code(event.requestId, { canCopy: true })],
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
