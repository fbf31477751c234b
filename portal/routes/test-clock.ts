import Joi from 'joi';
import { findTestReward, readTestClock } from '../../models/views/rewards.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { testClockPage, testRewardPage } from '../html/pages/test-clock.ts';
import { render } from '../html/view.ts';
import { actorOf } from '../operate.ts';
import { ownScope } from '../routing/own-scope.ts';
import type { Routes } from '../routing/route-table.ts';
import { makeTestMove, type TestMoveName, testMoves } from '../test-moves.ts';

const common = { audience: 'partner', permission: 'test-event.send' } as const;
const ofReward = { ...common, params: { rewardId: 'testReward' } } as const;

/** The TEST clock: lets time pass for one TEST reward. LIVE is never affected. */
export function testClockPages(routes: Routes): void {
  routes.page({ ...common, path: '/test-clock' }, showClock);
  routes.page({ ...ofReward, path: '/test-clock/:rewardId' }, showReward);
  for (const name of Object.keys(testMoves) as TestMoveName[]) {
    routes.action(
      { ...ofReward, path: `/test-clock/:rewardId/${name}` },
      { schema: Joi.object({}), act: move(name), retry: showReward },
    );
  }
}

async function showClock(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  render(ctx, testClockPage(await readTestClock(deps, ownScope(ctx))));
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
