import type { SubtotalStep } from '../../domain/connections.ts';
import { ServiceError } from '../../domain/errors.ts';
import { accounts, payerOf } from '../../domain/postings.ts';
import { reviewedCentsOf } from '../../domain/refunds.ts';
import { claimedStates, isCorrectable, isOver, unclaimedStates } from '../../domain/reward.ts';
import { type RefundOutcome, refundOutcomes } from '../../domain/reward-words.ts';
import { param } from '../../http/context.ts';
import type { LoggedRequest } from '../../models/schemas/requests.ts';
import type { RewardDoc } from '../../models/schemas/rewards.ts';
import {
  correctContactOfReward,
  endHold,
  letOthersPass,
  sendLinkAgain,
} from '../../operations/rewards.ts';
import {
  type EventDetails,
  type OrderDetails,
  type Report,
  readOrder,
  rewardOfEvent,
} from '../../views/event.ts';
import { redemptionOfEvent } from '../../views/redemptions.ts';
import { findTestReward, readOwnReward } from '../../views/rewards.ts';
import {
  code,
  codeBlock,
  type Definition,
  definitions,
  linkButton,
  type Metric,
  metrics,
  notice,
  section,
  table,
  wordsOf,
} from '../components/components.ts';
import { contactCorrection } from '../components/contact-correction.ts';
import { confirm, form } from '../components/form.ts';
import {
  day,
  exactTime,
  type Html,
  html,
  minuteOfIso,
  money,
  moneyText,
  nothing,
  number,
  numberText,
  pointsWords,
  time,
} from '../components/format.ts';
import { namedIdLink } from '../components/links.ts';
import { endHoldButton, letPassButton, placeWords } from '../components/queue.ts';
import { tableOfRedemptions } from '../components/redemptions.ts';
import { rewardBadge } from '../components/reward-badge.ts';
import { whyPoints } from '../components/rules.ts';
import { deliveryTable, outcomeInWords, shortKey } from '../components/tables.ts';
import { timeline } from '../components/timeline.ts';
import { type Page, page, render } from '../components/view.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { contactOfText, contactSchema } from '../forms/fields.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { hasPermission } from '../middleware/access.ts';
import { orNotFound } from '../middleware/form.ts';
import { ownScope } from '../routing/own-scope.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { testMoves } from '../test-moves.ts';
import { senderLabel, stepWords } from '../words/connection-words.ts';
import { earnsWords } from '../words/rule-words.ts';

const path = '/orders/:rewardId';

/** The page of an order, by its reward; the TEST clock, which LIVE never has; and where an event's id leads. */
export function orderPages(routes: RoutesOf<'partner'>): void {
  routes.page(path, showOrder);
  routes.page('/events/:eventId', showEvent);
  routes.operation(`${path}/send-again`, sendLinkAgain, {
    on: showOrder,
    before: mayBeSent,
    to: path,
    said: (sent) =>
      sent === 'CLAIM'
        ? 'The claim link is being sent again.'
        : 'A link to their points is being sent to the customer.',
  });
  routes.operation(`${path}/let-pass`, letOthersPass, {
    on: showOrder,
    to: path,
    said: 'Later orders no longer wait for this one.',
  });
  routes.operation(`${path}/end-hold`, endHold, {
    on: showOrder,
    to: path,
    said: 'Hold ended.',
  });
  routes.operation(`${path}/contact`, correctContactOfReward, {
    page: showCorrect,
    form: contactSchema,
    input: ({ contact }) => contactOfText(contact),
    to: path,
    said: 'Contact corrected.',
  });
  for (const [name, { operation: move, said }] of Object.entries(testMoves)) {
    routes.operation(`${path}/${name}`, move, {
      params: { rewardId: 'testReward' },
      on: showOrder,
      async before(ctx, deps) {
        await findTestReward(deps, ownScope(ctx), param(ctx, 'rewardId'));
      },
      to: path,
      said,
    });
  }
}

async function showOrder(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const order = orNotFound(await readOrder(deps, ownScope(ctx), param(ctx, 'rewardId')));
  render(ctx, orderPage(ctx, order, deps.now()));
}

async function showEvent(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const eventId = param(ctx, 'eventId');
  const rewardId = await rewardOfEvent(deps, ownScope(ctx), eventId);
  if (rewardId !== null) return redirect(ctx, `/orders/${rewardId}`);
  const redemptionId = await redemptionOfEvent(deps, ownScope(ctx), eventId);
  redirect(ctx, `/redemptions/${orNotFound(redemptionId)}`);
}

async function mayBeSent(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const rewardId = param(ctx, 'rewardId');
  orNotFound(await readOwnReward(deps, ownScope(ctx), rewardId));
  if (!deps.throttle.mayAskForPoints(rewardId)) {
    throw new ServiceError('RATE_LIMITED', 'It was sent five times today. Try again tomorrow.');
  }
}

async function showCorrect(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const reward = orNotFound(await readOwnReward(deps, ownScope(ctx), param(ctx, 'rewardId')));
  render(ctx, correctContactPage(ctx, reward, filled));
}

const crumbs = () => [['Orders', '/orders']] as const;

/** Who has to act next, in a partner's words. */
const waitsForWords: Readonly<Record<EventDetails['next']['waitsFor'], string>> = {
  CUSTOMER: 'Waiting for the customer',
  FUNDS: 'Waiting for funding',
  OPERATOR: 'Waiting for an operator',
  SERVICE: 'Continues automatically',
  NOBODY: 'Nothing is left to do',
};

function orderPage(ctx: PageContext<'partner'>, order: OrderDetails, nowMs: number): Page {
  const { purchase, reward, deliveries } = order;
  const { mode, externalOrderId } = purchase;
  return page(
    {
      title: `Order ${externalOrderId}`,
      crumbs: crumbs(),
      mode,
      ...(reward && {
        actions: html`${rewardBadge(reward.state)}${correctLink(ctx, reward, nowMs)}`,
      }),
    },
    orderStory(ctx, order),
    section(
      'Webhooks',
      deliveryTable(
        deliveries,
        html`Not sent: you had no <a href="/webhooks">endpoint</a> for it.`,
        (deliveryId) => `/webhooks/deliveries/${deliveryId}`,
      ),
    ),
    technical(order),
  );
}

const outcomeWords: Readonly<Record<RefundOutcome, string>> = {
  CANCELLED: 'The reward is cancelled',
  REDUCED: 'The reward has fewer points',
  UNCHANGED: 'The points stay the same',
  NO_ACTION: 'Nothing: the reward was over',
  IN_REVIEW: 'In review',
  UPHELD: 'Upheld: points were taken back',
  DISMISSED: 'Dismissed: the customer keeps the points',
  TAKEN_BACK: 'It was a mistake: the reward was reinstated',
};

/** How much of an order came back, as far as that stands. */
function refundNote({ reward, reports }: OrderDetails, currency: string): string {
  const refundedCents = reward?.refundedCents ?? 0;
  const reviewedCents = reward === null ? 0 : reviewedCentsOf(reward);
  const words = (cents: number) => moneyText(cents, currency);
  if (reward?.state === 'IN_REVIEW' && reviewedCents > 0) {
    return reviewedCents === refundedCents
      ? `Refund of ${words(refundedCents)} under review`
      : `${words(refundedCents)} refunded, ${words(reviewedCents)} of it under review`;
  }
  if (refundedCents > 0) return `${words(refundedCents)} refunded`;
  const refunds = reports.filter(({ event }) => event.type === 'REFUND');
  if (refunds.length === 0) return 'Not refunded';
  const reportedCents = refunds.reduce((sum, { event }) => sum + (event.amountCents ?? 0), 0);
  return `${words(reportedCents)} reported as refunded, none of which counts`;
}

function pointsShown({ purchase, reward, next }: OrderDetails): Pick<Metric, 'value' | 'note'> {
  if (reward === null || !isOver(reward)) {
    const points = reward?.points ?? purchase.purchase?.arithmetic.points ?? 0;
    return { value: numberText(points), note: waitsForWords[next.waitsFor] };
  }
  const ended = reward.state === 'EXPIRED' ? 'it expired' : 'it was cancelled';
  return { value: '0', note: `${numberText(reward.points)} until ${ended}` };
}

/** What a reward costs now: one that is over costs what its customer had spent of it before. */
function costShown(
  { purchase, reward, timeline: moments, hasEnded }: OrderDetails,
  currency: string,
): Pick<Metric, 'value' | 'note'> {
  const { liabilityCents } = reward ?? purchase.purchase ?? {};
  if (reward === null || !isOver(reward)) {
    return { value: moneyText(liabilityCents ?? 0, currency), note: costWords(reward, hasEnded) };
  }
  const lostCents = moments
    .flatMap(({ postings }) => postings)
    .filter(({ account }) => account === accounts.writeOff(reward.customerId))
    .reduce((sum, { amount }) => sum + amount, 0);
  const note = lostCents === 0 ? 'Not charged' : 'Spent by the customer before it was taken back';
  return { value: moneyText(lostCents, currency), note };
}

/** Where the cost of a reward is now. */
function costWords(reward: OrderDetails['reward'], hasEnded: boolean): string {
  switch (reward?.state) {
    case 'AVAILABLE':
    case 'IN_REVIEW':
      return hasEnded ? 'Spent, or ended without activity' : 'Owed to the customer';
    case 'AWAITING_FUNDING':
      return 'Not covered yet';
    case 'FUNDED':
      return payerOf(reward) === accounts.funding
        ? `Reserved from your ${reward.mode === 'TEST' ? 'test funding' : 'funding'}`
        : 'Not reserved: no test funding was added yet';
    default:
      return 'From your funding';
  }
}

const currencyOf = (ctx: PageContext<'partner'>, { purchase }: OrderDetails): string =>
  purchase.purchase?.currency ?? ctx.state.viewer.partner.currency;

/** What the customer has of an order, what that costs, and its amount. */
export function orderMetrics(order: OrderDetails, currency: string): Html {
  const { purchase } = order;
  return metrics([
    { name: 'Points', ...pointsShown(order) },
    { name: 'Cost', ...costShown(order, currency) },
    {
      name: 'Order amount',
      value: moneyText(purchase.purchase?.arithmetic.subtotalCents ?? 0, currency),
      note: refundNote(order, currency),
    },
  ]);
}

/**
 * What an order earned and why, what happens next and what has happened; it reloads until the reward is accounted for. The
 * test console shows it, too.
 */
export function orderStory(ctx: PageContext<'partner'>, order: OrderDetails): Html {
  const { purchase, reward, next, why, redemptions } = order;
  const { rewardId } = purchase;
  const currency = currencyOf(ctx, order);
  const { arithmetic } = reward ?? purchase.purchase ?? {};
  const hasBegun = reward !== null && reward.moves.length > 0;
  const again = html`hx-get="/orders/${rewardId}" hx-trigger="every 1s" hx-select="#story" hx-target="this" hx-swap="outerHTML"`;
  return html`<div id="story" ${hasBegun ? nothing : again}>${orderMetrics(order, currency)}<section class="card next"><p class="next-label">What happens next</p><p>${next.sentence(minuteOfIso)}</p>${queuePart(ctx, order)}${endHoldPart(ctx, order)}${clock(ctx, order)}</section>
<div class="grid-2">${section('Timeline', timeline(order.timeline, currency), sendAgainPart(ctx, order))}<div>${section(
    `Why ${pointsWords(arithmetic?.points ?? 0)}`,
    whyPoints(why, currency),
  )}</div></div>${refundsPart(order, currency)}${
    redemptions.length === 0
      ? nothing
      : section(
          'Paid with points',
          tableOfRedemptions(redemptions, (id) => `/redemptions/${id}`),
        )
  }</div>`;
}

/** What holds up a reward that waits for funds, and what the partner can do. */
function queuePart(ctx: PageContext<'partner'>, order: OrderDetails): Html {
  const { place, reward } = order;
  if (place === null || reward === null) return nothing;
  const { _id, mode, externalOrderId } = reward;
  const words = { currency: currencyOf(ctx, order), pathOf: (id: string) => `/orders/${id}` };
  const mayLet = !place.isPassed && hasPermission(ctx.state.viewer, 'reward.let-pass');
  const topUp =
    mode === 'LIVE'
      ? html`<a href="/funding/how-to-pay">Top up</a>`
      : html`<a href="/funding#test-funding">Add test funding</a>`;
  return html`<p>${placeWords(reward, place, words)} ${topUp}</p>${
    mayLet && place.holder?.rewardId === _id
      ? letPassButton(ctx, { action: `/orders/${_id}/let-pass`, externalOrderId })
      : nothing
  }`;
}

/** For owners: ends the hold of a LIVE reward early. The TEST clock ends that of a TEST reward. */
function endHoldPart(ctx: PageContext<'partner'>, { reward, isOnHold }: OrderDetails): Html {
  if (reward?.mode !== 'LIVE' || !isOnHold) return nothing;
  const mayEnd = hasPermission(ctx.state.viewer, 'reward.end-hold');
  return mayEnd ? endHoldButton(ctx, `/orders/${reward._id}/end-hold`) : nothing;
}

/** Lets time pass for an open TEST reward. */
function clock(ctx: PageContext<'partner'>, { reward, isOnHold, ending }: OrderDetails): Html {
  if (reward === null || reward.mode !== 'TEST') return nothing;
  const { _id, state } = reward;
  if (!hasPermission(ctx.state.viewer, 'test-event.send')) return nothing;
  const one = (path: string, submit: string) =>
    form(ctx, { action: `/orders/${_id}/${path}`, submit, isInline: true });
  if (!unclaimedStates.includes(state)) return ending === null ? nothing : endClock(ending, one);
  return html`<div class="buttons">${
    state === 'FUNDED'
      ? isOnHold
        ? one('mature', 'End the hold now')
        : one('claim', 'Claim now')
      : html`<p class="muted">It can be claimed once it is funded. <a href="/funding#test-funding">View test funding</a></p>`
  }</div>${confirm(ctx, {
    ask: 'Let it expire …',
    question: 'Nobody can claim it then. This cannot be undone.',
    action: `/orders/${_id}/expire`,
    submit: 'Let it expire now',
  })}`;
}

/** Lets the time pass until points of the customer end. */
const endClock = (
  { at, points }: NonNullable<OrderDetails['ending']>,
  one: (path: string, submit: string) => Html,
): Html =>
  html`<p>${pointsWords(points)} of the customer ${points === 1 ? 'ends' : 'end'} ${day(at)} without activity.</p>${one('end-points', 'Next notice or end')}`;

/** The customer's link again: that of the reward as long as the service delivers it, and of a claimed one that of the points. */
function sendAgainPart(
  ctx: PageContext<'partner'>,
  { reward, purchase, contact, isOnHold }: OrderDetails,
): Html {
  if (reward === null || isOver(reward) || !hasPermission(ctx.state.viewer, 'reward.send-again')) {
    return nothing;
  }
  const isClaimed = claimedStates.includes(reward.state);
  const isOurs = purchase.purchase?.delivery !== 'PARTNER';
  const isOpen = reward.state === 'FUNDED' && reward.points > 0 && isOurs && !isOnHold;
  if (!isClaimed && !isOpen) return nothing;
  if (contact.email === null && contact.phone === null) {
    return html`<p class="muted after">The customer’s data was erased: nothing can be sent to them about this order.</p>`;
  }
  const action = `/orders/${reward._id}/send-again`;
  const submit = isClaimed ? 'Send the link to their points' : 'Send the claim link again';
  return html`<div class="after">${form(ctx, { action, submit, isInline: true })}</div>`;
}

/** For owners, as long as the contact can be corrected. */
function correctLink(
  { state: { viewer } }: PageContext<'partner'>,
  reward: RewardDoc,
  nowMs: number,
): Html {
  const mayCorrect =
    isCorrectable(reward, new Date(nowMs)) && hasPermission(viewer, 'reward.correct-contact');
  return mayCorrect
    ? linkButton(`/orders/${reward._id}/contact`, 'Correct contact …', 'secondary')
    : nothing;
}

export function refundsPart({ reports, reward }: OrderDetails, currency: string): Html {
  const outcomes = refundOutcomes(reward?.moves ?? []);
  const outcomeOf = (eventId: string) => {
    const outcome = outcomes.get(eventId);
    return outcome === undefined ? 'Being applied' : outcomeWords[outcome];
  };
  const refunds = reports.filter(({ event }) => event.type === 'REFUND');
  if (refunds.length === 0) return nothing;
  return section(
    'Refunds',
    table({
      caption: 'Refunds',
      columns: {
        Refund: ({ event }) => event.externalRefundId,
        Amount: { number: ({ event }) => money(event.amountCents ?? 0, currency) },
        'What it did': ({ event }) => outcomeOf(event._id),
        Received: ({ event }) => time(event.receivedAt),
        'Refund date': ({ event }) => time(event.occurredAt, 'not provided'),
      },
      rows: refunds,
    }),
  );
}

/** Identifiers, and each request with its response. */
function technical(order: OrderDetails): Html {
  const { purchase, reports, requests } = order;
  const isOwnDelivery = purchase.purchase?.delivery === 'PARTNER';
  return html`<details class="card fold"><summary class="fold-head"><h2>Technical</h2></summary>
${identifiers(order)}${reports.map((report) => reportPart(report, isOwnDelivery))}<h3>Requests about this order</h3>${requestsPart(requests, ({ _id }) => `/requests/${_id}`)}</details>`;
}

export const requestsPart = (
  requests: readonly LoggedRequest[],
  pathOf: (request: LoggedRequest) => string,
): Html =>
  table({
    caption: 'Requests about this order',
    columns: {
      Received: (one) => html`<a href="${pathOf(one)}">${exactTime(one.receivedAt)}</a>`,
      Outcome: { text: ({ code: text }) => outcomeInWords(text) },
      Type: ({ type }) => wordsOf(type),
      Status: { number: ({ status }) => status },
    },
    rows: requests,
    empty: html`<p class="muted">They appear within a second.</p>`,
  });

function identifiers(details: OrderDetails): Html {
  const { purchase, rule, integrationName, apiKey, reward } = details;
  return definitions([
    ['Order', code(purchase.externalOrderId, { canCopy: true })],
    ['Reward', code(purchase.rewardId, { canCopy: true })],
    ...receiptFacts(details),
    ['Order date', time(purchase.occurredAt, 'not provided')],
    ...contactFacts(details),
    ...(reward
      ? [
          [
            'Customer',
            html`<a href="/customers/${reward.customerId}"><code>${reward.customerId}</code></a>`,
          ] as const,
        ]
      : []),
    ['Rule', namedIdLink(rule.ruleId, earnsWords(rule))],
    ['Integration', namedIdLink(purchase.integrationId, integrationName)],
    [
      senderLabel(purchase.credentialId),
      namedIdLink(purchase.credentialId, apiKey && shortKey(apiKey)),
    ],
  ]);
}

/** Of LIVE rewards for which money was set aside. */
const receiptFacts = ({ reward }: EventDetails): Definition[] =>
  reward?.mode === 'LIVE' && reward.moves.some(({ move }) => move === 'FUND')
    ? [
        [
          'Receipt',
          html`<a href="/rewards/${reward._id}/receipt.json" download>Download (JSON)</a>`,
        ],
      ]
    : [];

/** The contact, once it was corrected. */
const contactFacts = ({ reward, contact }: EventDetails): Definition[] =>
  reward?.correction ? [['Corrected contact', contact.email ?? contact.phone ?? 'erased']] : [];

export function reportPart({ event, request }: Report, isOwnDelivery: boolean): Html {
  const { isErased, arithmetic = [], ...reported } = request;
  const { _id, type, requestId, receivedAt, answer } = event;
  const isPurchase = type === 'PURCHASE';
  return html`<h3 id="${_id}">${isPurchase ? 'Purchase' : `Refund ${event.externalRefundId}`}</h3>
${definitions([
  ['Event', code(_id, { canCopy: true })],
  ['Request', code(requestId, { canCopy: true })],
  ['Received', exactTime(receivedAt)],
])}
${arithmetic.length === 0 ? nothing : arithmeticTable(arithmetic)}
<p class="muted after"><code>${event.request.method} ${event.request.path}</code>. Personal data is masked for everyone, including you; metadata shows only names and types of values.</p>
${isErased ? notice('info', 'The customer was erased, so the personal data in this request has been destroyed.') : nothing}
${codeBlock(JSON.stringify(reported, null, 2), 'Request, masked')}
<p class="muted">Status ${number(event.request.status)}. A retry with the same Idempotency-Key gets the same bytes${isOwnDelivery && isPurchase ? html`, including <code>reward.claimUrl</code>, which is encrypted and not shown here` : nothing}.</p>
${answer === null ? html`<p class="muted">It is being processed.</p>` : codeBlock(readable(answer), 'Response')}`;
}

/** From the shop's own numbers to the subtotal. */
const arithmeticTable = (steps: readonly SubtotalStep[]): Html =>
  table({
    caption: 'From the shop’s own numbers to what earns points',
    columns: {
      'In the shop': ({ name }) => stepWords[name],
      Amount: { number: ({ amount }) => amount },
    },
    rows: steps,
  });

/** A response body, indented; its actual bytes are on one line. */
const readable = (body: string): string => JSON.stringify(JSON.parse(body), null, 2);

/** The form with which an owner corrects the contact of an unclaimed reward. */
const correctContactPage = (
  ctx: PageContext<'partner'>,
  { _id, externalOrderId, mode, ...rest }: RewardDoc,
  filled: Filled,
): Page =>
  page(
    {
      title: 'Correct contact',
      crumbs: [...crumbs(), [externalOrderId, `/orders/${_id}`]],
      mode,
    },
    contactCorrection(ctx, { _id, externalOrderId, mode, ...rest }, filled),
  );
