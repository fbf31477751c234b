import type { IntegrationEventDoc } from '../../../models/schemas/integration-event.ts';
import type { EventStory } from '../../../models/views/event-story.ts';
import type { PageContext } from '../../context.ts';
import { wordsOfCode } from '../../words/log-words.ts';
import { badge, code, codeBlock, facts, notice, section, table, wordsOf } from '../components.ts';
import { minuteOfIso, money, number, numberText, time } from '../format.ts';
import { type Html, html, nothing } from '../html.ts';
import { idLink } from '../id-link.ts';
import { shortKey } from '../key-table.ts';
import { outcome } from '../log-table.ts';
import { linkIfOpen } from '../onward-links.ts';
import { timeline } from '../timeline.ts';
import { toldTable } from '../told.ts';
import { type Page, page } from '../view.ts';
import { whyPoints } from '../why-points.ts';

const crumbs = [['Events', '/events']] as const;

/** Who is waited for, as a partner says it. */
const waitsForWords: Record<EventStory['next']['waitsFor'], string> = {
  CUSTOMER: 'Waits for the customer',
  FUNDS: 'Waits for funds',
  ADMIN: 'Waits for an admin',
  SERVICE: 'Continues automatically',
  NOBODY: 'Done',
};

export function eventPage(ctx: PageContext<'partner'>, story: EventStory): Page {
  const { event, purchase, reward, next, why } = story;
  const { mode, externalOrderId, externalRefundId } = event;
  const isPurchase = event.type === 'PURCHASE';
  const currency = purchase.purchase?.currency ?? ctx.state.viewer.partner.currency;
  return page(
    {
      title: isPurchase
        ? `Purchase of order ${externalOrderId}`
        : `Refund ${externalRefundId} of order ${externalOrderId}`,
      crumbs,
      mode,
      ...(reward && { actions: badge(reward.status) }),
    },
    html`<section class="card next"><p class="next-label">${waitsForWords[next.waitsFor]}</p><h2>What happens next</h2><p>${next.sentence(minuteOfIso)}</p></section>`,
    section('Event', eventFacts(story, currency)),
    html`<div class="grid-2">${section('Timeline', timeline(story.timeline, event._id, currency))}<div class="stack">${section(
      `Why ${numberText(purchase.purchase?.arithmetic.points ?? 0)} points`,
      whyPoints(why, currency),
    )}${section('The same order', sameOrder(story))}</div></div>`,
    section(
      'Webhooks',
      toldTable(
        story.told,
        html`Nobody: you had no <a href="/webhooks">endpoint</a> for it.`,
        (deliveryId) => `/webhooks/deliveries/${deliveryId}`,
      ),
    ),
    html`<div class="grid-2">${section('Request', requestPart(story))}${section(
      'Answer',
      html`<p class="muted">Status ${story.answer.status}. A repeat under the same Idempotency-Key gets the same bytes${story.purchase.purchase?.delivery === 'PARTNER' && story.event.type === 'PURCHASE' ? html`, with <code>reward.claimUrl</code>, which is sealed and not shown here` : nothing}.</p>`,
      story.answer.body === null
        ? html`<p class="muted">It is being decided.</p>`
        : codeBlock(readable(story.answer.body), 'Answer'),
    )}</div>`,
  );
}

function eventFacts({ event, purchase, reward }: EventStory, currency: string): Html {
  const { _id, requestId, externalOrderId, externalRefundId, rewardId } = event;
  return facts([
    ['Event', code(_id, { canCopy: true })],
    ['Order', code(externalOrderId, { canCopy: true })],
    ...(externalRefundId === null
      ? []
      : [['Refund', code(externalRefundId, { canCopy: true })] as const]),
    ['Reward', code(rewardId, { canCopy: true })],
    ['Request', code(requestId, { canCopy: true })],
    ['Received', time(event.receivedAt)],
    [
      externalRefundId === null ? 'Order date' : 'Refund date',
      time(event.occurredAt, 'not provided'),
    ],
    ['Points', number(purchase.purchase?.arithmetic.points ?? 0)],
    ['They cost you', money(purchase.purchase?.liabilityCents ?? 0, currency)],
    ['Status', reward ? badge(reward.status) : html`<span class="muted">not yet</span>`],
    ...(reward && reward.status === 'PENDING'
      ? [['To be claimed by', time(reward.claimExpiresAt)] as const]
      : []),
    ['Rule', idLink(purchase.purchase?.arithmetic.ruleId ?? '')],
    ['Integration', idLink(event.integrationId)],
    ['API key', idLink(event.credentialId)],
  ]);
}

function requestPart({ event, request }: EventStory): Html {
  const { isErased, ...reported } = request;
  return html`<p class="muted"><code>${event.request.method} ${event.request.path}</code>. Personal data is masked for everybody, including you; metadata shows only names and types of values.</p>
${isErased ? notice('info', 'The customer was erased: what was personal in this request is destroyed.') : nothing}
${codeBlock(JSON.stringify(reported, null, 2), 'Request, masked')}`;
}

/** An answer as it reads best; its bytes are on one line. */
function readable(body: string): string {
  return JSON.stringify(JSON.parse(body), null, 2);
}

function sameOrder({ event, timeline: moments }: EventStory): Html {
  const events = moments.filter(({ kind }) => kind === 'EVENT');
  return html`<div class="sums">${table({
    caption: 'Events of the same order',
    columns: [
      { heading: 'When', cell: ({ at }) => time(at) },
      {
        heading: 'What',
        cell: ({ id, what }) =>
          id === null || id === event._id
            ? html`${what} <span class="muted">(this one)</span>`
            : idLink(id, what),
      },
    ],
    rows: events,
    empty: nothing,
  })}</div>`;
}

/** A request that recorded nothing new: refused, repeated or a read. @param apiKey null where its key is gone */
export function requestPage(
  ctx: PageContext<'partner'>,
  { request, apiKey }: { request: IntegrationEventDoc; apiKey: string | null },
): Page {
  const { requestId, mode, code: outcomeCode, count, minute, credentialId } = request;
  const isSignature = ['INVALID_SIGNATURE', 'TIMESTAMP_OUT_OF_RANGE'].includes(outcomeCode);
  return page(
    { title: `Request ${requestId}`, crumbs, mode, actions: outcome(outcomeCode) },
    html`<section class="card next"><p class="next-label">What it means</p><h2>${outcomeCode}</h2><p>${wordsOfCode(outcomeCode)}</p>${isSignature ? html`<p>${linkIfOpen(ctx, '/doctor', 'Ask the signature doctor')}</p>` : nothing}</section>`,
    count > 1
      ? notice(
          'info',
          html`This row stands for ${number(count)} requests like it${minute ? html` in the minute from ${time(minute)}` : nothing}. It shows the newest of them.`,
        )
      : nothing,
    section(
      'Request',
      facts([
        ['Request', code(requestId, { canCopy: true })],
        ['Received', time(request.receivedAt)],
        ['Type', wordsOf(request.type)],
        ['Asked for', code(`${request.method} ${request.path}`)],
        ['Status', number(request.status)],
        [
          'Order',
          request.externalOrderId === null
            ? html`<span class="muted">not known</span>`
            : html`<a href="/find?q=${encodeURIComponent(request.externalOrderId)}">${request.externalOrderId}</a>`,
        ],
        [
          'Event',
          request.eventId === null
            ? html`<span class="muted">none</span>`
            : idLink(request.eventId),
        ],
        ['API key', apiKey === null ? code(credentialId) : idLink(credentialId, shortKey(apiKey))],
        ['Network', request.network ?? html`<span class="muted">not known</span>`],
      ]),
    ),
  );
}
