import { refusalOf } from '../../../../domain/approvals.ts';
import { dayOf } from '../../../../domain/billing-periods.ts';
import type { PartnerDoc } from '../../../../models/schemas/partner.ts';
import type { ProposalDoc } from '../../../../models/schemas/proposal.ts';
import type { ReviewDoc } from '../../../../models/schemas/review.ts';
import {
  type ConsoleHome,
  type ConsoleHomeView,
  homeCountLimit,
  homeNamed,
} from '../../../../models/views/console-home.ts';
import type { OperatorViewer, PageContext } from '../../../context.ts';
import { proposalSentence } from '../../../words/proposal-words.ts';
import { say } from '../../../words/say.ts';
import { tags } from '../../../words/tags.ts';
import { badge, emptyState, table } from '../../components.ts';
import {
  away,
  day,
  minuteText,
  money,
  moneyText,
  number,
  numberText,
  time,
  timeAway,
} from '../../format.ts';
import { type Html, html, nothing, type Part } from '../../html.ts';
import { to, toIfOpen } from '../../links.ts';
import { type Metric, metrics } from '../../metrics.ts';
import { dueBadge } from '../../review.ts';
import { type Page, page } from '../../view.ts';

/** @param takesTwo whether sensitive operations need a second operator */
export function operatorHomePage(
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
    { title: say('admin.home.consoleHome.title'), lead: say('admin.home.consoleHome.lead') },
    figures(home, proposals),
    html`<div class="grid-2">${[
      reviewsCard(reviews.first, toPartner, nowMs),
      approvalsCard(proposals.slice(0, homeNamed), proposalLink, { nowMs, takesTwo }),
      goLiveCard(goLive.first, nowMs),
      missingFundsCard(missingFunds.slice(0, homeNamed), toPartner),
      refusedCard(refused.slice(0, homeNamed), toPartner),
      card(say('admin.home.checks'), '/admin/audit-runs', checks(home, nowMs)),
    ]}</div>`,
  );
}

type PartnerLink = (partnerId: string) => Html;

function reviewsCard(reviews: readonly ReviewDoc[], toPartner: PartnerLink, nowMs: number): Html {
  return card(
    say('admin.home.reviewsDueFirst'),
    '/admin/reviews',
    table({
      caption: say('admin.home.consoleHome.caption'),
      columns: [
        { heading: say('common.order'), cell: (one) => to('REVIEW', one._id, one.externalOrderId) },
        { heading: say('common.partner'), cell: ({ partnerId }) => toPartner(partnerId) },
        { heading: say('common.due'), cell: (one) => dueBadge(one, nowMs) },
      ],
      rows: reviews,
      empty: emptyState(
        say('admin.home.consoleHome.empty.title'),
        say('admin.home.consoleHome.empty.text'),
      ),
    }),
  );
}

function approvalsCard(
  proposals: readonly OrderedProposal[],
  proposalLink: (proposal: ProposalDoc) => Html,
  { nowMs, takesTwo }: { nowMs: number; takesTwo: boolean },
): Html {
  return card(
    say('admin.home.approvals'),
    '/admin/approvals',
    table({
      caption: say('admin.home.consoleHome.caption.proposalsWait'),
      columns: [
        {
          heading: say('admin.home.proposal'),
          cell: ({ proposal }) => proposalLink(proposal),
          isText: true,
        },
        { heading: '', cell: ({ turn }) => turnBadge(turn) },
        { heading: say('common.ends'), cell: ({ proposal }) => away(proposal.expiresAt, nowMs) },
      ],
      rows: proposals,
      empty: emptyState(
        say('admin.home.consoleHome.empty.title.nothingApprove'),
        takesTwo
          ? say('admin.home.consoleHome.empty.text.movesMoney')
          : say('admin.home.consoleHome.empty.text.approvalsSwitched'),
      ),
    }),
  );
}

function goLiveCard(partners: readonly PartnerDoc[], nowMs: number): Html {
  return card(
    say('admin.home.goLiveRequests'),
    '/admin/partners?state=IN_REVIEW',
    table({
      caption: say('admin.home.consoleHome.caption.partnersAsk'),
      columns: [
        {
          heading: say('common.partner'),
          cell: ({ _id, name }) => html`<a href="/admin/partners/${_id}/go-live">${name}</a>`,
        },
        {
          heading: say('admin.home.requested'),
          cell: ({ goLive }) => goLive.requestedAt && away(goLive.requestedAt, nowMs),
        },
      ],
      rows: partners,
      empty: emptyState(
        say('admin.home.consoleHome.empty.title.goLive'),
        say('admin.home.consoleHome.empty.text.partnerAsks'),
      ),
    }),
  );
}

function missingFundsCard(missing: ConsoleHome['missingFunds'], toPartner: PartnerLink): Html {
  return card(
    say('admin.home.waitingForFunds'),
    '/admin/rewards?status=AWAITING_FUNDING',
    table({
      caption: say('admin.home.consoleHome.caption.partnersWhose'),
      columns: [
        { heading: say('common.partner'), cell: ({ partnerId }) => toPartner(partnerId) },
        { heading: say('common.mode'), cell: ({ mode }) => badge(mode) },
        {
          heading: say('admin.home.rewards'),
          cell: ({ rewards }) => number(rewards),
          isNumber: true,
        },
        {
          heading: say('admin.home.missing'),
          cell: ({ cents, currency }) => money(cents, currency),
          isNumber: true,
        },
      ],
      rows: missing,
      empty: emptyState(
        say('admin.home.consoleHome.empty.title.rewardWaits'),
        say('admin.home.consoleHome.empty.text.everyReward'),
      ),
    }),
  );
}

function refusedCard(refused: ConsoleHome['refused'], toPartner: PartnerLink): Html {
  return card(
    say('admin.home.consoleHome.text'),
    '/admin/requests',
    table({
      caption: say('admin.home.consoleHome.caption.partnersWhoseRequests'),
      columns: [
        { heading: say('common.partner'), cell: ({ partnerId }) => toPartner(partnerId) },
        {
          heading: say('common.requests'),
          cell: ({ requests }) => number(requests),
          isNumber: true,
        },
        {
          heading: say('admin.home.mostCommon'),
          cell: ({ partnerId, codes: [commonest] }) =>
            html`<a href="/admin/requests?partner=${partnerId}&amp;code=${commonest?.code}"><code>${commonest?.code}</code></a>`,
        },
      ],
      rows: refused,
      empty: emptyState(
        say('admin.home.consoleHome.empty.title.requestRefused'),
        say('admin.home.consoleHome.empty.text.everyRequest'),
      ),
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
  if (turn === 'FOR_YOU') return badge('OPEN', say('admin.home.forYou'));
  return turn === 'YOURS' ? badge('QUIET', say('admin.home.yours')) : nothing;
}

function card(heading: string, href: string, content: Html): Html {
  return html`<section class="card"><div class="card-head"><h2>${heading}</h2><a href="${href}">${say('admin.home.allOf', { span: (parts) => html`<span class="hidden">${parts}</span>`, heading })}</a></div>${content}</section>`;
}

function figures(home: ConsoleHome, proposals: readonly OrderedProposal[]): Html {
  const { reviews, goLive, missingFunds, refused } = home;
  return metrics([
    reviewsMetric(reviews),
    approvalsMetric(proposals),
    {
      name: say('admin.home.goLiveRequests'),
      value: orMore(goLive.count),
      href: '/admin/partners?state=IN_REVIEW',
      note: goLive.count > 0 ? badge('IN_REVIEW') : say('admin.home.figures.note'),
    },
    liveWaitingMetric(missingFunds.filter(({ mode }) => mode === 'LIVE')),
    {
      name: say('admin.home.figures.text'),
      value: numberText(sum(refused.map(({ requests }) => requests))),
      href: '/admin/requests',
      note: say('admin.home.figures.note.of', { count: refused.length }),
    },
  ]);
}

const reviewsMetric = ({ open, overdue }: ConsoleHome['reviews']): Metric => ({
  name: say('admin.home.reviewsOpen'),
  value: orMore(open),
  href: '/admin/reviews',
  note:
    overdue > 0
      ? badge('FAILED', say('admin.home.overdue', { overdue: orMore(overdue) }))
      : say('admin.home.figures.note.noneOverdue'),
});

function approvalsMetric(proposals: readonly OrderedProposal[]): Metric {
  const forYou = proposals.filter(({ turn }) => turn === 'FOR_YOU').length;
  return {
    name: say('admin.home.approvals'),
    value: String(proposals.length),
    href: '/admin/approvals',
    note:
      forYou > 0
        ? badge('OPEN', say('admin.home.figures.forYou', { forYou }))
        : say('admin.home.figures.note.none'),
  };
}

function liveWaitingMetric(live: ConsoleHome['missingFunds']): Metric {
  const waiting = sum(live.map(({ rewards }) => rewards));
  return {
    name: say('admin.home.liveWithoutFunds'),
    value: orMore(waiting),
    href: '/admin/rewards?status=AWAITING_FUNDING&mode=LIVE',
    note:
      waiting > 0
        ? badge('AWAITING_FUNDING', say('admin.home.figures.missing', { amounts: amounts(live) }))
        : say('admin.home.figures.note.nothingMissing'),
  };
}

/** Checks that everything done so far adds up. */
function checks(
  { lastAudit, operationsNeverCompleted, unbegun, approvalsOff }: ConsoleHome,
  nowMs: number,
): Html {
  const check = (isRight: boolean, what: Part) =>
    html`<li>${isRight ? badge('OK', 'OK') : badge('FAILED', say('admin.home.needsAttention'))} ${what}</li>`;
  const audit = lastAudit
    ? check(
        lastAudit.faults === 0,
        say('admin.home.ended', {
          id: to('AUDIT_RUN', lastAudit._id, say('admin.home.theLastAudit')),
          endedAt: timeAway(lastAudit.endedAt, nowMs),
          summary: lastAudit.summary,
        }),
      )
    : check(false, say('admin.home.checks.ledgerAudited'));
  return html`<ul class="checks">${[
    audit,
    check(
      operationsNeverCompleted === 0,
      operationsNeverCompleted === 0
        ? say('admin.home.checks.everyAction')
        : say('admin.home.checks.neverCompleted', {
            link: tags.link('/admin/audit?status=INTENDED'),
            count: operationsNeverCompleted,
            actions: orMore(operationsNeverCompleted),
          }),
    ),
    check(
      unbegun === 0,
      unbegun === 0
        ? say('admin.home.checks.everyPurchases')
        : say('admin.home.checks.purchasesWait', { unbegun: orMore(unbegun) }),
    ),
    ...(approvalsOff ? [approvalsOffItem(approvalsOff)] : []),
  ]}</ul>`;
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
  return html`<li>${say('admin.home.approvalsOff.item', {
    badge: badge('APPROVALS_OFF', say('admin.home.onRecord')),
    period: isOneMinute ? 'moment' : 'span',
    from: shown(from),
    to: shown(to),
    count: operations,
    operations: orMore(operations),
    link: tags.link('/admin/audit?alone=YES'),
  })}</li>`;
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
