import { requestTypes } from '../../../domain/purchase.ts';
import { holdWorkflowId } from '../../../domain/workflow-names.ts';
import type { PartnerDoc } from '../../../models/schemas/partners.ts';
import type { LoggedRequest } from '../../../models/schemas/requests.ts';
import type { Config } from '../../../platform/config.ts';
import type { RedemptionDetails } from '../../../views/redemptions.ts';
import type { AnyRequest, EveryonesLog } from '../../../views/requests.ts';
import type { SearchResult } from '../../../views/search.ts';
import {
  badge,
  code,
  emptyState,
  facts,
  section,
  table,
  wordsOf,
} from '../../components/components.ts';
import { exactTime, type Html, html, number, type Part, time } from '../../components/format.ts';
import {
  operatorPaths,
  to,
  toId,
  toIfOpen,
  toOptional,
  workflowLink,
} from '../../components/links.ts';
import { linkIfOpen } from '../../components/onward-links.ts';
import { redemptionFacts, redemptionRequests } from '../../components/redemptions.ts';
import { timelineList } from '../../components/timeline.ts';
import { type Page, page } from '../../components/view.ts';
import type { PageContext } from '../../context.ts';
import { type Asked, choice, days, ofMode, ofOrder, ofPartner, text } from '../../lists/filters.ts';
import { list } from '../../lists/list.ts';
import { meaningOf } from '../../words/log-words.ts';

/** The code can be any that was ever stored. */
export const requestFilters = {
  ...ofPartner,
  ...ofMode,
  type: choice('Type', requestTypes),
  code: text('code', 'Code', 'INVALID_SIGNATURE'),
  externalOrderId: ofOrder(),
  ...days,
};

export const requestsPage = (
  ctx: PageContext<'operator'>,
  asked: Asked,
  { log: { events, newer, older }, nameOf }: EveryonesLog,
): Page =>
  page(
    { title: 'Request log', lead: 'Every signed request, accepted or refused.' },
    list(ctx, {
      asked,
      caption: 'Requests',
      columns: {
        Received: ({ requestId, receivedAt }) =>
          html`<a href="${operatorPaths.REQUEST}${requestId}">${exactTime(receivedAt)}</a>`,
        Partner: ({ partnerId }) => to('PARTNER', partnerId, nameOf.get(partnerId)),
        Mode: (one) => badge(one.mode),
        Type: ({ type }) => wordsOf(type),
        Order: { text: orderOf },
        Response: { text: answerOf },
        Count: { number: ({ count }) => count },
      },
      rows: events,
      empty: emptyState('No requests', 'Signed requests appear within a second.'),
      places: { newer, older },
    }),
  );

export function anyRequestPage(
  ctx: PageContext<'operator'>,
  { request: event, partnerName }: AnyRequest,
): Page {
  return page(
    {
      title: `${event.method} ${event.path}`,
      crumbs: [['Request log', '/admin/requests']],
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

function orderOf({ externalOrderId, eventId }: LoggedRequest): Html {
  if (externalOrderId === null) return html`<span class="muted">–</span>`;
  return eventId === null ? html`${externalOrderId}` : to('EVENT', eventId, externalOrderId);
}

function answerOf({ status, code: text }: LoggedRequest): Html {
  return html`${badge(status < 400 ? 'ACCEPTED' : 'REFUSED', String(status))} ${meaningOf(text)}`;
}

export function anyRedemptionPage(
  ctx: PageContext<'operator'>,
  { redemption, events, timeline, integrationName }: RedemptionDetails,
  partner: PartnerDoc,
  config: Pick<Config, 'temporal'>,
): Page {
  const { _id, partnerId, mode, status, externalRedemptionId, customerId } = redemption;
  const { integrationId, expiresAt, currency } = redemption;
  return page(
    {
      title: `Redemption ${externalRedemptionId}`,
      crumbs: [['Request log', '/admin/requests']],
      lead: html`${badge(mode)} ${badge(status)} ${to('PARTNER', partnerId, partner.name)}`,
      mode,
    },
    section(
      'Redemption',
      facts([
        ...redemptionFacts(redemption),
        ['Customer', to('CUSTOMER', customerId)],
        ...optional(
          integrationId !== null && [
            'Integration',
            toIfOpen(ctx, 'INTEGRATION', integrationId, integrationName),
          ],
        ),
        ...optional(expiresAt && ['Workflow', workflowLink(config, holdWorkflowId(_id))]),
      ]),
    ),
    section('Timeline', timelineList(timeline, currency)),
    section('Requests', redemptionRequests(events)),
  );
}

/** A fact that may be absent, as a list to spread. */
const optional = (fact: [string, Part] | false | null | undefined): [string, Part][] =>
  fact ? [fact] : [];

/** @param results of the search */
export function searchPage(
  ctx: PageContext<'operator'>,
  q: string,
  results: readonly SearchResult[],
  nameOf: ReadonlyMap<string, string>,
): Page {
  return page(
    {
      title: 'Search',
      lead: q === '' ? undefined : `Results for “${q}”`,
    },
    html`<section class="card">${table({
      caption: 'Results',
      columns: {
        Kind: ({ kind }) => wordsOf(kind),
        Name: (one) => linkIfOpen(ctx, pathOfResult(one), one.label, one.label),
        Mode: ({ mode }) => mode && badge(mode),
        Partner: ({ partnerId }) => to('PARTNER', partnerId, nameOf.get(partnerId)),
        ID: ({ id }) => code(id, { canCopy: true }),
      },
      rows: results,
      empty: emptyState(
        q === '' ? 'Search' : 'No results',
        'Enter a partner’s name, the email address of a user or customer, a customer’s phone number with its country code, the beginning of an API key, a bank reference, any ID, or the full name of an order, refund, Idempotency-Key, request or workflow.',
      ),
    })}<p class="after"><a href="/admin/find-customer">Find a customer by email or phone</a></p></section>`,
  );
}

/** An order's page includes its requests; one that recorded no event has its own page. */
export function pathOfResult({ kind, id, eventId, partnerId, rewardId }: SearchResult): string {
  if (rewardId !== undefined) return operatorPaths.REWARD + rewardId;
  if (kind === 'USER') return operatorPaths.PARTNER + partnerId;
  if (kind === 'INVOICE') return `${operatorPaths.PARTNER}${partnerId}/invoices/${id}`;
  if (kind === 'REQUEST' && eventId !== null) return `${operatorPaths.EVENT}${eventId}`;
  return operatorPaths[kind] + id;
}
