import { viewingMs } from '../../../models/identity/viewing.ts';
import type { PartnerDoc } from '../../../models/schemas/partners.ts';
import type { Partners } from '../../../views/partners.ts';
import type { AnyRule } from '../../../views/rules.ts';
import {
  badge,
  code,
  emptyState,
  facts,
  linkButton,
  section,
} from '../../components/components.ts';
import { countryField, timeZoneField } from '../../components/country-field.ts';
import {
  amountField,
  field,
  form,
  invoiceFields,
  numberField,
  textArea,
} from '../../components/form.ts';
import { day, html, nothing, time } from '../../components/format.ts';
import { crumbsOfPartner, operatorPaths, to, toOptional } from '../../components/links.ts';
import { type Page, page } from '../../components/view.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { type Asked, choice, text } from '../../lists/filters.ts';
import { list } from '../../lists/list.ts';
import { hasPermission } from '../../middleware/access.ts';
import { namedRuleParts, sentenceOfRule, wordsOfRule } from '../../words/rule-words.ts';
import { countryOf } from '../../words/words.ts';

export const partnerFilters = {
  text: text('text', 'Search', 'Name, ID or email'),
  state: choice('Go-live', ['SANDBOX', 'IN_REVIEW', 'CHANGES_REQUESTED', 'LIVE']),
  status: choice('Account', ['ACTIVE', 'SUSPENDED']),
};

export const partnersPage = (
  ctx: PageContext<'operator'>,
  asked: Asked,
  { items, nextCursor }: Partners,
): Page =>
  page(
    {
      title: 'Partners',
      actions: hasPermission(ctx.state.viewer, 'partner.create')
        ? linkButton('/admin/partners/new', 'New partner')
        : nothing,
    },
    list(ctx, {
      asked,
      caption: 'Partners',
      columns: {
        Name: ({ _id, name }) => to('PARTNER', _id, name),
        Account: (one) => badge(one.status),
        'Go-live': ({ goLive }) => badge(goLive.state),
        Country: countryOf,
        Currency: ({ currency }) => currency,
        Since: ({ createdAt }) => day(createdAt),
        ID: ({ _id }) => code(_id, { canCopy: true }),
      },
      rows: items,
      empty: emptyState('No partners', 'An admin creates a partner and invites its owner.'),
      nextCursor,
    }),
  );

export function newPartnerPage(ctx: PageContext<'operator'>, filled: Filled): Page {
  return page(
    {
      title: 'New partner',
      crumbs: [['Partners', '/admin/partners']],
      lead: 'It starts in TEST only. Its owner can fill in the rest.',
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/admin/partners/new', submit: 'Create partner', filled },
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
    ? `${currency}, as agreed in the contract. A change needs two operators.`
    : `${currency}, as agreed in the contract.`;
  return page(
    {
      title: 'Edit profile',
      crumbs: [
        ['Partners', '/admin/partners'],
        [partner.name, operatorPaths.PARTNER + partner._id],
      ],
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: ctx.path, submit: 'Save', filled },
      profileFields(filled),
      amountField({
        name: 'goLiveMinimumFundingCents',
        label: 'Minimum funding for go-live',
        filled,
        currency,
      }),
      amountField({
        name: 'lowBalanceThresholdCents',
        label: 'Low-balance threshold',
        filled,
        currency,
      }),
      numberField({
        reads: 'count',
        name: 'apiRateLimitPerMinute',
        label: 'Requests per minute, without a plan',
        filled,
      }),
      numberField({
        reads: 'price',
        currency,
        name: 'maxPointMicros',
        label: 'Maximum cost of a LIVE point',
        filled,
        hint,
      }),
      amountField({
        name: 'maxRewardCents',
        label: 'Maximum cost of a LIVE reward',
        filled,
        currency,
        hint,
      }),
    )}</div>`,
  );
}

function profileFields(filled: Filled) {
  return [
    field({ name: 'name', label: 'Name', filled, isRequired: true, maxLength: 100 }),
    field({ name: 'legalName', label: 'Legal name', filled, maxLength: 200 }),
    field({
      name: 'website',
      label: 'Website',
      type: 'url',
      filled,
      maxLength: 255,
    }),
    field({
      name: 'contactEmail',
      label: 'Contact',
      type: 'email',
      filled,
      maxLength: 255,
      autocomplete: 'off',
      hint: 'Funding notices are sent there.',
    }),
    field({
      name: 'supportEmail',
      label: 'Support',
      type: 'email',
      filled,
      maxLength: 255,
      autocomplete: 'off',
      hint: 'Where its customers can get help.',
    }),
    countryField(filled),
    timeZoneField(filled),
    ...invoiceFields(filled),
    field({
      name: 'currency',
      label: 'Currency',
      filled,
      maxLength: 3,
      hint: 'For example, USD. A new partner without one gets its country’s.',
    }),
  ];
}

export function viewAsPage(
  ctx: PageContext<'operator'>,
  partner: PartnerDoc,
  filled: Filled,
): Page {
  return page(
    {
      title: 'View as partner',
      crumbs: crumbsOfPartner(partner),
      lead: `You see the portal as a viewer of ${partner.name} does, for up to ${viewingMs / 60_000} minutes. You can’t change anything, and the operators’ pages stay closed until you stop viewing.`,
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: ctx.path, submit: 'View portal', filled },
      textArea({
        name: 'reason',
        label: 'Reason',
        filled,
        isRequired: true,
        maxLength: 500,
        rows: 3,
        hint: 'Recorded in the audit log, with the start and end of the view. Name no customer.',
      }),
    )}</div>`,
  );
}

export function anyRulePage({ stored, rule, partner, isActive }: AnyRule): Page {
  const { mode } = stored;
  const words = wordsOfRule(rule);
  return page(
    {
      title: 'Earning rule',
      crumbs: crumbsOfPartner(partner),
      lead: sentenceOfRule(rule),
      mode,
    },
    section(
      'Rule version',
      facts([
        ['State', isActive ? badge('ACTIVE') : badge('ARCHIVED', 'Not active')],
        ['Mode', badge(mode)],
        ['Currency', stored.currency],
        ['Integration', toOptional('INTEGRATION', stored.integrationId)],
        ...namedRuleParts().map(([part, name]) => [name, words[part]] as const),
        ['Created', time(stored.createdAt)],
        ['ID', code(stored._id, { canCopy: true })],
      ]),
    ),
  );
}
