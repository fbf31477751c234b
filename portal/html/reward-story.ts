import type { RewardDoc } from '../../models/schemas/reward.ts';
import { badge, facts, section, wordsOf } from './components.ts';
import { money, number, time } from './format.ts';
import { type Html, html, nothing } from './html.ts';
import { idLink } from './id-link.ts';

const words: Record<string, string> = {
  FUND: 'It is funded.',
  RUN_SHORT: 'The wallet has too little: it waits for funding.',
  CLAIM: 'The customer claimed it.',
  EXPIRE: 'Its claim window ended.',
  REFUND: 'The purchase was refunded.',
  CANCEL: 'An operator cancelled it.',
  UPHOLD: 'A review cancelled it.',
  DISMISS: 'A review left it with the customer.',
};

/** Until its workflow has accounted for a reward, its story is asked for again. */
const again = (rewardId: string): Html =>
  html`hx-get="/test-clock/${rewardId}" hx-trigger="every 1s" hx-select="#story" hx-target="this" hx-swap="outerHTML"`;

/** The story of a reward that its workflow has not made yet. */
export function storyToCome(eventId: string, rewardId: string): Html {
  return html`<div id="story" ${again(rewardId)}>${section(
    'The workflow’s story',
    html`<p>The workflow of ${idLink(eventId)} begins.</p>`,
  )}</div>`;
}

/** What a reward is, and every move that its workflow has made. */
export function rewardStory(reward: RewardDoc): Html {
  const { _id, status, points, liabilityCents, currency, moves, createdAt } = reward;
  return html`<div id="story" ${moves.length === 0 ? again(_id) : nothing}>${section(
    'The workflow’s story',
    facts([
      ['State', badge(status)],
      ['Points', number(points)],
      ['Costs you', money(liabilityCents, currency)],
      ['Order', html`<span class="clip">${reward.externalOrderId}</span>`],
      ['Event', idLink(reward.purchaseEventId)],
      ['Reward', idLink(_id)],
      ['To be claimed until', time(reward.claimExpiresAt)],
    ]),
    html`<ol class="story"><li class="story-step">${time(createdAt)} <span>The purchase was reported, and its workflow began.</span></li>${moves.map(
      ({ move, at, status: after }) =>
        html`<li class="story-step">${time(at)} <span>${words[move] ?? wordsOf(move)}</span> ${badge(after)}</li>`,
    )}</ol>`,
  )}</div>`;
}
