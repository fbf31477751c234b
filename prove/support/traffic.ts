import { randomInt, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { claimLinkIn } from '../../dev/demo/message-folder.ts';
import { throttle } from '../../platform/throttle.ts';
import type { PageReader } from './shops.ts';
import {
  anEvent,
  ask,
  isBreakdown,
  isFinal,
  type LoggedResponse,
  operate,
  type SentEvent,
  type SimulatedShop,
  send,
  type TrafficLog,
} from './traffic-log.ts';

export interface TrafficTarget {
  baseUrl: string;
  adminUrl: string;
  portalUrl: string;
  messageDir: string;
  shops: SimulatedShop[];
  readers: PageReader[];
  adminToken: string;
}

/** How many there are, and how long each pauses between two requests. */
export interface TrafficLevel {
  buyers: number;
  claimers: number;
  pauseMs: number;
}

const customers = 500;
const unansweredPauseMs = 500;
const operatorPauseMs = 500;
const readerPauseMs = 400;
const topUpCents = 2_000;

/**
 * Shops, customers, an operator and readers of pages send requests until they are stopped, without retries.
 * @returns how to stop: resolves once the last request has its response or was given up
 */
export function startTraffic(
  target: TrafficTarget,
  trafficLog: TrafficLog,
  { buyers, claimers, pauseMs }: TrafficLevel,
): () => Promise<void> {
  const mailbox = openMailbox(target.messageDir, trafficLog.claimed);
  let isOver = false;
  const during = async (work: () => Promise<unknown>, pause: number): Promise<void> => {
    while (!isOver) {
      await work();
      await delay(pause);
    }
  };
  const everyone = [
    ...Array.from({ length: buyers }, () => during(() => buyOrRefund(target, trafficLog), pauseMs)),
    ...Array.from({ length: claimers }, () => during(() => claim(mailbox, trafficLog), pauseMs)),
    during(() => decideAndTopUp(target, trafficLog), operatorPauseMs),
    ...target.readers.map((reader) => during(pageReads(target, reader, trafficLog), readerPauseMs)),
  ];
  return async () => {
    isOver = true;
    await Promise.all(everyone);
  };
}

const pickRandom = <T>(many: readonly T[]): T | undefined =>
  many.length === 0 ? undefined : many[randomInt(many.length)];

const isRecordedPurchase = ({ kind, response }: SentEvent) =>
  kind === 'purchases' && response?.status === 201;

/** A purchase of any shop. */
export function nextPurchase(shops: readonly SimulatedShop[]): SentEvent {
  const orderId = randomUUID();
  return anEvent('purchases', pickRandom(shops) as SimulatedShop, orderId, {
    externalOrderId: orderId,
    customer: { email: `customer-${randomInt(customers)}@example.com` },
    order: { subtotalCents: randomInt(100, 5_000), currency: 'USD' },
    metadata: { note: 'größer · 大きい' },
  });
}

/** A refund of any recorded purchase; undefined without one. */
export function nextRefund({ sent }: TrafficLog): SentEvent | undefined {
  const purchase = pickRandom(sent.filter(isRecordedPurchase));
  if (!purchase) return undefined;
  const { shop, orderId } = purchase;
  const refund = { externalOrderId: orderId, externalRefundId: randomUUID() };
  return anEvent('refunds', shop, orderId, refund);
}

/** Sends an event, and logs it even without a response: those count too. */
export async function sendLogged(baseUrl: string, sent: SentEvent, trafficLog: TrafficLog) {
  trafficLog.sent.push(sent);
  const answer = await send(baseUrl, sent);
  trafficLog.responses.push({ atMs: Date.now(), status: answer?.status ?? 0 });
  if (answer && isFinal(answer)) sent.response = answer;
  noteBreakdown(answer, trafficLog);
}

function noteBreakdown(answer: LoggedResponse | undefined, { breakdowns }: TrafficLog): void {
  if (answer && isBreakdown(answer)) breakdowns.push(`${answer.status} ${answer.text}`);
}

async function buyOrRefund({ baseUrl, shops }: TrafficTarget, trafficLog: TrafficLog) {
  const refund = randomInt(4) === 0 ? nextRefund(trafficLog) : undefined;
  const sent = refund ?? nextPurchase(shops);
  await sendLogged(baseUrl, sent, trafficLog);
  if (!sent.response) await delay(unansweredPauseMs);
}

/** A customer follows the link in an email. */
async function claim(mailbox: ReturnType<typeof openMailbox>, trafficLog: TrafficLog) {
  const letter = await mailbox.take();
  if (letter === undefined) return;
  const answer = await ask(letter.link, { method: 'POST' });
  if (answer?.status === 200) trafficLog.claimed.add(letter.rewardId);
  noteBreakdown(answer, trafficLog);
  if (answer) return;
  mailbox.putBack(letter.name);
  await delay(unansweredPauseMs);
}

/** An operator tops up the shop with little money, and decides a review. */
async function decideAndTopUp(
  { adminUrl, shops, adminToken }: TrafficTarget,
  trafficLog: TrafficLog,
): Promise<void> {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
  const resultOf = (answer: LoggedResponse | undefined) => {
    noteBreakdown(answer, trafficLog);
    return answer !== undefined && answer.status < 300 ? JSON.parse(answer.text) : undefined;
  };
  const post = async (path: string, fields: unknown) => {
    const operation = { url: adminUrl + path, headers, body: JSON.stringify(fields) };
    const answer = await operate(operation);
    if (!answer || !isFinal(answer)) trafficLog.interrupted.push(operation);
    return resultOf(answer);
  };
  const tight = shops.find(({ isTight }) => isTight);
  await post(`/partners/${tight?.partnerId}/top-ups`, {
    amountCents: topUpCents,
    currency: 'USD',
    externalReference: randomUUID(),
  });
  const open = resultOf(await ask(`${adminUrl}/reviews?status=OPEN&limit=50`, { headers }));
  const review = pickRandom<{ reviewId: string }>(open?.items ?? []);
  if (!review) return;
  const decision = randomInt(2) === 0 ? 'UPHOLD' : 'DISMISS';
  const made = { decision, reasonCode: 'OTHER', reason: 'the proof decides' };
  if (await post(`/reviews/${review.reviewId}/decision`, made)) {
    trafficLog.decided.set(review.reviewId, decision);
  }
}

/** A reader opens one page after the other. */
function pageReads(
  { portalUrl }: TrafficTarget,
  { cookie, paths }: PageReader,
  { pages, breakdowns }: TrafficLog,
): () => Promise<void> {
  let turn = 0;
  return async () => {
    const path = paths[turn++ % paths.length] ?? '';
    const answer = await ask(portalUrl + path, { headers: { cookie }, redirect: 'manual' });
    if (answer?.status === 200) pages.shown += 1;
    else if (answer === undefined || answer.status === 503) pages.away += 1;
    else breakdowns.push(`the page ${path}: ${answer.status} ${answer.text.slice(0, 300)}`);
  };
}

const lookEveryMs = 250;

/**
 * The customers' emails. Half of the claim links are followed, so that rewards end in every way. The message folder
 * is read at most four times a second, however many customers wait for an email.
 */
function openMailbox(messageDir: string, claimed: ReadonlySet<string>) {
  const seen = new Set<string>();
  const unread: string[] = [];
  const look = throttle(lookEveryMs, Date.now, async () => {
    for (const name of await readdir(messageDir).catch(() => [])) {
      if (seen.has(name) || !name.endsWith('.eml')) continue;
      seen.add(name);
      if (!claimed.has(rewardOf(name)) && randomInt(2) === 0) unread.push(name);
    }
  });
  return {
    /** The newest first, because older purchases may be refunded already; undefined without one. */
    async take(): Promise<{ name: string; rewardId: string; link: string } | undefined> {
      await look();
      const name = unread.pop();
      if (name === undefined) return undefined;
      const link = claimLinkIn(await readFile(join(messageDir, name), 'utf8').catch(() => ''));
      return link === undefined ? undefined : { name, rewardId: rewardOf(name), link };
    },
    /** An email whose claim got no response is tried again later. */
    putBack: (name: string) => void unread.unshift(name),
  };
}

const rewardOf = (name: string): string => name.slice(0, name.indexOf('.'));
