import Joi from 'joi';
import { defaultRedemptionSettings } from '../../domain/redemption.ts';
import { pageSchema } from '../../http/query.ts';
import { execute } from '../../operations/execute.ts';
import { updatePartner } from '../../operations/partners.ts';
import { readRedemption, readRedemptions } from '../../views/redemptions.ts';
import { render } from '../components/view.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { countField } from '../forms/fields.ts';
import { type Filled, filledWith, type Problems } from '../forms/submit.ts';
import { orNotFound } from '../middleware/form.ts';
import { actorOf } from '../operate.ts';
import { redemptionPage, redemptionsPage } from '../pages/redemptions.ts';
import { modeOf } from '../routing/modes.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { Routes } from '../routing/route-table.ts';

const reading = { audience: 'partner', permission: 'read' } as const;

const changing = {
  path: '/redemptions/settings',
  audience: 'partner',
  permission: 'partner.update',
  secondFactor: 'LIVE',
} as const;

interface SettingsForm {
  isAllowed: 'yes' | 'no';
  pointsPerUnit?: number;
  maxPointsPerCustomerDay?: number;
}

const schema = Joi.object<SettingsForm>({
  isAllowed: Joi.string().valid('yes', 'no').required(),
  pointsPerUnit: countField(1, 1_000_000),
  maxPointsPerCustomerDay: countField(1, 1_000_000_000),
});

/** What customers paid with points, and how they may. */
export function redemptionPages(routes: Routes): void {
  routes.page({ ...reading, path: '/redemptions' }, showRedemptions);
  routes.action(changing, { schema, check, act: saveSettings, retry: showRedemptions });
  routes.page(
    { ...reading, path: '/redemptions/:redemptionId', params: { redemptionId: 'redemption' } },
    showRedemption,
  );
}

async function showRedemptions(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  given?: Filled,
): Promise<void> {
  const query = queryOf(ctx, pageSchema);
  const redemptions = await readRedemptions(deps, ownScope(ctx), modeOf(ctx), query);
  render(ctx, redemptionsPage(ctx, redemptions, given ?? storedSettings(ctx)));
}

function storedSettings({ state }: PageContext<'partner'>): Filled {
  const { isAllowed, pointsPerUnit, maxPointsPerCustomerDay } =
    state.viewer.partner.redemptions ?? defaultRedemptionSettings;
  return filledWith({
    isAllowed: isAllowed ? 'yes' : 'no',
    pointsPerUnit: String(pointsPerUnit ?? ''),
    maxPointsPerCustomerDay: String(maxPointsPerCustomerDay ?? ''),
  });
}

async function showRedemption(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const details = await readRedemption(deps, ownScope(ctx), param(ctx, 'redemptionId'));
  render(ctx, redemptionPage(orNotFound(details)));
}

/** What points pay for was agreed: once LIVE, only operators change it. */
function check(
  { state }: PageContext<'partner'>,
  _deps: PageDeps,
  { pointsPerUnit }: Partial<SettingsForm>,
): Problems {
  const { goLive, redemptions = defaultRedemptionSettings } = state.viewer.partner;
  const isFixed = goLive.state === 'LIVE' && (pointsPerUnit ?? null) !== redemptions.pointsPerUnit;
  return isFixed ? { pointsPerUnit: 'You are LIVE: ask us to change it.' } : {};
}

async function saveSettings(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { isAllowed, pointsPerUnit, maxPointsPerCustomerDay }: SettingsForm,
): Promise<void> {
  const { _id: partnerId } = ctx.state.viewer.partner;
  const redemptions = {
    isAllowed: isAllowed === 'yes',
    pointsPerUnit: pointsPerUnit ?? null,
    maxPointsPerCustomerDay: maxPointsPerCustomerDay ?? null,
  };
  await execute(deps, updatePartner, actorOf(ctx), { partnerId, redemptions });
  redirect(ctx, '/redemptions', 'Saved.');
}
