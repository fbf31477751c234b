import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import {
  type ClaimPageState,
  claimPageStateOf,
  customerStatusOf,
  expiredAt,
  statusOf,
} from '../../domain/reward.ts';
import { atReview } from '../../domain/reward-words.ts';
import { param } from '../../http/context.ts';
import { claimReward } from '../../operations/rewards.ts';
import { createReadClaim, type Merchant, type ReadClaim } from '../../views/customers.ts';
import { customerView } from '../components/customer-layout.ts';
import {
  again,
  amount,
  help,
  type ShownReward,
  spendLink,
  spendWords,
  worth,
} from '../components/customer-words.ts';
import { type Html, html, nothing, type Part } from '../components/format.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { asksForJson } from '../middleware/customers.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import {
  localizerFor,
  type PageLocalizer,
  requestedLanguage,
} from '../words/customer-localizer.ts';

export const ofClaim = { params: { token: 'claimToken' }, secretInPath: true } as const;

/**
 * The claim link in customers' emails and text messages: what the reward is worth and until when, and the
 * button to claim it. A GET claims nothing, since programs follow links. Clients that prefer JSON get it
 * instead of a page.
 */
export function claimRoutes(
  routes: RoutesOf<'public'>,
  { models }: Pick<PageDeps, 'models'>,
): void {
  const find = finder(models);
  const act = (ctx: PageContext<'public'>, deps: PageDeps) => claim(ctx, deps, find);
  routes.page(
    '/claim/:token',
    async (ctx, deps) => show(ctx, claimOf(await find(ctx, deps))),
    ofClaim,
  );
  routes.action('/claim/:token', { schema: Joi.object({}), act }, ofClaim);
}

export type FindClaim = (ctx: PageContext<'public'>, deps: PageDeps) => Promise<ReadClaim>;

/** Finds what a claim link leads to. */
export function finder(models: PageDeps['models']): FindClaim {
  const read = createReadClaim(models);
  return async (ctx, deps) => {
    const known = await read(tokenOf(ctx));
    if (known) return known;
    deps.throttle.tryUnknownLink(ctx.state.address);
    throw new ServiceError('NOT_FOUND', 'This claim link is unknown.');
  };
}

async function claim(ctx: PageContext<'public'>, deps: PageDeps, find: FindClaim): Promise<void> {
  const before = claimOf(await find(ctx, deps));
  const after = before.pageState === 'OPEN' ? await claimNow(ctx, deps, before) : before;
  const refusal = claimRefusalOf(after);
  if (refusal && asksForJson(ctx)) throw refusal;
  if (refusal) {
    ctx.state.code = refusal.code;
    show(ctx, after, refusal.status);
  } else if (asksForJson(ctx)) {
    show(ctx, after);
  } else {
    redirect(ctx, ctx.url);
  }
}

export async function claimNow(
  ctx: PageContext<'public'>,
  deps: PageDeps,
  { reward, partner, at }: Claim,
): Promise<Claim> {
  const after = await claimReward(deps, reward, { at, language: requestedLanguage(ctx) });
  return claimOf({ reward: after, partner, at });
}

/** Of a link from a text, whose punctuation many programs take for a part of it. */
export const tokenOf = (ctx: PageContext<'public'>): string =>
  param(ctx, 'token').replace(/[^\w-]+$/, '');

export function claimOf({ reward, partner, at }: ReadClaim): Claim {
  const isSuspended = partner.status === 'SUSPENDED';
  const pageState = claimPageStateOf(reward, { isSuspended, nowMs: at.getTime() });
  return { reward, partner, at, pageState };
}

function show(ctx: PageContext<'public'>, shown: Claim, status = pageStatus(shown)): void {
  if (asksForJson(ctx)) {
    ctx.body = present(shown);
    return;
  }
  const { reward, partner, at, pageState } = shown;
  const localizer = localizerFor(ctx, partner);
  const where = { path: ctx.path, nowMs: at.getTime(), localizer };
  const { title, content } = claimPages[pageState]({ ...shown, ...where });
  const isTest = reward.mode === 'TEST';
  ctx.status = status;
  customerView(
    ctx,
    { title, merchant: partner.name, isTest, branding: partner.branding, localizer },
    content,
  );
}

/** With 410, programs learn that the reward is permanently gone. */
function pageStatus({ pageState }: Claim): number {
  return pageState === 'EXPIRED' || pageState === 'CANCELLED' ? 410 : 200;
}

/** Why a reward was not claimed; null if it is claimed, now or before. */
export function claimRefusalOf({
  pageState,
  reward: { claimableFrom },
}: Claim): ServiceError | null {
  switch (pageState) {
    case 'CLAIMED':
    case 'IN_REVIEW':
      return null;
    case 'SUSPENDED':
      return new ServiceError(
        'PARTNER_SUSPENDED',
        'The partner is suspended: its rewards can be claimed once it is active again.',
      );
    case 'CANCELLED':
      return new ServiceError(
        'REWARD_NOT_CLAIMABLE',
        'The reward was cancelled, usually because the purchase was refunded.',
      );
    case 'AWAITING_FUNDING':
      return new ServiceError(
        'REWARD_NOT_CLAIMABLE',
        'The reward is not ready to be claimed yet. Try again later.',
      );
    case 'ON_HOLD':
      return new ServiceError(
        'REWARD_NOT_CLAIMABLE',
        `The reward can be claimed from ${claimableFrom?.toISOString()} on.`,
      );
    case 'EXPIRED':
    case 'OPEN':
      return new ServiceError('CLAIM_EXPIRED', 'The claim window of this reward has ended.');
  }
}

/** What a holder of the link may see, which excludes the customer's data. */
function present({ reward, partner }: Claim) {
  const { mode, points, state } = reward;
  const status = statusOf(state);
  const customerStatus = customerStatusOf(state);
  return {
    success: true,
    mode,
    partner: { name: partner.name },
    reward: {
      points,
      status,
      customerStatus,
      claimExpiresAt: reward.claimExpiresAt.toISOString(),
      claimableFrom: reward.claimableFrom?.toISOString() ?? null,
    },
  };
}

interface Claim extends ReadClaim {
  pageState: ClaimPageState;
}

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

const tick = html`<svg class="tick" viewBox="0 0 48 48" width="48" height="48" aria-hidden="true"><circle cx="24" cy="24" r="24"/><path d="m14 25 7 7 13-15" fill="none" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
