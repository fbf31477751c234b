import { Router } from '@koa/router';
import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import type { Mode } from '../../domain/mode.ts';
import { cappedByContract } from '../../domain/points.ts';
import { createHealth } from '../../http/health.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import { execute } from '../../operations/execute.ts';
import { requestGoLive } from '../../operations/go-live.ts';
import { readLiveHome, readTestHome } from '../../views/console.ts';
import { readProgress, readSetUp, type SetUpProgress } from '../../views/go-live.ts';
import { integrationChoices } from '../../views/integrations.ts';
import type { PartnerScope } from '../../views/partner-scope.ts';
import { countUnanswered } from '../../views/reviews.ts';
import { readPromotable } from '../../views/rules.ts';
import { readMonths } from '../../views/usage.ts';
import { readWebhookEndpoints } from '../../views/webhooks.ts';
import { render } from '../components/view.ts';
import { type PageContext, type PortalState, redirect } from '../context.ts';
import type { PageDeps, PortalDeps } from '../deps.ts';
import { actorOf } from '../operate.ts';
import {
  type Attention,
  dashboardPage,
  type LiveNow,
  type NextParts,
  setUpPage,
  testHomePage,
} from '../pages/home.ts';
import { modeOf } from '../routing/modes.ts';
import { ownScope } from '../routing/own-scope.ts';
import type { Routes } from '../routing/route-table.ts';
import { howToPay } from './funding.ts';
import { promoteRule } from './rules.ts';

/** The start page: the set-up steps, with the request for go-live; once live, a daily overview. */
export function homePages(routes: Routes): void {
  routes.page({ path: '/', audience: 'user', permission: null }, redirectHome);
  routes.page({ path: '/home', audience: 'partner', permission: 'read' }, showHome);
  routes.action(
    {
      path: '/go-live',
      audience: 'partner',
      permission: 'partner.request-go-live',
      secondFactor: true,
    },
    { schema: requestSchema, act: request, retry: showHome },
  );
}

function redirectHome(ctx: PageContext<'user'>): void {
  redirect(ctx, ctx.state.viewer.kind === 'partner' ? '/home' : '/admin');
}

async function showHome(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const { partner } = ctx.state.viewer;
  const mode = modeOf(ctx);
  const attention = await readAttention(deps, ownScope(ctx), mode);
  if (partner.goLive.state !== 'LIVE') {
    const found = await readSetUp(deps, partner);
    const parts = await readNextParts(deps, ownScope(ctx), partner, found);
    return render(ctx, setUpPage(ctx, found, attention, parts));
  }
  if (mode === 'TEST') {
    return render(ctx, testHomePage(ctx, await readTestHome(deps, ownScope(ctx)), attention));
  }
  const [progress, live] = await Promise.all([
    readProgress(deps, partner),
    readLive(deps, ownScope(ctx)),
  ]);
  const parts = await readNextParts(deps, ownScope(ctx), partner, progress);
  render(ctx, dashboardPage(ctx, live, progress, attention, parts));
}

async function readAttention(
  deps: PageDeps,
  partnerId: PartnerScope,
  mode: Mode,
): Promise<Attention> {
  const [questions, endpoints] = await Promise.all([
    countUnanswered(deps, partnerId, mode),
    readWebhookEndpoints(deps, partnerId, mode),
  ]);
  const failingWebhooks = endpoints.filter(
    ({ status, failingSince }) =>
      status === 'DISABLED' || (status === 'ACTIVE' && failingSince !== null),
  );
  return { questions, failingWebhooks };
}

async function readLive(deps: PageDeps, partnerId: PartnerScope): Promise<LiveNow> {
  const [today, months] = await Promise.all([
    readLiveHome(deps, partnerId),
    readMonths(deps, partnerId),
  ]);
  return { today, months };
}

async function readNextParts(
  deps: PageDeps,
  scope: PartnerScope,
  partner: PartnerDoc,
  { setUp: { next } }: SetUpProgress,
): Promise<NextParts> {
  const promoted =
    next?.requirement === 'APPROVAL' ? await readPromotable(deps, scope, partner) : [];
  return {
    nowMs: deps.now(),
    howToPay: howToPay(deps, partner),
    promoted: promoted.map((rule) => cappedByContract(rule, partner)),
    integrations: next?.step === 'LIVE_KEY' ? await integrationChoices(deps, scope) : [],
  };
}

const requestSchema = Joi.object<{ rule: string[] }>({
  rule: Joi.array().items(Joi.string().max(64)).single().default([]),
});

/** Requests go-live, after promoting the rules that the page showed. */
async function request(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { rule: shown }: { rule: string[] },
): Promise<void> {
  const { partner } = ctx.state.viewer;
  const scope = ownScope(ctx);
  const promotable = await readPromotable(deps, scope, partner);
  const { setUp } = await readProgress(deps, partner);
  // If anything else is missing, the request says so, and no rule becomes LIVE.
  const isReady = partner.status === 'ACTIVE' && setUp.next?.requirement === 'APPROVAL';
  if (isReady && promotable.length > 0) {
    const ruleIds = promotable.map(({ ruleId }) => ruleId);
    if (ruleIds.toSorted().join() !== shown.toSorted().join()) {
      throw new ServiceError(
        'CONFLICT',
        'Your TEST rules have changed. Check them, then request again.',
      );
    }
    for (const rule of promotable) await promoteRule(ctx, deps, rule, null);
  }
  await execute(deps, requestGoLive, actorOf(ctx), { partnerId: partner._id });
  redirect(ctx, '/home', 'Go-live requested. An operator will review it.');
}

/** Health checks for load balancers: the process is up, and reaches MongoDB. */
export function createHealthRouter(deps: PortalDeps): Router<PortalState> {
  const router = new Router<PortalState>();
  const { healthz, readyz } = createHealth(deps);
  router.get('/healthz', healthz);
  router.get('/readyz', readyz);
  return router;
}
