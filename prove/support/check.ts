import type { KeyObject } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import pMap from 'p-map';
import { type Checkpoints, createCheckpoints } from '../../audit/checkpoints.ts';
import { runAudit } from '../../audit/run.ts';
import { openStates } from '../../domain/reward.ts';
import { readDue } from '../../models/due.ts';
import { ledgerKey } from '../../models/ledger/index.ts';
import type { Models } from '../../models/schemas/index.ts';
import type { Config } from '../../platform/config.ts';
import { createPatience } from './patience.ts';
import {
  isFinal,
  type LoggedResponse,
  operate,
  type SentEvent,
  send,
  type TrafficLog,
} from './traffic-log.ts';
import { findWebhookFaults } from './webhooks.ts';

/** What a check found. */
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

interface CheckedService {
  baseUrl: string;
  models: Models;
  hashKey: KeyObject;
  checkpoints: Checkpoints;
  temporal: Client;
  taskQueue: string;
}

/** The inputs of an audit. Its checkpoints are in the database only; the check needs no log of them. */
export function auditDeps({ customerHashKey }: Config) {
  return {
    hashKey: ledgerKey(customerHashKey),
    checkpoints: createCheckpoints(customerHashKey, async () => undefined),
  };
}

const atOnce = { concurrency: 8 };
/**
 * The longest time without progress before anything unfinished counts as lost, and before the audit reports a
 * suspect.
 */
const defaultPatienceMs = 180_000;
const retries = 20;
const retryPauseMs = 500;

/**
 * Checks, without traffic, that nothing was lost: every response is replayed byte for byte, events without a
 * response succeed on retry, each order has one event and one reward, confirmed claims and decisions stand,
 * exactly the open rewards have a workflow, every move of a reward was announced to its partner's endpoint, and
 * the ledger is correct. Operators' requests without a response are repeated first, since the audit reports
 * what nobody finished.
 */
export async function checkService(
  service: CheckedService,
  trafficLog: TrafficLog,
  patienceMs = defaultPatienceMs,
): Promise<Proof> {
  const faults = trafficLog.breakdowns.splice(0).map((what) => `the service failed: ${what}`);
  const answered = trafficLog.sent.filter(({ response }) => response !== undefined);
  const unanswered = trafficLog.sent.filter(({ response }) => response === undefined);
  const refuse = (sent: SentEvent, problem: string | undefined) => {
    if (problem) faults.push(`${sent.kind} ${sent.idempotencyKey}: ${problem}`);
  };
  const sendAgain = (sent: SentEvent) => untilAnswered(() => send(service.baseUrl, sent));
  const resend = async (sent: SentEvent) => {
    sent.response = await sendAgain(sent);
    refuse(sent, refusalOf(sent.response));
  };
  const replay = async (sent: SentEvent) =>
    refuse(sent, refusalOf(sent.response) ?? differenceOf(sent.response, await sendAgain(sent)));
  await pMap(unanswered, resend, atOnce);
  await pMap(answered, replay, atOnce);
  for (const operation of trafficLog.interrupted.splice(0)) {
    const answer = await untilAnswered(() => operate(operation));
    if (!answer || !isFinal(answer)) faults.push(`${operation.url}: no response`);
  }
  faults.push(
    ...(await findUnsettled(service, patienceMs)),
    ...(await findLostEvents(service, trafficLog)),
    ...(await findUndone(service, trafficLog)),
    ...(await findWebhookFaults(service.models, trafficLog.webhooks, patienceMs)),
  );
  const audit = await runAudit(service, { patienceMs });
  if (audit.faults > 0) faults.push(`audit: ${audit.summary}`);
  const { lookedAt: audited } = audit;
  return { replayed: answered.length, retried: unanswered.length, audited, faults };
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

/** Waits until every workflow was told everything, and exactly the open rewards have one. */
async function findUnsettled(
  { models, temporal, taskQueue }: CheckedService,
  patienceMs: number,
): Promise<string[]> {
  const isPatient = createPatience(patienceMs);
  const running = `TaskQueue = "${taskQueue}" AND WorkflowType = "purchase" AND ExecutionStatus = "Running"`;
  for (;;) {
    const [untold, open, workflows] = await Promise.all([
      readDue(models, 10_000).then(({ waiting }) =>
        waiting.reduce((sum, { count }) => sum + count, 0),
      ),
      models.rewards.countDocuments({ state: { $in: openStates } }),
      // A Temporal that has just come back may not answer yet.
      temporal.workflow.count(running).then(
        ({ count }) => count,
        () => 0,
      ),
    ]);
    if (untold === 0 && open === workflows) return [];
    if (!isPatient(untold + Math.abs(open - workflows))) {
      return [`${untold} things are due; ${open} rewards are open, and ${workflows} workflows run`];
    }
    await delay(1_000);
  }
}

/** Checks that every sent event exists once, every order has one reward, and the responses name them. */
async function findLostEvents({ models }: CheckedService, { sent }: TrafficLog): Promise<string[]> {
  const faults: string[] = [];
  const ofShops = { partnerId: { $in: [...new Set(sent.map(({ shop }) => shop.partnerId))] } };
  const stored = await models.orderEvents.find(ofShops, { _id: 1 });
  const ids = new Set(stored.map(({ _id }) => _id));
  for (const { response, kind, idempotencyKey } of sent) {
    const eventId = response && response.status < 300 ? JSON.parse(response.text).eventId : '';
    if (!ids.has(eventId)) faults.push(`${kind} ${idempotencyKey}: its event ${eventId} is lost`);
  }
  if (stored.length !== sent.length) {
    faults.push(`${sent.length} events were sent, but ${stored.length} are stored`);
  }
  const orders = new Set(sent.map(({ orderId }) => orderId)).size;
  const rewarded = await models.rewards.distinct('externalOrderId', ofShops);
  const rewards = await models.rewards.countDocuments(ofShops);
  if (rewarded.length !== orders || rewards !== orders) {
    faults.push(`${orders} orders have ${rewards} rewards, of ${rewarded.length} orders`);
  }
  return faults;
}

/** Checks the claims and decisions that were confirmed to customers and operators. */
async function findUndone(
  { models }: CheckedService,
  { claimed, decided }: TrafficLog,
): Promise<string[]> {
  const claims = { _id: { $in: [...claimed] }, 'moves.move': 'CLAIM' };
  const recorded = new Set(await models.rewards.distinct('_id', claims));
  const lost = [...claimed].filter((rewardId) => !recorded.has(rewardId));
  const reviews = await models.reviews.find({ _id: { $in: [...decided.keys()] } });
  const verdicts = new Map(reviews.map(({ _id, decision }) => [_id, decision?.verdict]));
  const undone = [...decided].filter(([reviewId, verdict]) => verdicts.get(reviewId) !== verdict);
  return [
    ...lost.map((rewardId) => `the claim of ${rewardId} was confirmed, but is lost`),
    ...undone.map(
      ([reviewId, verdict]) =>
        `${verdict} of ${reviewId} was confirmed, but it is ${verdicts.get(reviewId)}`,
    ),
  ];
}
