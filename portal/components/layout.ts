import type { Mode } from '../../domain/mode.ts';
import type { PageContext, PartnerViewer, PortalState, Viewer } from '../context.ts';
import { isHalfSignedIn } from '../middleware/access.ts';
import { type NavEntry, type NavTab, navOf, placeIn } from '../nav.ts';
import { defaultModeOf, modeIn } from '../routing/modes.ts';
import { viewingOperatorOf } from '../session/viewing.ts';
import { badge, notice } from './components.ts';
import { errorSummary } from './error-summary.ts';
import { csrfInput } from './form.ts';
import { type Html, html, nothing, type Part } from './format.ts';
import { keepMode, modeSwitch, testBar } from './mode-switch.ts';
import { pathWith } from './paging.ts';
import { viewBar } from './view-bar.ts';

export interface PageOptions {
  title: string;
  /** Breadcrumbs, from the top. */
  crumbs?: readonly (readonly [text: string, path: string])[];
  /** Buttons next to the title. */
  actions?: Html;
  /** A sentence under the title that says what the page is for. */
  lead?: Part;
  /** Additional style sheets. */
  sheets?: readonly string[];
  /** The mode of the thing shown. Pages without one follow the mode switch. */
  mode?: Mode;
  /** The page always shows LIVE, whatever the switch says. */
  isLiveOnly?: boolean;
}

interface LayoutContext extends Pick<PageContext, 'method' | 'path' | 'query'> {
  state: Pick<PortalState, 'assets' | 'csrf' | 'flash' | 'hasForm' | 'mayOpen' | 'problems'> & {
    viewer?: Viewer | null;
  };
}

/** A complete page. A partner's links and forms keep its mode. */
export function layout(ctx: LayoutContext, options: PageOptions, ...content: Part[]): string {
  const { viewer } = ctx.state;
  if (viewer?.kind !== 'partner') {
    return documentOf(ctx, options, content, options.mode ? badge(options.mode) : nothing);
  }
  const usual = defaultModeOf(viewer.partner);
  const kept = options.mode ?? modeIn(ctx) ?? usual;
  const shown = options.isLiveOnly ? 'LIVE' : kept;
  const whole = documentOf(
    ctx,
    { ...options, mode: shown },
    [shown === kept ? nothing : liveOnly(), content],
    html`${modeSwitch(shown, otherModeAt(ctx, viewer, options))}${viewer.partner.status === 'SUSPENDED' ? badge('SUSPENDED') : nothing}`,
  );
  return kept === usual ? whole : keepMode(whole, kept);
}

const liveOnly = () =>
  notice(
    'info',
    html`This page shows LIVE only. In TEST, rewards are paid from your <a href="/funding#test-funding">test funding</a>.`,
  );

/** @param marks shown next to the name, such as the mode switch */
function documentOf(
  ctx: LayoutContext,
  options: PageOptions,
  content: readonly Part[],
  marks: Html,
): string {
  const { assets, viewer, flash, problems = {} } = ctx.state;
  const { title, crumbs = [], actions, lead, sheets = [], mode } = options;
  const isTest = mode === 'TEST' && viewer?.kind === 'partner';
  const entries = viewer && !isHalfSignedIn(viewer) ? navOf(viewer, ctx.state.mayOpen) : [];
  const place = placeIn(entries, ctx.path);
  const strip =
    // A form that is shown again has another path than its page.
    place &&
    (place.tab.path === ctx.path || ctx.method === 'POST') &&
    crumbs.length === 0 &&
    place.entry.tabs.length > 1
      ? place
      : undefined;
  const body = html`${content}`;
  const summary = errorSummary(problems, `${body}`);
  return `<!doctype html>\n${html`<html lang="en"><head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="htmx-config" content='{"includeIndicatorCSS":false,"history":true}'>
<title>${summary === nothing ? nothing : 'Error: '}${title}${strip ? html` · ${strip.entry.text}` : nothing} · Partner Events</title>
<link rel="icon" href="${assets.pathOf('icon.svg')}" type="image/svg+xml">
<link rel="preload" href="${assets.pathOf('noto-sans-400.ttf')}" as="font" type="font/ttf" crossorigin>
<link rel="stylesheet" href="${assets.pathOf('pico.css')}">
<link rel="stylesheet" href="${assets.pathOf('fonts.css')}">
<link rel="stylesheet" href="${assets.pathOf('portal.css')}">
${sheets.map((sheet) => html`<link rel="stylesheet" href="${sheet}">`)}
<script src="${assets.pathOf('htmx.js')}" defer></script>
<script src="${assets.pathOf('portal.js')}" defer></script>
</head><body class="${viewer ? 'signed-in' : 'signed-out'}">
<a class="skip" href="#content">Skip to content</a>
${viewBar(ctx)}
${viewer ? top(ctx, viewer, marks) : html`<header class="top"><a class="brand" href="/">${mark}<span>Partner Events</span></a></header>`}
${entries.length > 0 ? menu(entries, place?.entry) : nothing}
<main id="content" tabindex="-1">
${summary}
${isTest ? testBar() : nothing}
${crumbs.length === 0 ? nothing : breadcrumbs(crumbs)}
<div class="title"><h1>${strip?.entry.text ?? title}</h1>${actions ? html`<div class="actions">${actions}</div>` : nothing}</div>
${strip ? tabStrip(strip.entry.text, strip.entry.tabs, strip.tab) : nothing}
${lead ? html`<p class="lead">${lead}</p>` : nothing}
${flash ? notice(flash.tone, flash.text) : nothing}
${body}
</main></body></html>`}`;
}

const mark = html`<svg class="mark" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><rect width="24" height="24" rx="6" fill="currentColor"/><path d="M5.8 8.8h11.4m-3-3 3 3-3 3M18.2 15.2H6.8m3-3-3 3 3 3" fill="none" stroke="#fff" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

function top(ctx: LayoutContext, viewer: Viewer, marks: Html): Html {
  return html`<header class="top">${menuButton()}<a class="brand" href="/">${mark}<span>${viewer.kind === 'partner' ? viewer.partner.name : 'Operators'}</span></a>
${marks}
${viewer.kind === 'operator' ? searchBox(ctx, operatorSearch) : isSearching(viewer) ? searchBox(ctx, partnerSearch) : nothing}
<div class="account">${viewingOperatorOf(viewer) ? html`<span>${viewer.user.name}</span>` : html`<a href="/account" ${ctx.path === '/account' ? html`aria-current="page"` : nothing}>${viewer.user.name}</a>`}
<form method="post" action="/sign-out">${csrfInput(ctx)}<button type="submit" class="plain">Sign out</button></form></div></header>`;
}

/** An operator who views a partner's portal sends no form. */
const isSearching = (viewer: Viewer): boolean =>
  viewer.kind === 'partner' && !viewingOperatorOf(viewer) && !isHalfSignedIn(viewer);

const operatorSearch = {
  path: '/admin/search',
  label: 'Search partners, customers, orders, IDs, keys',
  hint: 'Partner, customer, order, ID, key',
};
const partnerSearch = {
  path: '/find',
  label: 'Search orders, customers, redemptions, invoices, IDs',
  hint: 'Order, email, phone, invoice, ID',
};

/** The search from every page. Its form is a POST, so that no address contains a contact. */
const searchBox = (
  ctx: LayoutContext,
  { path, label, hint }: typeof operatorSearch,
) => html`<search class="search"><form method="post" action="${path}">${csrfInput(ctx)}
<label class="hidden" for="search">${label}</label>
<input id="search" type="search" name="q" placeholder="${hint}" maxlength="255" autocomplete="off" spellcheck="false" data-shortcut="/"></form></search>`;

/**
 * The address of the other mode: the same page with its filters; for a page about one thing, which exists
 * in one mode only, the list it belongs to.
 */
function otherModeAt(
  { path, query, method, state }: LayoutContext,
  viewer: PartnerViewer,
  { mode, isLiveOnly }: PageOptions,
): string {
  const isSame = mode === undefined && !isLiveOnly && method === 'GET' && state.mayOpen(path);
  if (isSame) return pathWith(path, { ...query, ...firstPage });
  return (mode && placeIn(navOf(viewer, state.mayOpen), path)?.tab.path) ?? '/home';
}

/** Cursors belong to a mode and are dropped with it. */
const firstPage = { mode: '', cursor: '', older: '', newer: '' };

/** Opens the menu on narrow screens, without JavaScript; on wide screens, the menu is always visible. */
const menuButton = () =>
  html`<button type="button" class="menu-button" popovertarget="menu"><svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true"><path d="M3 5.5h14M3 10h14M3 14.5h14" stroke="currentColor" stroke-width="1.7" stroke-linecap="round"/></svg><span class="hidden">Menu</span></button>`;

function menu(entries: readonly NavEntry[], here: NavEntry | undefined): Html {
  return html`<nav id="menu" class="menu" aria-label="Main" popover><ul>${entries.map(
    (one) =>
      html`<li><a href="${one.tabs[0]?.path}" ${one === here ? html`aria-current="page"` : nothing}>${one.text}</a>${one.count === undefined ? nothing : html`<span class="menu-count">${one.count}<span class="hidden"> waiting</span></span>`}</li>`,
  )}</ul></nav>`;
}

/** The pages of a menu entry, under its heading. */
const tabStrip = (name: string, tabs: readonly NavTab[], here: NavTab): Html =>
  html`<nav class="tabs" aria-label="${name}"><ul>${tabs.map(
    (tab) =>
      html`<li class="tab"><a class="tab-link" href="${tab.path}" ${tab === here ? html`aria-current="page"` : nothing}>${tab.text}</a></li>`,
  )}</ul></nav>`;

/** The way to the page, whose own title follows. */
const breadcrumbs = (crumbs: NonNullable<PageOptions['crumbs']>): Html =>
  html`<nav class="crumbs" aria-label="Breadcrumbs"><ol>${crumbs.map(
    ([text, path]) => html`<li><a href="${path}">${text}</a></li>`,
  )}</ol></nav>`;
