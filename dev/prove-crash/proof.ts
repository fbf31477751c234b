import type { KeyObject } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { type Checkpoints, createCheckpoints } from '../../models/audit/checkpoints.ts';
import { runAudit } from '../../models/audit/run.ts';
import { ledgerKey } from '../../models/commit.ts';
import type { Models } from '../../models/schemas/index.ts';
import type { Config } from '../../platform/config.ts';
import { createPatience } from './patience.ts';
import { isFinal, send, sendOperation } from './send.ts';
import type { LoggedResponse, SentEvent, TrafficLog } from './traffic-log.ts';
import { findWebhookFaults } from './webhook-receiver.ts';

export interface Proof {
  /** Events with a response, which were replayed. */
  replayed: number;
  /** Events without a response, which were sent again. */
  retried: number;
  /** The number of audited records. */
  audited: number;
  /** Everything that is wrong; empty after a success. */
  faults: string[];
}

interface ProofDeps {
  baseUrl: string;
  models: Models;
  hashKey: KeyObject;
  checkpoints: Checkpoints;
  temporal: Client;
  taskQueue: string;
}

/** The inputs of an audit. Its checkpoints are in the database only; the proof needs no log of them. */
export function createAuditDeps({ customerHashKey }: Config) {
  return {
    hashKey: ledgerKey(customerHashKey),
    checkpoints: createCheckpoints(customerHashKey, async () => undefined),
  };
}

const concurrency = 8;
/**
 * The longest time without progress before anything unfinished counts as lost, and before the audit reports a
 * suspect.
 */
const defaultPatienceMs = 180_000;
const retries = 20;
const retryPauseMs = 500;
const openStatuses = ['PENDING', 'AWAITING_FUNDING', 'ADMIN_REVIEW'] as const;

/**
 * Checks, after a crash and without traffic, that nothing was lost: every response is replayed byte for byte,
 * events without a response succeed on retry, each order has one event and one reward, confirmed claims and
 * decisions stand, every open reward has its workflow, every move of a reward was announced to its partner's
 * endpoint, and the ledger is correct. Operators' requests without a response are repeated first, since the
 * audit reports what nobody finished.
 */
export async function prove(
  service: ProofDeps,
  trafficLog: TrafficLog,
  patienceMs = defaultPatienceMs,
): Promise<Proof> {
  const faults: string[] = trafficLog.breakdowns.map(
    ({ status, text }) => `the service failed: ${status} ${text}`,
  );
  const answered = trafficLog.sent.filter(({ response }) => response !== undefined);
  const unanswered = trafficLog.sent.filter(({ response }) => response === undefined);
  const refuse = (sent: SentEvent, problem: string | undefined) => {
    if (problem) faults.push(`${sent.kind} ${sent.idempotencyKey}: ${problem}`);
  };
  await each(unanswered, async (sent) => {
    sent.response = await untilAnswered(() => send(service.baseUrl, sent));
    refuse(sent, refusalOf(sent.response));
  });
  await each(answered, async (sent) => {
    const again = await untilAnswered(() => send(service.baseUrl, sent));
    refuse(sent, refusalOf(sent.response) ?? differenceOf(sent.response, again));
  });
  await each(trafficLog.interrupted.splice(0), async (operation) => {
    const answer = await untilAnswered(() => sendOperation(operation));
    if (!answer || !isFinal(answer)) faults.push(`${operation.url}: no response`);
  });
  faults.push(...(await findUnsettled(service, patienceMs)));
  faults.push(
    ...(await findLostEvents(service, trafficLog)),
    ...(await findUndone(service, trafficLog)),
  );
  faults.push(...(await findWebhookFaults(service, trafficLog.webhooks, patienceMs)));
  const audit = await runAudit(service, { patienceMs });
  if (audit.faults > 0) faults.push(`audit: ${audit.summary}`);
  return {
    replayed: answered.length,
    retried: unanswered.length,
    audited: audit.lookedAt,
    faults,
  };
}

/** The difference between a replay and the first response; undefined if they are equal byte for byte. */
function differenceOf(
  first: LoggedResponse | undefined,
  again: LoggedResponse | undefined,
): string | undefined {
  if (first?.status === again?.status && first?.text === again?.text) return undefined;
  const describe = (answer: LoggedResponse | undefined) =>
    answer ? `${answer.status} ${answer.text}` : 'nothing';
  return `responded ${describe(first)}, replayed ${describe(again)}`;
}

/** @returns a fault unless the response is a success, as every request sent here is valid */
function refusalOf(answer: LoggedResponse | undefined): string | undefined {
  if (answer && answer.status < 300) return undefined;
  return answer ? `refused: ${answer.status} ${answer.text}` : 'no response';
}

async function untilAnswered(
  attempt: () => Promise<LoggedResponse | undefined>,
): Promise<LoggedResponse | undefined> {
  for (let tried = 1; ; tried++) {
    const answer = await attempt();
    if ((answer && isFinal(answer)) || tried === retries) return answer;
    await delay(retryPauseMs);
  }
}

async function each<T>(many: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const waiting = many.values();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (const one of waiting) await work(one);
    }),
  );
}

/** Checks that every sent event exists once, every order has one reward, and the responses name them. */
async function findLostEvents({ models }: ProofDeps, { sent }: TrafficLog): Promise<string[]> {
  const faults: string[] = [];
  const ofShops = { partnerId: { $in: [...new Set(sent.map(({ shop }) => shop.partnerId))] } };
  const stored = await models.orderEvents.find(ofShops, {
    _id: 1,
    type: 1,
    externalOrderId: 1,
    rewardId: 1,
  });
  const ids = new Set(stored.map(({ _id }) => _id));
  for (const { response: answer, kind, idempotencyKey } of sent) {
    const eventId = answer && answer.status < 300 ? JSON.parse(answer.text).eventId : undefined;
    if (!ids.has(eventId)) faults.push(`${kind} ${idempotencyKey}: its event ${eventId} is lost`);
  }
  if (stored.length !== sent.length) {
    faults.push(`${sent.length} events were sent, but ${stored.length} are stored`);
  }
  const orders = new Set(sent.map(({ orderId }) => orderId)).size;
  const rewards = await models.rewards.distinct('externalOrderId', ofShops);
  const rewardCount = await models.rewards.countDocuments(ofShops);
  if (rewards.length !== orders || rewardCount !== orders) {
    faults.push(`${orders} orders have ${rewardCount} rewards, of ${rewards.length} orders`);
  }
  return faults;
}

/** Checks the claims and decisions that were confirmed to customers and admins. */
async function findUndone(
  { models }: ProofDeps,
  { claimed, decided }: TrafficLog,
): Promise<string[]> {
  const faults: string[] = [];
  const recorded = await models.rewards.distinct('_id', {
    _id: { $in: [...claimed] },
    'moves.move': 'CLAIM',
  });
  for (const rewardId of claimed) {
    if (!recorded.includes(rewardId))
      faults.push(`the claim of ${rewardId} was confirmed, but is lost`);
  }
  const reviews = await models.reviews.find({ _id: { $in: [...decided.keys()] } });
  const verdicts = new Map(reviews.map(({ _id, decision }) => [_id, decision?.verdict]));
  for (const [reviewId, verdict] of decided) {
    if (verdicts.get(reviewId) === verdict) continue;
    faults.push(`${verdict} of ${reviewId} was confirmed, but it is ${verdicts.get(reviewId)}`);
  }
  return faults;
}

/**
 * Waits until every workflow was told everything, and exactly the open rewards have one.
 */
async function findUnsettled(
  { models, temporal, taskQueue }: ProofDeps,
  patienceMs: number,
): Promise<string[]> {
  const isPatient = createPatience(patienceMs);
  const running = `TaskQueue = "${taskQueue}" AND WorkflowType = "purchase" AND ExecutionStatus = "Running"`;
  for (;;) {
    const [untold, open, counted] = await Promise.all([
      models.outbox.countDocuments({}),
      models.rewards.countDocuments({ status: { $in: openStatuses } }),
      temporal.workflow.count(running),
    ]);
    if (untold === 0 && open === counted.count) return [];
    if (!isPatient(untold + Math.abs(open - counted.count))) {
      return [
        `${untold} rows are in the outbox; ${open} rewards are open, and ${counted.count} workflows run`,
      ];
    }
    await delay(1_000);
  }
}
