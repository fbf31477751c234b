import { type Mode, modes } from '../../domain/mode.ts';
import { accountsOf, type WalletRef } from '../../domain/postings.ts';
import { applyMove, unfinishedMoves } from '../../domain/reward.ts';
import type { WebhookFact } from '../../domain/webhooks.ts';
import { idBound, reviewIdOf } from '../../platform/ids.ts';
import { type Metered, readRunway, type Usage } from '../billing/index.ts';
import { type Crossing, createCrossings, references } from '../ledger/index.ts';
import type { AuditEntryDoc } from '../schemas/audit.ts';
import type { EntryDoc } from '../schemas/entries.ts';
import type { Models } from '../schemas/index.ts';
import type { RewardDoc } from '../schemas/rewards.ts';

/**
 * Facts about ledger entries that took the LIVE funding below the partner's threshold, or back above it,
 * with how long the remaining funds last.
 */
export async function fundingFacts(
  usage: Usage,
  type: 'funding.low' | 'funding.recovered',
  crossings: readonly Crossing[],
): Promise<WebhookFact[]> {
  return await Promise.all(
    crossings.map(async ({ entry, balanceCents, thresholdCents }) => {
      const { _id: fact, partnerId, at } = entry;
      const runwayDays = await readRunway(usage, partnerId, balanceCents, at.toISOString());
      return {
        type,
        partnerId,
        mode: 'LIVE' as const,
        at,
        fact,
        rewardId: null,
        sequence: null,
        data: { balanceCents, thresholdCents, runwayDays },
      };
    }),
  );
}

/** Percentages of the plan's included points at which the partner is notified. */
const thresholds = [80, 100] as const;

/**
 * Facts about the thresholds that one reward's points took the period's usage across.
 * @param at ISO 8601, when the reward was funded
 */
export function usageFacts(
  { partnerId, rewardId }: { partnerId: string; rewardId: string },
  metered: Metered | null,
  at: string,
): WebhookFact[] {
  if (metered === null) return [];
  const { beforePoints, afterPoints, includedPoints, subscriptionId, periodStart } = metered;
  return thresholds
    .filter((percent) => {
      const limit = includedPoints * percent;
      return includedPoints > 0 && beforePoints * 100 < limit && afterPoints * 100 >= limit;
    })
    .map((percent) => ({
      type: 'usage.threshold',
      partnerId,
      mode: 'LIVE',
      at: new Date(at),
      fact: `${rewardId} ${percent}`,
      rewardId: null,
      sequence: null,
      data: { percent, usedPoints: afterPoints, includedPoints, subscriptionId, periodStart },
    }));
}

export interface AccountFactDeps {
  models: Models;
  usage: Usage;
}

/** Partners per page. */
const pageSize = 100;

/**
 * Facts about partners' accounts since an instant: keys, service accounts, invoices, go-live, questions
 * and top-ups. They are read from the stored documents, so that no operation has to announce them and a
 * crash after a write loses none.
 * @param partnerIds the partners with an endpoint
 */
export async function* findAccountFacts(
  deps: AccountFactDeps,
  partnerIds: readonly string[],
  since: Date,
): AsyncGenerator<WebhookFact[]> {
  const { models } = deps;
  for (let at = 0; at < partnerIds.length; at += pageSize) {
    const page = partnerIds.slice(at, at + pageSize);
    const found = await Promise.all([
      credentialFacts(models, page, since),
      serviceAccountFacts(models, page, since),
      invoiceFacts(models, page, since),
      approvalFacts(models, page, since),
      questionFacts(models, page, since),
      auditedFacts(deps, page, since),
    ]);
    yield found.flat();
  }
}

const withoutReward = { rewardId: null, sequence: null } as const;

async function credentialFacts(
  { credentials }: Models,
  partnerIds: readonly string[],
  since: Date,
): Promise<WebhookFact[]> {
  const found = await credentials.find({
    partnerId: { $in: partnerIds },
    $or: [{ createdAt: { $gte: since } }, { revokedAt: { $gte: since } }],
  });
  return found.flatMap(({ _id, partnerId, integrationId, mode, scopes, createdAt, revokedAt }) => {
    const data = { credentialId: _id, integrationId, scopes };
    const base = { ...withoutReward, partnerId, mode, fact: _id, data };
    const created: WebhookFact = { ...base, type: 'credential.created', at: createdAt };
    return revokedAt === null
      ? [created]
      : [created, { ...base, type: 'credential.revoked', at: revokedAt }];
  });
}

async function serviceAccountFacts(
  { serviceAccounts }: Models,
  partnerIds: readonly string[],
  since: Date,
): Promise<WebhookFact[]> {
  const found = await serviceAccounts.find({
    partnerId: { $in: partnerIds },
    $or: [{ 'tokens.createdAt': { $gte: since } }, { revokedAt: { $gte: since } }],
  });
  return found.flatMap(({ _id, partnerId, mode, scopes, tokens, createdAt, revokedAt }) => {
    const changed = (change: string, at: Date): WebhookFact => ({
      ...withoutReward,
      type: 'service_account.changed',
      partnerId,
      mode,
      at,
      fact: `${_id} ${change}`,
      data: { serviceAccountId: _id, change, scopes },
    });
    return [
      ...tokens.map((token) =>
        changed(+token.createdAt === +createdAt ? 'CREATED' : 'ROTATED', token.createdAt),
      ),
      ...(revokedAt === null ? [] : [changed('REVOKED', revokedAt)]),
    ];
  });
}

async function invoiceFacts(
  { invoices }: Models,
  partnerIds: readonly string[],
  since: Date,
): Promise<WebhookFact[]> {
  const found = await invoices.find({ partnerId: { $in: partnerIds }, issuedAt: { $gte: since } });
  return found.map(({ _id, partnerId, issuedAt, ...invoice }) => ({
    ...withoutReward,
    type: 'invoice.issued',
    partnerId,
    mode: 'LIVE',
    at: issuedAt,
    fact: _id,
    data: {
      invoiceId: _id,
      number: invoice.number,
      kind: invoice.kind,
      totalCents: invoice.totalCents,
      currency: invoice.currency,
      periodStart: invoice.periodStart,
      periodEnd: invoice.periodEnd,
      dueAt: invoice.dueAt,
    },
  }));
}

/** Operators' questions about refunds, without their text, which stays in the portal. */
async function questionFacts(
  { reviewNotes, reviews }: Models,
  partnerIds: readonly string[],
  since: Date,
): Promise<WebhookFact[]> {
  const questions = await reviewNotes.find({
    partnerId: { $in: partnerIds },
    mode: { $in: modes },
    kind: 'QUESTION',
    _id: { $gt: idBound('reviewNote', since.getTime()) },
  });
  if (questions.length === 0) return [];
  const questioned = await reviews.find({
    partnerId: { $in: questions.map(({ partnerId }) => partnerId) },
    _id: { $in: questions.map(({ reviewId }) => reviewId) },
  });
  const reviewBy = new Map(questioned.map((review) => [review._id, review]));
  return questions.flatMap(({ _id: fact, partnerId, mode, reviewId, at }) => {
    const review = reviewBy.get(reviewId);
    if (!review) return [];
    const { rewardId, externalOrderId } = review;
    const data = { reviewId, rewardId, externalOrderId };
    return [{ ...withoutReward, type: 'review.asked' as const, partnerId, mode, at, fact, data }];
  });
}

/** Approvals of go-live. A partner is approved only once, so its document is enough. Sent in both modes. */
async function approvalFacts(
  { partners }: Models,
  partnerIds: readonly string[],
  since: Date,
): Promise<WebhookFact[]> {
  const found = await partners.find({
    _id: { $in: partnerIds },
    'goLive.state': 'LIVE',
    'goLive.decidedAt': { $gte: since },
  });
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
  modes.map((mode: Mode) => ({ ...withoutReward, ...fact, mode }));

const auditedActions = ['partner.top-up', 'integration.test-funding', 'partner.return-go-live'];

/**
 * Top-ups and returned go-live requests, found by their audit entries. An entry may still have the status
 * INTENDED because the process crashed after the operation, so the outcome is read from the documents.
 */
async function auditedFacts(
  deps: AccountFactDeps,
  partnerIds: readonly string[],
  since: Date,
): Promise<WebhookFact[]> {
  const { models } = deps;
  const entries = await models.auditEntries.find({
    partnerId: { $in: partnerIds },
    action: { $in: auditedActions },
    at: { $gte: since },
    status: { $ne: 'FAILED' },
  });
  const found = await Promise.all(
    entries.map((entry) =>
      entry.action === 'partner.return-go-live'
        ? returnFacts(models, entry)
        : topUpFacts(deps, entry),
    ),
  );
  return found.flat();
}

async function returnFacts({ partners }: Models, entry: AuditEntryDoc): Promise<WebhookFact[]> {
  const { _id, at, status, details } = entry;
  const partnerId = entry.partnerId ?? '';
  if (status === 'INTENDED') {
    const isReturned = await partners.exists({
      _id: partnerId,
      'goLive.state': 'CHANGES_REQUESTED',
      'goLive.decidedAt': { $gte: at },
    });
    if (isReturned === null) return [];
  }
  const data = { reason: details.reason ?? null };
  return toBothModes({ type: 'go_live.returned', partnerId, at, fact: _id, data });
}

async function topUpFacts(
  { models, usage }: AccountFactDeps,
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
  const found: EntryDoc | null = await chain.findOne({ partnerId, reference });
  const posting = found?.postings.find(({ account }) => account === accountsOf(wallet).funding);
  if (!found || !posting) return [];
  const crossings = await createCrossings(models)(partnerId, [found], 'UP');
  return [
    ...(await fundingFacts(usage, 'funding.recovered', crossings)),
    {
      ...withoutReward,
      type: 'funding.topped_up',
      partnerId,
      mode: wallet.mode,
      at: found.at,
      fact: found._id,
      data: {
        transactionId: found._id,
        amountCents: posting.amount,
        balanceCents: posting.balanceAfter,
        ...(wallet.mode === 'TEST' && { integrationId: wallet.integrationId }),
      },
    },
  ];
}

/**
 * The facts that a reward's moves announce to its partner, in the order of the moves. A move that changes
 * no status announces nothing. A review that cancels the reward announces two facts with the same
 * sequence number.
 * @param from the number of moves to skip, from the first on
 */
export function factsOfMoves(reward: RewardDoc, from: number): WebhookFact[] {
  const { _id: rewardId, partnerId, mode } = reward;
  return unfinishedMoves({ ...reward, carriedOut: from }).flatMap(
    ({ made, from: before }, place) => {
      const { status, customerStatus } = applyMove(before, made.move);
      if (status === before.status && made.move !== 'FUND') return [];
      const sequence = from + place + 1;
      const base = {
        partnerId,
        mode,
        at: made.at,
        rewardId,
        sequence,
        fact: `${rewardId} ${sequence}`,
      };
      const data = {
        rewardId,
        externalOrderId: reward.externalOrderId,
        purchaseEventId: reward.purchaseEventId,
        integrationId: reward.integrationId,
        status,
        customerStatus,
        points: reward.points,
        liabilityCents: reward.liabilityCents,
        currency: reward.currency,
      };
      const cancelled = (by: 'REFUND' | 'OPERATOR' | 'REVIEW'): WebhookFact => ({
        ...base,
        type: 'reward.cancelled',
        data: { ...data, cancelledBy: by },
      });
      const decided = (verdict: 'UPHOLD' | 'DISMISS'): WebhookFact => ({
        ...base,
        type: 'review.decided',
        data: { ...data, reviewId: made.reviewId ?? null, verdict },
      });
      switch (made.move) {
        case 'FUND': {
          const claimExpiresAt = reward.claimExpiresAt.toISOString();
          return [{ ...base, type: 'reward.funded', data: { ...data, claimExpiresAt } }];
        }
        case 'RUN_SHORT':
          return [{ ...base, type: 'reward.awaiting_funding', data }];
        case 'CLAIM':
          return [{ ...base, type: 'reward.claimed', data }];
        case 'EXPIRE':
          return [{ ...base, type: 'reward.expired', data }];
        case 'CANCEL':
          return [cancelled('OPERATOR')];
        case 'REFUND': {
          if (status !== 'ADMIN_REVIEW') return [cancelled('REFUND')];
          const reviewId = reviewIdOf(made.refundEventId ?? '');
          return [{ ...base, type: 'review.opened', data: { ...data, reviewId } }];
        }
        case 'UPHOLD':
          return [decided('UPHOLD'), cancelled('REVIEW')];
        default:
          return [decided('DISMISS')];
      }
    },
  );
}
