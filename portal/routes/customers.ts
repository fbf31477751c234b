import Joi from 'joi';
import type { Logo } from '../../domain/branding.ts';
import { ServiceError } from '../../domain/errors.ts';
import { claimPageStateOf, customerStatusOf, statusOf } from '../../domain/reward.ts';
import { pageParameters } from '../../http/query.ts';
import { claimReward } from '../../operations/rewards.ts';
import {
  createReadClaim,
  findPointsLink,
  type ReadClaim,
  readCustomerPoints,
  readRewardBehind,
} from '../../views/customers.ts';
import { findLogo } from '../../views/partners.ts';
import { readCustomerReceipt } from '../../views/receipt.ts';
import { customerView } from '../components/customer-layout.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { asksForJson } from '../middleware/customers.ts';
import { orNotFound } from '../middleware/form.ts';
import {
  askForPointsPage,
  type Claim,
  claimPages,
  pointsGonePage,
  pointsLinkSentPage,
  pointsPage,
} from '../pages/customers.ts';
import { queryOf } from '../routing/query.ts';
import type { Routes } from '../routing/route-table.ts';
import { sendReceipt } from '../send-receipt.ts';
import { localizerFor, requestedLanguage } from '../words/customer-localizer.ts';

const claimSpec = {
  path: '/claim/:token',
  params: { token: 'claimToken' },
  audience: 'public',
  permission: null,
  secretInPath: true,
} as const;

/**
 * The claim link in customers' emails and text messages: what the reward is worth and until when, and the
 * button to claim it. A GET claims nothing, since programs follow links. Clients that prefer JSON get it
 * instead of a page.
 */
export function claimRoutes(routes: Routes, { models }: Pick<PageDeps, 'models'>): void {
  const read = createReadClaim(models);
  routes.page(claimSpec, (ctx, deps) => showClaim(ctx, deps, read));
  routes.action(claimSpec, {
    schema: Joi.object({}),
    act: (ctx, deps) => claim(ctx, deps, read),
  });
}

type ClaimReader = ReturnType<typeof createReadClaim>;

async function showClaim(
  ctx: PageContext<'public'>,
  deps: PageDeps,
  read: ClaimReader,
): Promise<void> {
  show(ctx, await find(ctx, deps, read));
}

async function claim(ctx: PageContext<'public'>, deps: PageDeps, read: ClaimReader): Promise<void> {
  const before = await find(ctx, deps, read);
  const after = before.pageState === 'OPEN' ? await claimNow(ctx, deps, before) : before;
  const refusal = refusalOf(after);
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

async function claimNow(
  ctx: PageContext<'public'>,
  deps: PageDeps,
  { reward, partner, at }: Claim,
): Promise<Claim> {
  const after = await claimReward(deps, reward, { at, language: requestedLanguage(ctx) });
  return claimOf({ reward: after, partner, at });
}

async function find(ctx: PageContext<'public'>, deps: PageDeps, read: ClaimReader): Promise<Claim> {
  const known = await read(tokenOf(ctx));
  if (known) return claimOf(known);
  deps.throttle.tryUnknownLink(ctx.state.address);
  throw new ServiceError('NOT_FOUND', 'This claim link is unknown.');
}

/** Of a link from a text, whose punctuation many programs take for a part of it. */
const tokenOf = (ctx: PageContext<'public'>): string => param(ctx, 'token').replace(/[^\w-]+$/, '');

function claimOf({ reward, partner, at }: ReadClaim): Claim {
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
function refusalOf({ pageState, reward: { claimableFrom } }: Claim): ServiceError | null {
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

type FindClaim = (ctx: PageContext<'public'>, deps: PageDeps) => Promise<ReadClaim>;

const open = { audience: 'public', permission: null, secretInPath: true } as const;
const asking = { ...open, path: '/claim/:token/points', params: { token: 'claimToken' } } as const;
const showing = { ...open, path: '/points/:token', params: { token: 'pointsToken' } } as const;

const claiming = {
  ...open,
  path: '/points/:token/claim/:rewardId',
  params: { token: 'pointsToken', rewardId: 'reward' },
} as const;

/**
 * A customer's points at a partner, behind a separate link. Anyone with a claim link can request it, but it
 * is only sent to the contact of that purchase, and the page reveals nothing about that contact.
 */
export function pointsRoutes(routes: Routes, { models }: Pick<PageDeps, 'models'>): void {
  const read = createReadClaim(models);
  const find: FindClaim = async (ctx, deps) => {
    const known = await read(tokenOf(ctx));
    if (known) return known;
    deps.throttle.tryUnknownLink(ctx.state.address);
    throw new ServiceError('NOT_FOUND', 'This claim link is unknown.');
  };
  routes.page(asking, async (ctx, deps) =>
    showAsked(ctx, await find(ctx, deps), askForPointsPage, ctx.path.replace(/\/points$/, '')),
  );
  routes.page({ ...asking, path: `${asking.path}/sent` }, async (ctx, deps) =>
    showAsked(
      ctx,
      await find(ctx, deps),
      pointsLinkSentPage,
      ctx.path.replace(/\/points\/sent$/, ''),
    ),
  );
  routes.action(asking, { schema: Joi.object({}), act: (ctx, deps) => ask(ctx, deps, find) });
  routes.page(showing, showPoints);
  routes.page(
    {
      ...open,
      path: '/points/:token/:rewardId/receipt.json',
      params: { token: 'pointsToken', rewardId: 'receipt' },
    },
    downloadReceipt,
  );
  routes.action(claiming, { schema: Joi.object({}), act: claimFromPoints });
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
  const refusal = refusalOf(after);
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

const logoSpec = {
  path: '/logos/:logo',
  params: { logo: 'logo' },
  audience: 'public',
  permission: null,
} as const;

/** Partners' logos, for claim pages and emails. */
export function logoRoutes(routes: Routes): void {
  routes.page(logoSpec, showLogo);
}

async function showLogo(ctx: PageContext<'public'>, deps: PageDeps): Promise<void> {
  const [hash = '', type] = param(ctx, 'logo').split('.');
  const bytes = orNotFound(await findLogo(deps, { hash, type: type as Logo['type'] }));
  ctx.set({
    'Cache-Control': 'public, max-age=31536000, immutable',
    // Opened directly, it must be an image and nothing else.
    'Content-Security-Policy': "default-src 'none'; sandbox",
    // Webmail shows it on pages of other origins.
    'Cross-Origin-Resource-Policy': 'cross-origin',
  });
  ctx.type = type === 'jpg' ? 'image/jpeg' : 'image/png';
  ctx.body = bytes;
}
