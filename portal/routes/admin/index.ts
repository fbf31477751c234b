import type { Routes } from '../../routing/route-table.ts';
import { operatorApprovalPages } from './approvals.ts';
import { operatorAuditPages } from './audit.ts';
import { operatorCredentialPages } from './credentials.ts';
import { operatorCustomerPages } from './customers.ts';
import { operatorExportPages } from './exports.ts';
import { operatorGoLivePages } from './go-live.ts';
import { operatorHomePages } from './home.ts';
import { operatorFundingPages, operatorLedgerPages } from './money.ts';
import { operatorMoneyOutPages } from './money-out.ts';
import { operatorAccountPages } from './operators.ts';
import { operatorPartnerPages, operatorPartnersPages, operatorRulePages } from './partners.ts';
import { operatorPlanPages } from './plans.ts';
import { operatorEventPages, operatorRequestPages, operatorSearchPages } from './requests.ts';
import { operatorReviewDecisionPages, operatorReviewPage, operatorReviewPages } from './reviews.ts';
import { operatorRewardPages } from './rewards.ts';
import { operatorSubscriptionPages } from './subscription.ts';

/** The operators' console: each group of pages under /admin. */
export function operatorPages(routes: Routes): void {
  operatorHomePages(routes);
  operatorSearchPages(routes);
  operatorReviewPages(routes);
  operatorReviewDecisionPages(routes);
  operatorReviewPage(routes);
  operatorApprovalPages(routes);
  // Paths ending in `/new` must precede those with an id.
  operatorPartnersPages(routes);
  operatorPartnerPages(routes);
  operatorGoLivePages(routes);
  operatorFundingPages(routes);
  operatorMoneyOutPages(routes);
  operatorSubscriptionPages(routes);
  operatorCredentialPages(routes);
  operatorRulePages(routes);
  operatorRewardPages(routes);
  operatorEventPages(routes);
  operatorRequestPages(routes);
  operatorCustomerPages(routes);
  operatorLedgerPages(routes);
  operatorExportPages(routes);
  operatorPlanPages(routes);
  operatorAccountPages(routes);
  operatorAuditPages(routes);
}
