import { type Branding, fitLogo, type Logo, logoPathOf } from '../../domain/branding.ts';
import { languages } from '../../domain/languages.ts';
import { utc } from '../../domain/time-zones.ts';
import { localizerOf } from '../../messaging/words/localizer.ts';
import { brandPathOf } from '../assets/brand.ts';
import type { PageContext, PortalState } from '../context.ts';
import type { PageLocalizer } from '../words/customer-localizer.ts';
import { type Html, html, nothing, type Part } from './html.ts';

export interface CustomerPageOptions {
  title: string;
  /** Whose customer reads it; null where that is not known. */
  merchant: string | null;
  /** Nothing that happens here is for real. */
  isTest?: boolean;
  /** Of the merchant; without it, its name and our colour. */
  branding?: Branding | undefined;
  localizer: PageLocalizer;
}

interface CustomerLayoutContext {
  state: Pick<PortalState, 'assets'>;
}

/**
 * A whole page for a customer, who has no account here: no menu, no script but one that says times in the
 * reader's own zone, and nothing that leads to another site, but to the shop's own page on what its points are for.
 */
function layout({ state }: CustomerLayoutContext, options: CustomerPageOptions, ...content: Part[]) {
  const { title, merchant, isTest = false, branding, localizer } = options;
  const color = branding?.color ?? null;
  const strong = (parts: readonly Part[]) => html`<strong>${parts}</strong>`;
  const { assets } = state;
  return `<!doctype html>\n${html`<html lang="${localizer.language}"><head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="robots" content="noindex">
<title>${title}${merchant === null ? nothing : html` · ${merchant}`}</title>
<link rel="icon" href="${assets.pathOf('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${assets.pathOf('pico.css')}">
<link rel="stylesheet" href="${assets.pathOf('portal.css')}">
<link rel="stylesheet" href="${assets.pathOf('customer.css')}">
<script src="${assets.pathOf('local-time.js')}" defer></script>
${color === null ? nothing : html`<link rel="stylesheet" href="${brandPathOf(color)}">`}
</head><body class="customer">
${isTest ? html`<p class="trial" role="note">${localizer.say('trial', { strong })}</p>` : nothing}
<main>${ticket(merchant, content, branding?.logo)}</main>
${languagePicker(localizer)}</body></html>`}`;
}

/** The same page in another language, each by its own name: so whoever cannot read the page finds theirs. */
const languagePicker = ({ language, text }: PageLocalizer): Html =>
  html`<nav class="languages" aria-label="${text('language')}">${languages.map(
    (one) =>
      html`<a href="?language=${one}" lang="${one}" hreflang="${one}" ${one === language ? html`aria-current="true"` : nothing}>${localizerOf(one, utc).text('language.own')}</a>`,
  )}</nav>`;

/** What the page is about. @param merchant null where that is not known */
export const ticket = (merchant: string | null, content: Part, logo?: Logo): Html =>
  html`${merchant === null ? nothing : html`<p class="merchant">${logo ? picture(logo, merchant) : html`<span class="initial" aria-hidden="true">${initialOf(merchant)}</span> ${merchant}`}</p>`}
<article class="ticket">${content}</article>`;

const logoRoom = { width: 220, height: 72 };

/** A logo, on white whatever is around it; who does not see it reads the name. */
function picture(logo: Logo, merchant: string): Html {
  const { width, height } = fitLogo(logo, logoRoom);
  return html`<img class="logo" src="${logoPathOf(logo)}" alt="${merchant}" width="${width}" height="${height}">`;
}

/** Answers with a page for a customer. Where it is, with its secret, is told to nobody, ourselves among them. */
export function customerView(
  ctx: CustomerLayoutContext & Pick<PageContext, 'set' | 'type' | 'body'>,
  options: CustomerPageOptions,
  ...content: Part[]
): void {
  // Browsers of some years ago send no true `Origin` with a form under `no-referrer`.
  ctx.set('Referrer-Policy', 'strict-origin');
  ctx.type = 'html';
  ctx.body = layout(ctx, options, ...content);
}

const letters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The first letter of a name, as it is read. */
function initialOf(name: string): string {
  const [first] = letters.segment(name.trim());
  return (first?.segment ?? '').toUpperCase();
}
