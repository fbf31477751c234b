import type { Connection, mongo } from 'mongoose';
import type { CustomerBalance, UsagePeriod, Wallet } from '../../domain/draft.ts';
import { type AccessTokenDoc, accessTokenSchema } from './access-token.ts';
import { type AloneSumDoc, aloneSumSchema } from './alone-sum.ts';
import { type AuditCheckpointDoc, auditCheckpointSchema } from './audit-checkpoint.ts';
import { type AuditEntryDoc, auditEntrySchema } from './audit-entry.ts';
import { type AuditRunDoc, auditRunSchema } from './audit-run.ts';
import { type CredentialDoc, credentialSchema } from './credential.ts';
import { type DataKeyDoc, dataKeySchema } from './data-key.ts';
import {
  type EarningRuleDoc,
  earningRuleSchema,
  type RuleActivationDoc,
  ruleActivationSchema,
} from './earning-rule.ts';
import { type EntryDoc, entrySchema } from './entry.ts';
import { type ErasureDoc, erasureSchema } from './erasure.ts';
import { type IntegrationDoc, integrationSchema } from './integration.ts';
import { type IntegrationEventDoc, integrationEventSchema } from './integration-event.ts';
import { type InvitationDoc, invitationSchema } from './invitation.ts';
import { type InvoiceDoc, invoiceSchema } from './invoice.ts';
import { type JobDoc, jobSchema } from './job.ts';
import { type JobRowsDoc, jobRowsSchema } from './job-rows.ts';
import { type LeaseDoc, leaseSchema } from './lease.ts';
import { type LogoDoc, logoSchema } from './logo.ts';
import { type MailCountDoc, mailCountSchema } from './mail-count.ts';
import { type OperatorDoc, operatorSchema } from './operator.ts';
import { type OrderEventDoc, orderEventSchema } from './order-event.ts';
import { type OutboxDoc, outboxSchema, type RelayDoc, relaySchema } from './outbox.ts';
import { type PartnerDoc, partnerSchema } from './partner.ts';
import { type PlanVersionDoc, planVersionSchema } from './plan-version.ts';
import { type PointsLinkDoc, pointsLinkSchema } from './points-link.ts';
import { type ProposalDoc, proposalSchema } from './proposal.ts';
import { type RateLimitDoc, rateLimitSchema } from './rate-limit.ts';
import { type ReconciliationRunDoc, reconciliationRunSchema } from './reconciliation-run.ts';
import { type RefusalTotalsDoc, refusalTotalsSchema } from './refusal-totals.ts';
import { type RefusedRequestDoc, refusedRequestSchema } from './refused-request.ts';
import { type ReviewDoc, reviewSchema } from './review.ts';
import { type ReviewNoteDoc, reviewNoteSchema } from './review-note.ts';
import { type RewardDoc, rewardSchema } from './reward.ts';
import { type RewardTotalsDoc, rewardTotalsSchema } from './reward-totals.ts';
import { type ServiceAccountDoc, serviceAccountSchema } from './service-account.ts';
import { type SessionDoc, sessionSchema } from './session.ts';
import { type SignInLinkDoc, signInLinkSchema } from './sign-in-link.ts';
import { type SubscriptionDoc, subscriptionSchema } from './subscription.ts';
import { type TestPeriodDoc, testPeriodSchema } from './test-period.ts';
import { type UserDoc, userSchema } from './user.ts';
import {
  type CustomerDayDoc,
  customerBalanceSchema,
  customerDaySchema,
  type UsageDayDoc,
  usageDaySchema,
  usagePeriodSchema,
  walletSchema,
} from './wallet.ts';
import { type WatermarkDoc, watermarkSchema } from './watermark.ts';
import { type WebhookDeliveryDoc, webhookDeliverySchema } from './webhook-delivery.ts';
import { type WebhookEndpointDoc, webhookEndpointSchema } from './webhook-endpoint.ts';

export type Models = ReturnType<typeof createModels>;

/** The models of all collections on one connection. Creates nothing in the database. */
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
    rewardTotals: connection.model<RewardTotalsDoc>('RewardTotals', rewardTotalsSchema),
    dataKeys: connection.model<DataKeyDoc>('DataKey', dataKeySchema),
    erasures: connection.model<ErasureDoc>('Erasure', erasureSchema),
    integrationEvents: connection.model<IntegrationEventDoc>(
      'IntegrationEvent',
      integrationEventSchema,
    ),
    refusalTotals: connection.model<RefusalTotalsDoc>('RefusalTotals', refusalTotalsSchema),
    refusedRequests: connection.model<RefusedRequestDoc>('RefusedRequest', refusedRequestSchema),
    reviews: connection.model<ReviewDoc>('Review', reviewSchema),
    reviewNotes: connection.model<ReviewNoteDoc>('ReviewNote', reviewNoteSchema),
    planVersions: connection.model<PlanVersionDoc>('PlanVersion', planVersionSchema),
    subscriptions: connection.model<SubscriptionDoc>('Subscription', subscriptionSchema),
    usagePeriods: connection.model<UsagePeriod>('UsagePeriod', usagePeriodSchema),
    usageDays: connection.model<UsageDayDoc>('UsageDay', usageDaySchema),
    customerDays: connection.model<CustomerDayDoc>('CustomerDay', customerDaySchema),
    wallets: connection.model<Wallet>('Wallet', walletSchema),
    customerBalances: connection.model<CustomerBalance>('CustomerBalance', customerBalanceSchema),
    relays: connection.model<RelayDoc>('Relay', relaySchema),
    outbox: connection.model<OutboxDoc>('Outbox', outboxSchema),
    invoices: connection.model<InvoiceDoc>('Invoice', invoiceSchema),
    testPeriods: connection.model<TestPeriodDoc>('TestPeriod', testPeriodSchema),
    proposals: connection.model<ProposalDoc>('Proposal', proposalSchema),
    operators: connection.model<OperatorDoc>('Operator', operatorSchema),
    users: connection.model<UserDoc>('User', userSchema),
    invitations: connection.model<InvitationDoc>('Invitation', invitationSchema),
    sessions: connection.model<SessionDoc>('Session', sessionSchema),
    accessTokens: connection.model<AccessTokenDoc>('AccessToken', accessTokenSchema),
    serviceAccounts: connection.model<ServiceAccountDoc>('ServiceAccount', serviceAccountSchema),
    signInLinks: connection.model<SignInLinkDoc>('SignInLink', signInLinkSchema),
    pointsLinks: connection.model<PointsLinkDoc>('PointsLink', pointsLinkSchema),
    ledger: connection.model<EntryDoc>('LedgerEntry', entrySchema('ledger_transactions')),
    testFunding: connection.model<EntryDoc>(
      'TestFundingEntry',
      entrySchema('test_funding_entries'),
    ),
    auditCheckpoints: connection.model<AuditCheckpointDoc>(
      'AuditCheckpoint',
      auditCheckpointSchema,
    ),
    auditRuns: connection.model<AuditRunDoc>('AuditRun', auditRunSchema),
    reconciliationRuns: connection.model<ReconciliationRunDoc>(
      'ReconciliationRun',
      reconciliationRunSchema,
    ),
    jobs: connection.model<JobDoc>('Job', jobSchema),
    jobRows: connection.model<JobRowsDoc>('JobRows', jobRowsSchema),
    leases: connection.model<LeaseDoc>('Lease', leaseSchema),
    logos: connection.model<LogoDoc>('Logo', logoSchema),
    mailCounts: connection.model<MailCountDoc>('MailCount', mailCountSchema),
    aloneSums: connection.model<AloneSumDoc>('AloneSum', aloneSumSchema),
    watermarks: connection.model<WatermarkDoc>('Watermark', watermarkSchema),
    rateLimits: connection.model<RateLimitDoc>('RateLimit', rateLimitSchema),
    webhookEndpoints: connection.model<WebhookEndpointDoc>(
      'WebhookEndpoint',
      webhookEndpointSchema,
    ),
    webhookDeliveries: connection.model<WebhookDeliveryDoc>(
      'WebhookDelivery',
      webhookDeliverySchema,
    ),
    auditEntries: connection.model<AuditEntryDoc>('AuditEntry', auditEntrySchema),
  };
}

/** Creates all collections and indexes that do not exist yet. */
export async function buildIndexes(models: Models): Promise<void> {
  for (const model of Object.values(models.connection.models)) {
    const indexes = model.schema.indexes().map(([key, options]) => ({ key, ...options }));
    if (indexes.length === 0) await model.createCollection();
    else await model.collection.createIndexes(indexes as mongo.IndexDescription[]);
  }
}
