import Joi from 'joi';
import { statusOf } from '../../../domain/reward.ts';
import { pageSchema } from '../../../http/query.ts';
import { auditRead } from '../../../operations/audit-log.ts';
import { execute } from '../../../operations/execute.ts';
import { needsApproval } from '../../../operations/needs-approval.ts';
import {
  cancelReward,
  correctContactOfReward,
  endHold,
  letOthersPass,
  reinstateReward,
} from '../../../operations/rewards.ts';
import { readOrder } from '../../../views/event.ts';
import { readPartner } from '../../../views/partners.ts';
import { cancellationReasonOf, readAnyReward, readRewards } from '../../../views/rewards.ts';
import { operatorPaths } from '../../components/links.ts';
import { render } from '../../components/view.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import { contactOfText, contactSchema, reasonField, referenceField } from '../../forms/fields.ts';
import { emptyForm, type Filled } from '../../forms/submit.ts';
import { asked } from '../../lists/filters.ts';
import { orNotFound } from '../../middleware/form.ts';
import { actorOf, whenDone } from '../../operate.ts';
import {
  anyOrderPage,
  anyRewardFilters,
  cancelRewardPage,
  correctContactPage,
  reinstateRewardPage,
  rewardsPage,
} from '../../pages/admin/rewards.ts';
import { nameIds } from '../../routing/name-ids.ts';
import { queryOf } from '../../routing/query.ts';
import type { Routes } from '../../routing/route-table.ts';

const cancelSchema = Joi.object<{ reason: string }>({ reason: reasonField.required() });

const reading = { audience: 'operator', permission: 'read' } as const;
const params = { rewardId: 'reward' } as const;
const cancelling = {
  path: '/admin/rewards/:rewardId/cancel',
  params,
  audience: 'operator',
  permission: 'reward.cancel',
  secondFactor: true,
} as const;

const reinstating = {
  ...cancelling,
  path: '/admin/rewards/:rewardId/reinstate',
  permission: 'reward.reinstate',
} as const;
const correcting = {
  ...cancelling,
  path: '/admin/rewards/:rewardId/contact',
  permission: 'reward.correct-contact',
} as const;
const reinstateSchema = Joi.object<{ reference: string }>({ reference: referenceField.required() });

/** The rewards of all partners, and the page of a reward. */
export function operatorRewardPages(routes: Routes): void {
  routes.page({ ...reading, path: '/admin/rewards' }, showRewards);
  routes.page({ ...reading, path: '/admin/rewards/:rewardId', params }, showReward);
  routes.page(cancelling, showCancel);
  routes.action(cancelling, { schema: cancelSchema, act: cancel, retry: showCancel });
  routes.action(
    { ...cancelling, path: '/admin/rewards/:rewardId/let-pass', permission: 'reward.let-pass' },
    { schema: Joi.object({}), act: letPass, retry: showReward },
  );
  routes.action(
    { ...cancelling, path: '/admin/rewards/:rewardId/end-hold', permission: 'reward.end-hold' },
    { schema: Joi.object({}), act: endIt, retry: showReward },
  );
  routes.page(correcting, showCorrect);
  routes.action(correcting, { schema: contactSchema, act: correct, retry: showCorrect });
  routes.page(reinstating, showReinstate);
  routes.action(reinstating, {
    schema: reinstateSchema,
    act: reinstateIt,
    retry: showReinstate,
  });
}

async function showRewards(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const list = await asked(ctx, deps, anyRewardFilters);
  const { partnerId = null, customerId } = list.filter;
  if (customerId !== undefined && list.unmatched.length === 0) {
    const read = { partnerId, targetId: customerId };
    await auditRead(deps, actorOf(ctx), { action: 'customer.read', ...read });
  }
  const rewards = await readRewards(deps, list.filter, queryOf(ctx, pageSchema));
  render(ctx, rewardsPage(ctx, list, rewards));
}

async function showReward(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const targetId = param(ctx, 'rewardId');
  const order = orNotFound(await readOrder(deps, null, targetId));
  const { purchase, reward } = order;
  const { partnerId } = purchase;
  await auditRead(deps, actorOf(ctx), { action: 'reward.read', partnerId, targetId });
  const cancelledFor = reward?.cancellation ? await cancellationReasonOf(deps, reward) : null;
  await nameIds(ctx, deps, [purchase.integrationId, reward?.cancellation?.operatorId]);
  const partner = await readPartner(deps, partnerId);
  const { config } = deps;
  render(ctx, anyOrderPage(ctx, order, { partner, config, cancelledFor, nowMs: deps.now() }));
}

async function showCancel(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const reward = await readAnyReward(deps, param(ctx, 'rewardId'));
  const { mode, state } = reward;
  const isForTwo = needsApproval(deps.config, cancelReward, { mode, status: statusOf(state) });
  render(ctx, cancelRewardPage(ctx, reward, { needsApproval: isForTwo, filled }));
}

async function cancel(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  { reason }: { reason: string },
): Promise<void> {
  const rewardId = param(ctx, 'rewardId');
  const executed = await execute(deps, cancelReward, actorOf(ctx), { rewardId, reason });
  await whenDone(ctx, executed, () =>
    redirect(ctx, operatorPaths.REWARD + rewardId, 'Reward cancelled.'),
  );
}

async function letPass(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const rewardId = param(ctx, 'rewardId');
  await execute(deps, letOthersPass, actorOf(ctx), { rewardId });
  redirect(ctx, operatorPaths.REWARD + rewardId, 'Later orders no longer wait for this one.');
}

async function endIt(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const rewardId = param(ctx, 'rewardId');
  await execute(deps, endHold, actorOf(ctx), { rewardId });
  redirect(ctx, operatorPaths.REWARD + rewardId, 'Hold ended.');
}

async function showCorrect(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const reward = await readAnyReward(deps, param(ctx, 'rewardId'));
  const isForTwo = needsApproval(deps.config, correctContactOfReward, reward);
  render(ctx, correctContactPage(ctx, reward, { needsApproval: isForTwo, filled }));
}

async function correct(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  { contact }: { contact: string },
): Promise<void> {
  const rewardId = param(ctx, 'rewardId');
  const input = { rewardId, ...contactOfText(contact) };
  const executed = await execute(deps, correctContactOfReward, actorOf(ctx), input);
  await whenDone(ctx, executed, () =>
    redirect(ctx, operatorPaths.REWARD + rewardId, 'Contact corrected.'),
  );
}

async function showReinstate(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const reward = await readAnyReward(deps, param(ctx, 'rewardId'));
  const isForTwo = needsApproval(deps.config, reinstateReward, reward);
  render(ctx, reinstateRewardPage(ctx, reward, { needsApproval: isForTwo, filled }));
}

async function reinstateIt(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  { reference }: { reference: string },
): Promise<void> {
  const rewardId = param(ctx, 'rewardId');
  const executed = await execute(deps, reinstateReward, actorOf(ctx), { rewardId, reference });
  await whenDone(ctx, executed, () =>
    redirect(ctx, operatorPaths.REWARD + rewardId, 'Reward reinstated.'),
  );
}
