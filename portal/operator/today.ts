import { dayOf } from '../../domain/billing.ts';
import { refusalOf } from '../../domain/operators.ts';
import type { ProposalDoc } from '../../models/schemas/audit.ts';
import type { WaitingRefundDoc } from '../../models/schemas/connections.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import type { ReviewDoc } from '../../models/schemas/reviews.ts';
import { retryDue } from '../../operations/due.ts';
import { settleFailedRefund } from '../../operations/failed-refunds.ts';
import {
  type ConsoleHome,
  type ConsoleHomeView,
  homeCountLimit,
  homeNamed,
  readConsoleHomeView,
} from '../../views/console.ts';
import {
  badge,
  definitions,
  emptyState,
  type Metric,
  metrics,
  table,
} from '../components/components.ts';
import { form, hidden } from '../components/form.ts';
import {
  away,
  day,
  type Html,
  html,
  minuteText,
  money,
  moneyText,
  nothing,
  numberText,
  type Part,
  time,
  timeAway,
} from '../components/format.ts';
import { to, toIfOpen } from '../components/links.ts';
import { dueBadge } from '../components/money.ts';
import { type Page, page, render } from '../components/view.ts';
import type { OperatorViewer, PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { anchorOfAlert, readAlerts } from '../documents/alerts.ts';
import { hasPermission } from '../middleware/access.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { meaningOf } from '../words/log-words.ts';
import { proposalSentence } from '../words/proposal-words.ts';

/** Operators' start page: what needs attention today. */
export function operatorHomePages(routes: RoutesOf<'operator'>): void {
  routes.page('/admin', showToday);
  routes.page('/admin/alerts', (ctx) => render(ctx, alertsPage()));
  routes.operation('/admin/due/retry', retryDue, {
    to: '/admin',
    said: ({ retried }) => (retried === 1 ? '1 is tried again.' : `${retried} are tried again.`),
  });
  routes.operation('/admin/failed-refunds/settle', settleFailedRefund, {
    fields: ['waitingId'],
    to: '/admin',
    said: 'Settled.',
  });
}

async function showToday(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const view = await readConsoleHomeView(deps);
  const takesTwo = deps.config.approvals.isOn;
  render(ctx, operatorHomePage(ctx, view, { nowMs: deps.now(), takesTwo }));
}

/** @param takesTwo whether sensitive operations need a second operator */
function operatorHomePage(
  ctx: PageContext<'operator'>,
  { home, nameOf, proposalNames }: ConsoleHomeView,
  { nowMs, takesTwo }: { nowMs: number; takesTwo: boolean },
): Page {
  const { reviews, goLive, missingFunds, refused } = home;
  const proposals = sortProposals(home.proposals, ctx.state.viewer, nowMs);
  const toPartner = (id: string) => to('PARTNER', id, nameOf.get(id) ?? id);
  const proposalLink = (proposal: ProposalDoc) =>
    toIfOpen(ctx, 'PROPOSAL', proposal._id, proposalSentence(proposal, proposalNames));
  return page(
    { title: 'Today', lead: 'What needs attention, and how the service is doing.' },
    figures(home, proposals),
    html`<div class="grid-2">${[
      reviewsCard(reviews.first, toPartner, nowMs),
      approvalsCard(proposals.slice(0, homeNamed), proposalLink, { nowMs, takesTwo }),
      goLiveCard(goLive.first, nowMs),
      missingFundsCard(missingFunds.slice(0, homeNamed), toPartner),
      refusedCard(refused.slice(0, homeNamed), toPartner),
      card('Checks', '/admin/audit-runs', checks(ctx, home, nowMs)),
    ]}</div>`,
  );
}

type PartnerLink = (partnerId: string) => Html;

function reviewsCard(reviews: readonly ReviewDoc[], toPartner: PartnerLink, nowMs: number): Html {
  return card(
    'Most urgent reviews',
    '/admin/reviews',
    table({
      caption: 'Most urgent reviews',
      columns: {
        Order: (one) => to('REVIEW', one._id, one.externalOrderId),
        Partner: ({ partnerId }) => toPartner(partnerId),
        Due: (one) => dueBadge(one, nowMs),
      },
      rows: reviews,
      empty: emptyState('No open reviews', 'A refund of a claimed reward opens one.'),
    }),
  );
}

function approvalsCard(
  proposals: readonly OrderedProposal[],
  proposalLink: (proposal: ProposalDoc) => Html,
  { nowMs, takesTwo }: { nowMs: number; takesTwo: boolean },
): Html {
  return card(
    'Approvals',
    '/admin/approvals',
    table({
      caption: 'Proposals waiting for a second operator',
      columns: {
        'What it will do': { text: ({ proposal }) => proposalLink(proposal) },
        '': ({ turn }) => turnBadge(turn),
        Ends: ({ proposal }) => away(proposal.expiresAt, nowMs),
      },
      rows: proposals,
      empty: emptyState(
        'Nothing to approve',
        takesTwo
          ? 'Changes that move money or open LIVE need two operators.'
          : 'Approvals are switched off: one operator is enough for everything.',
      ),
    }),
  );
}

function goLiveCard(partners: readonly PartnerDoc[], nowMs: number): Html {
  return card(
    'Go-live requests',
    '/admin/partners?state=IN_REVIEW',
    table({
      caption: 'Partners that requested go-live',
      columns: {
        Partner: ({ _id, name }) => html`<a href="/admin/partners/${_id}/go-live">${name}</a>`,
        Requested: ({ goLive }) => goLive.requestedAt && away(goLive.requestedAt, nowMs),
      },
      rows: partners,
      empty: emptyState(
        'No go-live requests',
        'A partner can request go-live once everything else is complete.',
      ),
    }),
  );
}

function missingFundsCard(missing: ConsoleHome['missingFunds'], toPartner: PartnerLink): Html {
  return card(
    'Waiting for funds',
    '/admin/rewards?status=AWAITING_FUNDING',
    table({
      caption: 'Partners with rewards waiting for funds',
      columns: {
        Partner: ({ partnerId }) => toPartner(partnerId),
        Mode: ({ mode }) => badge(mode),
        Rewards: { number: ({ rewards }) => rewards },
        Missing: { number: ({ cents, currency }) => money(cents, currency) },
      },
      rows: missing,
      empty: emptyState('No rewards are waiting', 'Every reward is funded.'),
    }),
  );
}

function refusedCard(refused: ConsoleHome['refused'], toPartner: PartnerLink): Html {
  return card(
    'Refused in the last hour',
    '/admin/requests',
    table({
      caption: 'Partners whose requests were refused in the last hour',
      columns: {
        Partner: ({ partnerId }) => toPartner(partnerId),
        Requests: { number: ({ requests }) => requests },
        'Most common': {
          text: ({ partnerId, codes: [commonest] }) =>
            commonest &&
            html`<a href="/admin/requests?partner=${partnerId}&amp;code=${commonest.code}">${meaningOf(commonest.code)}</a>`,
        },
      },
      rows: refused,
      empty: emptyState('No requests were refused', 'Every request from partners was accepted.'),
    }),
  );
}

/** Who can decide a proposal, from the viewer's perspective. */
type Turn = 'FOR_YOU' | 'YOURS' | 'OTHERS';

interface OrderedProposal {
  proposal: ProposalDoc;
  turn: Turn;
}

/** Sorts the proposals: first those that the viewer can decide, then the viewer's own. */
function sortProposals(
  proposals: ProposalDoc[],
  viewer: OperatorViewer,
  nowMs: number,
): OrderedProposal[] {
  const decider = { operatorId: viewer.actorId, role: viewer.role };
  const all = proposals.map((proposal): OrderedProposal => {
    if (proposal.proposedBy === viewer.actorId) return { proposal, turn: 'YOURS' };
    const isForOthers = refusalOf(proposal, 'APPROVED', decider, nowMs) !== undefined;
    return { proposal, turn: isForOthers ? 'OTHERS' : 'FOR_YOU' };
  });
  return (['FOR_YOU', 'YOURS', 'OTHERS'] as const).flatMap((turn) =>
    all.filter((one) => one.turn === turn),
  );
}

function turnBadge(turn: Turn): Html {
  if (turn === 'FOR_YOU') return badge('OPEN', 'For you');
  return turn === 'YOURS' ? badge('QUIET', 'Yours') : nothing;
}

function card(heading: string, href: string, content: Html): Html {
  return html`<section class="card"><div class="card-head"><h2>${heading}</h2><a href="${href}">All<span class="hidden"> of: ${heading}</span></a></div>${content}</section>`;
}

function figures(home: ConsoleHome, proposals: readonly OrderedProposal[]): Html {
  const { reviews, goLive, missingFunds, refused } = home;
  return metrics([
    reviewsMetric(reviews),
    approvalsMetric(proposals),
    {
      name: 'Go-live requests',
      value: orMore(goLive.count),
      href: '/admin/partners?state=IN_REVIEW',
      note: goLive.count > 0 ? badge('IN_REVIEW') : 'none',
    },
    liveWaitingMetric(missingFunds.filter(({ mode }) => mode === 'LIVE')),
    {
      name: 'Refused in the last hour',
      value: numberText(sum(refused.map(({ requests }) => requests))),
      href: '/admin/requests',
      note:
        refused.length === 0
          ? 'none'
          : refused.length === 1
            ? `of ${numberText(refused.length)} partner`
            : `of ${numberText(refused.length)} partners`,
    },
  ]);
}

const reviewsMetric = ({ open, overdue }: ConsoleHome['reviews']): Metric => ({
  name: 'Reviews open',
  value: orMore(open),
  href: '/admin/reviews',
  note: overdue > 0 ? badge('FAILED', `${orMore(overdue)} overdue`) : 'none overdue',
});

function approvalsMetric(proposals: readonly OrderedProposal[]): Metric {
  const forYou = proposals.filter(({ turn }) => turn === 'FOR_YOU').length;
  return {
    name: 'Approvals',
    value: String(proposals.length),
    href: '/admin/approvals',
    note: forYou > 0 ? badge('OPEN', `${forYou} for you`) : 'none for you',
  };
}

function liveWaitingMetric(live: ConsoleHome['missingFunds']): Metric {
  const waiting = sum(live.map(({ rewards }) => rewards));
  return {
    name: 'LIVE without funds',
    value: orMore(waiting),
    href: '/admin/rewards?status=AWAITING_FUNDING&mode=LIVE',
    note: waiting > 0 ? badge('AWAITING_FUNDING', `${amounts(live)} missing`) : 'nothing missing',
  };
}

/** Checks that everything done so far adds up. */
function checks(
  ctx: PageContext<'operator'>,
  {
    lastAudit,
    operationsNeverCompleted,
    waiting,
    setApart,
    approvalsOff,
    failedRefunds,
  }: ConsoleHome,
  nowMs: number,
): Html {
  const check = (isRight: boolean, what: Part) =>
    html`<li>${isRight ? badge('OK', 'OK') : badge('FAILED', 'Needs attention')} ${what}</li>`;
  const audit = lastAudit
    ? check(
        lastAudit.faults === 0,
        html`${to('AUDIT_RUN', lastAudit._id, 'The last audit')} ended ${timeAway(lastAudit.endedAt, nowMs)}: ${lastAudit.summary}`,
      )
    : check(false, 'The ledger has not been audited yet. The service does so once a day.');
  return html`<ul class="checks">${[
    audit,
    check(
      operationsNeverCompleted === 0,
      operationsNeverCompleted === 0
        ? 'Every action was completed.'
        : html`<a href="/admin/audit?status=INTENDED">${operationsNeverCompleted === 1 ? '1 action was' : html`${orMore(operationsNeverCompleted)} actions were`} never completed</a>: find out what happened.`,
    ),
    check(
      waiting === 0,
      waiting === 0
        ? 'Everything that was due was done in time.'
        : `Due for more than a minute: ${orMore(waiting)}. Is a worker running?`,
    ),
    ...(setApart > 0
      ? [
          check(
            false,
            html`${setApart === 1 ? '1 thing that is due was' : html`${orMore(setApart)} things that are due were`} set apart after twenty attempts. ${
              hasPermission(ctx.state.viewer, 'due.retry')
                ? form(ctx, { action: '/admin/due/retry', submit: 'Try again', isInline: true })
                : 'An admin can have them tried again.'
            }`,
          ),
        ]
      : []),
    ...failedRefunds.map((one) => check(false, failedRefund(ctx, one, nowMs))),
    ...(approvalsOff ? [approvalsOffItem(approvalsOff)] : []),
  ]}</ul>`;
}

/** The money did not go back, and the reward went: an operator reinstates it or decides its review, and settles this. */
function failedRefund(
  ctx: PageContext<'operator'>,
  { _id, externalOrderId, rewardId, receivedAt }: WaitingRefundDoc,
  nowMs: number,
): Html {
  const order = rewardId === null ? externalOrderId : to('REWARD', rewardId, externalOrderId);
  return html`A refund of order ${order} failed at the shop’s platform ${timeAway(receivedAt, nowMs)}, after it was counted: the customer has no money back. Reinstate the reward or dismiss its review, then settle this. ${
    hasPermission(ctx.state.viewer, 'review.decide')
      ? form(
          ctx,
          { action: '/admin/failed-refunds/settle', submit: 'Settled', isInline: true },
          hidden('waitingId', _id),
        )
      : nothing
  }`;
}

/** Stays on record permanently, since one person may have been enough for these operations. */
function approvalsOffItem({
  operations,
  from,
  to,
}: NonNullable<ConsoleHome['approvalsOff']>): Html {
  const isOneDay = dayOf(from.toISOString()) === dayOf(to.toISOString());
  const isOneMinute = minuteText(from) === minuteText(to);
  const shown = isOneDay ? time : day;
  return html`<li>${badge('APPROVALS_OFF', 'On record')} Approvals were off ${isOneMinute ? html`on ${shown(from)}` : html`between ${shown(from)} and ${shown(to)}`}: ${operations === 0 ? 'no operation needed two operators' : operations === 1 ? html`${orMore(operations)} operation that needs two operators had only one` : html`${orMore(operations)} operations that need two operators had only one`}. See the <a href="/admin/audit?alone=YES">audit log</a>.</li>`;
}

/** The count, or the limit up to which things are counted. */
const orMore = (count: number): string =>
  count >= homeCountLimit ? `${numberText(homeCountLimit)}+` : numberText(count);

const sum = (counts: readonly number[]): number => counts.reduce((total, one) => total + one, 0);

/** The missing amounts by currency. */
function amounts(missing: ConsoleHome['missingFunds']): string {
  const byCurrency = Map.groupBy(missing, ({ currency }) => currency);
  return [...byCurrency]
    .map(([currency, all]) => moneyText(sum(all.map(({ cents }) => cents)), currency))
    .join(', ');
}

/** What each alert means and what to do, where the link of a notification leads. */
const alertsPage = (): Page =>
  page(
    {
      title: 'Alerts',
      lead: 'A page means that partners, customers or money are affected now. A ticket can wait until office hours.',
    },
    readAlerts().flatMap(({ alerts }) =>
      alerts.map(
        ({ name, severity, summary, meaning, action, over }) => html`<section
          id="${anchorOfAlert(name)}"
          ><h2>${name}</h2
          ><p><strong>${summary}.</strong> ${meaning}</p
          >${definitions([
            ['Do', action],
            ['Over when', over],
            ['Notifies by', severity],
          ])}</section
        >`,
      ),
    ),
  );
