import Joi from 'joi';
import type { GoLiveState } from '../../../domain/go-live.ts';
import { formatCents } from '../../../domain/money.ts';
import { given, type PageQuery, page, pageParameters } from '../../../http/paging.ts';
import { createPartner, type PartnerFields } from '../../../models/commands/create-partner.ts';
import { findPartner } from '../../../models/commands/find.ts';
import { updatePartner } from '../../../models/commands/update-partner.ts';
import type { PartnerDoc } from '../../../models/schemas/partner.ts';
import { newId } from '../../../platform/ids.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import { deed } from '../../deeds.ts';
import type { PortalDeps } from '../../deps.ts';
import { emptyForm, type Filled, filledWith } from '../../forms.ts';
import { badge, code, emptyState, linkButton, table, wordsOf } from '../../html/components.ts';
import { choicesOf, filterBar } from '../../html/filters.ts';
import { field, form } from '../../html/form.ts';
import { day } from '../../html/format.ts';
import { html, nothing } from '../../html/html.ts';
import { adminPaths, to } from '../../html/links.ts';
import { pager } from '../../html/pager.ts';
import { view } from '../../html/view.ts';
import { hasPermission } from '../../middleware/authorize.ts';
import { moneyField } from '../../money-field.ts';
import { profileForm } from '../../profile-form.ts';
import { queryOf } from '../../query.ts';
import type { Routes } from '../../route-table.ts';

const goLiveStates = ['SANDBOX', 'IN_REVIEW', 'CHANGES_REQUESTED', 'LIVE'] as const;
const statuses = ['ACTIVE', 'SUSPENDED'] as const;

const listSchema = Joi.object<PageQuery & { state?: GoLiveState; status?: PartnerDoc['status'] }>({
  state: Joi.string().valid(...goLiveStates),
  status: Joi.string().valid(...statuses),
  ...pageParameters,
});

const createSchema = Joi.object<Pick<PartnerFields, 'name'> & Partial<PartnerFields>>(profileForm);
const changeSchema = Joi.object<Partial<PartnerFields>>({
  ...profileForm,
  goLiveMinimumFundingCents: moneyField('cents'),
  lowBalanceThresholdCents: moneyField('cents'),
  apiRateLimitPerMinute: Joi.number().integer().min(1).max(1_000_000),
});

/** The partners: who they are, a new one, and what is known of each. */
export function adminPartnersPages(routes: Routes, deps: PortalDeps): void {
  const { models } = deps;

  routes.page(
    { path: '/admin/partners', audience: 'operator', permission: 'read' },
    async (ctx) => {
      const { state, status, ...paging } = queryOf(ctx, listSchema);
      const { items, nextCursor } = await page(
        models.partners,
        given({ 'goLive.state': state, status }),
        paging,
        (partner) => partner,
      );
      view(
        ctx,
        {
          title: 'Partners',
          actions: hasPermission(ctx.state.viewer, 'partner.create')
            ? linkButton('/admin/partners/new', 'New partner')
            : nothing,
        },
        filterBar(ctx, [
          { name: 'state', label: 'Go-live', choices: choicesOf(goLiveStates, wordsOf) },
          { name: 'status', label: 'Account', choices: choicesOf(statuses, wordsOf) },
        ]),
        html`<section class="card" id="list">${table({
          caption: 'Partners',
          columns: [
            { heading: 'Name', cell: ({ _id, name }) => to('PARTNER', _id, name) },
            { heading: 'Account', cell: (one) => badge(one.status) },
            { heading: 'Go-live', cell: ({ goLive }) => badge(goLive.state) },
            { heading: 'Country', cell: ({ country }) => country },
            { heading: 'Currency', cell: ({ currency }) => currency },
            { heading: 'Since', cell: ({ createdAt }) => day(createdAt) },
            { heading: 'Id', cell: ({ _id }) => code(_id, { canCopy: true }) },
          ],
          rows: items,
          empty: emptyState(
            'No partner here',
            'A partner is made by an admin, who invites its owner.',
          ),
        })}${pager(ctx, nextCursor)}</section>`,
      );
    },
  );

  const creating = {
    path: '/admin/partners/new',
    audience: 'operator',
    permission: 'partner.create',
  } as const;

  async function showNew(ctx: PageContext<'operator'>, filled: Filled = emptyForm) {
    view(
      ctx,
      {
        title: 'New partner',
        crumbs: [['Partners', '/admin/partners']],
        lead: 'It begins in TEST alone. Its owner can fill in the rest.',
      },
      html`<div class="card narrow">${form(
        ctx,
        { action: creating.path, submit: 'Make the partner', filled },
        profileFields(filled),
      )}</div>`,
    );
  }

  routes.page(creating, (ctx) => showNew(ctx));
  routes.action(creating, {
    schema: createSchema,
    async act(ctx, fields) {
      const partnerId = newId('partner');
      await deed(
        deps,
        ctx,
        { action: 'partner.create', targetId: partnerId, partnerId, details: { ...fields } },
        () => createPartner(deps, fields, partnerId),
      );
      redirect(ctx, adminPaths.PARTNER + partnerId, 'The partner is made. Invite its owner.');
    },
    retry: showNew,
  });

  const changing = {
    path: '/admin/partners/:partnerId/profile',
    params: { partnerId: 'partner' },
    audience: 'operator',
    permission: 'partner.update',
  } as const;

  async function showChange(ctx: PageContext<'operator'>, given?: Filled) {
    const partner = await findPartner(models, param(ctx, 'partnerId'));
    const filled = given ?? filledWithProfile(partner);
    view(
      ctx,
      {
        title: 'Edit the profile',
        crumbs: [
          ['Partners', '/admin/partners'],
          [partner.name, adminPaths.PARTNER + partner._id],
        ],
      },
      html`<div class="card narrow">${form(
        ctx,
        { action: ctx.path, submit: 'Save', filled },
        profileFields(filled),
        field({
          ...{ name: 'goLiveMinimumFundingCents', label: 'Funds asked for at go-live' },
          ...{ inputmode: 'decimal', filled, hint: partner.currency },
        }),
        field({
          ...{ name: 'lowBalanceThresholdCents', label: 'Tell of funds below' },
          ...{ inputmode: 'decimal', filled, hint: partner.currency },
        }),
        field({
          ...{ name: 'apiRateLimitPerMinute', label: 'Requests a minute, without a plan' },
          ...{ inputmode: 'numeric', filled },
        }),
      )}</div>`,
    );
  }

  routes.page(changing, (ctx) => showChange(ctx));
  routes.action(changing, {
    schema: changeSchema,
    async act(ctx, changes) {
      const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
      await deed(
        deps,
        ctx,
        { action: 'partner.update', targetId: partnerId, partnerId, details: { ...changes } },
        () => updatePartner(deps, partnerId, changes),
      );
      redirect(ctx, adminPaths.PARTNER + partnerId, 'The profile is saved.');
    },
    retry: showChange,
  });
}

function filledWithProfile(partner: PartnerDoc): Filled {
  const { name, legalName, website, contactEmail, supportEmail, country, currency } = partner;
  return filledWith({
    ...{ name, legalName, website, contactEmail, supportEmail, country, currency },
    goLiveMinimumFundingCents: formatCents(partner.goLiveMinimumFundingCents),
    lowBalanceThresholdCents: formatCents(partner.lowBalanceThresholdCents),
    apiRateLimitPerMinute: partner.apiRateLimitPerMinute,
  });
}

function profileFields(filled: Filled) {
  return [
    field({ name: 'name', label: 'Name', filled, isRequired: true, maxLength: 100 }),
    field({ name: 'legalName', label: 'Legal name', filled, maxLength: 200 }),
    field({ name: 'website', label: 'Website', type: 'url', filled, maxLength: 255 }),
    field({
      ...{ name: 'contactEmail', label: 'Contact', type: 'email', filled, maxLength: 255 },
      ...{ autocomplete: 'off', hint: 'Notices about funding go there.' },
    }),
    field({
      ...{ name: 'supportEmail', label: 'Support', type: 'email', filled, maxLength: 255 },
      ...{ autocomplete: 'off', hint: 'Where its customers get help.' },
    }),
    field({ name: 'country', label: 'Country', filled, maxLength: 2, hint: 'Such as US.' }),
    field({ name: 'currency', label: 'Currency', filled, maxLength: 3, hint: 'Such as USD.' }),
  ];
}
