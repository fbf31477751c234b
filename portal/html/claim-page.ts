import type { ClaimPageState } from '../../domain/claim-page-state.ts';
import type { RewardDoc } from '../../models/schemas/reward.ts';
import type { Merchant } from '../../models/views/claims.ts';
import { linkButton } from './components.ts';
import { moneyText, numberText, pointsWords, time } from './format.ts';
import { type Html, html, type Part } from './html.ts';
import { timeLeft } from './time-left.ts';

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
}

const unit = (points: number): string => (points === 1 ? 'point' : 'points');

/** What the customer is told, for each way in which the reward may stand. */
export const claimPages: Record<ClaimPageState, (shown: Shown) => ClaimPage> = {
  OPEN({ reward, partner, path, nowMs }) {
    const { points, claimExpiresAt } = reward;
    return {
      title: `${pointsWords(points)} for you`,
      content: html`<h1>${amount(points)} ${unit(points)} for your purchase</h1>
<p>Thank you for shopping at ${partner.name}.${worth(reward)}</p>
<p class="until">Claim by ${time(claimExpiresAt)}<br><strong>${timeLeft(claimExpiresAt.getTime() - nowMs)}</strong></p>
<form method="post" action="${path}"><button type="submit" class="primary">Claim ${pointsWords(points)}</button></form>
<p class="small">Anyone with this link can claim your points, so keep it to yourself.</p>${help(partner)}`,
    };
  },

  CLAIMED({ reward, partner }) {
    const { points, moves } = reward;
    const claimedAt = moves.findLast(({ move }) => move === 'CLAIM')?.at;
    return {
      title: `${pointsWords(points)} are yours`,
      content: html`${tick}<h1>${amount(points)} ${unit(points)} ${points === 1 ? 'is' : 'are'} yours</h1>
<p>Your points are in your ${partner.name} account, under the email address or phone number you shopped with.${worth(reward)} You don’t need to do anything else.</p>
<p class="until">Claimed ${time(claimedAt)}</p>${help(partner)}`,
    };
  },

  IN_REVIEW({ reward: { points }, partner }) {
    return {
      title: 'Your points are under review',
      content: html`<h1>Your ${pointsWords(points)} are under review</h1>
<p>You claimed these points, and then the purchase was returned. You keep your points until the review is finished. You don’t need to do anything.</p>${help(partner)}`,
    };
  },

  AWAITING_FUNDING({ reward: { points }, partner, path }) {
    return {
      title: 'Almost ready',
      content: html`<h1>Almost ready</h1>
<p>${partner.name} is still preparing your ${pointsWords(points)}. You will get a message when you can claim them, and the time to claim starts only then.</p>
${again(path)}${help(partner)}`,
    };
  },

  BEING_PREPARED({ reward: { points, claimExpiresAt }, partner, path }) {
    return {
      title: 'Almost ready',
      content: html`<h1>Almost ready</h1>
<p>Your ${pointsWords(points)} are being prepared. Check again in a moment.</p>
<p class="until">Claim by ${time(claimExpiresAt)}</p>${again(path)}${help(partner)}`,
    };
  },

  SUSPENDED({ reward: { points, claimExpiresAt }, partner, path }) {
    return {
      title: 'Rewards are paused',
      content: html`<h1>Rewards are paused</h1>
<p>${partner.name} has paused its rewards. You can claim your ${pointsWords(points)} once they resume.</p>
<p class="until">Claim by ${time(claimExpiresAt)}</p>${again(path)}${help(partner)}`,
    };
  },

  EXPIRED({ reward: { points, claimExpiresAt }, partner }) {
    return {
      title: 'This reward has expired',
      content: html`<h1>This reward has expired</h1>
<p>The ${pointsWords(points)} for your purchase at ${partner.name} had to be claimed by ${time(claimExpiresAt)}.</p>${help(partner)}`,
    };
  },

  CANCELLED({ reward: { points }, partner }) {
    return {
      title: 'This reward was cancelled',
      content: html`<h1>This reward was cancelled</h1>
<p>The ${pointsWords(points)} can no longer be claimed. This usually happens because the purchase was returned.</p>${help(partner)}`,
    };
  },
};

/** A page that may say something else a little later. */
export const again = (path: string): Html =>
  html`<p class="actions">${linkButton(path, 'Check again', 'secondary')}</p>`;

/** The number of points, large; one of many digits a little less so. */
function amount(points: number): Html {
  const text = numberText(points);
  return html`<span class="amount ${text.length > 6 ? 'amount-long' : ''}">${text}</span>`;
}

/** In money, where the points have a worth. */
function worth({ points, liabilityCents, currency }: RewardDoc): string {
  if (liabilityCents === 0) return '';
  return ` ${points === 1 ? 'It is' : 'They are'} worth ${moneyText(liabilityCents, currency)}.`;
}

const tick = html`<svg class="tick" viewBox="0 0 48 48" width="48" height="48" aria-hidden="true"><circle cx="24" cy="24" r="24"/><path d="m14 25 7 7 13-15" fill="none" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

/** Whom to ask: a mail to the shop, whose site would learn where its reader came from. */
function help({ name, supportEmail }: Merchant): Html {
  return supportEmail === null
    ? html`<p class="small">Questions? Contact ${name}.</p>`
    : html`<p class="small">Questions? <a href="mailto:${supportEmail}">Email ${name}</a></p>`;
}
