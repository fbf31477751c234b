import { spendLinkOf } from '../../domain/branding.ts';
import type { ClaimPageState } from '../../domain/reward.ts';
import type { RewardDoc } from '../../models/schemas/rewards.ts';
import type { Merchant } from '../../models/views/customers.ts';
import type { PageLocalizer } from '../words/customer-localizer.ts';
import { linkButton } from './components.ts';
import { type Html, html, nothing, type Part } from './html.ts';

export interface Claim {
  reward: RewardDoc;
  partner: Merchant;
  pageState: ClaimPageState;
}

/** The data of a reward that customers' pages show. */
export type ShownReward = Pick<
  RewardDoc,
  'mode' | 'points' | 'liabilityCents' | 'currency' | 'claimExpiresAt' | 'moves'
>;

interface ClaimPage {
  title: string;
  content: Part;
}

interface ClaimPageInput extends Omit<Claim, 'reward' | 'pageState'> {
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
<p>${say('open.thanks', { merchant: partner.name })}${worth(reward, localizer)}</p>${spendWords(partner)}
<p class="until">${say('claimBy', { time: time(claimExpiresAt) })}<br><strong>${timeLeft(claimExpiresAt.getTime() - nowMs)}</strong></p>
${button(path, text('open.button', { points }), localizer)}
<p class="small">${text('open.secret')}</p>${ownPoints(path, partner, localizer)}${help(partner, localizer)}`,
    };
  },

  CLAIMED({ reward, partner, path, localizer }) {
    const { points, moves } = reward;
    const { text, say, time } = localizer;
    const claimedAt = moves.findLast(({ move }) => move === 'CLAIM')?.at;
    return {
      title: text('claimed.title', { points }),
      content: html`${tick}<h1>${say('claimed.heading', { points, n: amount })}</h1>
<p>${say('claimed.where', { merchant: partner.name })}${worth(reward, localizer)} ${text('claimed.done')}</p>${spendWords(partner)}${spendLink(partner, localizer)}
<p class="until">${say('claimed.at', { time: time(claimedAt) })}</p>${ownPoints(path, partner, localizer)}${help(partner, localizer)}`,
    };
  },

  IN_REVIEW({ reward: { points }, partner, path, localizer }) {
    const { text } = localizer;
    return {
      title: text('review.title'),
      content: html`<h1>${text('review.heading', { points })}</h1>
<p>${text('review.text')}</p>${ownPoints(path, partner, localizer)}${help(partner, localizer)}`,
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

  BEING_PREPARED({ reward: { points, claimExpiresAt }, partner, path, localizer }) {
    const { text, say, time } = localizer;
    return {
      title: text('ready.title'),
      content: html`<h1>${text('ready.title')}</h1>
<p>${text('ready.soon', { points })}</p>
<p class="until">${say('claimBy', { time: time(claimExpiresAt) })}</p>${again(path, localizer)}${ownPoints(path, partner, localizer)}${help(partner, localizer)}`,
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

  EXPIRED({ reward: { points, claimExpiresAt }, partner, path, localizer }) {
    const { text, say, time } = localizer;
    return {
      title: text('expired.title'),
      content: html`<h1>${text('expired.title')}</h1>
<p>${say('expired.text', { points, merchant: partner.name, time: time(claimExpiresAt) })}</p>${ownPoints(path, partner, localizer)}${help(partner, localizer)}`,
    };
  },

  CANCELLED({ reward: { points }, partner, path, localizer }) {
    const { text } = localizer;
    return {
      title: text('cancelled.title'),
      content: html`<h1>${text('cancelled.title')}</h1>
<p>${text('cancelled.text', { points })}</p>${ownPoints(path, partner, localizer)}${help(partner, localizer)}`,
    };
  },
};

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
