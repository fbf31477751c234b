import type { PartnerDoc } from '../../../../models/schemas/partner.ts';
import type { Partners } from '../../../../models/views/partners.ts';
import type { PageContext } from '../../../context.ts';
import type { Filled } from '../../../forms/submit.ts';
import { hasPermission } from '../../../middleware/authorize.ts';
import { countryName } from '../../../words/country-words.ts';
import { say } from '../../../words/say.ts';
import { badge, code, emptyState, linkButton, table, wordsOf } from '../../components.ts';
import { countryField } from '../../country-field.ts';
import { choicesOf, filterBar } from '../../filters.ts';
import { field, form } from '../../form.ts';
import { day } from '../../format.ts';
import { html, nothing } from '../../html.ts';
import { invoiceFields } from '../../invoice-fields.ts';
import { operatorPaths, to } from '../../links.ts';
import { pager } from '../../pager.ts';
import { type Page, page } from '../../view.ts';

export const goLiveStates = ['SANDBOX', 'IN_REVIEW', 'CHANGES_REQUESTED', 'LIVE'] as const;
export const partnerStatuses = ['ACTIVE', 'SUSPENDED'] as const;

export function partnersPage(ctx: PageContext<'operator'>, { items, nextCursor }: Partners): Page {
  return page(
    {
      title: say('admin.partners.title'),
      actions: hasPermission(ctx.state.viewer, 'partner.create')
        ? linkButton('/admin/partners/new', say('admin.partners.newPartner'))
        : nothing,
    },
    filterBar(ctx, [
      {
        name: 'text',
        label: say('admin.partners.text'),
        placeholder: say('admin.partners.text.placeholder'),
      },
      { name: 'state', label: say('common.goLive'), choices: choicesOf(goLiveStates, wordsOf) },
      {
        name: 'status',
        label: say('common.account'),
        choices: choicesOf(partnerStatuses, wordsOf),
      },
    ]),
    html`<section class="card" id="list">${table({
      caption: say('admin.partners.caption'),
      columns: [
        { heading: say('common.name'), cell: ({ _id, name }) => to('PARTNER', _id, name) },
        { heading: say('common.account'), cell: (one) => badge(one.status) },
        { heading: say('common.goLive'), cell: ({ goLive }) => badge(goLive.state) },
        { heading: say('common.country'), cell: ({ country }) => countryName(country) },
        { heading: say('common.currency'), cell: ({ currency }) => currency },
        { heading: say('common.since'), cell: ({ createdAt }) => day(createdAt) },
        { heading: say('common.id'), cell: ({ _id }) => code(_id, { canCopy: true }) },
      ],
      rows: items,
      empty: emptyState(say('admin.partners.empty.title'), say('admin.partners.empty.text')),
    })}${pager(ctx, nextCursor)}</section>`,
  );
}

export function newPartnerPage(ctx: PageContext<'operator'>, filled: Filled): Page {
  return page(
    {
      title: say('admin.partners.newPartner.title'),
      crumbs: [[say('admin.partners.partners'), '/admin/partners']],
      lead: say('admin.partners.newPartner.lead'),
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/admin/partners/new', submit: say('admin.partners.newPartner.submit'), filled },
      profileFields(filled),
    )}</div>`,
  );
}

export function partnerProfilePage(
  ctx: PageContext<'operator'>,
  partner: PartnerDoc,
  { takesTwo, filled }: { takesTwo: boolean; filled: Filled },
): Page {
  const { currency } = partner;
  const hint = takesTwo
    ? say('admin.partners.contract.hint.takesTwo', { currency })
    : say('admin.partners.contract.hint', { currency });
  return page(
    {
      title: say('admin.partners.partnerProfile.title'),
      crumbs: [
        [say('admin.partners.partners'), '/admin/partners'],
        [partner.name, operatorPaths.PARTNER + partner._id],
      ],
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: ctx.path, submit: say('common.button.save'), filled },
      profileFields(filled),
      field({
        name: 'goLiveMinimumFundingCents',
        label: say('admin.partners.goLiveMinimumFundingCents'),
        inputmode: 'decimal',
        filled,
        hint: currency,
      }),
      field({
        name: 'lowBalanceThresholdCents',
        label: say('admin.partners.lowBalanceThresholdCents'),
        inputmode: 'decimal',
        filled,
        hint: currency,
      }),
      field({
        name: 'apiRateLimitPerMinute',
        label: say('admin.partners.apiRateLimitPerMinute'),
        inputmode: 'numeric',
        filled,
      }),
      field({
        name: 'maxPointMicros',
        label: say('admin.partners.maxPointMicros'),
        inputmode: 'decimal',
        filled,
        hint,
      }),
      field({
        name: 'maxRewardCents',
        label: say('admin.partners.maxRewardCents'),
        inputmode: 'decimal',
        filled,
        hint,
      }),
    )}</div>`,
  );
}

function profileFields(filled: Filled) {
  return [
    field({ name: 'name', label: say('common.name'), filled, isRequired: true, maxLength: 100 }),
    field({ name: 'legalName', label: say('admin.partners.legalName'), filled, maxLength: 200 }),
    field({
      name: 'website',
      label: say('admin.partners.website'),
      type: 'url',
      filled,
      maxLength: 255,
    }),
    field({
      name: 'contactEmail',
      label: say('admin.partners.contactEmail'),
      type: 'email',
      filled,
      maxLength: 255,
      autocomplete: 'off',
      hint: say('admin.partners.contactEmail.hint'),
    }),
    field({
      name: 'supportEmail',
      label: say('common.support'),
      type: 'email',
      filled,
      maxLength: 255,
      autocomplete: 'off',
      hint: say('admin.partners.supportEmail.hint'),
    }),
    countryField(filled),
    ...invoiceFields(filled),
    field({
      name: 'currency',
      label: say('common.currency'),
      filled,
      maxLength: 3,
      hint: say('admin.partners.currency.hint'),
    }),
  ];
}
