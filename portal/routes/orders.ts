import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { execute } from '../../operations/execute.ts';
import {
  correctContactOfReward,
  endHold,
  letOthersPass,
  sendLinkAgain,
} from '../../operations/rewards.ts';
import { readOrder, rewardOfEvent } from '../../views/event.ts';
import { redemptionOfEvent } from '../../views/redemptions.ts';
import { readOwnReward } from '../../views/rewards.ts';
import { render } from '../components/view.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { contactOfText, contactSchema } from '../forms/fields.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { orNotFound } from '../middleware/form.ts';
import { actorOf } from '../operate.ts';
import { correctContactPage, orderPage } from '../pages/orders.ts';
import { ownScope } from '../routing/own-scope.ts';
import type { Routes } from '../routing/route-table.ts';
import { makeTestMove, type TestMoveName, testMoves } from '../test-moves.ts';

const reading = { audience: 'partner', permission: 'read' } as const;
const correcting = {
  path: '/orders/:rewardId/contact',
  params: { rewardId: 'reward' },
  audience: 'partner',
  permission: 'reward.correct-contact',
  secondFactor: 'LIVE',
} as const;

/** The page of an order, by its reward; the TEST clock, which LIVE never has; and where an event's id leads. */
export function orderPages(routes: Routes): void {
  routes.page({ ...reading, path: '/orders/:rewardId', params: { rewardId: 'reward' } }, showOrder);
  routes.page({ ...reading, path: '/events/:eventId', params: { eventId: 'event' } }, showEvent);
  routes.page(correcting, showCorrect);
  routes.action(
    {
      path: '/orders/:rewardId/send-again',
      params: { rewardId: 'reward' },
      audience: 'partner',
      permission: 'reward.send-again',
    },
    { schema: Joi.object({}), act: sendAgain, retry: showOrder },
  );
  routes.action(
    {
      path: '/orders/:rewardId/let-pass',
      params: { rewardId: 'reward' },
      audience: 'partner',
      permission: 'reward.let-pass',
      secondFactor: 'LIVE',
    },
    { schema: Joi.object({}), act: letPass, retry: showOrder },
  );
  routes.action(
    {
      path: '/orders/:rewardId/end-hold',
      params: { rewardId: 'reward' },
      audience: 'partner',
      permission: 'reward.end-hold',
      secondFactor: 'LIVE',
    },
    { schema: Joi.object({}), act: endIt, retry: showOrder },
  );
  routes.action(correcting, { schema: contactSchema, act: correct, retry: showCorrect });
  for (const name of Object.keys(testMoves) as TestMoveName[]) {
    routes.action(
      {
        path: `/orders/:rewardId/${name}`,
        params: { rewardId: 'testReward' },
        audience: 'partner',
        permission: 'test-event.send',
      },
      { schema: Joi.object({}), act: move(name), retry: showOrder },
    );
  }
}

async function showOrder(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const order = orNotFound(await readOrder(deps, ownScope(ctx), param(ctx, 'rewardId')));
  render(ctx, orderPage(ctx, order, deps.now()));
}

async function showEvent(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const eventId = param(ctx, 'eventId');
  const rewardId = await rewardOfEvent(deps, ownScope(ctx), eventId);
  if (rewardId !== null) return redirect(ctx, `/orders/${rewardId}`);
  const redemptionId = await redemptionOfEvent(deps, ownScope(ctx), eventId);
  redirect(ctx, `/redemptions/${orNotFound(redemptionId)}`);
}

async function sendAgain(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const rewardId = param(ctx, 'rewardId');
  orNotFound(await readOwnReward(deps, ownScope(ctx), rewardId));
  if (!deps.throttle.mayAskForPoints(rewardId)) {
    throw new ServiceError('RATE_LIMITED', 'It was sent five times today. Try again tomorrow.');
  }
  const sent = await execute(deps, sendLinkAgain, actorOf(ctx), { rewardId });
  const said =
    sent === 'CLAIM'
      ? 'The claim link is being sent again.'
      : 'A link to their points is being sent to the customer.';
  redirect(ctx, `/orders/${rewardId}`, said);
}

async function letPass(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const rewardId = param(ctx, 'rewardId');
  orNotFound(await readOwnReward(deps, ownScope(ctx), rewardId));
  await execute(deps, letOthersPass, actorOf(ctx), { rewardId });
  redirect(ctx, `/orders/${rewardId}`, 'Later orders no longer wait for this one.');
}

async function endIt(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const rewardId = param(ctx, 'rewardId');
  orNotFound(await readOwnReward(deps, ownScope(ctx), rewardId));
  await execute(deps, endHold, actorOf(ctx), { rewardId });
  redirect(ctx, `/orders/${rewardId}`, 'Hold ended.');
}

const move =
  (name: TestMoveName) =>
  async (ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> => {
    const rewardId = param(ctx, 'rewardId');
    await makeTestMove(deps, actorOf(ctx), rewardId, name);
    redirect(ctx, `/orders/${rewardId}`, testMoves[name].said);
  };

async function showCorrect(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const reward = orNotFound(await readOwnReward(deps, ownScope(ctx), param(ctx, 'rewardId')));
  render(ctx, correctContactPage(ctx, reward, filled));
}

async function correct(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { contact }: { contact: string },
): Promise<void> {
  const rewardId = param(ctx, 'rewardId');
  await execute(deps, correctContactOfReward, actorOf(ctx), {
    rewardId,
    ...contactOfText(contact),
  });
  redirect(ctx, `/orders/${rewardId}`, 'Contact corrected.');
}
