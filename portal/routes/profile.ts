import Joi from 'joi';
import { knownTimeZone } from '../../domain/branding.ts';
import { type ProvableAddress, verifiedContact } from '../../domain/customer.ts';
import { clearedFields } from '../../domain/go-live.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import { beginContactEmail, confirmContactEmail } from '../../operations/contact-email.ts';
import { execute } from '../../operations/execute.ts';
import { reviewedFields, updatePartner } from '../../operations/partners.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { profileForm } from '../forms/profile-form.ts';
import { emptyForm, type Filled, filledWith, type Problems } from '../forms/submit.ts';
import { renderWithNext } from '../next-step.ts';
import { actorOf } from '../operate.ts';
import { pathOfAddress, profilePage } from '../pages/profile.ts';
import type { Routes } from '../routing/route-table.ts';
import { missingLabels, type ProfileField } from '../words/profile-words.ts';

type Profile = Pick<PartnerDoc, 'name' | 'billingAddress' | 'taxId' | ProfileField>;

const schema = Joi.object<Profile>({
  ...profileForm,
  country: profileForm.country.required(),
  currency: profileForm.currency.required(),
});
const editing = {
  path: '/profile/edit',
  audience: 'partner',
  permission: 'partner.update',
  secondFactor: 'LIVE',
} as const;

/** The partner's profile. */
export function profilePages(routes: Routes): void {
  routes.page({ path: '/profile', audience: 'partner', permission: 'read' }, showProfile);
  routes.action(editing, { schema, check, act: save, retry: showProfile });
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

async function save(ctx: PageContext<'partner'>, deps: PageDeps, profile: Profile): Promise<void> {
  const { partner } = ctx.state.viewer;
  const change = { partnerId: partner._id, ...profile };
  const saved = await execute(deps, updatePartner, actorOf(ctx), change);
  const isOther = saved.contactEmail !== null && saved.contactEmail !== partner.contactEmail;
  if (isOther && verifiedContact(saved) === null) {
    return redirect(ctx, '/profile', 'Profile saved. Verify the contact email now.');
  }
  const isSetUp = saved.goLive.state === 'LIVE' || missingLabels(saved).length > 0;
  redirect(ctx, isSetUp ? '/profile' : '/home', 'Profile saved.');
}

/** Verifies the partner's contact and support addresses. */
export function contactEmailPages(routes: Routes): void {
  verifyingPages(routes, 'contactEmail');
  verifyingPages(routes, 'supportEmail');
}

function verifyingPages(routes: Routes, address: ProvableAddress): void {
  const path = pathOfAddress[address];
  const verifying = {
    path,
    audience: 'partner',
    permission: 'partner.update',
    secondFactor: 'LIVE',
  } as const;
  const show = (ctx: PageContext<'partner'>, deps: PageDeps, filled: Filled = emptyForm) =>
    showProfile(ctx, deps, { ...filled, values: { ...filled.values, address } });
  const code = Joi.string().max(32).required().messages({ 'any.required': 'Enter the code.' });
  routes.action(verifying, {
    schema: Joi.object({}),
    async act(ctx, deps) {
      const { partner, user } = ctx.state.viewer;
      deps.throttle.tryMailedCode(user._id);
      const input = { partnerId: partner._id, address };
      await execute(deps, beginContactEmail, actorOf(ctx), input);
      redirect(ctx, '/profile#contacts', 'The code is on its way.');
    },
    retry: show,
  });
  routes.action(
    { ...verifying, path: `${path}/code` },
    {
      schema: Joi.object<{ code: string }>({ code }),
      async act(ctx, deps, { code }) {
        const input = { partnerId: ctx.state.viewer.partner._id, address, code };
        await execute(deps, confirmContactEmail, actorOf(ctx), input);
        redirect(ctx, '/profile', 'Email address verified.');
      },
      retry: show,
    },
  );
}
