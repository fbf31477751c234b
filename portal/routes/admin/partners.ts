import Joi from 'joi';
import { currencyOfCountry } from '../../../domain/currencies.ts';
import { ruleLimits } from '../../../domain/earning-rules.ts';
import { formatCents, formatMicros } from '../../../domain/money.ts';
import { type PartnerRole, partnerRoles } from '../../../domain/partners.ts';
import { pageSchema } from '../../../http/query.ts';
import type { PartnerDoc } from '../../../models/schemas/partners.ts';
import { execute } from '../../../operations/execute.ts';
import {
  createPartner,
  invitePartner,
  type PartnerFields,
  updatePartner,
} from '../../../operations/partners.ts';
import { resetUserFactor } from '../../../operations/users.ts';
import {
  readPartner,
  readPartnerHealth,
  readPartnerOverview,
  readPartners,
} from '../../../views/partners.ts';
import { readAnyRule } from '../../../views/rules.ts';
import { operatorPaths } from '../../components/links.ts';
import { render } from '../../components/view.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import { countField, emailField, moneyField } from '../../forms/fields.ts';
import { profileForm } from '../../forms/profile-form.ts';
import { emptyForm, type Filled, filledWith } from '../../forms/submit.ts';
import { asked } from '../../lists/filters.ts';
import { actorOf, whenDone } from '../../operate.ts';
import { partnerPage } from '../../pages/admin/partner.ts';
import {
  anyRulePage,
  newPartnerPage,
  partnerFilters,
  partnerProfilePage,
  partnersPage,
} from '../../pages/admin/partners.ts';
import { defaultModeOf } from '../../routing/modes.ts';
import { queryOf } from '../../routing/query.ts';
import type { Routes } from '../../routing/route-table.ts';

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

const creating = {
  path: '/admin/partners/new',
  audience: 'operator',
  permission: 'partner.create',
} as const;
const changing = {
  path: '/admin/partners/:partnerId/profile',
  params: { partnerId: 'partner' },
  audience: 'operator',
  permission: 'partner.update',
  secondFactor: true,
} as const;

/** The list of partners, creating one, and editing profiles. */
export function operatorPartnersPages(routes: Routes): void {
  routes.page({ path: '/admin/partners', audience: 'operator', permission: 'read' }, showPartners);
  routes.page(creating, showNew);
  routes.action(creating, { schema: createSchema, act: create, retry: showNew });
  routes.page(changing, showProfile);
  routes.action(changing, { schema: changeSchema, act: saveProfile, retry: showProfile });
}

async function showPartners(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const list = await asked(ctx, deps, partnerFilters);
  const partners = await readPartners(deps, list.filter, queryOf(ctx, pageSchema));
  render(ctx, partnersPage(ctx, list, partners));
}

function showNew(ctx: PageContext<'operator'>, _deps: PageDeps, filled: Filled = emptyForm): void {
  render(ctx, newPartnerPage(ctx, filled));
}

async function create(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  fields: NewPartner,
): Promise<void> {
  const { country } = fields;
  const { currency = country ? currencyOfCountry(country) : undefined } = fields;
  const created = { ...fields, ...(currency !== undefined && { currency }) };
  const { _id: partnerId } = await execute(deps, createPartner, actorOf(ctx), created);
  redirect(ctx, operatorPaths.PARTNER + partnerId, 'Partner created. Invite its owner.');
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

async function saveProfile(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  changes: Partial<PartnerFields>,
): Promise<void> {
  const partnerId = param(ctx, 'partnerId');
  const executed = await execute(deps, updatePartner, actorOf(ctx), { partnerId, ...changes });
  await whenDone(ctx, executed, () =>
    redirect(ctx, operatorPaths.PARTNER + partnerId, 'Profile saved.'),
  );
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

const inviteSchema = Joi.object<{ email: string; role: PartnerRole }>({
  email: emailField.required(),
  role: Joi.string()
    .valid(...partnerRoles)
    .default('owner'),
});
const params = { partnerId: 'partner' } as const;
const ofPartner = { path: '/admin/partners/:partnerId', params, audience: 'operator' } as const;
const inviting = {
  ...ofPartner,
  path: `${ofPartner.path}/invite`,
  permission: 'partner.invite',
  secondFactor: true,
} as const;
const resetting = {
  path: `${ofPartner.path}/users/:userId/second-factor/reset`,
  params: { ...params, userId: 'user' },
  audience: 'operator',
  permission: 'user.reset-second-factor',
  secondFactor: true,
} as const;
const changingPartner = {
  ...({ params, audience: 'operator', permission: 'partner.update' } as const),
  secondFactor: true,
};

/** A partner's page, which links to everything about it. */
export function operatorPartnerPages(routes: Routes): void {
  const schema = Joi.object({});
  routes.page({ ...ofPartner, permission: 'read' }, showPartner);
  routes.action(resetting, { schema, act: resetUsersFactor, retry: showPartner });
  routes.action(inviting, { schema: inviteSchema, act: invite, retry: showPartner });
  routes.action(
    { ...changingPartner, path: `${ofPartner.path}/suspend` },
    { schema, act: suspend },
  );
  routes.action({ ...changingPartner, path: `${ofPartner.path}/resume` }, { schema, act: resume });
}

async function showPartner(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const overview = await readPartnerOverview(deps, param(ctx, 'partnerId'));
  const { partner } = overview;
  const health = await readPartnerHealth(deps, partner, defaultModeOf(partner));
  const needsApproval = deps.config.approvals.isOn;
  render(ctx, partnerPage(ctx, overview, { health, needsApproval, nowMs: deps.now(), filled }));
}

async function resetUsersFactor(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const partnerId = param(ctx, 'partnerId');
  const userId = param(ctx, 'userId');
  const executed = await execute(deps, resetUserFactor, actorOf(ctx), { partnerId, userId });
  await whenDone(ctx, executed, () =>
    redirect(ctx, operatorPaths.PARTNER + partnerId, 'Second factor reset.'),
  );
}

async function invite(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  fields: { email: string; role: PartnerRole },
): Promise<void> {
  const partnerId = param(ctx, 'partnerId');
  const input = { partnerId, ...fields };
  const executed = await execute(deps, invitePartner, actorOf(ctx), input);
  await whenDone(ctx, executed, ({ email }) =>
    redirect(ctx, operatorPaths.PARTNER + partnerId, `The invitation to ${email} is on its way.`),
  );
}

const suspend = (ctx: PageContext<'operator'>, deps: PageDeps) =>
  changeStatus(ctx, deps, 'SUSPENDED', 'Partner suspended.');

const resume = (ctx: PageContext<'operator'>, deps: PageDeps) =>
  changeStatus(ctx, deps, 'ACTIVE', 'The partner is active again.');

async function changeStatus(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  status: PartnerDoc['status'],
  said: string,
): Promise<void> {
  const partnerId = param(ctx, 'partnerId');
  const executed = await execute(deps, updatePartner, actorOf(ctx), { partnerId, status });
  await whenDone(ctx, executed, () => redirect(ctx, operatorPaths.PARTNER + partnerId, said));
}

/** The page of a rule version. */
export function operatorRulePages(routes: Routes): void {
  routes.page(
    {
      path: '/admin/rules/:ruleId',
      params: { ruleId: 'rule' },
      audience: 'operator',
      permission: 'read',
    },
    showRule,
  );
}

async function showRule(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  render(ctx, anyRulePage(await readAnyRule(deps, param(ctx, 'ruleId'))));
}
