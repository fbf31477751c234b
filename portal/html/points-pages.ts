import type { Mode } from '../../domain/mode.ts';
import { claimPageStateOf, type RewardMove } from '../../domain/reward.ts';
import type { RewardDoc } from '../../models/schemas/rewards.ts';
import type { CustomerPoints, Merchant } from '../../models/views/customers.ts';
import type { PageLocalizer } from '../words/customer-localizer.ts';
import { amount, help, helpOfShop, spendLink, spendWords, worth } from './claim-page.ts';
import { linkButton } from './components.ts';
import { type Html, html, nothing, type Part } from './html.ts';

interface CustomerPage {
  title: string;
  content: Part;
}

interface PointsLinkPage {
  partner: Merchant;
  /** The path of the claim page. */
  claimPath: string;
  localizer: PageLocalizer;
}

/** The page on which customers request the link to their points. */
export function askForPointsPage({ partner, claimPath, localizer }: PointsLinkPage): CustomerPage {
  const { text, to } = localizer;
  const merchant = partner.name;
  const title = text('points.title', { merchant });
  return {
    title,
    content: html`<h1>${title}</h1>
<p>${text('points.ask', { merchant })}</p><p>${text('points.where')}</p>
<form method="post" action="${to(`${claimPath}/points`)}"><button type="submit" class="primary">${text('points.send')}</button></form>
${backTo(claimPath, localizer)}${help(partner, localizer)}`,
  };
}

/** The confirmation, the same whether or not an email was sent. */
export function pointsLinkSentPage({
  partner,
  claimPath,
  localizer,
}: PointsLinkPage): CustomerPage {
  const { text } = localizer;
  return {
    title: text('points.sentTitle'),
    content: html`<h1>${text('points.sentTitle')}</h1>
<p>${text('points.sent')}</p>
${backTo(claimPath, localizer)}${help(partner, localizer)}`,
  };
}

const backTo = (claimPath: string, { text, to }: PageLocalizer): Html =>
  html`<p class="small"><a href="${to(claimPath)}">${text('points.back')}</a></p>`;

/** For an expired or unknown link. */
export function pointsGonePage(localizer: PageLocalizer): CustomerPage {
  const { text } = localizer;
  const title = text('points.goneTitle');
  return {
    title,
    content: html`<h1>${title}</h1><p>${text('points.gone')}</p>${helpOfShop(localizer)}`,
  };
}

interface ShownPoints extends CustomerPoints {
  mode: Mode;
  path: string;
  /** Whether it is the newest page. */
  isFirst: boolean;
  nowMs: number;
  localizer: PageLocalizer;
}

/** A customer's points, where to spend them, and the state of each reward. */
export function pointsPage(shown: ShownPoints): CustomerPage {
  const { partner, mode, points, owedCents, rewards, localizer } = shown;
  const { text, say } = localizer;
  const { name: merchant, currency } = partner;
  const isSuspended = partner.status === 'SUSPENDED';
  const value = { mode, points, liabilityCents: owedCents, currency };
  const title = text('points.title', { merchant });
  return {
    title,
    content: html`<h1>${title}</h1>
<p class="balance">${say('points.balance', { points, n: amount })}</p>
<p>${worth(value, localizer)}</p>${isSuspended ? html`<p>${text('points.paused', { merchant })}</p>` : nothing}${spendWords(partner)}${spendLink(partner, localizer)}
<section class="history" aria-labelledby="history"><h2 id="history">${text('points.history')}</h2>
<ul>${rewards.map((reward) => row(reward, { ...shown, isSuspended }))}</ul>
${pages(shown)}</section>${help(partner, localizer)}`,
  };
}

function row(
  reward: RewardDoc,
  {
    isSuspended,
    nowMs,
    localizer,
  }: Pick<ShownPoints, 'nowMs' | 'localizer'> & { isSuspended: boolean },
): Html {
  const { text, say, date } = localizer;
  const { points, createdAt } = reward;
  const { words, tone } = outcome(reward, { isSuspended, nowMs, localizer });
  return html`<li><strong>${text('points.row', { points })}</strong><span class="state ${tone}">${words}</span>
<span class="bought">${say('points.bought', { date: date(createdAt) })}</span></li>`;
}

/** The state of a reward, in words. */
function outcome(
  reward: RewardDoc,
  {
    isSuspended,
    nowMs,
    localizer,
  }: { isSuspended: boolean; nowMs: number; localizer: PageLocalizer },
): { words: Part; tone: string } {
  const { text, say, date, time } = localizer;
  const { moves, claimExpiresAt, updatedAt } = reward;
  const lastOf = (...made: RewardMove[]) => moves.findLast(({ move }) => made.includes(move))?.at;
  const claimedAt = lastOf('CLAIM');
  switch (claimPageStateOf(reward, { isSuspended, nowMs })) {
    case 'CLAIMED':
      return { words: say('points.claimed', { date: date(claimedAt ?? updatedAt) }), tone: 'good' };
    case 'IN_REVIEW':
      return { words: text('points.review'), tone: '' };
    case 'OPEN':
    case 'SUSPENDED':
      return { words: say('claimBy', { time: time(claimExpiresAt) }), tone: '' };
    case 'AWAITING_FUNDING':
    case 'BEING_PREPARED':
      return { words: text('points.waiting'), tone: '' };
    case 'EXPIRED':
      return { words: say('points.expired', { date: date(claimExpiresAt) }), tone: 'muted' };
    case 'CANCELLED': {
      const at = date(lastOf('UPHOLD') ?? lastOf('REFUND', 'CANCEL') ?? updatedAt);
      const key = claimedAt ? 'points.takenBack' : 'points.cancelled';
      return { words: say(key, { date: at }), tone: 'muted' };
    }
  }
}

function pages({ path, isFirst, nextCursor, localizer: { text, to } }: ShownPoints): Html {
  if (isFirst && nextCursor === null) return nothing;
  return html`<nav class="actions" aria-label="${text('points.history')}">
${isFirst ? nothing : linkButton(to(path), text('points.newest'), 'secondary')}
${nextCursor === null ? nothing : linkButton(to(`${path}?cursor=${nextCursor}`), text('points.older'), 'secondary')}</nav>`;
}
