import Joi from 'joi';
import { currencyOfCountry } from '../../domain/currencies.ts';
import { ruleLimits } from '../../domain/earning-rules.ts';
import { formatCents, formatMicros } from '../../domain/money.ts';
import { param } from '../../http/context.ts';
import { pageSchema } from '../../http/query.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import { createPartner, type PartnerFields, updatePartner } from '../../operations/partners.ts';
import { type Partners, readPartner, readPartners } from '../../views/partners.ts';
import { type AnyRule, readAnyRule } from '../../views/rules.ts';
import {
  badge,
  code,
  definitions,
  emptyState,
  linkButton,
  section,
} from '../components/components.ts';
import { countrySelect, timeZoneSelect } from '../components/country-field.ts';
import { amountField, field, form, invoiceFields, numberField } from '../components/form.ts';
import { day, html, nothing, time } from '../components/format.ts';
import { crumbsOfPartner, operatorPaths, to, toOptional } from '../components/links.ts';
import { type Page, page, render } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { countField, moneyField } from '../forms/fields.ts';
import { profileForm } from '../forms/profile-form.ts';
import { emptyForm, type Filled, filledWith } from '../forms/submit.ts';
import { type Asked, asked, choiceFilter, textFilter } from '../lists/filters.ts';
import { list } from '../lists/list.ts';
import { hasPermission } from '../middleware/access.ts';
import { queryOf } from '../routing/query.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { namedRuleParts, sentenceOfRule, wordsOfRule } from '../words/rule-words.ts';
import { countryOf } from '../words/words.ts';

type NewPartner = Pick<PartnerFields, 'name'> & Partial<PartnerFields>;

const createSchema = Joi.object<NewPartner>(profileForm);

const changeSchema = Joi.object<Partial<PartnerFields>>({
  ...profileForm,
  goLiveMinimumFundingCents: moneyField('cents'),
  lowBalanceThresholdCents: moneyField('cents'),
  maxPointMicros: moneyField('micros', { max: ruleLimits.pointValueMicros }),
  maxRewardCents: moneyField('cents'),
  apiRateLimitPerMinute: countField(1, 1_000_000),
});

/** The list of partners, creating one, and editing profiles. */
export function operatorPartnersPages(routes: RoutesOf<'operator'>): void {
  routes.page('/admin/partners', showPartners);
  routes.operation('/admin/partners/new', createPartner, {
    page: showNew,
    form: createSchema,
    input({ currency, ...fields }) {
      const { country } = fields;
      const known = currency ?? (country ? currencyOfCountry(country) : undefined);
      return { ...fields, ...(known !== undefined && { currency: known }) };
    },
    to: ({ _id }) => operatorPaths.PARTNER + _id,
    said: 'Partner created. Invite its owner.',
  });
  routes.operation('/admin/partners/:partnerId/profile', updatePartner, {
    page: showProfile,
    form: changeSchema,
    to: '/admin/partners/:partnerId',
    said: 'Profile saved.',
  });
}

async function showPartners(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const list = await asked(ctx, deps, partnerFilters);
  const partners = await readPartners(deps, list.filter, queryOf(ctx, pageSchema));
  render(ctx, partnersPage(ctx, list, partners));
}

function showNew(ctx: PageContext<'operator'>, _deps: PageDeps, filled: Filled = emptyForm): void {
  render(ctx, newPartnerPage(ctx, filled));
}

async function showProfile(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  given?: Filled,
): Promise<void> {
  const partner = await readPartner(deps, param(ctx, 'partnerId'));
  const takesTwo = deps.config.approvals.isOn;
  const filled = given ?? filledWithProfile(partner);
  render(ctx, partnerProfilePage(ctx, partner, { takesTwo, filled }));
}

function filledWithProfile(partner: PartnerDoc): Filled {
  const { name, legalName, website, contactEmail, supportEmail, country, timeZone, currency } =
    partner;
  return filledWith({
    name,
    legalName,
    website,
    contactEmail,
    supportEmail,
    country,
    timeZone,
    currency,
    billingAddress: partner.billingAddress,
    taxId: partner.taxId,
    goLiveMinimumFundingCents: formatCents(partner.goLiveMinimumFundingCents, currency),
    lowBalanceThresholdCents: formatCents(partner.lowBalanceThresholdCents, currency),
    maxPointMicros: formatMicros(partner.maxPointMicros),
    maxRewardCents: formatCents(partner.maxRewardCents, currency),
    apiRateLimitPerMinute: partner.apiRateLimitPerMinute,
  });
}

/** The page of a rule version. */
export function operatorRulePages(routes: RoutesOf<'operator'>): void {
  routes.page('/admin/rules/:ruleId', showRule);
}

async function showRule(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  render(ctx, anyRulePage(await readAnyRule(deps, param(ctx, 'ruleId'))));
}

const partnerFilters = {
  text: textFilter('text', 'Search', 'Name, ID or email'),
  state: choiceFilter('Go-live', ['SANDBOX', 'IN_REVIEW', 'CHANGES_REQUESTED', 'LIVE']),
  status: choiceFilter('Account', ['ACTIVE', 'SUSPENDED']),
};

const partnersPage = (
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

function newPartnerPage(ctx: PageContext<'operator'>, filled: Filled): Page {
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

function partnerProfilePage(
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
    countrySelect(filled),
    timeZoneSelect(filled),
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

function anyRulePage({ stored, rule, partner, isActive }: AnyRule): Page {
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
      definitions([
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
