import { operatorsId, type WebhookFact } from '../../domain/webhooks.ts';
import { idBound } from '../../platform/ids.ts';
import type { Models } from '../schemas/index.ts';
import { reviewQueueIndexes } from '../schemas/reviews.ts';

/** At most this many facts of each kind; the portal's pages show all. */
const maxFacts = 100;

const toOperators = {
  partnerId: operatorsId,
  mode: 'LIVE',
  sequence: null,
  rewardId: null,
} as const;

/**
 * Facts since an instant that operators must act on. They are read from the stored documents, so that a
 * crash after a write loses none.
 * @param reviewDueMs the time from the opening of a review until it is due
 */
export async function findOperatorFacts(
  models: Models,
  { since, now, reviewDueMs }: { since: Date; now: Date; reviewDueMs: number },
): Promise<WebhookFact[]> {
  const found = await Promise.all([
    reviewFacts(models, since, now, reviewDueMs),
    answerFacts(models, since),
    proposalFacts(models, since),
    goLiveFacts(models, since),
    auditFacts(models, since),
  ]);
  return found.flat();
}

async function reviewFacts(
  { reviews }: Models,
  since: Date,
  now: Date,
  reviewDueMs: number,
): Promise<WebhookFact[]> {
  const dueWithin = (dueAt: object) =>
    reviews
      .find({ status: 'OPEN', mode: 'LIVE', dueAt })
      .hint(reviewQueueIndexes.all)
      .limit(maxFacts);
  const [opened, due] = await Promise.all([
    dueWithin({ $gte: new Date(since.getTime() + reviewDueMs) }),
    dueWithin({ $gte: since, $lte: now }),
  ]);
  const fact = (
    type: 'review.waiting' | 'review.due',
    { _id, partnerId, externalOrderId, openedAt, dueAt }: (typeof due)[number],
  ): WebhookFact => {
    const order = `order ${oneLine(externalOrderId)} of ${partnerId}`;
    return {
      ...toOperators,
      type,
      fact: _id,
      at: type === 'review.due' ? dueAt : openedAt,
      data: { reviewId: _id, partnerId, openedAt, dueAt },
      text:
        type === 'review.due'
          ? `The review of ${order} has been overdue since ${dueAt.toUTCString()}.`
          : `The review of ${order} must be decided by ${dueAt.toUTCString()}.`,
    };
  };
  return [
    ...opened.map((review) => fact('review.waiting', review)),
    ...due.map((review) => fact('review.due', review)),
  ];
}

async function answerFacts({ reviewNotes, reviews }: Models, since: Date): Promise<WebhookFact[]> {
  const answers = await reviewNotes
    .find({
      kind: 'ANSWER',
      mode: 'LIVE',
      _id: { $gt: idBound('reviewNote', since.getTime()) },
    })
    .sort({ _id: -1 })
    .limit(maxFacts);
  if (answers.length === 0) return [];
  const answered = await reviews.find(
    { _id: { $in: answers.map(({ reviewId }) => reviewId) } },
    { externalOrderId: 1 },
  );
  const orderOf = new Map(answered.map((one) => [one._id, one.externalOrderId]));
  return answers.map(({ _id: fact, partnerId, reviewId, at }) => ({
    ...toOperators,
    type: 'review.answered',
    fact,
    at,
    data: { reviewId, partnerId },
    text: `${partnerId} answered the question about the refund of order ${oneLine(orderOf.get(reviewId) ?? '')}.`,
  }));
}

async function proposalFacts({ proposals }: Models, since: Date): Promise<WebhookFact[]> {
  const found = await proposals
    .find({ status: 'PROPOSED', _id: { $gt: idBound('proposal', since.getTime()) } })
    .sort({ _id: -1 })
    .limit(maxFacts);
  return found.map(({ _id, action, partnerId, proposedBy, proposedAt, expiresAt }) => ({
    ...toOperators,
    type: 'approval.waiting',
    fact: _id,
    at: proposedAt,
    data: { proposalId: _id, action, partnerId, proposedBy, expiresAt },
    text: `${action} must be approved by a second operator by ${expiresAt.toUTCString()}.`,
  }));
}

/** Go-live requests. A partner that submits again after a return causes another notice. */
async function goLiveFacts({ partners }: Models, since: Date): Promise<WebhookFact[]> {
  const found = await partners
    .find({ 'goLive.state': 'IN_REVIEW', 'goLive.requestedAt': { $gte: since } })
    .limit(maxFacts);
  return found.flatMap(({ _id: partnerId, name, goLive: { requestedAt: at } }) =>
    at === null
      ? []
      : {
          ...toOperators,
          type: 'go_live.requested' as const,
          fact: partnerId,
          at,
          data: { partnerId },
          text: `${oneLine(name)} requested go-live.`,
        },
  );
}

async function auditFacts({ auditRuns }: Models, since: Date): Promise<WebhookFact[]> {
  const found = await auditRuns
    .find({
      partnerId: null,
      _id: { $gt: idBound('auditRun', since.getTime()) },
      faults: { $gt: 0 },
    })
    .sort({ _id: -1 })
    .limit(maxFacts);
  return found.map(({ _id, faults, summary, endedAt: at }) => ({
    ...toOperators,
    type: 'audit.faults',
    fact: _id,
    at,
    data: { auditRunId: _id, faults },
    text: `The audit found ${faults} ${faults === 1 ? 'fault' : 'faults'}: ${summary}`,
  }));
}

/** Partners choose names and order ids freely, but a subject is one line. */
const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
