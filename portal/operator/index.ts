import type { Routes } from '../routing/route-table.ts';
import { operatorApprovalPages } from './approvals.ts';
import { operatorAuditPages } from './audit.ts';
import { operatorCredentialPages } from './credentials.ts';
import { operatorCustomerPages } from './customers.ts';
import { operatorExportPages } from './exports.ts';
import { operatorFundingPages } from './funding.ts';
import { operatorGoLivePages } from './go-live.ts';
import { operatorLedgerPages } from './ledger.ts';
import { operatorMoneyOutPages } from './money-out.ts';
import { operatorAccountPages } from './operators.ts';
import { operatorPartnerPages } from './partner.ts';
import { operatorPartnersPages, operatorRulePages } from './partners.ts';
import { operatorPlanPages } from './plans.ts';
import { operatorEventPages, operatorRequestPages } from './requests.ts';
import { operatorReviewPage } from './review.ts';
import { operatorReviewDecisionPages, operatorReviewPages } from './reviews.ts';
import { operatorRewardPages } from './rewards.ts';
import { operatorSearchPages } from './search.ts';
import { operatorSubscriptionPages } from './subscription.ts';
import { operatorHomePages } from './today.ts';

/** The operators' console: each group of pages under /admin. */
export function operatorPages(all: Routes): void {
  const routes = all.of('operator');
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
