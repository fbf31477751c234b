import { requestTypes } from '../../../../domain/request.ts';
import type { IntegrationEventDoc } from '../../../../models/schemas/integration-event.ts';
import type { AnyRequest, EveryonesLog } from '../../../../models/views/requests.ts';
import type { PageContext } from '../../../context.ts';
import { say } from '../../../words/say.ts';
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
    { title: say('admin.requests.title'), lead: say('admin.requests.lead') },
    filterBar(ctx, [
      partnerFilter(ctx),
      { name: 'mode', label: say('common.mode'), choices: choicesOf(['LIVE', 'TEST'], wordsOf) },
      { name: 'type', label: say('common.type'), choices: choicesOf(requestTypes, wordsOf) },
      { name: 'code', label: say('common.code'), placeholder: 'INVALID_SIGNATURE' },
      { name: 'order', label: say('common.order') },
      ...dayFilters(),
    ]),
    html`<div id="list">${daysOf(ctx, nowMs)}<section class="card">${partnerFilterNote(ctx)}${table(
      {
        caption: say('common.requests'),
        columns: [
          {
            heading: say('common.received'),
            cell: ({ requestId, receivedAt }) =>
              html`<a href="${operatorPaths.REQUEST}${requestId}">${exactTime(receivedAt)}</a>`,
          },
          {
            heading: say('common.partner'),
            cell: ({ partnerId }) => to('PARTNER', partnerId, nameOf.get(partnerId)),
          },
          { heading: say('common.mode'), cell: (one) => badge(one.mode) },
          { heading: say('common.type'), cell: ({ type }) => wordsOf(type) },
          { heading: say('common.order'), cell: orderOf, isText: true },
          { heading: say('admin.requests.answer'), cell: answerOf },
          {
            heading: say('admin.requests.times'),
            cell: ({ count }) => number(count),
            isNumber: true,
          },
        ],
        rows: log.events,
        empty: emptyState(say('admin.requests.empty.title'), say('admin.requests.empty.text')),
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
      crumbs: [[say('common.requests'), '/admin/requests']],
      lead: html`${badge(event.mode)} ${answerOf(event)} ${to('PARTNER', event.partnerId, partnerName)}`,
      mode: event.mode,
    },
    section(
      say('admin.requests.section.request'),
      facts([
        [say('common.received'), time(event.receivedAt)],
        [say('admin.requests.answered'), String(event.status)],
        [say('common.code'), code(event.code)],
        [say('common.type'), wordsOf(event.type)],
        [say('common.order'), orderOf(event)],
        [say('common.event'), toOptional('EVENT', event.eventId)],
        [say('common.integration'), toId(ctx, event.integrationId)],
        [say('common.key'), toId(ctx, event.credentialId)],
        [
          say('admin.requests.times'),
          event.minute === null
            ? '1'
            : say('admin.requests.anyRequest.text', {
                count: number(event.count),
                minute: time(event.minute),
              }),
        ],
        [say('common.from'), event.address ?? event.network ?? say('admin.requests.noLongerKnown')],
        [say('admin.requests.requestId'), code(event.requestId, { canCopy: true })],
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
