import type { RewardDoc } from '../../models/schemas/reward.ts';
import { type PlainKey, say } from '../words/say.ts';
import { badge, facts, section, wordsOf } from './components.ts';
import { money, number, time } from './format.ts';
import { type Html, html, nothing } from './html.ts';
import { idLink } from './id-link.ts';

const words: Readonly<Record<string, PlainKey>> = {
  FUND: 'rewardStory.words.fund',
  RUN_SHORT: 'rewardStory.words.runShort',
  CLAIM: 'rewardStory.words.claim',
  EXPIRE: 'rewardStory.words.expire',
  REFUND: 'rewardStory.words.refund',
  CANCEL: 'rewardStory.words.cancel',
  UPHOLD: 'rewardStory.words.uphold',
  DISMISS: 'rewardStory.words.dismiss',
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
    say('rewardStory.section.theWorkflowsStory'),
    html`<p>${say('rewardStory.storyToCome.text', { eventId: idLink(eventId) })}</p>`,
  )}</div>`;
}

/** The reward and all its moves so far. */
export function rewardProgress(reward: RewardDoc): Html {
  const { _id, status, points, liabilityCents, currency, moves, createdAt } = reward;
  return html`<div id="story" ${moves.length === 0 ? again(_id) : nothing}>${section(
    say('rewardStory.section.theWorkflowsStory'),
    facts([
      [say('common.state'), badge(status)],
      [say('common.points'), number(points)],
      [say('rewardStory.costsYou'), money(liabilityCents, currency)],
      [say('common.order'), html`<span class="clip">${reward.externalOrderId}</span>`],
      [say('common.event'), idLink(reward.purchaseEventId)],
      [say('common.reward'), idLink(_id)],
      [say('rewardStory.claimedUntil'), time(reward.claimExpiresAt)],
    ]),
    html`<ol class="story"><li class="story-step">${time(createdAt)} <span>${say('rewardStory.text')}</span></li>${moves.map(
      ({ move, at, status: after }) =>
        html`<li class="story-step">${time(at)} <span>${wordsOfMove(move)}</span> ${badge(after)}</li>`,
    )}</ol>`,
  )}</div>`;
}
