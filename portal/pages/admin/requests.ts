import { requestTypes } from '../../../domain/purchase.ts';
import { statusOf } from '../../../domain/reward.ts';
import { holdWorkflowId } from '../../../domain/workflow-names.ts';
import type { PartnerDoc } from '../../../models/schemas/partners.ts';
import type { LoggedRequest } from '../../../models/schemas/requests.ts';
import type { EventDetails } from '../../../models/views/event.ts';
import type { RedemptionDetails } from '../../../models/views/redemptions.ts';
import type { AnyRequest, EveryonesLog } from '../../../models/views/requests.ts';
import type { SearchResult } from '../../../models/views/search.ts';
import type { Config } from '../../../platform/config.ts';
import {
  badge,
  code,
  codeBlock,
  emptyState,
  facts,
  section,
  table,
  wordsOf,
} from '../../components/components.ts';
import {
  exactTime,
  type Html,
  html,
  minuteOfIso,
  money,
  number,
  type Part,
  time,
} from '../../components/format.ts';
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
import { whyPoints } from '../../components/rules.ts';
import { shortKey } from '../../components/tables.ts';
import { timelineList } from '../../components/timeline.ts';
import { type Page, page } from '../../components/view.ts';
import type { PageContext } from '../../context.ts';
import { type Asked, choice, days, ofMode, ofOrder, ofPartner, text } from '../../lists/filters.ts';
import { list } from '../../lists/list.ts';
import { earnsWords } from '../../words/rule-words.ts';

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
        Response: answerOf,
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
  return html`${badge(status < 400 ? 'ACCEPTED' : 'REFUSED', String(status))} <code>${text}</code>`;
}

export function anyEventPage(
  ctx: PageContext<'operator'>,
  details: EventDetails,
  partner: PartnerDoc,
  config: Pick<Config, 'temporal'>,
): Page {
  const { event, purchase, answer, reward, next } = details;
  const { partnerId, mode } = event;
  const currency = purchase.purchase?.currency ?? partner.currency;
  return page(
    {
      title: `${wordsOf(event.type)} ${event.externalRefundId ?? event.externalOrderId}`,
      crumbs: [['Request log', '/admin/requests']],
      lead: html`${badge(mode)} ${reward ? badge(statusOf(reward.state)) : badge('PENDING', 'Start')} ${to('PARTNER', partnerId, partner.name)}`,
      mode,
    },
    section('What happens next', html`<p>${next.sentence(minuteOfIso)}</p>`),
    html`<div class="grid-2">${[
      section('Reported', facts(reportedFacts(details))),
      identifiersSection(ctx, details, config),
    ]}</div>`,
    section('Timeline', timelineList(details.timeline, currency)),
    section('How the points were calculated', whyPoints(details.why, currency)),
    section(
      `Response ${answer.status}`,
      codeBlock(JSON.stringify(JSON.parse(answer.body ?? 'null'), null, 2), 'Response'),
    ),
  );
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

function reportedFacts({ event, purchase, request }: EventDetails): [string, Part][] {
  const { customer, order } = request;
  const isRefund = event.type === 'REFUND';
  return [
    ['Order', isRefund ? to('EVENT', purchase._id, event.externalOrderId) : event.externalOrderId],
    ...optional(order && ['Amount', money(order.subtotalCents, order.currency)]),
    ...optional(
      customer && ['Customer', [customer.email, customer.phone].filter(Boolean).join(', ')],
    ),
    ...optional(isRefund && ['Reason', request.hasReason ? 'provided; shown in a review' : 'none']),
    [isRefund ? 'Refund date' : 'Order date', time(event.occurredAt, 'not provided')],
    ['Received', time(event.receivedAt)],
    ['Metadata', request.metadata === null ? 'none' : code(JSON.stringify(request.metadata))],
  ];
}

/** A fact that may be absent, as a list to spread. */
const optional = (fact: [string, Part] | false | null | undefined): [string, Part][] =>
  fact ? [fact] : [];

function identifiersSection(
  ctx: PageContext<'operator'>,
  { event, rule, integrationName, apiKey }: EventDetails,
  config: Pick<Config, 'temporal'>,
): Html {
  return section(
    'Identifiers',
    facts([
      ['Reward', to('REWARD', event.rewardId)],
      ['Request', to('REQUEST', event.requestId)],
      ['Rule', toIfOpen(ctx, 'RULE', rule.ruleId, earnsWords(rule))],
      ['Integration', toIfOpen(ctx, 'INTEGRATION', event.integrationId, integrationName)],
      ['Key', toIfOpen(ctx, 'CREDENTIAL', event.credentialId, apiKey && shortKey(apiKey))],
      ['Workflow', workflowLink(config, event.workflowId)],
      ['ID', code(event._id, { canCopy: true })],
    ]),
  );
}

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

/** An event's page includes its request; a request that recorded no event has its own page. */
export function pathOfResult({ kind, id, eventId, partnerId }: SearchResult): string {
  if (kind === 'USER') return operatorPaths.PARTNER + partnerId;
  if (kind === 'INVOICE') return `${operatorPaths.PARTNER}${partnerId}/invoices/${id}`;
  if (kind === 'REQUEST' && eventId !== null) return `${operatorPaths.EVENT}${eventId}`;
  return operatorPaths[kind] + id;
}
