import { maxCountedInMenu } from '../domain/operators.ts';
import type { Waiting } from '../views/console.ts';
import type { PortalState, Viewer } from './context.ts';

export interface NavTab {
  path: string;
  text: string;
  /** Further paths that belong to it. */
  also?: readonly string[];
}

/** An entry of the menu. Its pages are tabs under its heading; a single page needs no tabs. */
export interface NavEntry {
  text: string;
  tabs: readonly NavTab[];
  /** Further paths that belong to its first tab. */
  also?: readonly string[];
  /** Number of what waits there. */
  count?: string;
}

/** The menu of a partner's users. Each route decides who may open it. */
export const partnerNav: readonly NavEntry[] = [
  { text: 'Home', tabs: [{ path: '/home', text: 'Home' }] },
  {
    text: 'Orders',
    also: ['/find'],
    tabs: [
      { path: '/orders', text: 'Orders' },
      { path: '/redemptions', text: 'Redemptions' },
      { path: '/questions', text: 'Questions' },
    ],
  },
  {
    text: 'Money',
    tabs: [
      { path: '/funding', text: 'Balance' },
      { path: '/funding/statement', text: 'Statement' },
      { path: '/funding/how-to-pay', text: 'How to pay' },
      { path: '/invoices', text: 'Invoices' },
      { path: '/usage', text: 'Plan and usage' },
    ],
  },
  { text: 'Customers', tabs: [{ path: '/customers', text: 'Customers' }] },
  {
    text: 'Rules',
    tabs: [
      { path: '/rules', text: 'Rules' },
      { path: '/refund-policy', text: 'Refund policy' },
      { path: '/points-end', text: 'Points that end' },
    ],
  },
  {
    text: 'Developers',
    also: ['/service-accounts'],
    tabs: [
      { path: '/keys', text: 'Keys' },
      { path: '/events', text: 'Request log', also: ['/requests'] },
      { path: '/integrations', text: 'Integrations' },
      { path: '/connections', text: 'Shops' },
      { path: '/webhooks', text: 'Webhooks' },
      { path: '/console', text: 'Test console' },
      { path: '/doctor', text: 'Doctor' },
      { path: '/quickstarts', text: 'Quick starts' },
      { path: '/reference', text: 'Reference' },
    ],
  },
  { text: 'Checks', tabs: [{ path: '/reconciliation', text: 'Order comparison' }] },
  {
    text: 'Settings',
    tabs: [
      { path: '/profile', text: 'Company' },
      { path: '/branding', text: 'Branding' },
      { path: '/team', text: 'Team' },
      { path: '/account', text: 'Account' },
      { path: '/account/notices', text: 'Notices' },
      { path: '/audit-log', text: 'Audit log' },
    ],
  },
];

/** The menu of operators. */
export const operatorNav: readonly NavEntry[] = [
  { text: 'Today', tabs: [{ path: '/admin', text: 'Today' }] },
  { text: 'Reviews', tabs: [{ path: '/admin/reviews', text: 'Reviews' }] },
  { text: 'Approvals', tabs: [{ path: '/admin/approvals', text: 'Approvals' }] },
  {
    text: 'Partners',
    tabs: [
      { path: '/admin/partners', text: 'Partners' },
      { path: '/admin/plans', text: 'Plans' },
    ],
  },
  {
    text: 'Orders',
    tabs: [
      { path: '/admin/rewards', text: 'Orders' },
      { path: '/admin/requests', text: 'Request log' },
    ],
  },
  { text: 'Ledger', tabs: [{ path: '/admin/ledger', text: 'Ledger' }] },
  {
    text: 'Control',
    tabs: [
      { path: '/admin/audit', text: 'Audit log' },
      { path: '/admin/audit-runs', text: 'Audits' },
      { path: '/admin/operators', text: 'Operators' },
      { path: '/admin/alerts', text: 'Alerts' },
    ],
  },
];

/** The menu entries with the pages that the viewer may open. */
export function navOf(viewer: Viewer, mayOpen: PortalState['mayOpen']): NavEntry[] {
  const all = viewer.kind === 'partner' ? partnerNav : operatorNav;
  return all
    .map((entry) => ({ ...entry, tabs: entry.tabs.filter(({ path }) => mayOpen(path)) }))
    .filter(({ tabs }) => tabs.length > 0)
    .map((entry) => counted(viewer, entry));
}

/**
 * The entry and the tab that a page belongs to: the longest path that its own begins with. A page above
 * those of other entries matches only itself.
 */
export function placeIn(
  entries: readonly NavEntry[],
  path: string,
): { entry: NavEntry; tab: NavTab } | undefined {
  const places = entries.flatMap((entry) => [
    ...entry.tabs.flatMap((tab) =>
      [tab.path, ...(tab.also ?? [])].map((path) => ({ entry, tab, path })),
    ),
    ...(entry.also ?? []).flatMap((path) =>
      entry.tabs.slice(0, 1).map((tab) => ({ entry, tab, path })),
    ),
  ]);
  const isAbove = (one: (typeof places)[number]) =>
    places.some((other) => other.entry !== one.entry && other.path.startsWith(`${one.path}/`));
  return places
    .filter((one) => path === one.path || (path.startsWith(`${one.path}/`) && !isAbove(one)))
    .toSorted((one, other) => other.path.length - one.path.length)[0];
}

/** The operators' pages on which something waits for them. */
const waitingAt: Readonly<Record<string, keyof Waiting>> = {
  '/admin/reviews': 'reviews',
  '/admin/approvals': 'proposals',
  '/admin/partners': 'goLive',
};

/** Adds how much waits to the entries where something does. */
function counted(viewer: Viewer, entry: NavEntry): NavEntry {
  if (viewer.kind !== 'operator') return entry;
  const waiting = waitingAt[entry.tabs[0]?.path ?? ''];
  const count = waiting === undefined ? 0 : (viewer.waiting?.[waiting] ?? 0);
  if (count === 0) return entry;
  const isMore = count >= maxCountedInMenu;
  return { ...entry, count: isMore ? `${maxCountedInMenu - 1}+` : String(count) };
}
