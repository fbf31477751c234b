import type Joi from 'joi';
import { requestTypes } from '../../../domain/events.ts';
import { defaultLimit, searchText } from '../../../http/paging.ts';
import type { IntegrationEventDoc } from '../../../models/schemas/integration-event.ts';
import { readLog } from '../../../models/views/events-log.ts';
import { lookUp } from '../../../models/views/look-up.ts';
import { namesOfPartners } from '../../../models/views/names.ts';
import { createRequestHashes } from '../../../platform/hashing.ts';
import { param, redirect } from '../../context.ts';
import type { PortalDeps } from '../../deps.ts';
import { badge, code, emptyState, facts, section, table, wordsOf } from '../../html/components.ts';
import { choicesOf, filterBar } from '../../html/filters.ts';
import { number, time } from '../../html/format.ts';
import { type Html, html } from '../../html/html.ts';
import { adminPaths, to, toAny } from '../../html/links.ts';
import { bothWays } from '../../html/pager.ts';
import { view } from '../../html/view.ts';
import { filterOf, type LogQuery, logSchema, placeOf } from '../../log-query.ts';
import { nothingHere } from '../../middleware/well-formed.ts';
import { queryOf } from '../../query.ts';
import type { Routes } from '../../route-table.ts';

/** The partners' log, of all of them: codes may be any that were ever stored. */
const querySchema = (logSchema as Joi.ObjectSchema<LogQuery & { partner?: string }>).append({
  partner: searchText,
  code: searchText,
});

/** Every signed request of all partners, accepted or refused. */
export function adminRequestPages(routes: Routes, { models, config }: PortalDeps): void {
  routes.page(
    { path: '/admin/requests', audience: 'operator', permission: 'read' },
    async (ctx) => {
      const { partner = null, ...query } = queryOf(ctx, querySchema);
      const filter = filterOf(partner, query);
      const page = await readLog(models, filter, defaultLimit, placeOf(query));
      const { events } = page;
      const nameOf = await namesOfPartners(
        models,
        events.map(({ partnerId }) => partnerId),
      );
      view(
        ctx,
        { title: 'Requests', lead: 'Every signed request, accepted or refused.' },
        filterBar(ctx, [
          { name: 'partner', label: 'Partner', placeholder: 'prt_…' },
          { name: 'mode', label: 'Mode', choices: choicesOf(['LIVE', 'TEST'], wordsOf) },
          { name: 'type', label: 'Type', choices: choicesOf(requestTypes, wordsOf) },
          { name: 'code', label: 'Code', placeholder: 'INVALID_SIGNATURE' },
          { name: 'order', label: 'Order' },
          { name: 'from', label: 'From', type: 'date' },
          { name: 'to', label: 'To', type: 'date' },
        ]),
        html`<section class="card" id="list">${table({
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
          rows: events,
          empty: emptyState('No request here', 'Signed requests show a second after they came.'),
        })}${bothWays(ctx, page)}</section>`,
      );
    },
  );

  const hashes = createRequestHashes(config.customerHashKey);

  routes.page(
    {
      path: '/admin/requests/:requestId',
      params: { requestId: 'request' },
      audience: 'operator',
      permission: 'read',
    },
    async (ctx) => {
      const requestId = param(ctx, 'requestId');
      const event = await models.integrationEvents.findOne({ requestId }).lean();
      if (event === null) {
        // Of a purchase that was answered just now there is the event alone.
        const [found] = await lookUp({ models, hashes }, null, requestId);
        if (!found?.eventId) throw nothingHere();
        return redirect(ctx, adminPaths.EVENT + found.eventId);
      }
      const nameOf = await namesOfPartners(models, [event.partnerId]);
      view(
        ctx,
        {
          title: `${event.method} ${event.path}`,
          crumbs: [['Requests', '/admin/requests']],
          lead: html`${badge(event.mode)} ${answerOf(event)} ${to('PARTNER', event.partnerId, nameOf.get(event.partnerId))}`,
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
            ['From', event.address ?? event.network ?? 'not known any more'],
            ['Request id', code(event.requestId, { canCopy: true })],
          ]),
        ),
      );
    },
  );
}

function orderOf({ externalOrderId, eventId }: IntegrationEventDoc): Html {
  if (externalOrderId === null) return html`<span class="muted">–</span>`;
  return eventId === null ? html`${externalOrderId}` : to('EVENT', eventId, externalOrderId);
}

function answerOf({ status, code: text }: IntegrationEventDoc): Html {
  return html`${badge(status < 400 ? 'ACCEPTED' : 'REFUSED', String(status))} <code>${text}</code>`;
}
