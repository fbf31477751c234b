import type { Routes } from '../../routing/route-table.ts';
import { adminApprovalPages } from './approvals.ts';
import { adminAuditPages } from './audit.ts';
import { adminCredentialPages } from './credentials.ts';
import { adminCustomerPages } from './customers.ts';
import { adminEventPages } from './events.ts';
import { adminExportPages } from './exports.ts';
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
import { adminReviewDecisionPages } from './review-decisions.ts';
import { adminReviewPages } from './reviews.ts';
import { adminRewardPages } from './rewards.ts';
import { adminRulePages } from './rules.ts';
import { adminSearchPages } from './search.ts';
import { adminSubscriptionPages } from './subscription.ts';

/** The operators' console: each group of pages under /admin. */
export function adminPages(routes: Routes): void {
  adminHomePages(routes);
  adminSearchPages(routes);
  adminReviewPages(routes);
  adminReviewDecisionPages(routes);
  adminReviewPage(routes);
  adminApprovalPages(routes);
  // What is made anew stands before what has an id.
  adminPartnersPages(routes);
  adminPartnerPages(routes);
  adminGoLivePages(routes);
  adminFundingPages(routes);
  adminSubscriptionPages(routes);
  adminCredentialPages(routes);
  adminRulePages(routes);
  adminRewardPages(routes);
  adminEventPages(routes);
  adminRequestPages(routes);
  adminCustomerPages(routes);
  adminLedgerPages(routes);
  adminExportPages(routes);
  adminPlanPages(routes);
  adminOperatorPages(routes);
  adminAuditPages(routes);
}
