import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import type { Mode } from '../../domain/mode.ts';
import { leftOf } from '../../domain/redemption.ts';
import { claimPageStateOf, expiredAt, type RewardMove } from '../../domain/reward.ts';
import { atReview } from '../../domain/reward-words.ts';
import { param } from '../../http/context.ts';
import { pageParameters } from '../../http/query.ts';
import type { RedemptionDoc } from '../../models/schemas/redemptions.ts';
import type { RewardDoc } from '../../models/schemas/rewards.ts';
import {
  type CustomerPoints,
  findPointsLink,
  type Merchant,
  type ReadClaim,
  readCustomerPoints,
  readRewardBehind,
} from '../../views/customers.ts';
import { readCustomerReceipt } from '../../views/receipt.ts';
import { linkButton } from '../components/components.ts';
import { customerView } from '../components/customer-layout.ts';
import {
  amount,
  help,
  helpOfShop,
  spendLink,
  spendWords,
  worth,
} from '../components/customer-words.ts';
import { type Html, html, nothing, type Part } from '../components/format.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { orNotFound } from '../middleware/form.ts';
import { queryOf } from '../routing/query.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { sendReceipt } from '../send-receipt.ts';
import {
  localizerFor,
  type PageLocalizer,
  requestedLanguage,
} from '../words/customer-localizer.ts';
import {
  claimNow,
  claimOf,
  claimRefusalOf,
  type FindClaim,
  finder,
  ofClaim,
  tokenOf,
} from './claim.ts';

/**
 * A customer's points at a partner, behind a separate link. Anyone with a claim link can request it, but it
 * is only sent to the contact of that purchase, and the page reveals nothing about that contact.
 */
export function pointsRoutes(
  routes: RoutesOf<'public'>,
  { models }: Pick<PageDeps, 'models'>,
): void {
  const find = finder(models);
  const path = '/claim/:token/points';
  const ofPoints = { params: { token: 'pointsToken' }, secretInPath: true } as const;
  const ofReceipt = {
    params: { token: 'pointsToken', rewardId: 'receipt' },
    secretInPath: true,
  } as const;
  const schema = Joi.object({});
  const asked =
    (pageOf: typeof askForPointsPage, end: RegExp) =>
    async (ctx: PageContext<'public'>, deps: PageDeps) =>
      showAsked(ctx, await find(ctx, deps), pageOf, ctx.path.replace(end, ''));
  routes.page(path, asked(askForPointsPage, /\/points$/), ofClaim);
  routes.page(`${path}/sent`, asked(pointsLinkSentPage, /\/points\/sent$/), ofClaim);
  routes.action(path, { schema, act: (ctx, deps) => ask(ctx, deps, find) }, ofClaim);
  routes.page('/points/:token', showPoints, ofPoints);
  routes.page('/points/:token/:rewardId/receipt.json', downloadReceipt, ofReceipt);
  routes.action('/points/:token/claim/:rewardId', { schema, act: claimFromPoints }, ofPoints);
}

function showAsked(
  ctx: PageContext<'public'>,
  { reward, partner }: ReadClaim,
  pageOf: typeof askForPointsPage,
  claimPath: string,
): void {
  const localizer = localizerFor(ctx, partner);
  const { title, content } = pageOf({ partner, claimPath, localizer });
  const isTest = reward.mode === 'TEST';
  customerView(
    ctx,
    { title, merchant: partner.name, isTest, branding: partner.branding, localizer },
    content,
  );
}

async function ask(ctx: PageContext<'public'>, deps: PageDeps, find: FindClaim): Promise<void> {
  const { reward } = await find(ctx, deps);
  const { _id: rewardId, partnerId, purchaseEventId, customerId, mode } = reward;
  if (deps.throttle.mayAskForPoints(rewardId)) {
    const language = requestedLanguage(ctx);
    const request = { partnerId, purchaseEventId, rewardId, customerId, mode };
    await deps.messenger
      .startPointsLink({ ...request, ...(language && { language }) })
      .catch((error: unknown) => {
        deps.log.warn({ err: error, rewardId }, 'the points link was not sent');
        throw new ServiceError(
          'UNAVAILABLE',
          'The link cannot be sent right now. Try again in a minute.',
        );
      });
  }
  redirect(ctx, localizerFor(ctx).to(`${ctx.path}/sent`));
}

const pointsQuery = Joi.object<{ cursor?: string }>({ cursor: pageParameters.cursor });

/** Claims one of the rewards on the page, as its own link does. */
async function claimFromPoints(ctx: PageContext<'public'>, deps: PageDeps): Promise<void> {
  const link = await findPointsLink(deps, tokenOf(ctx));
  if (!link) {
    deps.throttle.tryUnknownLink(ctx.state.address);
    throw new ServiceError('NOT_FOUND', 'This link is unknown.');
  }
  const claim = claimOf(orNotFound(await readRewardBehind(deps, link, param(ctx, 'rewardId'))));
  const after = claim.pageState === 'OPEN' ? await claimNow(ctx, deps, claim) : claim;
  const refusal = claimRefusalOf(after);
  if (refusal) throw refusal;
  redirect(ctx, localizerFor(ctx).to(ctx.path.replace(/\/claim\/\w+$/, '')));
}

async function showPoints(ctx: PageContext<'public'>, deps: PageDeps): Promise<void> {
  const link = await findPointsLink(deps, tokenOf(ctx));
  if (!link) {
    deps.throttle.tryUnknownLink(ctx.state.address);
    ctx.state.code = 'NOT_FOUND';
    ctx.status = 404;
    const localizer = localizerFor(ctx);
    const { title, content } = pointsGonePage(localizer);
    customerView(ctx, { title, merchant: null, localizer }, content);
    return;
  }
  const { cursor } = queryOf(ctx, pointsQuery);
  const points = await readCustomerPoints(deps, link, cursor);
  const { partner } = points;
  const { mode } = link;
  const localizer = localizerFor(ctx, partner);
  const where = { path: ctx.path, isFirst: cursor === undefined, nowMs: deps.now() };
  const { title, content } = pointsPage({ ...points, ...where, mode, localizer });
  customerView(
    ctx,
    {
      title,
      merchant: partner.name,
      isTest: mode === 'TEST',
      branding: partner.branding,
      localizer,
    },
    content,
  );
}

/** What proves to a customer what the ledger says of one of their rewards. */
async function downloadReceipt(ctx: PageContext<'public'>, deps: PageDeps): Promise<void> {
  const link = await findPointsLink(deps, tokenOf(ctx));
  if (!link) deps.throttle.tryUnknownLink(ctx.state.address);
  const receipt = await readCustomerReceipt(deps, orNotFound(link), param(ctx, 'rewardId'));
  sendReceipt(ctx, orNotFound(receipt));
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
function askForPointsPage({ partner, claimPath, localizer }: PointsLinkPage): CustomerPage {
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
function pointsLinkSentPage({ partner, claimPath, localizer }: PointsLinkPage): CustomerPage {
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
function pointsGonePage(localizer: PageLocalizer): CustomerPage {
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
function pointsPage(shown: ShownPoints): CustomerPage {
  const { partner, mode, points, spendablePoints, owedCents, ending, rewards, localizer } = shown;
  const { text, say, date } = localizer;
  const { name: merchant, currency } = partner;
  const isSuspended = partner.status === 'SUSPENDED';
  const value = { mode, points, liabilityCents: owedCents, currency };
  const title = text('points.title', { merchant });
  return {
    title,
    content: html`<h1>${title}</h1>
<p class="balance">${say('points.balance', { points, n: amount })}</p>
<p>${worth(value, localizer)}</p>${spendablePoints < points ? html`<p>${text('points.spendable', { points: spendablePoints })}</p>` : nothing}${ending ? html`<p>${say('points.ends', { points: ending.points, date: date(ending.at) })}</p>` : nothing}${isSuspended ? html`<p>${text('points.paused', { merchant })}</p>` : nothing}${spendWords(partner)}${spendLink(partner, localizer)}
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
  const spentOf = (one: RedemptionDoc) => (one.status === 'REVERSED' ? one : leftOf(one));
  const words = (one: RedemptionDoc) => {
    const { status, createdAt, updatedAt, currency } = one;
    if (status === 'HELD') return say('points.held', { date: date(createdAt) });
    if (status === 'REVERSED') return say('points.paidBack', { date: date(updatedAt) });
    const paid = money(spentOf(one).amountCents, currency);
    return say('points.paid', { date: date(createdAt), money: paid });
  };
  return html`<section class="history" aria-labelledby="spent"><h2 id="spent">${text('points.spent')}</h2>
<ul>${shown.map((one) => html`<li><strong>${text('points.row', { points: spentOf(one).points })}</strong><span class="state">${words(one)}</span></li>`)}</ul></section>`;
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
