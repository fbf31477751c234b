import type { RewardDoc } from '../../models/schemas/rewards.ts';
import { badge, facts, section, wordsOf } from './components.ts';
import { money, number, time } from './format.ts';
import { type Html, html, nothing } from './html.ts';
import { idLink } from './id-link.ts';

const words: Readonly<Record<string, string>> = {
  FUND: 'The reward is funded.',
  RUN_SHORT: 'Not enough funds: the reward is waiting for a top-up.',
  CLAIM: 'The customer claimed it.',
  EXPIRE: 'The claim window ended.',
  REFUND: 'The purchase was refunded.',
  CANCEL: 'An operator cancelled it.',
  UPHOLD: 'A review cancelled it.',
  DISMISS: 'A review left it with the customer.',
};

function wordsOfMove(move: string): string {
  const key = words[move];
  return key === undefined ? wordsOf(move) : key;
}

/** Reloads the part until the workflow has finished accounting for the reward. */
const again = (rewardId: string): Html =>
  html`hx-get="/test-clock/${rewardId}" hx-trigger="every 1s" hx-select="#story" hx-target="this" hx-swap="outerHTML"`;

/** The progress before the workflow has created the reward. */
export function pendingProgress(eventId: string, rewardId: string): Html {
  return html`<div id="story" ${again(rewardId)}>${section(
    'What happened',
    html`<p>Processing of ${idLink(eventId)} is starting.</p>`,
  )}</div>`;
}

/** The reward and all its moves so far. */
export function rewardProgress(reward: RewardDoc): Html {
  const { _id, status, points, liabilityCents, currency, moves, createdAt } = reward;
  return html`<div id="story" ${moves.length === 0 ? again(_id) : nothing}>${section(
    'What happened',
    facts([
      ['State', badge(status)],
      ['Points', number(points)],
      ['Cost', money(liabilityCents, currency)],
      ['Order', html`<span class="clip">${reward.externalOrderId}</span>`],
      ['Event', idLink(reward.purchaseEventId)],
      ['Reward', idLink(_id)],
      ['Claim by', time(reward.claimExpiresAt)],
    ]),
    html`<ol class="story"><li class="story-step">${time(createdAt)} <span>The purchase was reported.</span></li>${moves.map(
      ({ move, at, status: after }) =>
        html`<li class="story-step">${time(at)} <span>${wordsOfMove(move)}</span> ${badge(after)}</li>`,
    )}</ol>`,
  )}</div>`;
}
