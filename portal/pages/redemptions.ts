import { defaultRedemptionSettings } from '../../domain/redemption.ts';
import type { RedemptionDoc } from '../../models/schemas/redemptions.ts';
import type { Page as ListPage } from '../../models/store/paging.ts';
import type { RedemptionDetails } from '../../views/redemptions.ts';
import { badge, facts, section } from '../components/components.ts';
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
import { type Page, page } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { Filled } from '../forms/submit.ts';
import { list } from '../lists/list.ts';
import { hasPermission } from '../middleware/access.ts';

/** Where the points of a partner's customers went, and how they may be spent. */
export function redemptionsPage(
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
      facts([
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
export function redemptionPage({
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
      facts([
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
