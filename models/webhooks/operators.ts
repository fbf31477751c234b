import { randomInt } from 'node:crypto';
import { endpointNotice, type NoticeRhythm, type NoticeType } from '../../domain/partners.ts';
import {
  everyEventType,
  type OperatorEventType,
  operatorsId,
  type WebhookFact,
} from '../../domain/webhooks.ts';
import { idBound, newId } from '../../platform/ids.ts';
import type { Sealer } from '../../platform/sealing.ts';
import type { Models } from '../schemas/index.ts';
import { reviewQueueIndexes } from '../schemas/reviews.ts';
import { deletePendingDeliveries } from './deliveries.ts';
import { removeEndpoint } from './endpoints.ts';

const endpointId = 'whe_operators';

/**
 * Stores the operators' endpoint as configured, and enables it again if it was disabled. Without one in
 * the configuration, the endpoint and its pending deliveries are deleted.
 */
export async function syncOperatorsEndpoint(
  models: Models,
  sealer: Sealer,
  configured: { url: string; secret: string } | undefined,
  now: Date,
): Promise<void> {
  const key = { partnerId: operatorsId, endpointId };
  if (configured === undefined) return await removeEndpoint(models, key);
  const { url, secret } = configured;
  const sealed = sealer.seal(secret, endpointId);
  await models.webhookEndpoints.updateOne(
    { partnerId: operatorsId, _id: endpointId },
    {
      $set: {
        url,
        secrets: [{ sealed, createdAt: now, expiresAt: null }],
        status: 'ACTIVE',
        disabledReason: null,
        failingSince: null,
        warnedAt: null,
        disabledNoticeAt: null,
        updatedAt: now,
      },
      $setOnInsert: {
        mode: 'LIVE',
        slot: 0,
        eventTypes: [everyEventType],
        createdAt: now,
        description: 'the operators’ own',
      },
    },
    { upsert: true },
  );
}

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

/** Beyond the slots of endpoints and listeners; random, so that users do not collide. */
const noticeSlots = { from: 1_000, until: 2 ** 47 };

/**
 * Stores a user's choice of notices as an endpoint of the outbox, whose deliveries are sent by email.
 * Without any event type, the endpoint and its pending deliveries are deleted.
 */
export async function saveNotices(
  models: Pick<Models, 'webhookEndpoints' | 'webhookDeliveries'>,
  { partnerId, userId }: { partnerId: string; userId: string },
  eventTypes: readonly (NoticeType | OperatorEventType)[],
  rhythm: NoticeRhythm,
  now: Date,
): Promise<void> {
  if (eventTypes.length === 0) return await endNotices(models, { partnerId, userId });
  await models.webhookEndpoints.updateOne(
    { partnerId, userId },
    {
      $set: { eventTypes: [...eventTypes], rhythm, updatedAt: now },
      $setOnInsert: {
        _id: newId('webhookEndpoint'),
        mode: 'LIVE',
        url: 'mailto:',
        description: '',
        slot: randomInt(noticeSlots.from, noticeSlots.until),
        secrets: [],
        status: 'ACTIVE',
        createdAt: now,
      },
    },
    { upsert: true },
  );
}

/** Deletes a user's notices, with their pending deliveries. */
export async function endNotices(
  models: Pick<Models, 'webhookEndpoints' | 'webhookDeliveries'>,
  { partnerId, userId }: { partnerId: string; userId: string },
): Promise<void> {
  const ended = await models.webhookEndpoints.findOneAndDelete({ partnerId, userId });
  if (ended !== null) await deletePendingDeliveries(models, ended._id);
}

/**
 * The email address of a partner's user or of an operator; null for users who were removed or revoked,
 * or who belong to another partner.
 */
export async function emailOf(
  { users, operators }: Pick<Models, 'users' | 'operators'>,
  { partnerId, userId }: { partnerId: string; userId: string },
): Promise<string | null> {
  const isOperators = partnerId === operatorsId;
  const user = await users.findOne({
    _id: userId,
    partnerId: isOperators ? null : partnerId,
    disabledAt: null,
  });
  if (!user || !isOperators) return user?.email ?? null;
  const isActive = await operators.exists({ _id: user.operatorId, revokedAt: null });
  return isActive ? user.email : null;
}

/**
 * The addresses of the partner's users with notices about its endpoints; for the operators' endpoint, of
 * all operators with any notices.
 */
export async function emailsForEndpointNotices(
  models: Pick<Models, 'webhookEndpoints' | 'users' | 'operators'>,
  partnerId: string,
): Promise<string[]> {
  const userIds: string[] = await models.webhookEndpoints
    .find({
      partnerId,
      userId: { $exists: true },
      ...(partnerId !== operatorsId && { eventTypes: endpointNotice }),
    })
    .distinct('userId');
  const emails = await Promise.all(userIds.map((userId) => emailOf(models, { partnerId, userId })));
  return emails.flatMap((email) => email ?? []);
}
