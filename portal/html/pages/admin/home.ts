import { refusalOf } from '../../../../domain/approvals.ts';
import type { ProposalDoc } from '../../../../models/schemas/proposal.ts';
import {
  type ConsoleHome,
  type ConsoleHomeView,
  homeCountLimit,
  homeNamed,
} from '../../../../models/views/console-home.ts';
import type { OperatorViewer, PageContext } from '../../../context.ts';
import { proposalSentence } from '../../../words/proposal-words.ts';
import { badge, emptyState, table } from '../../components.ts';
import { away, day, money, moneyText, number, numberText, timeAway } from '../../format.ts';
import { type Html, html, nothing, type Part } from '../../html.ts';
import { to, toIfOpen } from '../../links.ts';
import { metrics } from '../../metrics.ts';
import { dueBadge } from '../../review.ts';
import { type Page, page } from '../../view.ts';

/** @param nowMs when it is looked at @param takesTwo whether sensitive operations need a second operator */
export function consoleHomePage(
  ctx: PageContext<'operator'>,
  { home, nameOf, proposalNames }: ConsoleHomeView,
  { nowMs, takesTwo }: { nowMs: number; takesTwo: boolean },
): Page {
  const missingFunds = home.missingFunds.slice(0, homeNamed);
  const refused = home.refused.slice(0, homeNamed);
  const proposals = inOrder(home.proposals, ctx.state.viewer, nowMs);
  const shown = proposals.slice(0, homeNamed);
  const partner = (id: string) => to('PARTNER', id, nameOf.get(id) ?? id);
  return page(
    { title: 'Today', lead: 'What needs attention, and how the service is doing.' },
    figures(home, proposals),
    html`<div class="grid-2">${[
      card(
        'Reviews, due first',
        '/admin/reviews',
        table({
          caption: 'Reviews that are due first',
          columns: [
            { heading: 'Order', cell: (one) => to('REVIEW', one._id, one.externalOrderId) },
            { heading: 'Partner', cell: ({ partnerId }) => partner(partnerId) },
            { heading: 'Due', cell: (one) => dueBadge(one, nowMs) },
          ],
          rows: home.reviews.first,
          empty: emptyState('No review is open', 'A refund of a claimed reward opens one.'),
        }),
      ),
      card(
        'Approvals',
        '/admin/approvals',
        table({
          caption: 'Proposals that wait for a second operator',
          columns: [
            {
              heading: 'What it will do',
              cell: ({ proposal: { _id }, proposal }) =>
                toIfOpen(ctx, 'PROPOSAL', _id, proposalSentence(proposal, proposalNames)),
              isText: true,
            },
            { heading: '', cell: ({ turn }) => turnBadge(turn) },
            { heading: 'Ends', cell: ({ proposal }) => away(proposal.expiresAt, nowMs) },
          ],
          rows: shown,
          empty: emptyState(
            'Nothing to approve',
            takesTwo
              ? 'What moves money or opens LIVE needs two operators.'
              : 'Approvals are switched off: one operator is enough for everything.',
          ),
        }),
      ),
      card(
        'Go-live requests',
        '/admin/partners?state=IN_REVIEW',
        table({
          caption: 'Partners that ask to go live',
          columns: [
            {
              heading: 'Partner',
              cell: ({ _id, name }) => html`<a href="/admin/partners/${_id}/go-live">${name}</a>`,
            },
            {
              heading: 'Asked',
              cell: ({ goLive }) => goLive.requestedAt && away(goLive.requestedAt, nowMs),
            },
          ],
          rows: home.goLive.first,
          empty: emptyState(
            'No go-live requests',
            'A partner asks once it has everything but the approval.',
          ),
        }),
      ),
      card(
        'Waiting for funds',
        '/admin/rewards?status=AWAITING_FUNDING',
        table({
          caption: 'Partners whose rewards wait for funds',
          columns: [
            { heading: 'Partner', cell: ({ partnerId }) => partner(partnerId) },
            { heading: 'Mode', cell: ({ mode }) => badge(mode) },
            { heading: 'Rewards', cell: ({ rewards }) => number(rewards), isNumber: true },
            {
              heading: 'Missing',
              cell: ({ cents, currency }) => money(cents, currency),
              isNumber: true,
            },
          ],
          rows: missingFunds,
          empty: emptyState('No reward waits', 'Every reward has its money behind it.'),
        }),
      ),
      card(
        'Refused in the last hour',
        '/admin/requests',
        table({
          caption: 'Partners whose requests were refused in the last hour',
          columns: [
            { heading: 'Partner', cell: ({ partnerId }) => partner(partnerId) },
            { heading: 'Requests', cell: ({ requests }) => number(requests), isNumber: true },
            {
              heading: 'Most common',
              cell: ({ partnerId, codes: [commonest] }) =>
                html`<a href="/admin/requests?partner=${partnerId}&amp;code=${commonest?.code}"><code>${commonest?.code}</code></a>`,
            },
          ],
          rows: refused,
          empty: emptyState('No request was refused', 'Every request from partners was accepted.'),
        }),
      ),
      card('The books', '/admin/audit-runs', books(home, nowMs)),
    ]}</div>`,
  );
}

/** Whose turn a proposal is, to who looks. */
type Turn = 'FOR_YOU' | 'YOURS' | 'OTHERS';
interface OrderedProposal {
  proposal: ProposalDoc;
  turn: Turn;
}

/** Those that who looks may decide come first, then their own. */
function inOrder(
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
  const forYou = proposals.filter(({ turn }) => turn === 'FOR_YOU').length;
  const live = missingFunds.filter(({ mode }) => mode === 'LIVE');
  const waiting = sum(live.map(({ rewards }) => rewards));
  const requests = sum(refused.map(({ requests }) => requests));
  return metrics([
    {
      ...{ name: 'Reviews open', value: orMore(reviews.open), href: '/admin/reviews' },
      note:
        reviews.overdue > 0
          ? badge('FAILED', `${orMore(reviews.overdue)} overdue`)
          : 'none overdue',
    },
    {
      ...{ name: 'Approvals', value: String(proposals.length), href: '/admin/approvals' },
      note: forYou > 0 ? badge('OPEN', `${forYou} for you`) : 'none for you',
    },
    {
      ...{ name: 'Go-live requests', value: orMore(goLive.count) },
      href: '/admin/partners?state=IN_REVIEW',
      note: goLive.count > 0 ? badge('IN_REVIEW') : 'none',
    },
    {
      ...{ name: 'LIVE without funds', value: orMore(waiting) },
      href: '/admin/rewards?status=AWAITING_FUNDING&mode=LIVE',
      note: waiting > 0 ? badge('AWAITING_FUNDING', `${amounts(live)} missing`) : 'nothing missing',
    },
    {
      ...{ name: 'Refused in the last hour', value: numberText(requests) },
      href: '/admin/requests',
      note: `of ${refused.length} ${refused.length === 1 ? 'partner' : 'partners'}`,
    },
  ]);
}

/** What stands for nothing that waits, and whether what was done adds up. */
function books(
  { lastAudit, operationsNeverCompleted, unbegun, approvalsOff }: ConsoleHome,
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
        : html`<a href="/admin/audit?status=INTENDED">${operationsNeverCompleted === 1 ? '1 action was' : `${orMore(operationsNeverCompleted)} actions were`} never completed</a>: find out what happened.`,
    ),
    check(
      unbegun === 0,
      unbegun === 0
        ? 'Every purchase’s workflow has begun in time.'
        : `${orMore(unbegun)} purchases wait for their workflow: is a worker running?`,
    ),
    ...(approvalsOff ? [wereOff(approvalsOff)] : []),
  ]}</ul>`;
}

/** It never goes away: whoever reads the books knows that one person may have been enough. */
function wereOff({ operations, from, to }: NonNullable<ConsoleHome['approvalsOff']>): Html {
  const done = `${orMore(operations)} ${operations === 1 ? 'operation that needs' : 'operations that need'} two`;
  return html`<li>${badge('APPROVALS_OFF', 'On record')} Approvals were off between ${day(from)} and ${day(to)}: ${done} had one. The <a href="/admin/audit?alone=YES">audit log</a> has them.</li>`;
}

/** Counted up to a limit only. */
const orMore = (count: number): string =>
  count >= homeCountLimit ? `${numberText(homeCountLimit)}+` : numberText(count);

const sum = (counts: readonly number[]): number => counts.reduce((total, one) => total + one, 0);

/** What is missing, currency by currency. */
function amounts(missing: ConsoleHome['missingFunds']): string {
  const byCurrency = Map.groupBy(missing, ({ currency }) => currency);
  return [...byCurrency]
    .map(([currency, all]) => moneyText(sum(all.map(({ cents }) => cents)), currency))
    .join(', ');
}
