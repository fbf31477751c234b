import type { Permission } from '../domain/operator-roles.ts';
import type { PartnerPermission } from '../domain/partner-roles.ts';
import type { Viewer } from './context.ts';
import { hasPermission } from './middleware/authorize.ts';

interface NavEntry<P> {
  path: string;
  text: string;
  /** That of the page it leads to. */
  permission: P;
}

/** What the menu of a partner's users leads to, in this order. */
export const partnerNav: readonly NavEntry<PartnerPermission>[] = [
  { path: '/home', text: 'Home', permission: 'read' },
  { path: '/events', text: 'Events', permission: 'read' },
  { path: '/reconciliation', text: 'Reconciliation', permission: 'read' },
  { path: '/integrations', text: 'Integrations', permission: 'read' },
  { path: '/keys', text: 'API keys', permission: 'read' },
  { path: '/rules', text: 'Earning rules', permission: 'read' },
  { path: '/funding', text: 'Funding', permission: 'read' },
  { path: '/usage', text: 'Usage', permission: 'read' },
  { path: '/billing', text: 'Billing', permission: 'read' },
  { path: '/console', text: 'Test console', permission: 'test-event.send' },
  { path: '/test-clock', text: 'TEST clock', permission: 'test-event.send' },
  { path: '/doctor', text: 'Signature doctor', permission: 'refused-request.read' },
  { path: '/quickstarts', text: 'Quick starts', permission: 'read' },
  { path: '/reference', text: 'API reference', permission: 'read' },
  { path: '/go-live', text: 'Go-live', permission: 'read' },
  { path: '/profile', text: 'Profile', permission: 'read' },
  { path: '/team', text: 'Team', permission: 'read' },
];

/** And that of operators. */
export const operatorNav: readonly NavEntry<Permission>[] = [
  { path: '/admin', text: 'Today', permission: 'read' },
  { path: '/admin/reviews', text: 'Reviews', permission: 'read' },
  { path: '/admin/approvals', text: 'Approvals', permission: 'read' },
  { path: '/admin/partners', text: 'Partners', permission: 'read' },
  { path: '/admin/rewards', text: 'Rewards', permission: 'read' },
  { path: '/admin/requests', text: 'Requests', permission: 'read' },
  { path: '/admin/ledger', text: 'Ledger', permission: 'read' },
  { path: '/admin/plans', text: 'Plans', permission: 'read' },
  { path: '/admin/operators', text: 'Operators', permission: 'operator.read' },
  { path: '/admin/audit', text: 'Audit trail', permission: 'read' },
  { path: '/admin/audit-runs', text: 'Audits', permission: 'read' },
];

/** The menu of who is signed in: what they may see. */
export function navOf(viewer: Viewer): readonly NavEntry<Permission | PartnerPermission>[] {
  const all = viewer.kind === 'partner' ? partnerNav : operatorNav;
  return all.filter(({ permission }) => hasPermission(viewer, permission));
}
