import Joi from 'joi';
import {
  emptiedByChange,
  type GoLiveFacts,
  isFilledIn,
  profileFields,
} from '../../domain/go-live.ts';
import { updatePartner } from '../../models/commands/update-partner.ts';
import type { PartnerDoc } from '../../models/schemas/partner.ts';
import { type PageContext, redirect } from '../context.ts';
import { deed } from '../deeds.ts';
import type { PortalDeps } from '../deps.ts';
import { FieldError, type Filled, filledWith } from '../forms.ts';
import {
  badge,
  code,
  externalLink,
  facts,
  linkButton,
  notice,
  section,
} from '../html/components.ts';
import { field, form } from '../html/form.ts';
import { day } from '../html/format.ts';
import { html, nothing, type Part } from '../html/html.ts';
import { view } from '../html/view.ts';
import { hasPermission } from '../middleware/authorize.ts';
import { profileForm } from '../profile-form.ts';
import type { Routes } from '../route-table.ts';

type ProfileField = keyof GoLiveFacts['profile'];

/** What each field of the profile is called. */
const profileLabels: Record<ProfileField, string> = {
  legalName: 'Legal name',
  country: 'Country',
  currency: 'Currency',
  contactEmail: 'Contact e-mail',
  supportEmail: 'Support e-mail',
  website: 'Website',
};

type Profile = Pick<PartnerDoc, 'name' | ProfileField>;

const schema = Joi.object<Profile>({
  ...profileForm,
  country: profileForm.country.required(),
  currency: profileForm.currency.required(),
});

/** Which fields of a profile go-live still asks for, by their names on the page. */
export const missingLabels = (partner: PartnerDoc): string[] =>
  profileFields.filter((name) => !isFilledIn(partner[name])).map((name) => profileLabels[name]);

/** Who the partner is. */
export function profilePages(routes: Routes, deps: PortalDeps): void {
  routes.page({ path: '/profile', audience: 'partner', permission: 'read' }, async (ctx) => {
    const { viewer } = ctx.state;
    const { partner } = viewer;
    const missing = missingLabels(partner);
    const shown = (name: ProfileField): Part =>
      isFilledIn(partner[name])
        ? partner[name]
        : html`<span class="badge badge-warn">Missing</span>`;
    view(
      ctx,
      {
        title: 'Profile',
        actions: hasPermission(viewer, 'partner.update')
          ? linkButton(
              '/profile/edit',
              'Edit the profile',
              missing.length > 0 ? 'primary' : 'secondary',
            )
          : nothing,
      },
      missing.length > 0
        ? notice(
            'warn',
            html`<strong>Incomplete for go-live.</strong> Missing: ${missing.join(', ')}.`,
          )
        : notice('good', 'Complete for go-live.'),
      section(
        'Company',
        facts([
          ['Name', partner.name],
          [profileLabels.legalName, shown('legalName')],
          [
            profileLabels.website,
            partner.website ? externalLink(partner.website) : shown('website'),
          ],
          [profileLabels.country, shown('country')],
          [profileLabels.currency, shown('currency')],
        ]),
      ),
      section(
        'Whom to reach',
        facts([
          [profileLabels.contactEmail, shown('contactEmail')],
          [profileLabels.supportEmail, shown('supportEmail')],
        ]),
      ),
      section(
        'Account',
        facts([
          ['Account', badge(partner.status)],
          ['Go-live', html`<a href="/go-live">${badge(partner.goLive.state)}</a>`],
          ['Partner id', code(partner._id, { canCopy: true })],
          ['Since', day(partner.createdAt)],
        ]),
      ),
    );
  });

  async function showEdit(ctx: PageContext<'partner'>, given?: Filled) {
    const { partner } = ctx.state.viewer;
    const { name, legalName, website, country, currency, contactEmail, supportEmail } = partner;
    const stored = { name, legalName, website, country, currency, contactEmail, supportEmail };
    const filled = given ?? filledWith(stored);
    const labelled = (of: ProfileField) => ({ name: of, label: profileLabels[of], filled });
    view(
      ctx,
      {
        title: 'Edit the profile',
        crumbs: [['Profile', '/profile']],
        lead:
          partner.goLive.state === 'LIVE'
            ? 'You are LIVE: every field stays filled in.'
            : 'A draft may be incomplete. Go-live asks for every field.',
      },
      html`<div class="card">${form(
        ctx,
        { action: '/profile/edit', submit: 'Save the profile', filled },
        field({
          ...{ name: 'name', label: 'Name', filled, isRequired: true, maxLength: 100 },
          ...{
            autocomplete: 'organization',
            hint: 'As your customers know you: it stands on the claim page.',
          },
        }),
        field({ ...labelled('legalName'), maxLength: 200, hint: 'As a register has it.' }),
        field({
          ...labelled('website'),
          type: 'url',
          maxLength: 255,
          autocomplete: 'url',
          placeholder: 'https://',
        }),
        field({
          ...labelled('country'),
          isRequired: true,
          maxLength: 2,
          hint: 'Two letters, such as US. Phone numbers without a country code are read as from there.',
        }),
        field({
          ...labelled('currency'),
          isRequired: true,
          maxLength: 3,
          hint: 'Of your LIVE funds. It stays once a LIVE rule, funds or a subscription are in it.',
        }),
        field({
          ...labelled('contactEmail'),
          type: 'email',
          maxLength: 255,
          hint: 'Notices about funding go there.',
        }),
        field({
          ...labelled('supportEmail'),
          type: 'email',
          maxLength: 255,
          hint: 'Where your customers get help.',
        }),
      )}</div>`,
    );
  }

  const editing = {
    path: '/profile/edit',
    audience: 'partner',
    permission: 'partner.update',
  } as const;
  routes.page(editing, (ctx) => showEdit(ctx));
  routes.action(editing, {
    schema,
    async act(ctx, profile) {
      const { _id: partnerId, goLive } = ctx.state.viewer.partner;
      const [emptied] = emptiedByChange(goLive.state, profile);
      if (emptied) throw new FieldError(emptied, 'You are LIVE: this stays filled in.');
      const details = { ...profile };
      await deed(
        deps,
        ctx,
        { action: 'partner.update', partnerId, targetId: partnerId, details },
        () => updatePartner(deps, partnerId, profile),
      );
      redirect(ctx, '/profile', 'The profile is saved.');
    },
    retry: showEdit,
  });
}
