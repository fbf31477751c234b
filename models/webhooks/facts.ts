import { type Mode, modes } from '../../domain/mode.ts';
import { expiryNoticeDays } from '../../domain/partners.ts';
import { dayMs } from '../../domain/utc-days.ts';
import type { WebhookFact } from '../../domain/webhooks.ts';
import { idBound } from '../../platform/ids.ts';
import type { Models } from '../schemas/index.ts';
import type { ComparisonJob } from '../schemas/jobs.ts';

/** Partners per page. */
const pageSize = 100;

/**
 * Facts about partners' accounts since an instant: keys, service accounts, go-live, questions and
 * reconciliations. They are read from the stored documents, so that no operation has to announce them and a
 * crash after a write loses none.
 * @param partnerIds the partners with an endpoint
 * @param until the present, for what is announced before it happens
 */
export async function* findAccountFacts(
  models: Models,
  partnerIds: readonly string[],
  since: Date,
  until: Date,
): AsyncGenerator<WebhookFact[]> {
  for (let at = 0; at < partnerIds.length; at += pageSize) {
    const page = partnerIds.slice(at, at + pageSize);
    const found = await Promise.all([
      credentialFacts(models, page, since),
      expiryFacts(models, page, since, until),
      serviceAccountFacts(models, page, since),
      approvalFacts(models, page, since),
      questionFacts(models, page, since),
      returnFacts(models, page, since),
      reconciliationFacts(models, page, since),
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

/** Notices that a secret of a LIVE key is about to expire. */
async function expiryFacts(
  { credentials }: Models,
  partnerIds: readonly string[],
  since: Date,
  until: Date,
): Promise<WebhookFact[]> {
  const later = (at: Date, days: number) => new Date(+at + days * dayMs);
  const found = await credentials.find({
    partnerId: { $in: partnerIds },
    revokedAt: null,
    secrets: {
      $elemMatch: {
        revokedAt: null,
        expiresAt: {
          $gte: later(since, Math.min(...expiryNoticeDays)),
          $lte: later(until, Math.max(...expiryNoticeDays)),
        },
      },
    },
  });
  return found.flatMap(({ _id: credentialId, partnerId, integrationId, mode, scopes, secrets }) =>
    secrets.flatMap(({ secretId, expiresAt, revokedAt }) =>
      expiryNoticeDays.flatMap((days): WebhookFact[] => {
        const at = expiresAt && later(expiresAt, -days);
        if (revokedAt !== null || at === null || at < since || at > until) return [];
        const data = { credentialId, integrationId, scopes, secretId, expiresAt };
        const fact = `${secretId} ${days}`;
        return [{ ...withoutReward, type: 'credential.expiring', partnerId, mode, at, fact, data }];
      }),
    ),
  );
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

/** Finished comparisons of orders, requested in the portal or by a program. */
async function reconciliationFacts(
  { jobs }: Models,
  partnerIds: readonly string[],
  since: Date,
): Promise<WebhookFact[]> {
  const finished = await jobs.find({
    partnerId: { $in: partnerIds },
    kind: 'ORDER_COMPARISON',
    finishedAt: { $gte: since },
  });
  return (finished as ComparisonJob[]).flatMap((job) => {
    const { _id: fact, partnerId, mode, finishedAt: at, status, input, result } = job;
    if (at === undefined) return [];
    const data = {
      reconciliationId: fact,
      integrationId: input.integrationId,
      status,
      rows: input.rows,
      matched: result?.matched ?? null,
      missing: result?.faults.MISSING ?? null,
      notInFile: result?.faults.NOT_IN_FILE ?? null,
      duplicate: result?.faults.DUPLICATE ?? null,
      mismatched: result?.faults.MISMATCHED ?? null,
    };
    const type = 'reconciliation.completed' as const;
    return [{ ...withoutReward, type, partnerId, mode, at, fact, data }];
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

/** Returned go-live requests, found by their audit entries, whose outcome is read from the partner. */
async function returnFacts(
  { auditEntries, partners }: Models,
  partnerIds: readonly string[],
  since: Date,
): Promise<WebhookFact[]> {
  const entries = await auditEntries.find({
    partnerId: { $in: partnerIds },
    action: 'partner.return-go-live',
    at: { $gte: since },
    status: { $ne: 'FAILED' },
  });
  const facts = await Promise.all(
    entries.map(async ({ _id: fact, at, status, details, partnerId }) => {
      const isReturned =
        status !== 'INTENDED' ||
        (await partners.exists({
          _id: partnerId ?? '',
          'goLive.state': 'CHANGES_REQUESTED',
          'goLive.decidedAt': { $gte: at },
        })) !== null;
      const data = { reason: details.reason ?? null };
      const returned = { type: 'go_live.returned', partnerId: partnerId ?? '', at, fact } as const;
      return isReturned ? toBothModes({ ...returned, data }) : [];
    }),
  );
  return facts.flat();
}
