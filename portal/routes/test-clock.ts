import Joi from 'joi';
import { type Interval, intervals } from '../../domain/plan-arithmetic.ts';
import { readTestClock, readTestPeriod } from '../../models/views/test-clock.ts';
import { findTestReward } from '../../models/views/test-rewards.ts';
import { execute } from '../../operations/execute.ts';
import { endTestPeriod } from '../../operations/test-clock/end-period.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { emptyForm, type Filled, type Problems } from '../forms/submit.ts';
import { testClockPage, testPeriodPage, testRewardPage } from '../html/pages/test-clock.ts';
import { render } from '../html/view.ts';
import { actorOf } from '../operate.ts';
import { ownScope } from '../routing/own-scope.ts';
import type { Routes } from '../routing/route-table.ts';
import { makeTestMove, type TestMoveName, testMoves } from '../test-moves.ts';

interface PeriodForm {
  planVersionId?: string;
  interval?: Interval;
}
const periodSchema = Joi.object<PeriodForm>({
  planVersionId: Joi.string().max(64),
  interval: Joi.string().valid(...intervals),
});
const common = { audience: 'partner', permission: 'test-event.send' } as const;
const ofReward = { ...common, params: { rewardId: 'testReward' } } as const;
const ofPeriod = { ...common, params: { testPeriodId: 'testPeriod' } } as const;

/** The TEST clock: lets time pass for one TEST reward or billing period. LIVE is never affected. */
export function testClockPages(routes: Routes): void {
  routes.page({ ...common, path: '/test-clock' }, showClock);
  routes.action(
    { ...common, path: '/test-clock/end-period' },
    { schema: periodSchema, check: requirePlan, act: endPeriod, retry: showClock },
  );
  routes.page({ ...ofPeriod, path: '/test-clock/periods/:testPeriodId' }, showPeriod);
  routes.page({ ...ofReward, path: '/test-clock/:rewardId' }, showReward);
  for (const name of Object.keys(testMoves) as TestMoveName[]) {
    routes.action(
      { ...ofReward, path: `/test-clock/:rewardId/${name}` },
      { schema: Joi.object({}), act: move(name), retry: showReward },
    );
  }
}

async function showClock(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const { currency } = ctx.state.viewer.partner;
  render(ctx, testClockPage(ctx, await readTestClock(deps, ownScope(ctx), currency), filled));
}

async function requirePlan(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { planVersionId }: PeriodForm,
): Promise<Problems> {
  if (planVersionId !== undefined) return {};
  const { currency } = ctx.state.viewer.partner;
  const { hasSubscription } = await readTestClock(deps, ownScope(ctx), currency);
  return hasSubscription ? {} : { planVersionId: 'Choose a plan: you have no subscription.' };
}

async function endPeriod(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  fields: PeriodForm,
): Promise<void> {
  const { _id: partnerId } = ctx.state.viewer.partner;
  const { _id } = await execute(deps, endTestPeriod, actorOf(ctx), { partnerId, ...fields });
  redirect(ctx, `/test-clock/periods/${_id}`, 'The TEST period has ended.');
}

async function showPeriod(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const period = await readTestPeriod(deps, ownScope(ctx), param(ctx, 'testPeriodId'));
  render(ctx, testPeriodPage(ctx.state.viewer.partner, period));
}

async function showReward(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const reward = await findTestReward(deps, ownScope(ctx), param(ctx, 'rewardId'));
  render(ctx, testRewardPage(ctx, reward, filled));
}

const move =
  (name: TestMoveName) =>
  async (ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> => {
    const rewardId = param(ctx, 'rewardId');
    await makeTestMove(deps, actorOf(ctx), rewardId, name);
    redirect(ctx, `/test-clock/${rewardId}`, testMoves[name].said);
  };
