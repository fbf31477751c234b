import { type Branding, fitLogo, type Logo, logoPathOf } from '../../domain/branding.ts';
import type { ErrorCode } from '../../domain/error-codes.ts';
import type { ServiceError } from '../../domain/errors.ts';
import { languages } from '../../domain/languages.ts';
import { utc } from '../../domain/time-zones.ts';
import { localizerOf } from '../../messaging/words/localizer.ts';
import { brandPathOf } from '../assets/brand.ts';
import type { PageContext, PortalContext, PortalState } from '../context.ts';
import { localizerFor, type PageLocalizer } from '../words/customer-localizer.ts';
import { again, helpOfShop } from './customer-words.ts';
import { type Html, html, nothing, type Part } from './format.ts';

export interface CustomerPageOptions {
  title: string;
  /** The shop's name; null if it is not known. */
  merchant: string | null;
  /** Marks the page as a test. */
  isTest?: boolean;
  /** The shop's; without it, the page shows its name and our colour. */
  branding?: Branding | undefined;
  localizer: PageLocalizer;
}

interface CustomerLayoutContext {
  state: Pick<PortalState, 'assets'>;
}

/**
 * A complete page for a customer, who has no account: no menu, a single script that shows times in the
 * reader's zone, and no links to other sites except the shop's page about spending points.
 */
function layout(
  { state }: CustomerLayoutContext,
  options: CustomerPageOptions,
  ...content: Part[]
) {
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

/** Links to the page in other languages, each under its own name, so that readers can find theirs. */
const languagePicker = ({ language, text }: PageLocalizer): Html =>
  html`<nav class="languages" aria-label="${text('language')}">${languages.map(
    (one) =>
      html`<a href="?language=${one}" lang="${one}" hreflang="${one}" ${one === language ? html`aria-current="true"` : nothing}>${localizerOf(one, utc).text('language.own')}</a>`,
  )}</nav>`;

/** The main card. @param merchant null if not known */
export const ticket = (merchant: string | null, content: Part, logo?: Logo): Html =>
  html`${merchant === null ? nothing : html`<p class="merchant">${logo ? picture(logo, merchant) : html`<span class="initial" aria-hidden="true">${initialOf(merchant)}</span> ${merchant}`}</p>`}
<article class="ticket">${content}</article>`;

const logoRoom = { width: 220, height: 72 };

/** A logo on white, with the name as alternative text. */
function picture(logo: Logo, merchant: string): Html {
  const { width, height } = fitLogo(logo, logoRoom);
  return html`<img class="logo" src="${logoPathOf(logo)}" alt="${merchant}" width="${width}" height="${height}">`;
}

/** Renders a page for a customer. No site gets its address, which contains a secret, as a referrer. */
export function customerView(
  ctx: CustomerLayoutContext & Pick<PageContext, 'set' | 'type' | 'body'>,
  options: CustomerPageOptions,
  ...content: Part[]
): void {
  // Older browsers send `Origin: null` with forms under `no-referrer`.
  ctx.set('Referrer-Policy', 'strict-origin');
  ctx.type = 'html';
  ctx.body = layout(ctx, options, ...content);
}

const letters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The first letter of a name: a grapheme, not a code unit. */
function initialOf(name: string): string {
  const [first] = letters.segment(name.trim());
  return (first?.segment ?? '').toUpperCase();
}

/** Keys of the messages by error code; without one, the error's own message is shown. */
const messageKeys = {
  NOT_FOUND: 'unknown',
  RATE_LIMITED: 'tooMany',
  UNAVAILABLE: 'unavailable',
  INTERNAL: 'internal',
} as const satisfies Partial<Record<ErrorCode, string>>;

/** Errors that may be over when the page is opened again. */
const passing: readonly ErrorCode[] = ['RATE_LIMITED', 'UNAVAILABLE', 'INTERNAL'];

/** An error page for customers. */
export function customerErrorPage(ctx: PortalContext, { code, message }: ServiceError): void {
  const localizer = localizerFor(ctx);
  const { text } = localizer;
  const known = Object.hasOwn(messageKeys, code)
    ? messageKeys[code as keyof typeof messageKeys]
    : undefined;
  const title = text(known ? `${known}.title` : 'other.title');
  customerView(
    ctx,
    { title, merchant: null, localizer },
    html`<h1>${title}</h1><p>${known ? text(`${known}.text`) : message}</p>${passing.includes(code) ? again(ctx.path, localizer) : nothing}${helpOfShop(localizer)}
<p class="small">${ctx.status} · ${text('request')} <code>${ctx.state.requestId}</code></p>`,
  );
}
