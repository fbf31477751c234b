import { maxCountedReviews } from '../domain/review.ts';
import type { PortalState, Viewer } from './context.ts';

export interface NavEntry {
  path: string;
  text: string;
  /** Number of open items. */
  count?: string;
}

export interface NavGroup {
  /** Null for the entries above all groups. */
  heading: string | null;
  entries: readonly NavEntry[];
}

/** The menu of a partner's users. Each route decides who may open it. */
export const partnerNav: readonly NavGroup[] = [
  {
    heading: null,
    entries: [
      { path: '/home', text: 'Home' },
      { path: '/go-live', text: 'Go-live' },
    ],
  },
  {
    heading: 'Activity',
    entries: [
      { path: '/events', text: 'Events' },
      { path: '/rewards', text: 'Rewards' },
      { path: '/redemptions', text: 'Redemptions' },
      { path: '/questions', text: 'Questions' },
      { path: '/reconciliation', text: 'Reconciliation' },
      { path: '/usage', text: 'Usage' },
    ],
  },
  {
    heading: 'Set-up',
    entries: [
      { path: '/integrations', text: 'Integrations' },
      { path: '/keys', text: 'API keys' },
      { path: '/rules', text: 'Earning rules' },
      { path: '/webhooks', text: 'Webhooks' },
      { path: '/service-accounts', text: 'Service accounts' },
    ],
  },
  {
    heading: 'Developers',
    entries: [
      { path: '/console', text: 'Test console' },
      { path: '/test-clock', text: 'TEST clock' },
      { path: '/doctor', text: 'Signature doctor' },
      { path: '/quickstarts', text: 'Quick starts' },
      { path: '/reference', text: 'API reference' },
    ],
  },
  {
    heading: 'Money',
    entries: [
      { path: '/funding', text: 'Funding' },
      { path: '/billing', text: 'Billing' },
    ],
  },
  {
    heading: 'Company',
    entries: [
      { path: '/profile', text: 'Profile' },
      { path: '/branding', text: 'Branding' },
      { path: '/team', text: 'Team' },
    ],
  },
];

/** The menu of operators. */
export const operatorNav: readonly NavGroup[] = [
  {
    heading: null,
    entries: [
      { path: '/admin', text: 'Today' },
      { path: '/admin/reviews', text: 'Reviews' },
      { path: '/admin/approvals', text: 'Approvals' },
    ],
  },
  {
    heading: 'Partners',
    entries: [
      { path: '/admin/partners', text: 'Partners' },
      { path: '/admin/plans', text: 'Plans' },
    ],
  },
  {
    heading: 'Records',
    entries: [
      { path: '/admin/rewards', text: 'Rewards' },
      { path: '/admin/requests', text: 'Requests' },
      { path: '/admin/ledger', text: 'Ledger' },
    ],
  },
  {
    heading: 'Control',
    entries: [
      { path: '/admin/audit', text: 'Audit log' },
      { path: '/admin/audit-runs', text: 'Audits' },
      { path: '/admin/operators', text: 'Operators' },
    ],
  },
];

/** The menu entries that the viewer may open. */
export function navOf(viewer: Viewer, mayOpen: PortalState['mayOpen']): NavGroup[] {
  const all = viewer.kind === 'partner' ? partnerNav : operatorNav;
  return all
    .map(({ heading, entries }) => ({
      heading,
      entries: entries.filter(({ path }) => mayOpen(path)).map((one) => counted(viewer, one)),
    }))
    .filter(({ entries }) => entries.length > 0);
}

/** Adds the number of open reviews to the entry of the review queue. */
function counted(viewer: Viewer, entry: NavEntry): NavEntry {
  if (viewer.kind !== 'operator' || entry.path !== '/admin/reviews') return entry;
  const { openReviews = 0 } = viewer;
  if (openReviews === 0) return entry;
  const isMore = openReviews >= maxCountedReviews;
  return { ...entry, count: isMore ? `${maxCountedReviews - 1}+` : String(openReviews) };
}
