import { isFilledIn } from '../../../domain/go-live.ts';
import { verifiedContact } from '../../../domain/partner-contact.ts';
import type { PageContext } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { hasPermission } from '../../middleware/authorize.ts';
import { countryName } from '../../words/country-words.ts';
import { missingLabels, type ProfileField, profileLabels } from '../../words/profile-words.ts';
import { badge, code, externalLink, facts, linkButton, notice, section } from '../components.ts';
import { countryField } from '../country-field.ts';
import { field, form } from '../form.ts';
import { day } from '../format.ts';
import { html, nothing, type Part } from '../html.ts';
import { invoiceFields } from '../invoice-fields.ts';
import { type Page, page } from '../view.ts';

export function profilePage({ state: { viewer } }: PageContext<'partner'>): Page {
  const { partner } = viewer;
  const missing = missingLabels(partner);
  const shown = (name: ProfileField): Part =>
    isFilledIn(partner[name]) ? partner[name] : html`<span class="badge badge-warn">Missing</span>`;
  return page(
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
        [profileLabels.website, partner.website ? externalLink(partner.website) : shown('website')],
        [profileLabels.country, countryName(partner.country)],
        [profileLabels.currency, shown('currency')],
      ]),
    ),
    section(
      'On invoices',
      facts([
        ['Billing address', linesOf(partner.billingAddress)],
        ['Tax number', partner.taxId ?? html`<span class="muted">none</span>`],
      ]),
    ),
    section(
      'Contacts',
      facts([
        [profileLabels.contactEmail, contactShown(viewer)],
        [profileLabels.supportEmail, shown('supportEmail')],
        [
          'Phone for TEST messages',
          html`${partner.testPhone?.number ?? html`<span class="muted">none</span>`}${hasPermission(viewer, 'partner.update') ? html` · <a href="/profile/test-phone">Change</a>` : nothing}`,
        ],
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
}

const linesOf = (address: string | null | undefined): Part =>
  address
    ? address.split('\n').map((line, at) => html`${at > 0 ? html`<br>` : nothing}${line}`)
    : html`<span class="muted">none</span>`;

/** The address, and whether somebody has shown to read what is sent there. */
function contactShown(viewer: PageContext<'partner'>['state']['viewer']): Part {
  const { contactEmail } = viewer.partner;
  if (contactEmail === null) return html`<span class="badge badge-warn">Missing</span>`;
  if (verifiedContact(viewer.partner) !== null) return contactEmail;
  return html`${contactEmail} <span class="badge badge-warn">Not verified</span>${hasPermission(viewer, 'partner.update') ? html` · <a href="/profile/contact-email">Verify</a>` : nothing}`;
}

export function editProfilePage(ctx: PageContext<'partner'>, filled: Filled): Page {
  const { partner } = ctx.state.viewer;
  const labelled = (of: ProfileField) => ({ name: of, label: profileLabels[of], filled });
  return page(
    {
      title: 'Edit the profile',
      crumbs: [['Profile', '/profile']],
      lead:
        partner.goLive.state === 'LIVE'
          ? 'You are LIVE: every field required for go-live must stay filled in. The names, website and support email were reviewed; ask us to change them.'
          : 'You can save an incomplete profile. Go-live requires every field except the billing address and tax number.',
    },
    html`<div class="card">${form(
      ctx,
      { action: '/profile/edit', submit: 'Save the profile', filled },
      field({
        ...{ name: 'name', label: 'Name', filled, isRequired: true, maxLength: 100 },
        ...{
          autocomplete: 'organization',
          hint: 'The name your customers know, shown on the claim page.',
        },
      }),
      field({ ...labelled('legalName'), maxLength: 200, hint: 'As in the commercial register.' }),
      field({
        ...labelled('website'),
        type: 'url',
        maxLength: 255,
        autocomplete: 'url',
        placeholder: 'https://',
      }),
      countryField(filled, 'Phone numbers without a country code are read as from there.'),
      field({
        ...labelled('currency'),
        isRequired: true,
        maxLength: 3,
        hint: 'Of your LIVE funds. It cannot change once a LIVE rule, funds or a subscription use it.',
      }),
      field({
        ...labelled('contactEmail'),
        type: 'email',
        maxLength: 255,
        hint: 'Funding notices are sent there once it is verified.',
      }),
      field({
        ...labelled('supportEmail'),
        type: 'email',
        maxLength: 255,
        hint: 'Where your customers can get help.',
      }),
      ...invoiceFields(filled),
    )}</div>`,
  );
}
