import { isFilledIn } from '../../../domain/go-live.ts';
import {
  type ProvableAddress,
  replyAddress,
  verifiedContact,
} from '../../../domain/partner-contact.ts';
import type { PartnerDoc } from '../../../models/schemas/partner.ts';
import type { PageContext, PartnerViewer } from '../../context.ts';
import type { Filled } from '../../forms/submit.ts';
import { hasPermission } from '../../middleware/authorize.ts';
import { countryName } from '../../words/country-words.ts';
import { missingLabels, type ProfileField, profileLabels } from '../../words/profile-words.ts';
import { say } from '../../words/say.ts';
import { tags } from '../../words/tags.ts';
import { badge, code, externalLink, facts, linkButton, notice, section } from '../components.ts';
import { countryField } from '../country-field.ts';
import { field, form } from '../form.ts';
import { day } from '../format.ts';
import { type Html, html, nothing, type Part } from '../html.ts';
import { invoiceFields } from '../invoice-fields.ts';
import { type Page, page } from '../view.ts';
import { pathOfAddress } from './contact-email.ts';

export function profilePage({ state: { viewer } }: PageContext<'partner'>): Page {
  const { partner } = viewer;
  const missing = missingLabels(partner);
  return page(
    {
      title: say('profile.title'),
      actions: hasPermission(viewer, 'partner.update')
        ? linkButton(
            '/profile/edit',
            say('profile.editTheProfile'),
            missing.length > 0 ? 'primary' : 'secondary',
          )
        : nothing,
    },
    missing.length > 0
      ? notice('warn', say('profile.notice', { strong: tags.strong, missing: missing.join(', ') }))
      : notice('good', say('profile.notice.completeGo')),
    companySection(partner),
    section(
      say('profile.section.onInvoices'),
      facts([
        [say('profile.billingAddress'), linesOf(partner.billingAddress)],
        [say('profile.taxNumber'), partner.taxId ?? none()],
      ]),
    ),
    contactsSection(viewer),
    section(
      say('profile.section.account'),
      facts([
        [say('common.account'), badge(partner.status)],
        [say('common.goLive'), html`<a href="/go-live">${badge(partner.goLive.state)}</a>`],
        [say('profile.partnerId'), code(partner._id, { canCopy: true })],
        [say('common.since'), day(partner.createdAt)],
      ]),
    ),
  );
}

function companySection(partner: PartnerDoc): Html {
  const shown = (name: ProfileField): Part =>
    isFilledIn(partner[name])
      ? partner[name]
      : html`<span class="badge badge-warn">${say('profile.missing')}</span>`;
  return section(
    say('profile.section.company'),
    facts([
      [say('common.name'), partner.name],
      [say(profileLabels.legalName), shown('legalName')],
      [
        say(profileLabels.website),
        partner.website ? externalLink(partner.website) : shown('website'),
      ],
      [say(profileLabels.country), countryName(partner.country)],
      [say(profileLabels.currency), shown('currency')],
    ]),
  );
}

function contactsSection(viewer: PartnerViewer): Html {
  const { testPhone } = viewer.partner;
  return section(
    say('profile.section.contacts'),
    facts([
      [say(profileLabels.contactEmail), addressShown(viewer, 'contactEmail')],
      [say(profileLabels.supportEmail), addressShown(viewer, 'supportEmail')],
      [
        say('profile.phoneTestMessages'),
        html`${testPhone?.number ?? none()}${hasPermission(viewer, 'partner.update') ? html` · <a href="/profile/test-phone">${say('profile.change')}</a>` : nothing}`,
      ],
    ]),
  );
}

const none = (): Html => html`<span class="muted">${say('profile.none')}</span>`;

const linesOf = (address: string | null | undefined): Part =>
  address
    ? address.split('\n').map((line, at) => html`${at > 0 ? html`<br>` : nothing}${line}`)
    : none();

/** An address, and whether it is verified. */
function addressShown(viewer: PartnerViewer, address: ProvableAddress): Part {
  const { partner } = viewer;
  const email = partner[address];
  if (email === null) return html`<span class="badge badge-warn">${say('profile.missing')}</span>`;
  const verified = address === 'contactEmail' ? verifiedContact(partner) : replyAddress(partner);
  if (verified !== null) return email;
  return html`${email} <span class="badge badge-warn">${say('profile.notVerified')}</span>${hasPermission(viewer, 'partner.update') ? html` · <a href="${pathOfAddress[address]}">${say('profile.verify')}</a>` : nothing}`;
}

export function editProfilePage(ctx: PageContext<'partner'>, filled: Filled): Page {
  const { partner } = ctx.state.viewer;
  const labelled = (of: ProfileField) => ({ name: of, label: say(profileLabels[of]), filled });
  return page(
    {
      title: say('profile.editProfile.title'),
      crumbs: [[say('profile.profile'), '/profile']],
      lead:
        partner.goLive.state === 'LIVE'
          ? say('profile.editProfile.lead')
          : say('profile.editProfile.lead.saveIncomplete'),
    },
    html`<div class="card">${form(
      ctx,
      { action: '/profile/edit', submit: say('profile.editProfile.submit'), filled },
      field({
        name: 'name',
        label: say('common.name'),
        filled,
        isRequired: true,
        maxLength: 100,
        autocomplete: 'organization',
        hint: say('profile.name.hint'),
      }),
      field({
        ...labelled('legalName'),
        maxLength: 200,
        hint: say('profile.editProfile.commercialRegister'),
      }),
      field({
        ...labelled('website'),
        type: 'url',
        maxLength: 255,
        autocomplete: 'url',
        placeholder: 'https://',
      }),
      countryField(filled, say('profile.editProfile.text')),
      field({
        ...labelled('currency'),
        isRequired: true,
        maxLength: 3,
        hint: say('profile.editProfile.liveFunds'),
      }),
      field({
        ...labelled('contactEmail'),
        type: 'email',
        maxLength: 255,
        hint: say('profile.editProfile.fundingNotices'),
      }),
      field({
        ...labelled('supportEmail'),
        type: 'email',
        maxLength: 255,
        hint: say('profile.editProfile.whereCustomers'),
      }),
      ...invoiceFields(filled),
    )}</div>`,
  );
}
