import Joi from 'joi';
import { knownTimeZone } from '../../domain/branding.ts';
import {
  type ProvableAddress,
  provenAs,
  replyAddress,
  verifiedContact,
} from '../../domain/customer.ts';
import { clearedFields, goLiveProfile, isFilledIn } from '../../domain/go-live.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import { beginContactEmail, confirmContactEmail } from '../../operations/contact-email.ts';
import { reviewedFields, updatePartner } from '../../operations/partners.ts';
import {
  badge,
  code,
  definitions,
  externalLink,
  notice,
  section,
} from '../components/components.ts';
import { countrySelect, timeZoneSelect } from '../components/country-field.ts';
import { field, form, formBehind, invoiceFields } from '../components/form.ts';
import { day, type Html, html, nothing, type Part } from '../components/format.ts';
import { type Page, page } from '../components/view.ts';
import { type PageContext, type PartnerViewer, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { profileForm } from '../forms/profile-form.ts';
import { emptyForm, type Filled, filledWhere, filledWith, type Problems } from '../forms/submit.ts';
import { hasPermission } from '../middleware/access.ts';
import { renderWithNext } from '../next-step.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { missingLabels, type ProfileField, profileLabels } from '../words/profile-words.ts';
import { countryOf } from '../words/words.ts';

type Profile = Pick<PartnerDoc, 'name' | 'billingAddress' | 'taxId' | ProfileField>;

const schema = Joi.object<Profile>({
  ...profileForm,
  country: profileForm.country.required(),
  currency: profileForm.currency.required(),
});

/** The partner's profile. */
export function profilePages(routes: RoutesOf<'partner'>): void {
  routes.page('/profile', showProfile);
  routes.operation('/profile/edit', updatePartner, {
    on: showProfile,
    form: schema,
    check,
    done(ctx, _deps, saved) {
      const { partner } = ctx.state.viewer;
      const isOther = saved.contactEmail !== null && saved.contactEmail !== partner.contactEmail;
      if (isOther && verifiedContact(saved) === null) {
        return redirect(ctx, '/profile', 'Profile saved. Verify the contact email now.');
      }
      const isSetUp = saved.goLive.state === 'LIVE' || missingLabels(saved).length > 0;
      redirect(ctx, isSetUp ? '/profile' : '/home', 'Profile saved.');
    },
  });
}

async function showProfile(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  filled?: Filled,
): Promise<void> {
  await renderWithNext(ctx, deps, profilePage(ctx, storedOf(ctx), filled));
}

/** The profile as its form shows it first, with suggestions for what is not filled in. */
function storedOf({ state: { viewer } }: PageContext<'partner'>): Filled {
  const { partner, user } = viewer;
  const { name, country, currency, billingAddress, taxId } = partner;
  const { legalName, website, contactEmail, supportEmail, timeZone } = partner;
  return filledWith({
    name,
    legalName: legalName ?? name,
    website: website ?? websiteOf(user.email),
    country,
    timeZone,
    currency,
    contactEmail: contactEmail ?? user.email,
    supportEmail: supportEmail ?? user.email,
    billingAddress,
    taxId,
  });
}

/** Providers at which anyone can have an address, so that its domain says nothing about a company. */
const mailProviders =
  /^(gmail|googlemail|outlook|hotmail|live|yahoo|icloud|me|aol|gmx|web|t-online|proton|protonmail|orange|free)\.[a-z.]+$/;

/** The website of whoever has this address, probably. */
function websiteOf(email: string | null): string | null {
  const domain = email?.split('@')[1] ?? '';
  return domain === '' || mailProviders.test(domain) ? null : `https://${domain}`;
}

/** Refuses changes that a LIVE partner cannot make without an operator. */
function check(
  { state }: PageContext<'partner'>,
  _deps: PageDeps,
  profile: Partial<Profile>,
): Problems {
  const { partner } = state.viewer;
  const { country = partner.country, timeZone = null } = profile;
  const isOpen = knownTimeZone({ ...partner, country, timeZone }) === null;
  const zone: Problems = isOpen ? { timeZone: 'Your country has several: choose one.' } : {};
  if (partner.goLive.state !== 'LIVE') return zone;
  const reviewed = reviewedFields.filter(
    (name) => profile[name] !== undefined && profile[name] !== partner[name],
  );
  const said = (names: readonly string[], text: string) => names.map((name) => [name, text]);
  return Object.fromEntries([
    ...said(reviewed, 'You are LIVE, and this was reviewed. Ask us to change it.'),
    ...said(clearedFields('LIVE', profile, partner.country), 'You are LIVE: this can’t be empty.'),
    ...Object.entries(zone),
  ]);
}

const codeSchema = Joi.object<{ code: string }>({
  code: Joi.string().max(32).required().messages({ 'any.required': 'Enter the code.' }),
});

/** Verifies the partner's contact and support addresses. */
export function contactEmailPages(routes: RoutesOf<'partner'>): void {
  for (const [address, path] of Object.entries(pathOfAddress) as [ProvableAddress, string][]) {
    const on = (ctx: PageContext<'partner'>, deps: PageDeps, filled: Filled = emptyForm) =>
      showProfile(ctx, deps, { ...filled, values: { ...filled.values, address } });
    routes.operation(path, beginContactEmail, {
      on,
      before: ({ state }, { throttle }) => throttle.tryMailedCode(state.viewer.user._id),
      input: { address },
      to: '/profile#contacts',
      said: 'The code is on its way.',
    });
    routes.operation(`${path}/code`, confirmContactEmail, {
      on,
      form: codeSchema,
      input: ({ code }) => ({ address, code }),
      to: '/profile',
      said: 'Email address verified.',
    });
  }
}

/** Where a code for each address of the profile is requested, and below which it is entered. */
const pathOfAddress: Record<ProvableAddress, string> = {
  contactEmail: '/profile/contact-email',
  supportEmail: '/profile/support-email',
};

/**
 * The profile, with its forms in place.
 * @param stored the form's first values
 * @param filled what was entered in one of the forms; `address` says for which address a code was
 */
function profilePage(
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
      definitions([
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
    definitions([
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
    definitions(
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
    countrySelect(
      filled,
      'Phone numbers without a country code are taken to be from this country.',
    ),
    timeZoneSelect(filled),
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
