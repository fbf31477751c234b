import type { Connection } from 'mongoose';
import { type AdminDoc, adminSchema } from './admin.ts';
import { type AuditCheckpointDoc, auditCheckpointSchema } from './audit-checkpoint.ts';
import { type AuditEntryDoc, auditEntrySchema } from './audit-entry.ts';
import { type AuditRunDoc, auditRunSchema } from './audit-run.ts';
import { type CredentialDoc, credentialSchema } from './credential.ts';
import {
  type EarningRuleDoc,
  earningRuleSchema,
  type RuleActivationDoc,
  ruleActivationSchema,
} from './earning-rule.ts';
import { chainSchema, type EntryDoc } from './entry.ts';
import { type IntegrationDoc, integrationSchema } from './integration.ts';
import { type IntegrationEventDoc, integrationEventSchema } from './integration-event.ts';
import { type InvoiceDoc, invoiceSchema } from './invoice.ts';
import { type JobDoc, jobSchema } from './job.ts';
import { type JobRowsDoc, jobRowsSchema } from './job-rows.ts';
import { type OrderEventDoc, orderEventSchema } from './order-event.ts';
import { type PartnerDoc, partnerSchema } from './partner.ts';
import { type PlanVersionDoc, planVersionSchema } from './plan-version.ts';
import { type ProposalDoc, proposalSchema } from './proposal.ts';
import { type RateLimitDoc, rateLimitSchema } from './rate-limit.ts';
import { type ReviewDoc, reviewSchema } from './review.ts';
import { type RewardDoc, rewardSchema } from './reward.ts';
import { type SubscriptionDoc, subscriptionSchema } from './subscription.ts';

export type Models = ReturnType<typeof createModels>;

/** Every collection, on one connection. Nothing is built or written here. */
export function createModels(connection: Connection) {
  return {
    connection,
    partners: connection.model<PartnerDoc>('Partner', partnerSchema),
    integrations: connection.model<IntegrationDoc>('Integration', integrationSchema),
    credentials: connection.model<CredentialDoc>('Credential', credentialSchema),
    earningRules: connection.model<EarningRuleDoc>('EarningRule', earningRuleSchema),
    ruleActivations: connection.model<RuleActivationDoc>('RuleActivation', ruleActivationSchema),
    orderEvents: connection.model<OrderEventDoc>('OrderEvent', orderEventSchema),
    rewards: connection.model<RewardDoc>('Reward', rewardSchema),
    integrationEvents: connection.model<IntegrationEventDoc>(
      'IntegrationEvent',
      integrationEventSchema,
    ),
    reviews: connection.model<ReviewDoc>('Review', reviewSchema),
    planVersions: connection.model<PlanVersionDoc>('PlanVersion', planVersionSchema),
    subscriptions: connection.model<SubscriptionDoc>('Subscription', subscriptionSchema),
    usageEntries: connection.model<EntryDoc>('UsageEntry', chainSchema('usage_entries')),
    invoices: connection.model<InvoiceDoc>('Invoice', invoiceSchema),
    proposals: connection.model<ProposalDoc>('Proposal', proposalSchema),
    admins: connection.model<AdminDoc>('Admin', adminSchema),
    ledger: connection.model<EntryDoc>('LedgerEntry', chainSchema('ledger_transactions')),
    testFunding: connection.model<EntryDoc>(
      'TestFundingEntry',
      chainSchema('test_funding_entries'),
    ),
    auditCheckpoints: connection.model<AuditCheckpointDoc>(
      'AuditCheckpoint',
      auditCheckpointSchema,
    ),
    auditRuns: connection.model<AuditRunDoc>('AuditRun', auditRunSchema),
    jobs: connection.model<JobDoc>('Job', jobSchema),
    jobRows: connection.model<JobRowsDoc>('JobRows', jobRowsSchema),
    rateLimits: connection.model<RateLimitDoc>('RateLimit', rateLimitSchema),
    auditEntries: connection.model<AuditEntryDoc>('AuditEntry', auditEntrySchema),
  };
}

/** Creates every collection and index; what exists is left as it is. */
export async function buildIndexes(models: Models): Promise<void> {
  for (const model of Object.values(models.connection.models)) {
    await model.createCollection();
    await model.createIndexes();
  }
}
