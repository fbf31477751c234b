import {
  type ProvableAddress,
  provenAs,
  replyAddress,
  verifiedContact,
} from '../../domain/customer.ts';
import { isFilledIn } from '../../domain/go-live.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import {
  badge,
  code,
  externalLink,
  facts,
  linkButton,
  notice,
  section,
} from '../components/components.ts';
import { countryField } from '../components/country-field.ts';
import { field, form, invoiceFields } from '../components/form.ts';
import { day, type Html, html, nothing, type Part } from '../components/format.ts';
import { type Page, page } from '../components/view.ts';
import type { PageContext, PartnerViewer } from '../context.ts';
import { emptyForm, type Filled } from '../forms/submit.ts';
import { hasPermission } from '../middleware/access.ts';
import { missingLabels, type ProfileField, profileLabels } from '../words/profile-words.ts';
import { countryName } from '../words/words.ts';

/** The page on which each address of the profile is verified. */
export const pathOfAddress: Record<ProvableAddress, string> = {
  contactEmail: '/profile/contact-email',
  supportEmail: '/profile/support-email',
};

/** Verifies an address of the partner's profile: a code is emailed to it and entered here. */
export function verifyAddressPage(
  ctx: PageContext<'partner'>,
  address: ProvableAddress,
  filled: Filled = emptyForm,
): Page {
  const { partner } = ctx.state.viewer;
  const path = pathOfAddress[address];
  const email = partner[address];
  const isContact = address === 'contactEmail';
  const isVerified = (isContact ? verifiedContact(partner) : replyAddress(partner)) !== null;
  const isSent = !isVerified && partner[provenAs[address].code]?.to === email;
  return page(
    {
      title: isContact ? 'Contact email' : 'Support email',
      crumbs: [['Company', '/profile']],
      lead: isContact
        ? 'We send funding notices and TEST emails to this address once it is verified.'
        : 'Once this address is verified, customers’ replies to emails go there.',
    },
    email === null
      ? section(
          isContact ? 'No contact email' : 'No support email',
          linkButton('/profile/edit', 'Enter one in the profile', 'primary'),
        )
      : isVerified
        ? notice('good', html`<strong>${email}</strong> is verified.`)
        : [
            isSent ? codeSection(ctx, { path, email, filled }) : nothing,
            sendSection(ctx, { path, email, isSent }),
          ],
  );
}

function codeSection(
  ctx: PageContext<'partner'>,
  { path, email, filled }: { path: string; email: string; filled: Filled },
): Html {
  return section(
    'Enter the code',
    form(
      ctx,
      { action: `${path}/code`, submit: 'Verify address', filled },
      field({
        name: 'code',
        label: 'Code',
        filled,
        isRequired: true,
        inputmode: 'numeric',
        autocomplete: 'one-time-code',
        maxLength: 6,
        hint: `It was sent to ${email} and is valid for 10 minutes.`,
      }),
    ),
  );
}

/** @param isSent whether a code was already sent to the address */
function sendSection(
  ctx: PageContext<'partner'>,
  { path, email, isSent }: { path: string; email: string; isSent: boolean },
): Html {
  return section(
    isSent ? 'Didn’t get a code?' : 'Verify your address',
    form(
      ctx,
      {
        action: path,
        submit: isSent ? 'Send another code' : 'Send a code',
      },
      html`<p>We send a code to <strong>${email}</strong>. Until you enter it, nothing else is sent there.</p>`,
    ),
  );
}

export function profilePage({ state: { viewer } }: PageContext<'partner'>): Page {
  const { partner } = viewer;
  const missing = missingLabels(partner);
  return page(
    {
      title: 'Company',
      actions: hasPermission(viewer, 'partner.update')
        ? linkButton('/profile/edit', 'Edit profile', missing.length > 0 ? 'primary' : 'secondary')
        : nothing,
    },
    missing.length > 0
      ? notice(
          'warn',
          html`<strong>Incomplete for go-live.</strong> Missing: ${missing.join(', ')}.`,
        )
      : notice('good', 'Complete for go-live.'),
    companySection(partner),
    section(
      'On invoices',
      facts([
        ['Billing address', linesOf(partner.billingAddress)],
        ['Tax number', partner.taxId ?? none()],
      ]),
    ),
    contactsSection(viewer),
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

function companySection(partner: PartnerDoc): Html {
  const shown = (name: ProfileField): Part =>
    isFilledIn(partner[name]) ? partner[name] : html`<span class="badge badge-warn">Missing</span>`;
  return section(
    'Company',
    facts([
      ['Name', partner.name],
      [profileLabels.legalName, shown('legalName')],
      [profileLabels.website, partner.website ? externalLink(partner.website) : shown('website')],
      [profileLabels.country, countryName(partner.country)],
      [profileLabels.currency, shown('currency')],
    ]),
  );
}

function contactsSection(viewer: PartnerViewer): Html {
  return section(
    'Contacts',
    facts([
      [profileLabels.contactEmail, addressShown(viewer, 'contactEmail')],
      [profileLabels.supportEmail, addressShown(viewer, 'supportEmail')],
    ]),
  );
}

const none = (): Html => html`<span class="muted">none</span>`;

const linesOf = (address: string | null | undefined): Part =>
  address
    ? address.split('\n').map((line, at) => html`${at > 0 ? html`<br>` : nothing}${line}`)
    : none();

/** An address, and whether it is verified. */
function addressShown(viewer: PartnerViewer, address: ProvableAddress): Part {
  const { partner } = viewer;
  const email = partner[address];
  if (email === null) return html`<span class="badge badge-warn">Missing</span>`;
  const verified = address === 'contactEmail' ? verifiedContact(partner) : replyAddress(partner);
  if (verified !== null) return email;
  return html`${email} <span class="badge badge-warn">Not verified</span>${hasPermission(viewer, 'partner.update') ? html` · <a href="${pathOfAddress[address]}">Verify</a>` : nothing}`;
}

export function editProfilePage(ctx: PageContext<'partner'>, filled: Filled): Page {
  const { partner } = ctx.state.viewer;
  const labelled = (of: ProfileField) => ({ name: of, label: profileLabels[of], filled });
  return page(
    {
      title: 'Edit profile',
      crumbs: [['Company', '/profile']],
      lead:
        partner.goLive.state === 'LIVE'
          ? 'You are LIVE: every field required for go-live must stay filled in. The names, website and support email were reviewed; ask us to change them.'
          : 'You can save an incomplete profile. Go-live requires every field except the billing address and tax number.',
    },
    html`<div class="card">${form(
      ctx,
      { action: '/profile/edit', submit: 'Save profile', filled },
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
      countryField(
        filled,
        'Phone numbers without a country code are taken to be from this country.',
      ),
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
    )}</div>`,
  );
}
