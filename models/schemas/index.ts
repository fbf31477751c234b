import type {
  ApplyProjection,
  Connection,
  HydratedDocument,
  Model,
  mongo,
  ProjectionType,
  Query,
  QueryFilter,
  QueryOptions,
  Schema,
} from 'mongoose';
import {
  auditCheckpointSchema,
  auditEntrySchema,
  auditRunSchema,
  proposalSchema,
} from './audit.ts';
import { invoiceSchema, planVersionSchema, subscriptionSchema } from './billing.ts';
import { connectionSchema, waitingRefundSchema } from './connections.ts';
import { dataKeySchema, erasureSchema, pointsLinkSchema } from './customers.ts';
import { ledgerSchema } from './entries.ts';
import { orderEventSchema } from './events.ts';
import type { Declares, Stored } from './fields.ts';
import { credentialSchema, integrationSchema, serviceAccountSchema } from './integrations.ts';
import { type JobDoc, type JobRowsDoc, jobRowsSchema, jobSchema } from './jobs.ts';
import { logoSchema, partnerSchema } from './partners.ts';
import {
  accessTokenSchema,
  invitationSchema,
  operatorSchema,
  sessionSchema,
  signInLinkSchema,
  userSchema,
} from './people.ts';
import { pointsEndSchema, policyActivationSchema, refundPolicySchema } from './policies.ts';
import {
  aloneSumSchema,
  keyCheckSchema,
  mailCountSchema,
  rateLimitSchema,
  reconciliationRunSchema,
  relaySchema,
  watermarkSchema,
} from './processes.ts';
import { ledgerLeafSchema, signingKeySchema, treeHeadSchema } from './receipts.ts';
import { redemptionEventSchema, redemptionSchema } from './redemptions.ts';
import { rehearsalSchema } from './rehearsals.ts';
import { refusalTotalsSchema, refusedRequestSchema, requestLogSchema } from './requests.ts';
import { reviewNoteSchema, reviewSchema } from './reviews.ts';
import { rewardSchema } from './rewards.ts';
import { type EarningRuleDoc, earningRuleSchema, ruleActivationSchema } from './rules.ts';
import {
  customerBalanceSchema,
  customerDaySchema,
  ruleBudgetSchema,
  usagePeriodSchema,
  walletSchema,
} from './wallets.ts';
import { webhookDeliverySchema, webhookEndpointSchema } from './webhooks.ts';

/**
 * A model whose queries read plain objects (`lean`), and whose collection knows what is stored in
 * it. Only `create` gives a document of mongoose.
 */
export interface ModelOf<Doc extends mongo.Document>
  extends Omit<
    Model<Doc, object, object, object, HydratedDocument<Doc>, LeanSchema, Doc>,
    'collection' | 'find' | 'findOne' | 'findById'
  > {
  collection: mongo.Collection<Doc> & { name: string };
  find(filter?: QueryFilter<Doc>, fields?: null, options?: Options<Doc>): Reads<Doc[], Doc, 'find'>;
  find<const Fields extends ProjectionType<Doc>>(
    filter: QueryFilter<Doc>,
    fields: Fields,
    options?: Options<Doc>,
  ): Reads<ApplyProjection<Doc, Fields>[], Doc, 'find'>;
  findOne(filter?: QueryFilter<Doc>, fields?: null, options?: Options<Doc>): Reads<Doc | null, Doc>;
  findOne<const Fields extends ProjectionType<Doc>>(
    filter: QueryFilter<Doc>,
    fields: Fields,
    options?: Options<Doc>,
  ): Reads<ApplyProjection<Doc, Fields> | null, Doc>;
  findById(id: string): Reads<Doc | null, Doc>;
  findById<const Fields extends ProjectionType<Doc>>(
    id: string,
    fields: Fields,
  ): Reads<ApplyProjection<Doc, Fields> | null, Doc>;
}
type LeanSchema = Schema<unknown, Model<unknown>, object, object, object, object, { lean: true }>;
// Mongoose's own types take what is read with a projection for its documents, even if `lean` is set.
type Reads<Result, Doc, Operation = 'findOne'> = Query<Result, Doc, object, Doc, Operation>;
type Options<Doc> = QueryOptions<Doc> & mongo.Abortable;

/** A collection of the driver, for what works on several: of any documents with an id of ours. */
export type AnyCollection = Pick<
  mongo.Collection<mongo.Document & { _id: string }>,
  'find' | 'countDocuments' | 'insertMany' | 'updateOne' | 'updateMany'
>;

export type Models = ReturnType<typeof createModels>;

/** The models of all collections on one connection. Creates nothing in the database. */
export function createModels(connection: Connection) {
  function model<Declared extends mongo.Document, Doc extends Declared = Declared>(
    name: string,
    schema: Schema & Declares<Declared>,
  ) {
    return connection.model(name, schema) as unknown as ModelOf<Doc>;
  }
  return {
    connection,
    partners: model('Partner', partnerSchema),
    integrations: model('Integration', integrationSchema),
    credentials: model('Credential', credentialSchema),
    connections: model('Connection', connectionSchema),
    waitingRefunds: model('WaitingRefund', waitingRefundSchema),
    earningRules: model<Stored<typeof earningRuleSchema>, EarningRuleDoc>(
      'EarningRule',
      earningRuleSchema,
    ),
    ruleActivations: model('RuleActivation', ruleActivationSchema),
    refundPolicies: model('RefundPolicy', refundPolicySchema),
    policyActivations: model('PolicyActivation', policyActivationSchema),
    pointsEnds: model('PointsEnd', pointsEndSchema),
    orderEvents: model('OrderEvent', orderEventSchema),
    rewards: model('Reward', rewardSchema),
    dataKeys: model('DataKey', dataKeySchema),
    erasures: model('Erasure', erasureSchema),
    requestLog: model('LoggedRequest', requestLogSchema),
    refusalTotals: model('RefusalTotals', refusalTotalsSchema),
    refusedRequests: model('RefusedRequest', refusedRequestSchema),
    reviews: model('Review', reviewSchema),
    reviewNotes: model('ReviewNote', reviewNoteSchema),
    planVersions: model('PlanVersion', planVersionSchema),
    subscriptions: model('Subscription', subscriptionSchema),
    usagePeriods: model('UsagePeriod', usagePeriodSchema),
    customerDays: model('CustomerDay', customerDaySchema),
    ruleBudgets: model('RuleBudget', ruleBudgetSchema),
    wallets: model('Wallet', walletSchema),
    customerBalances: model('CustomerBalance', customerBalanceSchema),
    redemptions: model('Redemption', redemptionSchema),
    redemptionEvents: model('RedemptionEvent', redemptionEventSchema),
    relays: model('Relay', relaySchema),
    invoices: model('Invoice', invoiceSchema),
    proposals: model('Proposal', proposalSchema),
    operators: model('Operator', operatorSchema),
    users: model('User', userSchema),
    invitations: model('Invitation', invitationSchema),
    sessions: model('Session', sessionSchema),
    accessTokens: model('AccessToken', accessTokenSchema),
    serviceAccounts: model('ServiceAccount', serviceAccountSchema),
    signInLinks: model('SignInLink', signInLinkSchema),
    pointsLinks: model('PointsLink', pointsLinkSchema),
    ledger: model('LedgerEntry', ledgerSchema),
    ledgerLeaves: model('LedgerLeaf', ledgerLeafSchema),
    treeHeads: model('TreeHead', treeHeadSchema),
    signingKeys: model('SigningKey', signingKeySchema),
    auditCheckpoints: model('AuditCheckpoint', auditCheckpointSchema),
    auditRuns: model('AuditRun', auditRunSchema),
    reconciliationRuns: model('ReconciliationRun', reconciliationRunSchema),
    jobs: model<Stored<typeof jobSchema>, JobDoc>('Job', jobSchema),
    jobRows: model<Stored<typeof jobRowsSchema>, JobRowsDoc>('JobRows', jobRowsSchema),
    logos: model('Logo', logoSchema),
    mailCounts: model('MailCount', mailCountSchema),
    aloneSums: model('AloneSum', aloneSumSchema),
    watermarks: model('Watermark', watermarkSchema),
    keyChecks: model('KeyCheck', keyCheckSchema),
    rateLimits: model('RateLimit', rateLimitSchema),
    rehearsals: model('Rehearsal', rehearsalSchema),
    webhookEndpoints: model('WebhookEndpoint', webhookEndpointSchema),
    webhookDeliveries: model('WebhookDelivery', webhookDeliverySchema),
    auditEntries: model('AuditEntry', auditEntrySchema),
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
