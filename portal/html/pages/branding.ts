import {
  type Branding,
  type ChosenBranding,
  customerTimeZone,
  defaultBranding,
  fitLogo,
  type Logo,
  logoLimits,
  logoPathOf,
} from '../../../domain/branding.ts';
import { defaultLanguage, type Language, languages } from '../../../domain/languages.ts';
import { replyAddress } from '../../../domain/partner-contact.ts';
import { timeZones, zoneOfCountry } from '../../../domain/time-zones.ts';
import {
  customerMail,
  customerText,
  type MessageReason,
} from '../../../messaging/customer-messages.ts';
import type { Mail } from '../../../messaging/message.ts';
import { localizerOf } from '../../../messaging/words/localizer.ts';
import { brandPathOf } from '../../assets/brand.ts';
import type { PageContext } from '../../context.ts';
import { emptyForm, type Filled, filledWith } from '../../forms/submit.ts';
import { hasPermission } from '../../middleware/authorize.ts';
import { pageLocalizerOf } from '../../words/customer-localizer.ts';
import { languageNames } from '../../words/language-words.ts';
import { type PlainKey, say } from '../../words/say.ts';
import { claimPages } from '../claim-page.ts';
import { code, externalLink, facts, linkButton, section } from '../components.ts';
import { ticket } from '../customer-layout.ts';
import { type Choice, field, fileField, form, select } from '../form.ts';
import { numberText } from '../format.ts';
import { type Html, html, nothing } from '../html.ts';
import { type Page, page } from '../view.ts';
import { pathOfAddress } from './contact-email.ts';

const dayMs = 86_400_000;

/** How customers see a partner. @param language of the preview */
export function brandingPage(
  { state: { viewer, assets, mayOpen } }: PageContext<'partner'>,
  { language, nowMs }: { language: Language; nowMs: number },
): Page {
  const { partner } = viewer;
  const { name, branding, supportEmail } = partner;
  const ours = html`<span class="muted">${say('branding.none')}</span>`;
  return page(
    {
      title: say('branding.title'),
      lead: say('branding.lead'),
      actions: hasPermission(viewer, 'partner.update')
        ? linkButton('/branding/edit', say('branding.editTheBranding'), 'secondary')
        : nothing,
      sheets: [
        assets.pathOf('customer.css'),
        ...(branding?.color ? [brandPathOf(branding.color)] : []),
      ],
    },
    section(
      say('branding.section.shownToCustomers'),
      facts([
        [say('common.name'), html`${name} · <a href="/profile">${say('branding.profile')}</a>`],
        [
          say('branding.questionsGoTo'),
          html`${supportEmail ?? ours} · <a href="/profile">${say('branding.profile')}</a>`,
        ],
        [
          say('branding.answersEmailsGo'),
          replyAddress(partner) ??
            html`<span class="muted">${say('branding.text')}</span>${supportEmail !== null && mayOpen(pathOfAddress.supportEmail) ? html` · <a href="${pathOfAddress.supportEmail}">${say('profile.verify')}</a>` : nothing}`,
        ],
        [say('branding.logo'), branding?.logo ? logoPicture(branding.logo, name) : ours],
        [
          say('branding.languageOfMessages'),
          say(languageNames[branding?.language ?? defaultLanguage]),
        ],
        [
          say('branding.timeZone'),
          branding?.timeZone
            ? zoneText(branding.timeZone)
            : zoneOfCountry(partner.country) === null
              ? say('branding.severalZones', { zone: zoneText(customerTimeZone(partner)) })
              : say('branding.ofCountry', { zone: zoneText(customerTimeZone(partner)) }),
        ],
        [say('branding.colour'), branding?.color ? code(branding.color) : ours],
        [say('branding.wherePointsSpent'), branding?.spendText ?? ours],
        [say('branding.linkAboutIt'), branding?.spendUrl ? externalLink(branding.spendUrl) : ours],
      ]),
    ),
    section(say('branding.section.preview'), preview(partner, language, nowMs)),
  );
}

type PreviewedPartner = PageContext<'partner'>['state']['viewer']['partner'];

/** A made-up reward. */
const sampleOf = ({ currency }: PreviewedPartner, nowMs: number) => ({
  ...({ mode: 'LIVE', points: 1_250, liabilityCents: 1_250, currency } as const),
  claimExpiresAt: new Date(nowMs + 12.5 * dayMs),
});

/** The input of messages about a made-up reward. */
const sampleMessage = (
  partner: PreviewedPartner,
  language: Language,
  why: MessageReason,
  nowMs: number,
) => {
  const { claimExpiresAt, ...sample } = sampleOf(partner, nowMs);
  const reward = {
    ...sample,
    rewardId: 'preview',
    claimExpiresAt: claimExpiresAt.toISOString(),
  };
  const localizer = localizerOf(language, customerTimeZone(partner));
  const { currency } = partner;
  // The portal serves the logo from its own address.
  const context = { localizer, reason: why, link: 'https://…', portalUrl: '', currency };
  return { reward, context };
};

/** A sample of an email to customers. */
export function previewedMail(
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
  const moves = [{ move: 'CLAIM' as const, at: new Date(nowMs), status: 'AVAILABLE' as const }];
  const shown = {
    reward: { ...sampleOf(partner, nowMs), moves },
    partner,
    path: null,
    nowMs,
    localizer,
  };
  const texts = (['OFFER', 'TAKEN_BACK'] as const).map((why) => {
    const { reward, context } = sampleMessage(partner, language, why, nowMs);
    return customerText(reward, partner, context, '').text;
  });
  return html`<p class="buttons">${languages.map(
    (one) =>
      html`<a class="button secondary" href="/branding?language=${one}" ${one === language ? html`aria-current="true"` : nothing}>${say(languageNames[one])}</a>`,
  )}</p>
<div class="customer preview" lang="${language}">
<div>${ticket(name, claimPages.OPEN(shown).content, branding?.logo)}</div>
<div>${ticket(name, claimPages.CLAIMED(shown).content, branding?.logo)}</div>
</div>
${messageReasons.map((why) => mailPreview(partner, { language, why, nowMs }))}
<h3>${say('branding.textMessages')}</h3>
${texts.map((text) => html`<p class="wrap" lang="${language}">${text}</p>`)}`;
}

/** In the order in which customers receive them. */
export const messageReasons = [
  'OFFER',
  'REMINDER',
  'TAKEN_BACK',
] as const satisfies readonly MessageReason[];

const mailTitles: Readonly<Record<MessageReason, PlainKey>> = {
  OFFER: 'branding.emailAfterPurchase',
  REMINDER: 'branding.emailReminder',
  TAKEN_BACK: 'branding.emailTakenBack',
};

/** In a frame, since emails have inline styles, which our pages may not have. */
function mailPreview(
  partner: PreviewedPartner,
  shown: { language: Language; why: MessageReason; nowMs: number },
): Html {
  const { language, why } = shown;
  return html`<h3>${say(mailTitles[why])}</h3>
<p><span class="muted">${say('branding.subject')}</span> <strong lang="${language}">${previewedMail(partner, shown).subject}</strong></p>
<iframe class="mail" title="${say(mailTitles[why])}" src="/branding/email.html?language=${language}&amp;why=${why}" sandbox></iframe>`;
}

const zoneText = (zone: string): string => zone.replaceAll('_', ' ');

const logoRoom = { width: 200, height: 48 };

/** A logo in the size of emails. */
function logoPicture(logo: Logo, name: string): Html {
  const { width, height } = fitLogo(logo, logoRoom);
  return html`<img class="logo" src="${logoPathOf(logo)}" alt="${name}" width="${width}" height="${height}">`;
}

/** Values of the page's two forms; a form that was not submitted shows the stored values. */
interface FilledForms {
  chosen?: Filled;
  logo?: Filled;
}

export function editBrandingPage(
  ctx: PageContext<'partner'>,
  { chosen = emptyForm, logo = emptyForm }: FilledForms = {},
): Page {
  const { partner } = ctx.state.viewer;
  return page(
    {
      title: say('branding.editBranding.title'),
      crumbs: [[say('branding.branding'), '/branding']],
      sheets: [ctx.state.assets.pathOf('customer.css')],
    },
    html`<div class="card narrow">${form(
      ctx,
      {
        action: '/branding/edit',
        submit: say('branding.editBranding.submit'),
        filled: chosen,
      },
      brandingFields(
        partner,
        chosen === emptyForm ? filledWith({ ...chosenOf(partner.branding) }) : chosen,
      ),
    )}</div>`,
    logoSection(ctx, logo),
  );
}

function brandingFields(partner: PreviewedPartner, filled: Filled): Html[] {
  const labelled = (name: keyof ChosenBranding, label: string) => ({ name, label, filled });
  return [
    select({
      ...labelled('language', say('branding.languageOfMessages')),
      choices: languages.map((value) => ({ value, text: say(languageNames[value]) })),
      hint: say('branding.editBranding.emailsText'),
    }),
    select({
      ...labelled('timeZone', say('branding.timeZone')),
      choices: zoneChoices(partner),
      hint: say('branding.timeZone.hint'),
    }),
    field({
      ...labelled('color', say('branding.colour')),
      placeholder: '#4f46e5',
      maxLength: 7,
      autocomplete: 'off',
      hint: say('branding.editBranding.buttonNumber'),
    }),
    field({
      ...labelled('spendText', say('branding.editBranding.text')),
      maxLength: 200,
      autocomplete: 'off',
      hint: say('branding.editBranding.sentenceLanguage'),
    }),
    field({
      ...labelled('spendUrl', say('branding.linkAboutIt')),
      type: 'url',
      maxLength: 500,
      autocomplete: 'off',
      placeholder: 'https://',
      hint: say('branding.editBranding.pageOwn'),
    }),
  ];
}

function zoneChoices(partner: PreviewedPartner): Choice[] {
  const ofCountry = zoneText(customerTimeZone({ ...partner, branding: undefined }));
  return [
    { value: '', text: say('branding.ofCountry', { zone: ofCountry }) },
    ...timeZones.map((value) => ({ value, text: zoneText(value) })),
  ];
}

function logoSection(ctx: PageContext<'partner'>, filled: Filled): Html {
  const { branding, name } = ctx.state.viewer.partner;
  return section(
    say('branding.section.logo'),
    html`${branding?.logo ? html`<p>${logoPicture(branding.logo, name)}</p>` : nothing}${uploadForm(ctx, filled)}${branding?.logo ? removeLogoForm(ctx) : nothing}`,
  );
}

const uploadForm = (ctx: PageContext<'partner'>, filled: Filled): Html =>
  form(
    ctx,
    {
      action: '/branding/logo',
      submit: say('branding.editBranding.submit.uploadLogo'),
      filled,
      takesFile: true,
    },
    fileField({
      name: 'file',
      label: say('branding.file'),
      filled,
      isRequired: true,
      accept: '.png,.jpg,.jpeg,image/png,image/jpeg',
      hint: say('branding.file.hint', {
        bytes: logoLimits.bytes / 1024,
        width: numberText(logoLimits.width),
        height: logoLimits.height,
      }),
    }),
  );

const removeLogoForm = (ctx: PageContext<'partner'>): Html =>
  form(ctx, {
    action: '/branding/logo/remove',
    submit: say('branding.editBranding.submit.removeLogo'),
    isDangerous: true,
  });

const chosenOf = ({ logo: _, ...chosen }: Branding = defaultBranding): ChosenBranding => chosen;
