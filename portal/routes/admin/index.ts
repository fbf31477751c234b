import { createFourEyes } from '../../../deeds/four-eyes.ts';
import type { PortalDeps } from '../../deps.ts';
import type { Routes } from '../../route-table.ts';
import { adminApprovalPages } from './approvals.ts';
import { adminAuditPages } from './audit.ts';
import { adminCredentialPages } from './credentials.ts';
import { adminCustomerPages } from './customers.ts';
import { adminEventPages } from './events.ts';
import { adminFundingPages } from './funding.ts';
import { adminGoLivePages } from './go-live.ts';
import { adminHomePages } from './home.ts';
import { adminLedgerPages } from './ledger.ts';
import { adminOperatorPages } from './operators.ts';
import { adminPartnerPages } from './partner.ts';
import { adminPartnersPages } from './partners.ts';
import { adminPlanPages } from './plans.ts';
import { adminRequestPages } from './requests.ts';
import { adminReviewPage } from './review.ts';
import { adminReviewPages } from './reviews.ts';
import { adminRewardPages } from './rewards.ts';
import { adminRulePages } from './rules.ts';
import { adminSearchPages } from './search.ts';
import { adminSubscriptionPages } from './subscription.ts';

/** The operators' console: each group of pages under /admin. */
export function adminPages(routes: Routes, deps: PortalDeps): void {
  const fourEyes = createFourEyes(deps);
  adminHomePages(routes, deps);
  adminSearchPages(routes, deps);
  adminReviewPages(routes, deps);
  adminReviewPage(routes, deps, fourEyes);
  adminApprovalPages(routes, deps, fourEyes);
  // What is made anew stands before what has an id.
  adminPartnersPages(routes, deps);
  adminPartnerPages(routes, deps, fourEyes);
  adminGoLivePages(routes, deps, fourEyes);
  adminFundingPages(routes, deps, fourEyes);
  adminSubscriptionPages(routes, deps);
  adminCredentialPages(routes, deps, fourEyes);
  adminRulePages(routes, deps);
  adminRewardPages(routes, deps);
  adminEventPages(routes, deps);
  adminRequestPages(routes, deps);
  adminCustomerPages(routes, deps, fourEyes);
  adminLedgerPages(routes, deps);
  adminPlanPages(routes, deps);
  adminOperatorPages(routes, deps, fourEyes);
  adminAuditPages(routes, deps);
}
