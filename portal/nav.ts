import { maxCountedReviews } from '../domain/review.ts';
import type { PortalState, Viewer } from './context.ts';
import type { Key } from './words/say.ts';

export type NavKey = Extract<Key, `nav.${string}`>;

export interface NavEntry {
  path: string;
  text: NavKey;
  /** Number of open items. */
  count?: string;
}

export interface NavGroup {
  /** Null for the entries above all groups. */
  heading: NavKey | null;
  entries: readonly NavEntry[];
}

/** The menu of a partner's users. Each route decides who may open it. */
export const partnerNav: readonly NavGroup[] = [
  {
    heading: null,
    entries: [
      { path: '/home', text: 'nav.home' },
      { path: '/go-live', text: 'nav.goLive' },
    ],
  },
  {
    heading: 'nav.group.activity',
    entries: [
      { path: '/events', text: 'nav.events' },
      { path: '/rewards', text: 'nav.rewards' },
      { path: '/questions', text: 'nav.questions' },
      { path: '/reconciliation', text: 'nav.reconciliation' },
      { path: '/usage', text: 'nav.usage' },
    ],
  },
  {
    heading: 'nav.group.setUp',
    entries: [
      { path: '/integrations', text: 'nav.integrations' },
      { path: '/keys', text: 'nav.apiKeys' },
      { path: '/rules', text: 'nav.earningRules' },
      { path: '/webhooks', text: 'nav.webhooks' },
      { path: '/service-accounts', text: 'nav.serviceAccounts' },
    ],
  },
  {
    heading: 'nav.group.developers',
    entries: [
      { path: '/console', text: 'nav.testConsole' },
      { path: '/test-clock', text: 'nav.testClock' },
      { path: '/doctor', text: 'nav.signatureDoctor' },
      { path: '/quickstarts', text: 'nav.quickStarts' },
      { path: '/reference', text: 'nav.apiReference' },
    ],
  },
  {
    heading: 'nav.group.money',
    entries: [
      { path: '/funding', text: 'nav.funding' },
      { path: '/billing', text: 'nav.billing' },
    ],
  },
  {
    heading: 'nav.group.company',
    entries: [
      { path: '/profile', text: 'nav.profile' },
      { path: '/branding', text: 'nav.branding' },
      { path: '/team', text: 'nav.team' },
    ],
  },
];

/** The menu of operators. */
export const operatorNav: readonly NavGroup[] = [
  {
    heading: null,
    entries: [
      { path: '/admin', text: 'nav.today' },
      { path: '/admin/reviews', text: 'nav.reviews' },
      { path: '/admin/approvals', text: 'nav.approvals' },
    ],
  },
  {
    heading: 'nav.group.partners',
    entries: [
      { path: '/admin/partners', text: 'nav.partners' },
      { path: '/admin/plans', text: 'nav.plans' },
    ],
  },
  {
    heading: 'nav.group.records',
    entries: [
      { path: '/admin/rewards', text: 'nav.rewards' },
      { path: '/admin/requests', text: 'nav.requests' },
      { path: '/admin/ledger', text: 'nav.ledger' },
    ],
  },
  {
    heading: 'nav.group.control',
    entries: [
      { path: '/admin/audit', text: 'nav.auditLog' },
      { path: '/admin/audit-runs', text: 'nav.audits' },
      { path: '/admin/operators', text: 'nav.operators' },
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
