import { spendLinkOf } from '../../domain/branding.ts';
import type { Mode } from '../../domain/mode.ts';
import {
  type ClaimPageState,
  claimPageStateOf,
  expiredAt,
  type RewardMove,
} from '../../domain/reward.ts';
import { atReview } from '../../domain/reward-words.ts';
import type { RedemptionDoc } from '../../models/schemas/redemptions.ts';
import type { RewardDoc } from '../../models/schemas/rewards.ts';
import type { CustomerPoints, Merchant, ReadClaim } from '../../views/customers.ts';
import { linkButton } from '../components/components.ts';
import { type Html, html, nothing, type Part } from '../components/format.ts';
import type { PageLocalizer } from '../words/customer-localizer.ts';

export interface Claim extends ReadClaim {
  pageState: ClaimPageState;
}

/** The data of a reward that customers' pages show. */
export type ShownReward = Pick<
  RewardDoc,
  'mode' | 'points' | 'liabilityCents' | 'currency' | 'claimExpiresAt' | 'moves' | 'afterReview'
> &
  Partial<Pick<RewardDoc, 'arithmetic' | 'claimableFrom'>>;

interface ClaimPage {
  title: string;
  content: Part;
}

interface ClaimPageInput extends Omit<Claim, 'reward' | 'pageState' | 'at'> {
  reward: ShownReward;
  /** The page's own path; null in a preview. */
  path: string | null;
  nowMs: number;
  localizer: PageLocalizer;
}

/** The claim page for each state of the reward. */
export const claimPages: Record<ClaimPageState, (shown: ClaimPageInput) => ClaimPage> = {
  OPEN({ reward, partner, path, nowMs, localizer }) {
    const { points, claimExpiresAt } = reward;
    const { text, say, time, timeLeft } = localizer;
    return {
      title: text('open.title', { points }),
      content: html`<h1>${say('open.heading', { points, n: amount })}</h1>
<p>${say('open.thanks', { merchant: partner.name })}${cameBack(reward, localizer)}${worth(reward, localizer)}</p>${spendWords(partner)}
<p class="until">${say('claimBy', { time: time(claimExpiresAt) })}<br><strong>${timeLeft(claimExpiresAt.getTime() - nowMs)}</strong></p>
${button(path, text('open.button', { points }), localizer)}
<p class="small">${text('open.secret')}</p>${ownPoints(path, partner, localizer)}${help(partner, localizer)}`,
    };
  },

  ON_HOLD({ reward, partner, path, localizer }) {
    const { points, claimableFrom } = reward;
    const { text, say, time } = localizer;
    const title = text('wait.title', { points });
    return {
      title,
      content: html`<h1>${title}</h1>
<p>${say('wait.text', { points, merchant: partner.name, time: time(claimableFrom) })}${cameBack(reward, localizer)}${worth(reward, localizer)}</p>${spendWords(partner)}
${again(path, localizer)}${ownPoints(path, partner, localizer)}${help(partner, localizer)}`,
    };
  },

  CLAIMED({ reward, partner, path, localizer }) {
    const { points, moves } = reward;
    const { text, say, time } = localizer;
    const claimedAt = moves.findLast(({ move }) => move === 'CLAIM')?.at;
    return {
      title: text('claimed.title', { points }),
      content: html`${tick}<h1>${say('claimed.heading', { points, n: amount })}</h1>
<p>${say('claimed.where', { merchant: partner.name })}${cameBack(reward, localizer)}${worth(reward, localizer)} ${text('claimed.done')}</p>${spendWords(partner)}${spendLink(partner, localizer)}
<p class="until">${say('claimed.at', { time: time(claimedAt) })}</p>${ownPoints(path, partner, localizer)}${help(partner, localizer)}`,
    };
  },

  IN_REVIEW({ reward, partner, path, localizer }) {
    const { text } = localizer;
    const { points: all, underReview: points } = atReview(reward);
    const isPart = points < all;
    return {
      title: text('review.title'),
      content: html`<h1>${text(isPart ? 'review.partHeading' : 'review.heading', { points })}</h1>
<p>${isPart ? text('review.partText', { all }) : text('review.text')}</p>${ownPoints(path, partner, localizer)}${help(partner, localizer)}`,
    };
  },

  AWAITING_FUNDING({ reward: { points }, partner, path, localizer }) {
    const { text } = localizer;
    return {
      title: text('ready.title'),
      content: html`<h1>${text('ready.title')}</h1>
<p>${text('ready.funding', { points, merchant: partner.name })}</p>
${again(path, localizer)}${ownPoints(path, partner, localizer)}${help(partner, localizer)}`,
    };
  },

  SUSPENDED({ reward: { points, claimExpiresAt }, partner, path, localizer }) {
    const { text, say, time } = localizer;
    return {
      title: text('paused.title'),
      content: html`<h1>${text('paused.title')}</h1>
<p>${text('paused.text', { points, merchant: partner.name })}</p>
<p class="until">${say('claimBy', { time: time(claimExpiresAt) })}</p>${again(path, localizer)}${ownPoints(path, partner, localizer)}${help(partner, localizer)}`,
    };
  },

  EXPIRED({ reward, partner, path, localizer }) {
    const { text, say, time } = localizer;
    return {
      title: text('expired.title'),
      content: html`<h1>${text('expired.title')}</h1>
<p>${say('expired.text', { points: reward.points, merchant: partner.name, time: time(expiredAt(reward)) })}</p>${ownPoints(path, partner, localizer)}${help(partner, localizer)}`,
    };
  },

  CANCELLED({ reward: { points, moves }, partner, path, localizer }) {
    const { text } = localizer;
    const wasClaimed = moves.some(({ move }) => move === 'CLAIM');
    const title = text(wasClaimed ? 'cancelled.backTitle' : 'cancelled.title');
    return {
      title,
      content: html`<h1>${title}</h1>
<p>${text(wasClaimed ? 'cancelled.back' : 'cancelled.text', { points })}</p>${ownPoints(path, partner, localizer)}${help(partner, localizer)}`,
    };
  },
};

/** Why there are fewer points than the message about them said. */
const cameBack = ({ arithmetic }: ShownReward, { text }: PageLocalizer): string =>
  (arithmetic?.refundedCents ?? 0) > 0 ? ` ${text('open.part')}` : '';

const button = (path: string | null, text: string, { to }: PageLocalizer): Html =>
  path === null
    ? html`<button type="button" class="primary">${text}</button>`
    : html`<form method="post" action="${to(path)}"><button type="submit" class="primary">${text}</button></form>`;

/** A link to the page on which customers request the link to all their points. */
const ownPoints = (
  path: string | null,
  { name: merchant }: Merchant,
  { text, to }: PageLocalizer,
): Html =>
  path === null
    ? nothing
    : html`<p class="small"><a href="${to(`${path}/points`)}">${text('points.see', { merchant })}</a></p>`;

/** The partner's text, in its language. */
export const spendWords = ({ branding }: Merchant): Html =>
  branding?.spendText ? html`<p lang="${branding.language}">${branding.spendText}</p>` : nothing;

/** A link to the shop's site, without a referrer, since this page's address contains a secret. */
export function spendLink(partner: Merchant, { text }: PageLocalizer): Html {
  const url = spendLinkOf(partner);
  return url === null
    ? nothing
    : html`<p><a href="${url}" rel="noopener noreferrer">${text('spend')}</a></p>`;
}

/** A link to reload a page that may change soon. */
export const again = (path: string | null, { text, to }: PageLocalizer): Html =>
  path === null
    ? nothing
    : html`<p class="actions">${linkButton(to(path), text('again'), 'secondary')}</p>`;

/** The number of points in large type, slightly smaller if it is long. */
export function amount(parts: readonly Part[]): Html {
  return html`<span class="amount ${String(parts).length > 6 ? 'amount-long' : ''}">${parts}</span>`;
}

/** What the points are worth; empty in TEST and for points without a value. */
export function worth(
  {
    mode,
    points,
    liabilityCents,
    currency,
  }: Pick<ShownReward, 'mode' | 'points' | 'liabilityCents' | 'currency'>,
  localizer: PageLocalizer,
): string {
  if (mode === 'TEST' || liabilityCents === 0) return '';
  return ` ${localizer.text('worth', { points, money: localizer.money(liabilityCents, currency) })}`;
}

const tick = html`<svg class="tick" viewBox="0 0 48 48" width="48" height="48" aria-hidden="true"><circle cx="24" cy="24" r="24"/><path d="m14 25 7 7 13-15" fill="none" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

/** Contact text for when the partner is not known. */
export const helpOfShop = ({ text }: PageLocalizer): Html =>
  html`<p class="small">${text('contactShop')}</p>`;

/** Contact text: the shop's email address rather than its site, which would see the referrer. */
export function help({ name: merchant, supportEmail }: Merchant, { say }: PageLocalizer): Html {
  if (supportEmail === null) return html`<p class="small">${say('contact', { merchant })}</p>`;
  const mail = (parts: readonly Part[]) => html`<a href="mailto:${supportEmail}">${parts}</a>`;
  return html`<p class="small">${say('email', { merchant, mail })}</p>`;
}

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
  const { partner, mode, points, spendablePoints, owedCents, rewards, localizer } = shown;
  const { text, say } = localizer;
  const { name: merchant, currency } = partner;
  const isSuspended = partner.status === 'SUSPENDED';
  const value = { mode, points, liabilityCents: owedCents, currency };
  const title = text('points.title', { merchant });
  return {
    title,
    content: html`<h1>${title}</h1>
<p class="balance">${say('points.balance', { points, n: amount })}</p>
<p>${worth(value, localizer)}</p>${spendablePoints < points ? html`<p>${text('points.spendable', { points: spendablePoints })}</p>` : nothing}${isSuspended ? html`<p>${text('points.paused', { merchant })}</p>` : nothing}${spendWords(partner)}${spendLink(partner, localizer)}
<section class="history" aria-labelledby="history"><h2 id="history">${text('points.history')}</h2>
<ul>${rewards.map((reward) => row(reward, { ...shown, isSuspended }))}</ul>
${pages(shown)}</section>${spent(shown)}${help(partner, localizer)}`,
  };
}

/** Where the points went; nothing if none were spent. */
function spent({ redemptions, localizer }: ShownPoints): Html {
  const { text, say, date, money } = localizer;
  const shown = redemptions.filter(({ status }) => status !== 'RELEASED' && status !== 'EXPIRED');
  if (shown.length === 0) return nothing;
  const words = ({ status, createdAt, updatedAt, amountCents, currency }: RedemptionDoc) => {
    if (status === 'HELD') return say('points.held', { date: date(createdAt) });
    if (status === 'REVERSED') return say('points.paidBack', { date: date(updatedAt) });
    return say('points.paid', { date: date(createdAt), money: money(amountCents, currency) });
  };
  return html`<section class="history" aria-labelledby="spent"><h2 id="spent">${text('points.spent')}</h2>
<ul>${shown.map((one) => html`<li><strong>${text('points.row', { points: one.points })}</strong><span class="state">${words(one)}</span></li>`)}</ul></section>`;
}

/** A reward: what it was for, its state, and the button to claim it while that is possible. */
function row(
  reward: RewardDoc,
  {
    isSuspended,
    nowMs,
    path,
    receiptsUntil,
    localizer,
  }: Pick<ShownPoints, 'nowMs' | 'path' | 'receiptsUntil' | 'localizer'> & { isSuspended: boolean },
): Html {
  const { text, say, date, to } = localizer;
  const { _id, points, createdAt, externalOrderId: order, moves } = reward;
  const fundedAt = moves.find(({ move }) => move === 'FUND')?.at;
  const hasReceipt = fundedAt !== undefined && receiptsUntil !== null && fundedAt < receiptsUntil;
  const { words, tone } = outcome(reward, { isSuspended, nowMs, localizer });
  const isOpen = claimPageStateOf(reward, { isSuspended, nowMs }) === 'OPEN';
  return html`<li><strong>${text('points.row', { points })}</strong><span class="state ${tone}">${words}</span>
<span class="bought">${say('points.bought', { order, date: date(createdAt) })}${hasReceipt ? html` <a href="${path}/${_id}/receipt.json" download>${text('points.receipt')}</a>` : nothing}</span>${
    isOpen
      ? html`<form method="post" action="${to(`${path}/claim/${_id}`)}"><button type="submit" class="primary">${text('open.button', { points })}</button></form>`
      : nothing
  }</li>`;
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
      return { words: reviewWords(reward, localizer), tone: '' };
    case 'OPEN':
    case 'SUSPENDED':
      return { words: say('claimBy', { time: time(claimExpiresAt) }), tone: '' };
    case 'ON_HOLD':
      return { words: say('wait.from', { time: time(reward.claimableFrom) }), tone: '' };
    case 'AWAITING_FUNDING':
      return { words: text('points.waiting'), tone: '' };
    case 'EXPIRED':
      return { words: say('points.expired', { date: date(expiredAt(reward)) }), tone: 'muted' };
    case 'CANCELLED': {
      const at = date(lastOf('UPHOLD') ?? lastOf('REFUND', 'CANCEL') ?? updatedAt);
      const key = claimedAt ? 'points.takenBack' : 'points.cancelled';
      return { words: say(key, { date: at }), tone: 'muted' };
    }
  }
}

/** Which of a reward's points are under review. */
function reviewWords(reward: RewardDoc, { text }: PageLocalizer): string {
  const { points, underReview } = atReview(reward);
  if (underReview === points) return text('points.review');
  return text('review.partHeading', { points: underReview });
}

function pages({ path, isFirst, nextCursor, localizer: { text, to } }: ShownPoints): Html {
  if (isFirst && nextCursor === null) return nothing;
  return html`<nav class="actions" aria-label="${text('points.history')}">
${isFirst ? nothing : linkButton(to(path), text('points.newest'), 'secondary')}
${nextCursor === null ? nothing : linkButton(to(`${path}?cursor=${nextCursor}`), text('points.older'), 'secondary')}</nav>`;
}
