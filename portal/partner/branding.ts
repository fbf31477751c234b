import Joi from 'joi';
import {
  type Branding,
  type ChosenBranding,
  customerTimeZone,
  defaultBranding,
  fitLogo,
  knownTimeZone,
  type Logo,
  logoLimits,
  logoPathOf,
} from '../../domain/branding.ts';
import { replyAddress } from '../../domain/customer.ts';
import { defaultLanguage, type Language, languages } from '../../domain/languages.ts';
import type { MessageReason } from '../../domain/messages.ts';
import { timeZones } from '../../domain/time-zones.ts';
import { dayMs } from '../../domain/utc-days.ts';
import { customerMail, customerText } from '../../messaging/customer-messages.ts';
import type { Mail } from '../../messaging/message.ts';
import { localizerOf } from '../../messaging/words/localizer.ts';
import { removeLogo, setLogo, updateBranding } from '../../operations/branding.ts';
import { brandPathOf } from '../assets/brand.ts';
import { code, definitions, externalLink, section } from '../components/components.ts';
import { ticket } from '../components/customer-layout.ts';
import { type Choice, confirm, field, fileField, formBehind, select } from '../components/form.ts';
import { type Html, html, nothing, numberText } from '../components/format.ts';
import { type Page, page, render } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import { claimPages } from '../customer/claim.ts';
import type { PageDeps } from '../deps.ts';
import { tooLong } from '../forms/default-messages.ts';
import { nameField } from '../forms/fields.ts';
import { emptyForm, type Filled, filledWhere, filledWith, type Problems } from '../forms/submit.ts';
import { hasPermission } from '../middleware/access.ts';
import { queryOf } from '../routing/query.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { pageLocalizerOf } from '../words/customer-localizer.ts';
import { languageNames } from '../words/words.ts';

const schema = Joi.object<ChosenBranding>({
  language: Joi.valid(...languages)
    .required()
    .messages({ 'any.only': 'Choose a language.', 'any.required': 'Choose a language.' }),
  timeZone: Joi.valid(...timeZones)
    .default(null)
    .messages({ 'any.only': 'Choose a time zone.' }),
  color: Joi.string()
    .trim()
    .lowercase()
    .pattern(/^#[0-9a-f]{6}$/)
    .default(null)
    .messages({ 'string.pattern.base': 'Enter a # and six hexadecimal digits, such as #4f46e5.' }),
  spendText: nameField.max(200).default(null).messages({
    'string.max': tooLong,
    'string.pattern.base': 'Enter one line of text.',
  }),
  spendUrl: Joi.string().trim().max(500).uri({ scheme: 'https' }).default(null).messages({
    'string.uri': 'Enter an address that begins with https://.',
    'string.uriCustomScheme': 'Enter an address that begins with https://.',
  }),
});

const shownSchema = Joi.object<{ language?: Language }>({ language: Joi.valid(...languages) });

/** In the order in which customers receive them. */
const messageReasons = [
  'ON_HOLD',
  'OFFER',
  'REMINDER',
  'TAKEN_BACK',
  'CORRECTED',
] as const satisfies readonly MessageReason[];

const emailSchema = Joi.object<{ language?: Language; why?: MessageReason }>({
  language: Joi.valid(...languages),
  why: Joi.valid(...messageReasons),
});

/** A partner's branding, with previews. */
export function brandingPages(routes: RoutesOf<'partner'>): void {
  routes.page('/branding', show);
  routes.page('/branding/email.html', showEmail);
  routes.operation('/branding/edit', updateBranding, {
    on: show,
    form: schema,
    to: '/branding',
    said: 'Branding saved.',
  });
  routes.operation('/branding/logo', setLogo, {
    takesFile: true,
    on: show,
    check: ({ state }): Problems => (state.file ? {} : { file: 'Choose a file.' }),
    before: ({ state }, { throttle }) => throttle.tryUpload(state.viewer.user._id),
    input: async (_nothing, { state: { file = [] } }) => ({
      picture: await readStart(file, logoLimits.bytes + 1),
    }),
    to: '/branding',
    said: 'Logo saved.',
  });
  routes.operation('/branding/logo/remove', removeLogo, {
    on: show,
    to: '/branding',
    said: 'Logo removed.',
  });
}

function show(ctx: PageContext<'partner'>, { now }: PageDeps, filled?: Filled): void {
  const { branding } = ctx.state.viewer.partner;
  const { language = branding?.language ?? defaultLanguage } = queryOf(ctx, shownSchema);
  render(ctx, brandingPage(ctx, { language, nowMs: now() }, filled));
}

/** The policy of an email's preview: inline styles, and shown in our own frame. */
const mailPolicy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox',
].join(';');

function showEmail(ctx: PageContext<'partner'>, { now }: PageDeps): void {
  const { language = defaultLanguage, why = 'OFFER' } = queryOf(ctx, emailSchema);
  const { html } = previewedMail(ctx.state.viewer.partner, { language, why, nowMs: now() });
  ctx.set({
    'Content-Security-Policy': mailPolicy,
    'X-Frame-Options': 'SAMEORIGIN',
    // A sandboxed frame has an opaque origin, which cannot be keyed like the page that contains it.
    'Origin-Agent-Cluster': '?0',
  });
  ctx.type = 'html';
  ctx.body = html;
}

/** Reads a file up to one byte over the limit, which shows that it is too long. */
async function readStart(
  file: AsyncIterable<Buffer> | Iterable<Buffer>,
  maxBytes: number,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of file) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

/** How customers see a partner. @param language of the preview */
function brandingPage(
  ctx: PageContext<'partner'>,
  { language, nowMs }: { language: Language; nowMs: number },
  filled: Filled | undefined,
): Page {
  const { viewer, assets } = ctx.state;
  const mayChange = hasPermission(viewer, 'partner.update');
  const { partner } = viewer;
  const { name, branding, supportEmail } = partner;
  const ours = html`<span class="muted">none</span>`;
  return page(
    {
      title: 'Branding',
      lead: 'How you appear to customers, in messages and on the claim page.',
      sheets: [
        assets.pathOf('customer.css'),
        ...(branding?.color ? [brandPathOf(branding.color)] : []),
      ],
    },
    section(
      'Shown to customers',
      definitions([
        ['Name', html`${name} · <a href="/profile">Profile</a>`],
        [
          'Customers’ questions go to',
          html`${supportEmail ?? ours} · <a href="/profile">Profile</a>`,
        ],
        [
          'Replies to emails go to',
          replyAddress(partner) ??
            html`<span class="muted">nobody until the support email is verified</span>${supportEmail !== null && mayChange ? html` · <a href="/profile#contacts">Verify</a>` : nothing}`,
        ],
        ['Logo', branding?.logo ? logoPicture(branding.logo, name) : ours],
        ['Language of messages', languageNames[branding?.language ?? defaultLanguage]],
        [
          'Time zone of your customers',
          branding?.timeZone
            ? zoneText(branding.timeZone)
            : knownTimeZone(partner) === null
              ? `${zoneText(customerTimeZone(partner))}, since your country has several`
              : `That of your profile (${zoneText(customerTimeZone(partner))})`,
        ],
        ['Colour', branding?.color ? code(branding.color) : ours],
        ['Where points can be spent', branding?.spendText ?? ours],
        ['Page about spending points', branding?.spendUrl ? externalLink(branding.spendUrl) : ours],
      ]),
      mayChange ? changes(ctx, filled) : nothing,
    ),
    section('Preview', preview(partner, language, nowMs)),
  );
}

type PreviewedPartner = PageContext<'partner'>['state']['viewer']['partner'];

/** A made-up reward. */
const sampleOf = ({ currency }: PreviewedPartner, nowMs: number) => ({
  ...({ mode: 'LIVE', points: 1_250, liabilityCents: 1_250, currency } as const),
  afterReview: null,
  claimExpiresAt: new Date(nowMs + 12.5 * dayMs),
  claimableFrom: new Date(nowMs + 6.5 * dayMs),
});

/** The input of messages about a made-up reward. */
const sampleMessage = (
  partner: PreviewedPartner,
  language: Language,
  why: MessageReason,
  nowMs: number,
) => {
  const { claimExpiresAt, claimableFrom, ...sample } = sampleOf(partner, nowMs);
  const reward = {
    ...sample,
    rewardId: 'preview',
    externalOrderId: 'A-1001',
    claimExpiresAt: claimExpiresAt.toISOString(),
    claimableFrom: claimableFrom.toISOString(),
  };
  const localizer = localizerOf(language, customerTimeZone(partner));
  const { currency } = partner;
  // The portal serves the logo from its own address.
  const context = { localizer, reason: why, link: 'https://…', portalUrl: '', currency };
  return { reward, context };
};

/** A sample of an email to customers. */
function previewedMail(
  partner: PreviewedPartner,
  { language, why, nowMs }: { language: Language; why: MessageReason; nowMs: number },
): Mail {
  const { reward, context } = sampleMessage(partner, language, why, nowMs);
  return customerMail(reward, partner, context, '');
}

/** Previews of the claim page before and after the claim, and of each message. */
function preview(partner: PreviewedPartner, language: Language, nowMs: number): Html {
  const localizer = pageLocalizerOf(language, customerTimeZone(partner));
  const { name, branding } = partner;
  const moves = [{ move: 'CLAIM' as const, at: new Date(nowMs), state: 'AVAILABLE' as const }];
  const shown = {
    reward: { ...sampleOf(partner, nowMs), moves },
    partner,
    path: null,
    nowMs,
    localizer,
  };
  const texts = (['OFFER', 'ON_HOLD', 'TAKEN_BACK', 'CORRECTED'] as const).map((why) => {
    const { reward, context } = sampleMessage(partner, language, why, nowMs);
    return customerText(reward, partner, context, '').text;
  });
  return html`<p class="buttons">${languages.map(
    (one) =>
      html`<a class="button secondary" href="/branding?language=${one}" ${one === language ? html`aria-current="true"` : nothing}>${languageNames[one]}</a>`,
  )}</p>
<div class="grid-2"><div><h3>Claim page</h3>${customerPart(language, ticket(name, claimPages.OPEN(shown).content, branding?.logo))}</div>
<div>${mailPart(partner, { language, why: 'OFFER', nowMs })}</div></div>
<details class="more"><summary>Claim page after the claim</summary>${customerPart(language, ticket(name, claimPages.CLAIMED(shown).content, branding?.logo))}</details>
${messageReasons
  .filter((why) => why !== 'OFFER')
  .map((why) => mailPreview(partner, { language, why, nowMs }))}
<details class="more"><summary>Text messages</summary>${texts.map((text) => html`<p class="wrap" lang="${language}">${text}</p>`)}</details>`;
}

const mailTitles: Readonly<Record<MessageReason, string>> = {
  ON_HOLD: 'Email after a purchase whose points are on hold',
  OFFER: 'Email after a purchase',
  REMINDER: 'Reminder before the claim window ends',
  TAKEN_BACK: 'Email when points are taken back',
  CORRECTED: 'Email to a contact that was wrong',
};

const customerPart = (language: Language, shown: Html): Html =>
  html`<div class="customer preview" lang="${language}"><div>${shown}</div></div>`;

interface ShownMail {
  language: Language;
  why: MessageReason;
  nowMs: number;
}

const mailPart = (partner: PreviewedPartner, shown: ShownMail): Html =>
  html`<h3>${mailTitles[shown.why]}</h3>${mailFrame(partner, shown)}`;

const mailPreview = (partner: PreviewedPartner, shown: ShownMail): Html =>
  html`<details class="more"><summary>${mailTitles[shown.why]}</summary>${mailFrame(partner, shown)}</details>`;

/** In a frame, since emails have inline styles, which our pages may not have. */
function mailFrame(partner: PreviewedPartner, shown: ShownMail): Html {
  const { language, why } = shown;
  return html`<p><span class="muted">Subject:</span> <strong lang="${language}">${previewedMail(partner, shown).subject}</strong></p>
<iframe class="mail" loading="lazy" title="${mailTitles[why]}" src="/branding/email.html?language=${language}&amp;why=${why}" sandbox></iframe>`;
}

const zoneText = (zone: string): string => zone.replaceAll('_', ' ');

const logoRoom = { width: 200, height: 48 };

/** A logo in the size of emails. */
function logoPicture(logo: Logo, name: string): Html {
  const { width, height } = fitLogo(logo, logoRoom);
  return html`<img class="logo" src="${logoPathOf(logo)}" alt="${name}" width="${width}" height="${height}">`;
}

/** The forms of the settings and of the logo, in place. */
function changes(ctx: PageContext<'partner'>, filled: Filled | undefined): Html {
  const { partner } = ctx.state.viewer;
  const { branding } = partner;
  const chosen = filledWhere('language', filled);
  const isOfLogo = filled !== undefined && chosen === emptyForm;
  return html`<div class="changes">${formBehind(
    ctx,
    {
      ask: 'Edit branding',
      isOpen: chosen !== emptyForm,
      action: '/branding/edit',
      submit: 'Save branding',
      filled: chosen,
    },
    brandingFields(partner, chosen === emptyForm ? filledWith({ ...chosenOf(branding) }) : chosen),
  )}${formBehind(
    ctx,
    {
      ask: branding?.logo ? 'Change logo' : 'Upload a logo',
      isOpen: isOfLogo,
      action: '/branding/logo',
      submit: 'Upload logo',
      filled: isOfLogo ? filled : emptyForm,
      takesFile: true,
    },
    logoField(isOfLogo ? filled : emptyForm),
  )}${
    branding?.logo
      ? confirm(ctx, {
          ask: 'Remove logo …',
          action: '/branding/logo/remove',
          submit: 'Remove logo',
          question: 'Customers see your name instead, in emails that were already sent, too.',
        })
      : nothing
  }</div>`;
}

function brandingFields(partner: PreviewedPartner, filled: Filled): Html[] {
  const labelled = (name: keyof ChosenBranding, label: string) => ({ name, label, filled });
  return [
    select({
      ...labelled('language', 'Language of messages'),
      choices: languages.map((value) => ({ value, text: languageNames[value] })),
      hint: 'For emails and text messages to your customers. The claim page uses the language of their browser, and a message about claimed points the language in which they claimed.',
    }),
    select({
      ...labelled('timeZone', 'Time zone of your customers'),
      choices: zoneChoices(partner),
      hint: 'For times in emails and text messages. The claim page shows times in the customer’s own time zone.',
    }),
    field({
      ...labelled('color', 'Colour'),
      placeholder: '#4f46e5',
      maxLength: 7,
      autocomplete: 'off',
      hint: 'For the button and the number of points. Text on it is white or black, whichever is easier to read. A colour too close to white is refused.',
    }),
    field({
      ...labelled('spendText', 'Where points can be spent'),
      maxLength: 200,
      autocomplete: 'off',
      hint: 'One sentence, in the language of your messages.',
    }),
    field({
      ...labelled('spendUrl', 'Page about spending points'),
      type: 'url',
      maxLength: 500,
      autocomplete: 'off',
      placeholder: 'https://',
      hint: 'A page of your own website, linked from emails and the claim page.',
    }),
  ];
}

function zoneChoices(partner: PreviewedPartner): Choice[] {
  const ofProfile = zoneText(customerTimeZone({ ...partner, branding: undefined }));
  return [
    { value: '', text: `That of your profile (${ofProfile})` },
    ...timeZones.map((value) => ({ value, text: zoneText(value) })),
  ];
}

const logoField = (filled: Filled): Html =>
  fileField({
    name: 'file',
    label: 'Picture',
    filled,
    isRequired: true,
    accept: '.png,.jpg,.jpeg,image/png,image/jpeg',
    hint: `PNG or JPEG, up to ${logoLimits.bytes / 1024} KiB and ${numberText(logoLimits.width)} × ${logoLimits.height} pixels. It replaces your name on the claim page and in emails, on a white background. Readers who don’t see images see your name.`,
  });

const chosenOf = ({ logo: _, ...chosen }: Branding = defaultBranding): ChosenBranding => chosen;
