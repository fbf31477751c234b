import { requestTypes } from '../../domain/purchase.ts';
import { holdWorkflowId } from '../../domain/workflow-names.ts';
import { param } from '../../http/context.ts';
import { defaultLimit } from '../../http/query.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import type { LoggedRequest } from '../../models/schemas/requests.ts';
import type { Config } from '../../platform/config.ts';
import { createRequestHashes } from '../../platform/hashing.ts';
import { rewardOfEvent } from '../../views/event.ts';
import { lookUp } from '../../views/names.ts';
import { scopeOf } from '../../views/partner-scope.ts';
import { readPartner } from '../../views/partners.ts';
import {
  type RedemptionDetails,
  readRedemption,
  redemptionOfEvent,
} from '../../views/redemptions.ts';
import {
  type AnyRequest,
  type EveryonesLog,
  readAnyRequest,
  readEveryonesLog,
} from '../../views/requests.ts';
import {
  badge,
  code,
  type Definition,
  definitions,
  emptyState,
  section,
  wordsOf,
} from '../components/components.ts';
import { exactTime, type Html, html, number, time } from '../components/format.ts';
import {
  operatorPaths,
  to,
  toId,
  toIfOpen,
  toOptional,
  workflowLink,
} from '../components/links.ts';
import { redemptionFacts, redemptionRequests } from '../components/redemptions.ts';
import { timelineList } from '../components/timeline.ts';
import { type Page, page, render } from '../components/view.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import {
  type Asked,
  asked,
  choiceFilter,
  days,
  ofMode,
  ofOrder,
  ofPartner,
  textFilter,
} from '../lists/filters.ts';
import { list } from '../lists/list.ts';
import { placeOf, placeSchema } from '../lists/log.ts';
import { notFound, orNotFound } from '../middleware/form.ts';
import { nameIds } from '../routing/name-ids.ts';
import { queryOf } from '../routing/query.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { meaningOf } from '../words/log-words.ts';

/** The signed requests of all partners, accepted or refused. */
export function operatorRequestPages(routes: RoutesOf<'operator'>): void {
  routes.page('/admin/requests', showRequests);
  routes.page('/admin/requests/:requestId', showRequest);
}

async function showRequests(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const list = await asked(ctx, deps, requestFilters);
  const { partnerId, ...filter } = list.filter;
  const whose = { ...filter, partnerId: partnerId ? scopeOf({ _id: partnerId }) : null };
  const place = placeOf(queryOf(ctx, placeSchema));
  render(ctx, requestsPage(ctx, list, await readEveryonesLog(deps, whose, defaultLimit, place)));
}

async function showRequest(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const requestId = param(ctx, 'requestId');
  const request = await readAnyRequest(deps, requestId);
  if (request) {
    const { integrationId, credentialId } = request.request;
    await nameIds(ctx, deps, [integrationId, credentialId]);
    return render(ctx, anyRequestPage(ctx, request));
  }
  // For a moment after a purchase's response, only the event exists, and its log row does not.
  const hashes = createRequestHashes(deps.config.customerHashKey);
  const [accepted] = await lookUp({ ...deps, hashes }, null, requestId);
  if (!accepted?.eventId) throw notFound();
  redirect(ctx, operatorPaths.EVENT + accepted.eventId);
}

/** An accepted purchase or refund: request, response and outcome; and a redemption. */
export function operatorEventPages(routes: RoutesOf<'operator'>): void {
  routes.page('/admin/events/:eventId', showEvent);
  routes.page('/admin/redemptions/:redemptionId', showRedemption);
}

/** What an event recorded: its order, or a redemption. */
async function showEvent(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const eventId = param(ctx, 'eventId');
  const rewardId = await rewardOfEvent(deps, null, eventId);
  if (rewardId !== null) return redirect(ctx, operatorPaths.REWARD + rewardId);
  const redemptionId = await redemptionOfEvent(deps, null, eventId);
  redirect(ctx, operatorPaths.REDEMPTION + orNotFound(redemptionId));
}

async function showRedemption(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const details = orNotFound(await readRedemption(deps, null, param(ctx, 'redemptionId')));
  const { partnerId } = details.redemption;
  render(ctx, anyRedemptionPage(ctx, details, await readPartner(deps, partnerId), deps.config));
}

/** The code can be any that was ever stored. */
const requestFilters = {
  ...ofPartner,
  ...ofMode,
  type: choiceFilter('Type', requestTypes),
  code: textFilter('code', 'Code', 'INVALID_SIGNATURE'),
  externalOrderId: ofOrder(),
  ...days,
};

const requestsPage = (
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

function anyRequestPage(
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
      definitions([
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

function anyRedemptionPage(
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
      definitions([
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
const optional = (fact: Definition | false | null | undefined): Definition[] =>
  fact ? [fact] : [];
