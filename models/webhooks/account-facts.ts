import { accountsOf } from '../../domain/accounts.ts';
import { type Mode, modes } from '../../domain/mode.ts';
import type { WalletRef } from '../../domain/wallet.ts';
import type { WebhookFact } from '../../domain/webhooks.ts';
import { idBound } from '../../platform/ids.ts';
import type { Usage } from '../billing/index.ts';
import { createCrossings, references } from '../ledger/index.ts';
import type { AuditEntryDoc } from '../schemas/audit-entry.ts';
import type { EntryDoc } from '../schemas/entry.ts';
import type { Models } from '../schemas/index.ts';
import { fundingFacts } from './money-facts.ts';

export interface OfficeDeps {
  models: Models;
  usage: Usage;
}

/** Partners are looked at so many together. */
const pageSize = 100;

/**
 * What operators, users and the billing did to partners since a time, as their stored documents tell it.
 * Nobody has to remember to announce these: whatever was written is found here, whoever died behind it.
 * @param partnerIds those that have an endpoint
 */
export async function* findOfficeFacts(
  deps: OfficeDeps,
  partnerIds: readonly string[],
  since: Date,
): AsyncGenerator<WebhookFact[]> {
  const { models } = deps;
  for (let at = 0; at < partnerIds.length; at += pageSize) {
    const page = partnerIds.slice(at, at + pageSize);
    const found = await Promise.all([
      ofCredentials(models, page, since),
      ofServiceAccounts(models, page, since),
      ofInvoices(models, page, since),
      ofApprovals(models, page, since),
      ofQuestions(models, page, since),
      ofAuditLog(deps, page, since),
    ]);
    yield found.flat();
  }
}

const aboutNoReward = { rewardId: null, sequence: null } as const;

async function ofCredentials(
  { credentials }: Models,
  partnerIds: readonly string[],
  since: Date,
): Promise<WebhookFact[]> {
  const found = await credentials
    .find({
      partnerId: { $in: partnerIds },
      $or: [{ createdAt: { $gte: since } }, { revokedAt: { $gte: since } }],
    })
    .lean();
  return found.flatMap(({ _id, partnerId, integrationId, mode, scopes, createdAt, revokedAt }) => {
    const data = { credentialId: _id, integrationId, scopes };
    const base = { ...aboutNoReward, partnerId, mode, fact: _id, data };
    const created: WebhookFact = { ...base, type: 'credential.created', at: createdAt };
    return revokedAt === null
      ? [created]
      : [created, { ...base, type: 'credential.revoked', at: revokedAt }];
  });
}

async function ofServiceAccounts(
  { serviceAccounts }: Models,
  partnerIds: readonly string[],
  since: Date,
): Promise<WebhookFact[]> {
  const found = await serviceAccounts
    .find({
      partnerId: { $in: partnerIds },
      $or: [{ 'tokens.createdAt': { $gte: since } }, { revokedAt: { $gte: since } }],
    })
    .lean();
  return found.flatMap(({ _id, partnerId, mode, scopes, tokens, createdAt, revokedAt }) => {
    const changed = (change: string, at: Date): WebhookFact => ({
      ...{ ...aboutNoReward, type: 'service_account.changed', partnerId, mode, at },
      ...{ fact: `${_id} ${change}`, data: { serviceAccountId: _id, change, scopes } },
    });
    return [
      ...tokens.map((token) =>
        changed(+token.createdAt === +createdAt ? 'CREATED' : 'ROTATED', token.createdAt),
      ),
      ...(revokedAt === null ? [] : [changed('REVOKED', revokedAt)]),
    ];
  });
}

async function ofInvoices(
  { invoices }: Models,
  partnerIds: readonly string[],
  since: Date,
): Promise<WebhookFact[]> {
  const found = await invoices
    .find({ partnerId: { $in: partnerIds }, issuedAt: { $gte: since } })
    .lean();
  return found.map(({ _id, partnerId, issuedAt, ...invoice }) => ({
    ...aboutNoReward,
    ...{ type: 'invoice.issued', partnerId, mode: 'LIVE', at: issuedAt, fact: _id },
    data: {
      ...{ invoiceId: _id, number: invoice.number, kind: invoice.kind },
      ...{ totalCents: invoice.totalCents, currency: invoice.currency },
      ...{ periodStart: invoice.periodStart, periodEnd: invoice.periodEnd, dueAt: invoice.dueAt },
    },
  }));
}

/** What operators asked about refunds; their words stay in the portal. */
async function ofQuestions(
  { reviewNotes, reviews }: Models,
  partnerIds: readonly string[],
  since: Date,
): Promise<WebhookFact[]> {
  const questions = await reviewNotes
    .find({
      ...{ partnerId: { $in: partnerIds }, mode: { $in: modes }, kind: 'QUESTION' },
      _id: { $gt: idBound('reviewNote', since.getTime()) },
    })
    .lean();
  if (questions.length === 0) return [];
  const asked = await reviews
    .find({
      partnerId: { $in: questions.map(({ partnerId }) => partnerId) },
      _id: { $in: questions.map(({ reviewId }) => reviewId) },
    })
    .lean();
  const reviewBy = new Map(asked.map((review) => [review._id, review]));
  return questions.flatMap(({ _id: fact, partnerId, mode, reviewId, at }) => {
    const review = reviewBy.get(reviewId);
    if (!review) return [];
    const { rewardId, externalOrderId } = review;
    const data = { reviewId, rewardId, externalOrderId };
    return [{ ...aboutNoReward, type: 'review.asked' as const, partnerId, mode, at, fact, data }];
  });
}

/** A partner is approved once for good, so that its own document tells it. Both modes are told. */
async function ofApprovals(
  { partners }: Models,
  partnerIds: readonly string[],
  since: Date,
): Promise<WebhookFact[]> {
  const found = await partners
    .find({
      ...{ _id: { $in: partnerIds }, 'goLive.state': 'LIVE' },
      'goLive.decidedAt': { $gte: since },
    })
    .lean();
  return found.flatMap(({ _id: partnerId, goLive: { decidedAt } }) =>
    decidedAt === null
      ? []
      : toBothModes({
          type: 'go_live.approved',
          partnerId,
          at: decidedAt,
          fact: partnerId,
          data: {},
        }),
  );
}

const toBothModes = (fact: Omit<WebhookFact, 'mode' | 'rewardId' | 'sequence'>): WebhookFact[] =>
  modes.map((mode: Mode) => ({ ...aboutNoReward, ...fact, mode }));

const recorded = ['partner.top-up', 'integration.test-funding', 'partner.return-go-live'];

/**
 * What is found by the intent that was written before it: the outcome is looked up, since whoever was
 * about to note it may have died.
 */
async function ofAuditLog(
  deps: OfficeDeps,
  partnerIds: readonly string[],
  since: Date,
): Promise<WebhookFact[]> {
  const { models } = deps;
  const entries = await models.auditEntries
    .find({
      ...{ partnerId: { $in: partnerIds }, action: { $in: recorded } },
      ...{ at: { $gte: since }, status: { $ne: 'FAILED' } },
    })
    .lean();
  const found = await Promise.all(
    entries.map((entry) =>
      entry.action === 'partner.return-go-live' ? ofReturn(models, entry) : ofTopUp(deps, entry),
    ),
  );
  return found.flat();
}

async function ofReturn({ partners }: Models, entry: AuditEntryDoc): Promise<WebhookFact[]> {
  const { _id, at, status, details } = entry;
  const partnerId = entry.partnerId ?? '';
  if (status === 'INTENDED') {
    const isReturned = await partners.exists({
      ...{ _id: partnerId, 'goLive.state': 'CHANGES_REQUESTED' },
      'goLive.decidedAt': { $gte: at },
    });
    if (isReturned === null) return [];
  }
  const data = { reason: details.reason ?? null };
  return toBothModes({ type: 'go_live.returned', partnerId, at, fact: _id, data });
}

async function ofTopUp(
  { models, usage }: OfficeDeps,
  entry: AuditEntryDoc,
): Promise<WebhookFact[]> {
  const { action, targetId, details } = entry;
  const partnerId = entry.partnerId ?? '';
  const wallet: WalletRef =
    action === 'partner.top-up'
      ? { mode: 'LIVE', partnerId }
      : { mode: 'TEST', partnerId, integrationId: targetId ?? '' };
  const chain = wallet.mode === 'LIVE' ? models.ledger : models.testFunding;
  const reference = references.topUp(wallet, String(details.reference));
  const found: EntryDoc | null = await chain.findOne({ partnerId, reference }).lean();
  const posting = found?.postings.find(({ account }) => account === accountsOf(wallet).funding);
  if (!found || !posting) return [];
  const crossings = await createCrossings(models)(partnerId, [found], 'UP');
  return [
    ...(await fundingFacts(usage, 'funding.recovered', crossings)),
    {
      ...aboutNoReward,
      ...{ type: 'funding.topped_up', partnerId, mode: wallet.mode, at: found.at },
      fact: found._id,
      data: {
        ...{ transactionId: found._id, amountCents: posting.amount },
        ...{ balanceCents: posting.balanceAfter },
        ...(wallet.mode === 'TEST' && { integrationId: wallet.integrationId }),
      },
    },
  ];
}
