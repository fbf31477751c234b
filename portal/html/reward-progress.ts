import type { RewardDoc } from '../../models/schemas/reward.ts';
import { type PlainKey, say } from '../words/say.ts';
import { badge, facts, section, wordsOf } from './components.ts';
import { money, number, time } from './format.ts';
import { type Html, html, nothing } from './html.ts';
import { idLink } from './id-link.ts';

const words: Readonly<Record<string, PlainKey>> = {
  FUND: 'rewardProgress.move.fund',
  RUN_SHORT: 'rewardProgress.move.runShort',
  CLAIM: 'rewardProgress.move.claim',
  EXPIRE: 'rewardProgress.move.expire',
  REFUND: 'rewardProgress.move.refund',
  CANCEL: 'rewardProgress.move.cancel',
  UPHOLD: 'rewardProgress.move.uphold',
  DISMISS: 'rewardProgress.move.dismiss',
};

function wordsOfMove(move: string): string {
  const key = words[move];
  return key === undefined ? wordsOf(move) : say(key);
}

/** Reloads the part until the workflow has finished accounting for the reward. */
const again = (rewardId: string): Html =>
  html`hx-get="/test-clock/${rewardId}" hx-trigger="every 1s" hx-select="#story" hx-target="this" hx-swap="outerHTML"`;

/** The progress before the workflow has created the reward. */
export function pendingProgress(eventId: string, rewardId: string): Html {
  return html`<div id="story" ${again(rewardId)}>${section(
    say('rewardProgress.section'),
    html`<p>${say('rewardProgress.starting', { eventId: idLink(eventId) })}</p>`,
  )}</div>`;
}

/** The reward and all its moves so far. */
export function rewardProgress(reward: RewardDoc): Html {
  const { _id, status, points, liabilityCents, currency, moves, createdAt } = reward;
  return html`<div id="story" ${moves.length === 0 ? again(_id) : nothing}>${section(
    say('rewardProgress.section'),
    facts([
      [say('common.state'), badge(status)],
      [say('common.points'), number(points)],
      [say('rewardProgress.cost'), money(liabilityCents, currency)],
      [say('common.order'), html`<span class="clip">${reward.externalOrderId}</span>`],
      [say('common.event'), idLink(reward.purchaseEventId)],
      [say('common.reward'), idLink(_id)],
      [say('rewardProgress.claimBy'), time(reward.claimExpiresAt)],
    ]),
    html`<ol class="story"><li class="story-step">${time(createdAt)} <span>${say('rewardProgress.reported')}</span></li>${moves.map(
      ({ move, at, status: after }) =>
        html`<li class="story-step">${time(at)} <span>${wordsOfMove(move)}</span> ${badge(after)}</li>`,
    )}</ol>`,
  )}</div>`;
}
