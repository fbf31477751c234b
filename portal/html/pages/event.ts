import type { IntegrationEventDoc } from '../../../models/schemas/integration-event.ts';
import type { EventDetails } from '../../../models/views/event-details.ts';
import type { PageContext } from '../../context.ts';
import { wordsOfCode } from '../../words/log-words.ts';
import { earnsWords } from '../../words/rule-words.ts';
import { type PlainKey, say } from '../../words/say.ts';
import { tags } from '../../words/tags.ts';
import { badge, code, codeBlock, facts, notice, section, table, wordsOf } from '../components.ts';
import { deliveryTable } from '../delivery-table.ts';
import { minuteOfIso, money, number, numberText, time } from '../format.ts';
import { type Html, html, nothing } from '../html.ts';
import { idLink, namedIdLink } from '../id-link.ts';
import { shortKey } from '../key-table.ts';
import { outcome } from '../log-table.ts';
import { linkIfOpen } from '../onward-links.ts';
import { timeline } from '../timeline.ts';
import { type Page, page } from '../view.ts';
import { whyPoints } from '../why-points.ts';

const crumbs = () => [[say('common.events'), '/events']] as const;

/** Who has to act next, in a partner's words. */
const waitsForWords: Readonly<Record<EventDetails['next']['waitsFor'], PlainKey>> = {
  CUSTOMER: 'event.waitsFor.customer',
  FUNDS: 'event.waitsFor.funds',
  OPERATOR: 'event.waitsFor.admin',
  SERVICE: 'event.waitsFor.service',
  NOBODY: 'event.waitsFor.nobody',
};

export function eventPage(ctx: PageContext<'partner'>, details: EventDetails): Page {
  const { event, purchase, reward, next, why } = details;
  const { mode, externalOrderId, externalRefundId } = event;
  const isPurchase = event.type === 'PURCHASE';
  const currency = purchase.purchase?.currency ?? ctx.state.viewer.partner.currency;
  return page(
    {
      title: isPurchase
        ? say('event.title', { order: externalOrderId })
        : say('event.title.refundOrder', {
            refund: externalRefundId ?? '',
            order: externalOrderId,
          }),
      crumbs: crumbs(),
      mode,
      ...(reward && { actions: badge(reward.status) }),
    },
    html`<section class="card next"><p class="next-label">${say(waitsForWords[next.waitsFor])}</p><h2>${say('event.whatHappensNext')}</h2><p>${next.sentence(minuteOfIso)}</p></section>`,
    section(say('event.section.event'), eventFacts(details, currency)),
    html`<div class="grid-2">${section(say('event.section.timeline'), timeline(details.timeline, event._id, currency))}<div class="stack">${section(
      say('event.section.whyPoints', {
        points: numberText(purchase.purchase?.arithmetic.points ?? 0),
      }),
      whyPoints(why, currency),
    )}${section(say('event.section.theSameOrder'), sameOrder(details))}</div></div>`,
    section(
      say('event.section.webhooks'),
      deliveryTable(
        details.deliveries,
        say('event.notSent', { link: tags.link('/webhooks') }),
        (deliveryId) => `/webhooks/deliveries/${deliveryId}`,
      ),
    ),
    html`<div class="grid-2">${section(say('event.section.request'), requestPart(details))}${section(
      say('event.section.answer'),
      html`<p class="muted">${say('event.statusRepeat', { status: details.answer.status, sealed: details.purchase.purchase?.delivery === 'PARTNER' && details.event.type === 'PURCHASE' ? say('event.rewardClaimurl', { code: tags.code }) : nothing })}</p>`,
      details.answer.body === null
        ? html`<p class="muted">${say('event.beingDecided')}</p>`
        : codeBlock(readable(details.answer.body), say('event.answer')),
    )}</div>`,
  );
}

function eventFacts(details: EventDetails, currency: string): Html {
  const { event, purchase, reward, rule, integrationName, apiKey } = details;
  const { _id, requestId, externalOrderId, externalRefundId, rewardId } = event;
  return facts([
    [say('common.event'), code(_id, { canCopy: true })],
    [say('common.order'), code(externalOrderId, { canCopy: true })],
    ...(externalRefundId === null
      ? []
      : [[say('event.refund'), code(externalRefundId, { canCopy: true })] as const]),
    [say('common.reward'), code(rewardId, { canCopy: true })],
    [say('common.request'), code(requestId, { canCopy: true })],
    [say('common.received'), time(event.receivedAt)],
    [
      externalRefundId === null ? say('event.orderDate') : say('event.refundDate'),
      time(event.occurredAt, say('event.notProvided')),
    ],
    [say('common.points'), number(purchase.purchase?.arithmetic.points ?? 0)],
    [say('event.theyCostYou'), money(purchase.purchase?.liabilityCents ?? 0, currency)],
    [
      say('event.status'),
      reward ? badge(reward.status) : html`<span class="muted">${say('event.notYet')}</span>`,
    ],
    ...(reward && reward.status === 'PENDING'
      ? [[say('event.claimed'), time(reward.claimExpiresAt)] as const]
      : []),
    [say('event.rule'), namedIdLink(rule.ruleId, earnsWords(rule))],
    [say('common.integration'), namedIdLink(event.integrationId, integrationName)],
    [say('event.apiKey'), namedIdLink(event.credentialId, apiKey && shortKey(apiKey))],
  ]);
}

function requestPart({ event, request }: EventDetails): Html {
  const { isErased, ...reported } = request;
  return html`<p class="muted">${say('event.request.personalData', { code: tags.code, method: event.request.method, path: event.request.path })}</p>
${isErased ? notice('info', say('event.request.customerErased')) : nothing}
${codeBlock(JSON.stringify(reported, null, 2), say('event.requestMasked'))}`;
}

/** A response body, indented; its actual bytes are on one line. */
function readable(body: string): string {
  return JSON.stringify(JSON.parse(body), null, 2);
}

function sameOrder({ event, timeline: moments }: EventDetails): Html {
  const events = moments.filter(({ kind }) => kind === 'EVENT');
  return html`<div class="sums">${table({
    caption: say('event.sameOrder.caption'),
    columns: [
      { heading: say('common.when'), cell: ({ at }) => time(at) },
      {
        heading: say('common.what'),
        cell: ({ id, what }) =>
          id === null || id === event._id
            ? html`${what} <span class="muted">${say('event.thisOne')}</span>`
            : idLink(id, what),
      },
    ],
    rows: events,
    empty: nothing,
  })}</div>`;
}

/**
 * A request that recorded no event: refused, repeated, or only a read.
 * @param apiKey null if the key no longer exists
 */
export function requestPage(
  ctx: PageContext<'partner'>,
  { request, apiKey }: { request: IntegrationEventDoc; apiKey: string | null },
): Page {
  const { requestId, mode, code: outcomeCode } = request;
  const isSignature = ['INVALID_SIGNATURE', 'TIMESTAMP_OUT_OF_RANGE'].includes(outcomeCode);
  return page(
    {
      title: say('event.request.title', { requestId }),
      crumbs: crumbs(),
      mode,
      actions: outcome(outcomeCode),
    },
    html`<section class="card next"><p class="next-label">${say('event.whatItMeans')}</p><h2>${outcomeCode}</h2><p>${wordsOfCode(outcomeCode)}</p>${isSignature ? html`<p>${linkIfOpen(ctx, '/doctor', say('event.request.askSignature'))}</p>` : nothing}</section>`,
    countNotice(request),
    requestSection(request, apiKey),
  );
}

/** Tells readers if the row represents several requests. */
function countNotice({ count, minute }: IntegrationEventDoc): Html {
  if (count <= 1) return nothing;
  return notice(
    'info',
    say('event.request.rowStands', {
      count: number(count),
      when: minute ? html` ${say('event.request.minute', { minute: time(minute) })}` : nothing,
    }),
  );
}

function requestSection(request: IntegrationEventDoc, apiKey: string | null): Html {
  const { externalOrderId, eventId, credentialId } = request;
  const unknown = html`<span class="muted">${say('event.notKnown')}</span>`;
  return section(
    say('event.section.request'),
    facts([
      [say('common.request'), code(request.requestId, { canCopy: true })],
      [say('common.received'), time(request.receivedAt)],
      [say('common.type'), wordsOf(request.type)],
      [say('common.requested'), code(`${request.method} ${request.path}`)],
      [say('event.status'), number(request.status)],
      [
        say('common.order'),
        externalOrderId === null
          ? unknown
          : html`<a href="/find?q=${encodeURIComponent(externalOrderId)}">${externalOrderId}</a>`,
      ],
      [
        say('common.event'),
        eventId === null ? html`<span class="muted">${say('event.none')}</span>` : idLink(eventId),
      ],
      [
        say('event.apiKey'),
        apiKey === null ? code(credentialId) : namedIdLink(credentialId, shortKey(apiKey)),
      ],
      [say('event.network'), request.network ?? unknown],
    ]),
  );
}
