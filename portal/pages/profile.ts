import {
  type ProvableAddress,
  provenAs,
  replyAddress,
  verifiedContact,
} from '../../domain/customer.ts';
import { goLiveProfile, isFilledIn } from '../../domain/go-live.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import { badge, code, externalLink, facts, notice, section } from '../components/components.ts';
import { countryField, timeZoneField } from '../components/country-field.ts';
import { field, form, formBehind, invoiceFields } from '../components/form.ts';
import { day, type Html, html, nothing, type Part } from '../components/format.ts';
import { type Page, page } from '../components/view.ts';
import type { PageContext, PartnerViewer } from '../context.ts';
import { emptyForm, type Filled, filledWhere } from '../forms/submit.ts';
import { hasPermission } from '../middleware/access.ts';
import { missingLabels, type ProfileField, profileLabels } from '../words/profile-words.ts';
import { countryOf } from '../words/words.ts';

/** Where a code for each address of the profile is requested, and below which it is entered. */
export const pathOfAddress: Record<ProvableAddress, string> = {
  contactEmail: '/profile/contact-email',
  supportEmail: '/profile/support-email',
};

/**
 * The profile, with its forms in place.
 * @param stored the form's first values
 * @param filled what was entered in one of the forms; `address` says for which address a code was
 */
export function profilePage(
  ctx: PageContext<'partner'>,
  stored: Filled,
  filled: Filled | undefined,
): Page {
  const { viewer } = ctx.state;
  const { partner } = viewer;
  const missing = missingLabels(partner);
  const mayChange = hasPermission(viewer, 'partner.update');
  return page(
    { title: 'Company' },
    missing.length > 0
      ? notice(
          'warn',
          html`<strong>Incomplete for go-live.</strong> Missing: ${missing.join(', ')}.`,
        )
      : notice('good', 'Complete for go-live.'),
    mayChange && missing.length > 0
      ? section('Complete your profile', editForm(ctx, stored, filled))
      : companySection(partner, mayChange ? editBehind(ctx, stored, filled) : nothing),
    contactsSection(ctx, filled),
    section(
      'Account',
      facts([
        ['Account', badge(partner.status)],
        ['Go-live', badge(partner.goLive.state)],
        ['Partner ID', code(partner._id, { canCopy: true })],
        ['Since', day(partner.createdAt)],
      ]),
    ),
  );
}

function companySection(partner: PartnerDoc, change: Html): Html {
  const shown = (name: ProfileField): Part =>
    isFilledIn(partner[name] ?? null) ? partner[name] : missing();
  return section(
    'Profile',
    facts([
      ['Name', partner.name],
      [profileLabels.legalName, shown('legalName')],
      [profileLabels.website, partner.website ? externalLink(partner.website) : shown('website')],
      [profileLabels.country, partner.country === null ? missing() : countryOf(partner)],
      [profileLabels.timeZone, goLiveProfile(partner).timeZone?.replaceAll('_', ' ') ?? missing()],
      [profileLabels.currency, shown('currency')],
      ['Billing address', linesOf(partner.billingAddress)],
      ['Tax number', partner.taxId ?? none()],
    ]),
    html`<div class="after">${change}</div>`,
  );
}

function contactsSection(ctx: PageContext<'partner'>, filled: Filled | undefined): Html {
  const unproven = addresses.filter((address) => {
    const { partner } = ctx.state.viewer;
    return partner[address] !== null && provenOf(partner, address) === null;
  });
  const mayVerify = hasPermission(ctx.state.viewer, 'partner.update');
  return html`<div id="contacts">${section(
    'Contacts',
    facts(
      addresses.map((address) => [profileLabels[address], addressShown(ctx.state.viewer, address)]),
    ),
    mayVerify && unproven.length > 0
      ? html`<div class="changes">${unproven.map((address) => verifyForms(ctx, address, filled))}</div>`
      : nothing,
  )}</div>`;
}

const addresses = ['contactEmail', 'supportEmail'] as const satisfies readonly ProvableAddress[];

const provenOf = (partner: PartnerDoc, address: ProvableAddress): string | null =>
  address === 'contactEmail' ? verifiedContact(partner) : replyAddress(partner);

/** Verifies an address in place: a code is emailed to it and entered here. */
function verifyForms(
  ctx: PageContext<'partner'>,
  address: ProvableAddress,
  filled: Filled | undefined,
): Html {
  const { partner } = ctx.state.viewer;
  const path = pathOfAddress[address];
  const email = partner[address] ?? '';
  const given = filled?.values.address === address ? filled : emptyForm;
  const what = address === 'contactEmail' ? 'contact email' : 'support email';
  const isSent = partner[provenAs[address].code]?.to === email;
  const send = formBehind(
    ctx,
    {
      ask: isSent ? 'Send another code' : `Verify ${what}`,
      isOpen: !isSent && given !== emptyForm,
      action: path,
      submit: 'Send a code',
      filled: isSent ? emptyForm : given,
    },
    html`<p>We send a code to <strong>${email}</strong>. Until you enter it, nothing else is sent there.</p>`,
  );
  if (!isSent) return send;
  return html`${formBehind(
    ctx,
    {
      ask: `Enter the code for your ${what}`,
      isOpen: true,
      action: `${path}/code`,
      submit: 'Verify address',
      filled: given,
    },
    field({
      name: 'code',
      id: `${address}-code`,
      label: 'Code',
      filled: given,
      isRequired: true,
      inputmode: 'numeric',
      autocomplete: 'one-time-code',
      maxLength: 20,
      hint: `It was sent to ${email} and is valid for 10 minutes.`,
    }),
  )}${send}`;
}

const missing = (): Html => html`<span class="badge badge-warn">Missing</span>`;

const none = (): Html => html`<span class="muted">none</span>`;

const linesOf = (address: string | null | undefined): Part =>
  address
    ? address.split('\n').map((line, at) => html`${at > 0 ? html`<br>` : nothing}${line}`)
    : none();

/** An address, and whether it is verified. */
function addressShown({ partner }: PartnerViewer, address: ProvableAddress): Part {
  const email = partner[address];
  if (email === null) return missing();
  return provenOf(partner, address) !== null
    ? email
    : html`${email} <span class="badge badge-warn">Not verified</span>`;
}

const editBehind = (
  ctx: PageContext<'partner'>,
  stored: Filled,
  filled: Filled | undefined,
): Html => {
  const given = filledWhere('legalName', filled);
  return html`<details class="confirm" ${given === emptyForm ? nothing : html`open`}><summary>Edit profile</summary>${editForm(ctx, stored, filled)}</details>`;
};

function editForm(ctx: PageContext<'partner'>, stored: Filled, given: Filled | undefined): Html {
  const { partner } = ctx.state.viewer;
  const sent = filledWhere('legalName', given);
  const filled = sent === emptyForm ? stored : sent;
  const labelled = (of: ProfileField) => ({ name: of, label: profileLabels[of], filled });
  return form(
    ctx,
    { action: '/profile/edit', submit: 'Save profile', filled },
    html`<p>${
      partner.goLive.state === 'LIVE'
        ? 'You are LIVE: every field required for go-live must stay filled in. The names, website and support email were reviewed; ask us to change them.'
        : 'Check what we filled in for you. Go-live requires every field except the billing address and tax number.'
    }</p>`,
    field({
      name: 'name',
      label: 'Name',
      filled,
      isRequired: true,
      maxLength: 100,
      autocomplete: 'organization',
      hint: 'The name your customers know, shown on the claim page.',
    }),
    field({
      ...labelled('legalName'),
      maxLength: 200,
      hint: 'As registered, for example in the commercial register.',
    }),
    field({
      ...labelled('website'),
      type: 'url',
      maxLength: 255,
      autocomplete: 'url',
      placeholder: 'https://',
    }),
    countryField(filled, 'Phone numbers without a country code are taken to be from this country.'),
    timeZoneField(filled),
    field({
      ...labelled('currency'),
      isRequired: true,
      maxLength: 3,
      hint: 'The currency of your LIVE funds. You can’t change it once a LIVE rule, funds or a subscription use it.',
    }),
    field({
      ...labelled('contactEmail'),
      type: 'email',
      maxLength: 255,
      hint: 'We send funding notices here once the address is verified.',
    }),
    field({
      ...labelled('supportEmail'),
      type: 'email',
      maxLength: 255,
      hint: 'Where your customers can get help.',
    }),
    ...invoiceFields(filled),
  );
}
