import type { ClaimPageState } from '../../domain/claim-page-state.ts';
import type { RewardDoc } from '../../models/schemas/reward.ts';
import type { Merchant } from '../../models/views/claims.ts';
import type { Speech } from '../words/customer-speech.ts';
import { linkButton } from './components.ts';
import { type Html, html, type Part } from './html.ts';

/** A reward as its customer sees it. */
export interface Claim {
  reward: RewardDoc;
  partner: Merchant;
  pageState: ClaimPageState;
}

interface ClaimPage {
  title: string;
  content: Part;
}

interface Shown extends Claim {
  /** Of the page itself. */
  path: string;
  nowMs: number;
  speech: Speech;
}

/** What the customer is told, for each way in which the reward may stand. */
export const claimPages: Record<ClaimPageState, (shown: Shown) => ClaimPage> = {
  OPEN({ reward, partner, path, nowMs, speech }) {
    const { points, claimExpiresAt } = reward;
    const { text, say, time, timeLeft } = speech;
    return {
      title: text('open.title', { points }),
      content: html`<h1>${say('open.heading', { points, n: amount })}</h1>
<p>${say('open.thanks', { merchant: partner.name })}${worth(reward, speech)}</p>
<p class="until">${say('claimBy', { time: time(claimExpiresAt) })}<br><strong>${timeLeft(claimExpiresAt.getTime() - nowMs)}</strong></p>
<form method="post" action="${path}"><button type="submit" class="primary">${text('open.button', { points })}</button></form>
<p class="small">${text('open.secret')}</p>${help(partner, speech)}`,
    };
  },

  CLAIMED({ reward, partner, speech }) {
    const { points, moves } = reward;
    const { text, say, time } = speech;
    const claimedAt = moves.findLast(({ move }) => move === 'CLAIM')?.at;
    return {
      title: text('claimed.title', { points }),
      content: html`${tick}<h1>${say('claimed.heading', { points, n: amount })}</h1>
<p>${say('claimed.where', { merchant: partner.name })}${worth(reward, speech)} ${text('claimed.done')}</p>
<p class="until">${say('claimed.at', { time: time(claimedAt) })}</p>${help(partner, speech)}`,
    };
  },

  IN_REVIEW({ reward: { points }, partner, speech }) {
    const { text } = speech;
    return {
      title: text('review.title'),
      content: html`<h1>${text('review.heading', { points })}</h1>
<p>${text('review.text')}</p>${help(partner, speech)}`,
    };
  },

  AWAITING_FUNDING({ reward: { points }, partner, path, speech }) {
    const { text } = speech;
    return {
      title: text('ready.title'),
      content: html`<h1>${text('ready.title')}</h1>
<p>${text('ready.funding', { points, merchant: partner.name })}</p>
${again(path, speech)}${help(partner, speech)}`,
    };
  },

  BEING_PREPARED({ reward: { points, claimExpiresAt }, partner, path, speech }) {
    const { text, say, time } = speech;
    return {
      title: text('ready.title'),
      content: html`<h1>${text('ready.title')}</h1>
<p>${text('ready.soon', { points })}</p>
<p class="until">${say('claimBy', { time: time(claimExpiresAt) })}</p>${again(path, speech)}${help(partner, speech)}`,
    };
  },

  SUSPENDED({ reward: { points, claimExpiresAt }, partner, path, speech }) {
    const { text, say, time } = speech;
    return {
      title: text('paused.title'),
      content: html`<h1>${text('paused.title')}</h1>
<p>${text('paused.text', { points, merchant: partner.name })}</p>
<p class="until">${say('claimBy', { time: time(claimExpiresAt) })}</p>${again(path, speech)}${help(partner, speech)}`,
    };
  },

  EXPIRED({ reward: { points, claimExpiresAt }, partner, speech }) {
    const { text, say, time } = speech;
    return {
      title: text('expired.title'),
      content: html`<h1>${text('expired.title')}</h1>
<p>${say('expired.text', { points, merchant: partner.name, time: time(claimExpiresAt) })}</p>${help(partner, speech)}`,
    };
  },

  CANCELLED({ reward: { points }, partner, speech }) {
    const { text } = speech;
    return {
      title: text('cancelled.title'),
      content: html`<h1>${text('cancelled.title')}</h1>
<p>${text('cancelled.text', { points })}</p>${help(partner, speech)}`,
    };
  },
};

/** A page that may say something else a little later. */
export const again = (path: string, { text }: Speech): Html =>
  html`<p class="actions">${linkButton(path, text('again'), 'secondary')}</p>`;

/** The number of points, large; one of many digits a little less so. */
function amount(parts: readonly Part[]): Html {
  return html`<span class="amount ${String(parts).length > 6 ? 'amount-long' : ''}">${parts}</span>`;
}

/** In money, where points have a worth; those of TEST have none. */
function worth({ mode, points, liabilityCents, currency }: RewardDoc, speech: Speech): string {
  if (mode === 'TEST' || liabilityCents === 0) return '';
  return ` ${speech.text('worth', { points, money: speech.money(liabilityCents, currency) })}`;
}

const tick = html`<svg class="tick" viewBox="0 0 48 48" width="48" height="48" aria-hidden="true"><circle cx="24" cy="24" r="24"/><path d="m14 25 7 7 13-15" fill="none" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

/** Whom to ask: a mail to the shop, whose site would learn where its reader came from. */
function help({ name: merchant, supportEmail }: Merchant, { say }: Speech): Html {
  if (supportEmail === null) return html`<p class="small">${say('contact', { merchant })}</p>`;
  const mail = (parts: readonly Part[]) => html`<a href="mailto:${supportEmail}">${parts}</a>`;
  return html`<p class="small">${say('email', { merchant, mail })}</p>`;
}
