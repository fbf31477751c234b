import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { pageParameters } from '../../http/query.ts';
import {
  createReadClaim,
  findPointsLink,
  type ReadClaim,
  readCustomerPoints,
} from '../../models/views/customers.ts';
import { customerView } from '../components/customer-layout.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import {
  askForPointsPage,
  pointsGonePage,
  pointsLinkSentPage,
  pointsPage,
} from '../pages/customers.ts';
import { queryOf } from '../routing/query.ts';
import type { Routes } from '../routing/route-table.ts';
import { localizerFor, requestedLanguage } from '../words/customer-localizer.ts';

type FindClaim = (ctx: PageContext<'public'>, deps: PageDeps) => Promise<ReadClaim>;

const open = { audience: 'public', permission: null, secretInPath: true } as const;
const asking = { ...open, path: '/claim/:token/points', params: { token: 'claimToken' } } as const;
const showing = { ...open, path: '/points/:token', params: { token: 'pointsToken' } } as const;

/**
 * A customer's points at a partner, behind a separate link. Anyone with a claim link can request it, but it
 * is only sent to the contact of that purchase, and the page reveals nothing about that contact.
 */
export function pointsRoutes(routes: Routes, { models }: Pick<PageDeps, 'models'>): void {
  const read = createReadClaim(models);
  const find: FindClaim = async (ctx, deps) => {
    const known = await read(param(ctx, 'token'));
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

async function showPoints(ctx: PageContext<'public'>, deps: PageDeps): Promise<void> {
  const link = await findPointsLink(deps, param(ctx, 'token'));
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
