import {
  type Branding,
  type ChosenBranding,
  defaultBranding,
  fitLogo,
  type Logo,
  logoLimits,
  logoPathOf,
} from '../../../domain/branding.ts';
import { defaultLanguage, type Language, languages } from '../../../domain/languages.ts';
import { replyAddress } from '../../../domain/partner-contact.ts';
import { customerMail } from '../../../messaging/customer-messages.ts';
import { speechOf } from '../../../messaging/words/speech.ts';
import { brandPathOf } from '../../assets/brand.ts';
import type { PageContext } from '../../context.ts';
import { emptyForm, type Filled, filledWith } from '../../forms/submit.ts';
import { hasPermission } from '../../middleware/authorize.ts';
import { pageSpeechOf } from '../../words/customer-speech.ts';
import { languageNames } from '../../words/language-words.ts';
import { claimPages } from '../claim-page.ts';
import { code, externalLink, facts, linkButton, section } from '../components.ts';
import { ticket } from '../customer-layout.ts';
import { field, fileField, form, select } from '../form.ts';
import { numberText } from '../format.ts';
import { type Html, html, nothing } from '../html.ts';
import { type Page, page } from '../view.ts';

const dayMs = 86_400_000;

/** What customers see of a partner. @param language of the preview */
export function brandingPage(
  { state: { viewer, assets } }: PageContext<'partner'>,
  { language, nowMs }: { language: Language; nowMs: number },
): Page {
  const { partner } = viewer;
  const { name, branding, supportEmail } = partner;
  const ours = html`<span class="muted">none</span>`;
  return page(
    {
      title: 'Branding',
      lead: 'How you appear to customers, in messages and on the claim page.',
      actions: hasPermission(viewer, 'partner.update')
        ? linkButton('/branding/edit', 'Edit the branding', 'secondary')
        : nothing,
      sheets: [
        assets.pathOf('customer.css'),
        ...(branding?.color ? [brandPathOf(branding.color)] : []),
      ],
    },
    section(
      'Shown to customers',
      facts([
        ['Name', html`${name} · <a href="/profile">Profile</a>`],
        ['Questions go to', html`${supportEmail ?? ours} · <a href="/profile">Profile</a>`],
        [
          'Answers to emails go to',
          replyAddress(partner) ??
            html`<span class="muted">nobody, until the support email is also the verified contact email</span>`,
        ],
        ['Logo', branding?.logo ? logoPicture(branding.logo, name) : ours],
        ['Language of messages', languageNames[branding?.language ?? defaultLanguage]],
        ['Colour', branding?.color ? code(branding.color) : ours],
        ['Where points can be spent', branding?.spendText ?? ours],
        ['Link about it', branding?.spendUrl ? externalLink(branding.spendUrl) : ours],
      ]),
    ),
    section('Preview', preview(partner, language, nowMs)),
  );
}

/** The claim page before and after the claim, and the email that leads to it, of a reward that there is not. */
function preview(
  partner: PageContext<'partner'>['state']['viewer']['partner'],
  language: Language,
  nowMs: number,
): Html {
  const speech = pageSpeechOf(language);
  const claimExpiresAt = new Date(nowMs + 12.5 * dayMs);
  const { name, currency, branding } = partner;
  const sample = { mode: 'LIVE', points: 1_250, liabilityCents: 1_250, currency } as const;
  const moves = [{ move: 'CLAIM' as const, at: new Date(nowMs), status: 'AVAILABLE' as const }];
  const shown = {
    reward: { ...sample, claimExpiresAt, moves },
    ...{ partner, path: null, nowMs, speech },
  };
  const { subject, text } = customerMail(
    { ...sample, rewardId: 'PNR_preview', claimExpiresAt: claimExpiresAt.toISOString() },
    partner,
    { speech: speechOf(language), why: 'OFFER', link: 'https://…', portalUrl: '', currency },
    '',
  );
  return html`<p class="buttons">${languages.map(
    (one) =>
      html`<a class="button secondary" href="/branding?language=${one}" ${one === language ? html`aria-current="true"` : nothing}>${languageNames[one]}</a>`,
  )}</p>
<div class="customer preview" lang="${language}">
<div>${ticket(name, claimPages.OPEN(shown).content, branding?.logo)}</div>
<div>${ticket(name, claimPages.CLAIMED(shown).content, branding?.logo)}</div>
</div>
<h3>Email</h3>
<div lang="${language}"><p><strong>${subject}</strong></p>
${branding?.logo ? html`<p>${logoPicture(branding.logo, name)}</p>` : nothing}
${text.split('\n\n').map((paragraph) => html`<p class="wrap">${paragraph}</p>`)}</div>`;
}

const logoRoom = { width: 200, height: 48 };

/** A logo as mails show it. */
function logoPicture(logo: Logo, name: string): Html {
  const { width, height } = fitLogo(logo, logoRoom);
  return html`<img class="logo" src="${logoPathOf(logo)}" alt="${name}" width="${width}" height="${height}">`;
}

/** What stands in the two forms; the one that was not sent has what is stored. */
interface FilledForms {
  chosen?: Filled;
  logo?: Filled;
}

export function editBrandingPage(
  ctx: PageContext<'partner'>,
  { chosen: filled = emptyForm, logo: filledLogo = emptyForm }: FilledForms = {},
): Page {
  const { branding, name } = ctx.state.viewer.partner;
  const shown = filled === emptyForm ? filledWith({ ...chosenOf(branding) }) : filled;
  const labelled = (name: keyof ChosenBranding, label: string) => ({ name, label, filled: shown });
  return page(
    {
      ...{ title: 'Edit the branding', crumbs: [['Branding', '/branding']] },
      sheets: [ctx.state.assets.pathOf('customer.css')],
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: '/branding/edit', submit: 'Save the branding', filled },
      select({
        ...labelled('language', 'Language of messages'),
        choices: languages.map((value) => ({ value, text: languageNames[value] })),
        hint: 'Of emails and text messages to your customers. The claim page speaks the language of their browser, and a message about claimed points the one they claimed in.',
      }),
      field({
        ...labelled('color', 'Colour'),
        ...{ placeholder: '#4f46e5', maxLength: 7, autocomplete: 'off' },
        hint: 'Of the button and the number of points. What is written on it is white or black, whichever can be read; a colour that does not stand out from white is refused.',
      }),
      field({
        ...labelled('spendText', 'Where points can be spent'),
        ...{ maxLength: 200, autocomplete: 'off' },
        hint: 'A sentence, in the language of your messages.',
      }),
      field({
        ...labelled('spendUrl', 'Link about it'),
        ...{ type: 'url', maxLength: 500, autocomplete: 'off', placeholder: 'https://' },
        hint: 'A page of your own website.',
      }),
    )}</div>`,
    section(
      'Logo',
      html`${branding?.logo ? html`<p>${logoPicture(branding.logo, name)}</p>` : nothing}${form(
        ctx,
        {
          ...{ action: '/branding/logo', submit: 'Upload the logo', filled: filledLogo },
          takesFile: true,
        },
        fileField({
          ...{ name: 'file', label: 'Picture', filled: filledLogo, isRequired: true },
          accept: '.png,.jpg,.jpeg,image/png,image/jpeg',
          hint: `PNG or JPEG, at most ${logoLimits.bytes / 1024} KiB and ${numberText(logoLimits.width)} × ${logoLimits.height} pixels. It takes the place of your name on the claim page and stands at the top of emails, on white; who does not see it reads your name.`,
        }),
      )}${
        branding?.logo
          ? form(ctx, {
              ...{ action: '/branding/logo/remove', submit: 'Remove the logo' },
              isDangerous: true,
            })
          : nothing
      }`,
    ),
  );
}

const chosenOf = ({ logo: _, ...chosen }: Branding = defaultBranding): ChosenBranding => chosen;
