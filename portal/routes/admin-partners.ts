import Joi from 'joi';
import { type PartnerRole, partnerRoles } from '../../domain/partner-roles.ts';
import { page, pageSchema } from '../../http/paging.ts';
import { findPartner } from '../../models/commands/find.ts';
import { type PageContext, param, redirect } from '../context.ts';
import type { PortalDeps } from '../deps.ts';
import { emailField } from '../fields.ts';
import { emptyForm, type Filled } from '../forms.ts';
import {
  badge,
  code,
  emptyState,
  externalLink,
  facts,
  pager,
  section,
  table,
} from '../html/components.ts';
import { field, form, select } from '../html/form.ts';
import { day, time } from '../html/format.ts';
import { html } from '../html/html.ts';
import { view } from '../html/view.ts';
import { invite } from '../invite.ts';
import { hasPermission } from '../middleware/authorize.ts';
import { queryOf } from '../query.ts';
import type { Routes } from '../route-table.ts';
import { roleChoices, roleHint } from './team.ts';

const inviteSchema = Joi.object<{ email: string; role: PartnerRole }>({
  email: emailField.required(),
  role: Joi.string()
    .valid(...partnerRoles)
    .default('owner'),
});

/** The partners, for operators. */
export function adminPartnerPages(routes: Routes, deps: PortalDeps): void {
  const { models } = deps;

  routes.page({ path: '/admin', audience: 'operator', permission: 'read' }, async (ctx) => {
    const { items, nextCursor } = await page(
      models.partners,
      [],
      queryOf(ctx, pageSchema),
      (partner) => partner,
    );
    view(
      ctx,
      { title: 'Partners' },
      html`<section class="card">${table({
        caption: 'Partners',
        columns: [
          {
            heading: 'Name',
            cell: ({ _id, name }) => html`<a href="/admin/partners/${_id}">${name}</a>`,
          },
          { heading: 'Account', cell: ({ status }) => badge(status) },
          { heading: 'Go-live', cell: ({ goLive }) => badge(goLive.state) },
          { heading: 'Country', cell: ({ country }) => country },
          { heading: 'Since', cell: ({ createdAt }) => day(createdAt) },
          { heading: 'Id', cell: ({ _id }) => code(_id, { canCopy: true }) },
        ],
        rows: items,
        empty: emptyState(
          'No partner yet',
          'Partners are made with: npm run admin -- partners create',
        ),
      })}${pager(ctx, nextCursor)}</section>`,
    );
  });

  const ofPartner = {
    path: '/admin/partners/:partnerId',
    params: { partnerId: 'partner' },
    audience: 'operator',
  } as const;

  async function show(ctx: PageContext<'operator'>, filled: Filled = emptyForm) {
    const partner = await findPartner(models, param(ctx, 'partnerId'));
    const { _id: partnerId } = partner;
    const [users, invitations] = await Promise.all([
      models.users.find({ partnerId, disabledAt: null }).sort({ _id: 1 }).lean(),
      models.invitations.find({ partnerId }).sort({ _id: -1 }).lean(),
    ]);
    view(
      ctx,
      { title: partner.name, crumbs: [['Partners', '/admin']] },
      section(
        'Profile',
        facts([
          ['Account', badge(partner.status)],
          ['Go-live', badge(partner.goLive.state)],
          ['Legal name', partner.legalName ?? '–'],
          ['Website', partner.website === null ? '–' : externalLink(partner.website)],
          ['Contact', partner.contactEmail ?? '–'],
          ['Support', partner.supportEmail ?? '–'],
          ['Currency', partner.currency],
          ['Since', time(partner.createdAt)],
          ['Id', code(partnerId, { canCopy: true })],
        ]),
      ),
      section(
        'Users',
        table({
          caption: 'Users',
          columns: [
            { heading: 'Name', cell: ({ name }) => name },
            { heading: 'Role', cell: ({ role }) => badge(role ?? '') },
            { heading: 'State', cell: ({ state }) => state },
          ],
          rows: [
            ...users.map(({ name, role }) => ({ name, role, state: 'signs in' })),
            ...invitations.map(({ email, role }) => ({ name: email, role, state: 'invited' })),
          ],
          empty: emptyState('Nobody yet', 'Invite the first owner, who invites the others.'),
        }),
        hasPermission(ctx.state.viewer, 'partner.invite')
          ? form(
              ctx,
              { action: `${ctx.path.replace(/\/invite$/, '')}/invite`, submit: 'Invite', filled },
              field({
                ...{ name: 'email', label: 'E-mail', type: 'email', filled, isRequired: true },
                autocomplete: 'off',
              }),
              select({
                ...{ name: 'role', label: 'Role', choices: roleChoices, filled, hint: roleHint },
                chosen: 'owner',
              }),
            )
          : '',
      ),
    );
  }

  routes.page({ ...ofPartner, permission: 'read' }, (ctx) => show(ctx));

  routes.action(
    { ...ofPartner, path: '/admin/partners/:partnerId/invite', permission: 'partner.invite' },
    {
      schema: inviteSchema,
      async act(ctx, fields) {
        const partner = await findPartner(models, param(ctx, 'partnerId'));
        await invite(deps, ctx, { partnerId: partner._id, ...fields });
        redirect(
          ctx,
          `/admin/partners/${partner._id}`,
          `The invitation to ${fields.email} is on its way.`,
        );
      },
      retry: show,
    },
  );
}
