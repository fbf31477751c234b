import Joi from 'joi';
import type { GoLiveState } from '../../../domain/go-live.ts';
import { formatCents, formatMicros } from '../../../domain/money.ts';
import { type PageQuery, pageParameters, searchText } from '../../../http/query.ts';
import type { PartnerDoc } from '../../../models/schemas/partners.ts';
import { readPartner, readPartners } from '../../../models/views/partners.ts';
import { execute } from '../../../operations/execute.ts';
import { createPartner, type PartnerFields, updatePartner } from '../../../operations/partners.ts';
import { actorOf, whenDone } from '../../../portal/operate.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import { moneyField } from '../../forms/money-field.ts';
import { profileForm } from '../../forms/profile-form.ts';
import { emptyForm, type Filled, filledWith } from '../../forms/submit.ts';
import { operatorPaths } from '../../html/links.ts';
import {
  goLiveStates,
  newPartnerPage,
  partnerProfilePage,
  partnerStatuses,
  partnersPage,
} from '../../html/pages/admin/partners.ts';
import { render } from '../../html/view.ts';
import { queryOf } from '../../routing/query.ts';
import type { Routes } from '../../routing/route-table.ts';

interface ListQuery extends PageQuery {
  text?: string;
  state?: GoLiveState;
  status?: PartnerDoc['status'];
}
const listSchema = Joi.object<ListQuery>({
  text: searchText,
  state: Joi.string().valid(...goLiveStates),
  status: Joi.string().valid(...partnerStatuses),
  ...pageParameters,
});

type NewPartner = Pick<PartnerFields, 'name'> & Partial<PartnerFields>;
const createSchema = Joi.object<NewPartner>(profileForm);
const changeSchema = Joi.object<Partial<PartnerFields>>({
  ...profileForm,
  goLiveMinimumFundingCents: moneyField('cents'),
  lowBalanceThresholdCents: moneyField('cents'),
  maxPointMicros: moneyField('micros', { max: 1_000 }),
  maxRewardCents: moneyField('cents'),
  apiRateLimitPerMinute: Joi.number().integer().min(1).max(1_000_000),
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
  const { text, state, status, ...paging } = queryOf(ctx, listSchema);
  render(ctx, partnersPage(ctx, await readPartners(deps, { text, state, status }, paging)));
}

function showNew(ctx: PageContext<'operator'>, _deps: PageDeps, filled: Filled = emptyForm): void {
  render(ctx, newPartnerPage(ctx, filled));
}

async function create(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  fields: NewPartner,
): Promise<void> {
  const { _id: partnerId } = await execute(deps, createPartner, actorOf(ctx), fields);
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
  const { name, legalName, website, contactEmail, supportEmail, country, currency } = partner;
  return filledWith({
    name,
    legalName,
    website,
    contactEmail,
    supportEmail,
    country,
    currency,
    billingAddress: partner.billingAddress,
    taxId: partner.taxId,
    goLiveMinimumFundingCents: formatCents(partner.goLiveMinimumFundingCents),
    lowBalanceThresholdCents: formatCents(partner.lowBalanceThresholdCents),
    maxPointMicros: formatMicros(partner.maxPointMicros),
    maxRewardCents: formatCents(partner.maxRewardCents),
    apiRateLimitPerMinute: partner.apiRateLimitPerMinute,
  });
}
