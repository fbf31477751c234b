import Joi from 'joi';
import { defaultRedemptionSettings } from '../../domain/redemption.ts';
import { param } from '../../http/context.ts';
import { pageSchema } from '../../http/query.ts';
import type { RedemptionDoc } from '../../models/schemas/redemptions.ts';
import type { ListPage } from '../../models/store/paging.ts';
import { updatePartner } from '../../operations/partners.ts';
import {
  type RedemptionDetails,
  readRedemption,
  readRedemptions,
} from '../../views/redemptions.ts';
import { badge, definitions, section } from '../components/components.ts';
import { formBehind, numberField, select } from '../components/form.ts';
import { type Html, html, nothing, numberText, pointsWords } from '../components/format.ts';
import { namedIdLink } from '../components/links.ts';
import {
  noRedemptions,
  redemptionColumns,
  redemptionFacts,
  redemptionRequests,
} from '../components/redemptions.ts';
import { timeline } from '../components/timeline.ts';
import { type Page, page, render } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { countField } from '../forms/fields.ts';
import { type Filled, filledWith, type Problems } from '../forms/submit.ts';
import { list } from '../lists/list.ts';
import { hasPermission } from '../middleware/access.ts';
import { orNotFound } from '../middleware/form.ts';
import { modeOf } from '../routing/modes.ts';
import { ownScope } from '../routing/own-scope.ts';
import { queryOf } from '../routing/query.ts';
import type { RoutesOf } from '../routing/route-table.ts';

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
export function redemptionPages(routes: RoutesOf<'partner'>): void {
  routes.page('/redemptions', showRedemptions);
  routes.operation('/redemptions/settings', updatePartner, {
    on: showRedemptions,
    form: schema,
    check,
    input: ({ isAllowed, pointsPerUnit = null, maxPointsPerCustomerDay = null }) => ({
      redemptions: { isAllowed: isAllowed === 'yes', pointsPerUnit, maxPointsPerCustomerDay },
    }),
    to: '/redemptions',
    said: 'Saved.',
  });
  routes.page('/redemptions/:redemptionId', showRedemption);
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

/** Where the points of a partner's customers went, and how they may be spent. */
function redemptionsPage(
  ctx: PageContext<'partner'>,
  { items, nextCursor }: ListPage<RedemptionDoc>,
  filled: Filled,
): Page {
  const { currency, redemptions = defaultRedemptionSettings } = ctx.state.viewer.partner;
  const { isAllowed, pointsPerUnit, maxPointsPerCustomerDay: max } = redemptions;
  return page(
    { title: 'Redemptions', lead: 'Where your customers’ points went.' },
    section(
      'How points may be spent',
      definitions([
        ['Redemptions', isAllowed ? 'allowed' : 'not allowed'],
        [
          `Points for 1 ${currency}`,
          pointsPerUnit === null ? 'what they cost' : numberText(pointsPerUnit),
        ],
        ['Most per customer and day', max === null ? 'no limit' : pointsWords(max)],
      ]),
      hasPermission(ctx.state.viewer, 'partner.update')
        ? html`<div class="after">${settingsForm(ctx, currency, filled)}</div>`
        : nothing,
    ),
    list(ctx, {
      caption: 'Redemptions',
      columns: redemptionColumns((id) => `/redemptions/${id}`),
      rows: items,
      empty: noRedemptions(),
      nextCursor,
    }),
  );
}

/** A redemption: what it paid for, what happened, and what the shop asked. */
function redemptionPage({
  redemption,
  events,
  timeline: moments,
  integrationName,
}: RedemptionDetails): Page {
  const { mode, status, externalRedemptionId, customerId, integrationId, currency } = redemption;
  return page(
    {
      title: `Redemption ${externalRedemptionId}`,
      crumbs: [['Redemptions', '/redemptions']],
      mode,
      actions: badge(status),
    },
    section(
      'Redemption',
      definitions([
        ...redemptionFacts(redemption),
        ['Customer', html`<a href="/customers/${customerId}"><code>${customerId}</code></a>`],
        ...(integrationId === null
          ? []
          : [['Integration', namedIdLink(integrationId, integrationName)] as const]),
      ]),
    ),
    section('Timeline', timeline(moments, currency)),
    section('Requests', redemptionRequests(events)),
  );
}

const settingsForm = (ctx: PageContext<'partner'>, currency: string, filled: Filled): Html =>
  formBehind(
    ctx,
    { ask: 'Change', action: '/redemptions/settings', submit: 'Save', filled },
    select({
      name: 'isAllowed',
      label: 'Customers may spend points',
      filled,
      choices: [
        { value: 'yes', text: 'Yes' },
        { value: 'no', text: 'No' },
      ],
      hint: 'What is held already can still be captured. Applies to TEST and LIVE within seconds.',
    }),
    numberField({
      reads: 'count',
      name: 'pointsPerUnit',
      label: `Points for 1 ${currency}`,
      filled,
      hint:
        ctx.state.viewer.partner.goLive.state === 'LIVE'
          ? 'You are LIVE: ask us to change it.'
          : 'Leave it empty if points pay for what they cost you. Once you are LIVE, ask us to change it.',
    }),
    numberField({
      reads: 'count',
      name: 'maxPointsPerCustomerDay',
      label: 'Most points per customer and day',
      filled,
      hint: 'Leave it empty for no limit.',
    }),
  );
