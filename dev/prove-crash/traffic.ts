import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { openMailbox } from './mailbox.ts';
import { ask, isBreakdown, isFinal, send, sendOperation } from './send.ts';
import type { LoggedResponse, SentEvent, SimulatedShop, TrafficLog } from './traffic-log.ts';

export interface TrafficTarget {
  baseUrl: string;
  adminUrl: string;
  outboxDir: string;
  shops: SimulatedShop[];
  adminToken: string;
}

/** How many there are, and how long each pauses between two requests. */
interface TrafficLevel {
  buyers: number;
  claimers: number;
  pauseMs: number;
}

const heavyTraffic: TrafficLevel = { buyers: 32, claimers: 8, pauseMs: 10 };
const customers = 500;
const unansweredPauseMs = 500;
const operatorPauseMs = 500;
const topUpCents = 2_000;

export interface Traffic {
  /** Resolves once the last request has its response or was given up. */
  stop(): Promise<void>;
}

/** Buyers, customers and an operator send requests until they are stopped, without retries. */
export function startTraffic(
  place: TrafficTarget,
  trafficLog: TrafficLog,
  { buyers, claimers, pauseMs } = heavyTraffic,
): Traffic {
  const mailbox = openMailbox(place.outboxDir, trafficLog.claimed);
  let isOver = false;
  const during = async (work: () => Promise<unknown>, pause: number): Promise<void> => {
    while (!isOver) {
      await work();
      await delay(pause);
    }
  };
  const everyone = [
    ...Array.from({ length: buyers }, () => during(() => buyOrRefund(place, trafficLog), pauseMs)),
    ...Array.from({ length: claimers }, () => during(() => claim(mailbox, trafficLog), pauseMs)),
    during(() => operate(place, trafficLog), operatorPauseMs),
  ];
  return {
    async stop() {
      isOver = true;
      await Promise.all(everyone);
    },
  };
}

export function pickRandom<T>(many: readonly T[]): T | undefined {
  return many.length === 0 ? undefined : many[randomInt(many.length)];
}

export const isRecordedPurchase = ({ kind, response }: SentEvent) =>
  kind === 'purchases' && response?.status === 201;

async function buyOrRefund(
  { baseUrl, shops }: TrafficTarget,
  trafficLog: TrafficLog,
): Promise<void> {
  const bought =
    randomInt(4) === 0 ? pickRandom(trafficLog.sent.filter(isRecordedPurchase)) : undefined;
  const sent = bought ? refundOf(bought) : purchaseIn(pickRandom(shops));
  // Recorded before it is sent, because events without a response count too.
  trafficLog.sent.push(sent);
  const answer = await send(baseUrl, sent);
  trafficLog.responses.push({ atMs: Date.now(), status: answer?.status ?? 0 });
  if (answer && isFinal(answer)) sent.response = answer;
  else await delay(unansweredPauseMs);
  if (answer && isBreakdown(answer)) trafficLog.breakdowns.push(answer);
}

export function purchaseIn(shop: SimulatedShop | undefined): SentEvent {
  if (!shop) throw new Error('there are no shops');
  const orderId = randomUUID();
  const body = JSON.stringify({
    externalOrderId: orderId,
    customer: { email: `customer-${randomInt(customers)}@example.com` },
    order: { subtotalCents: randomInt(100, 5_000), currency: 'USD' },
    metadata: { note: 'größer · 大きい' },
  });
  return {
    shop,
    kind: 'purchases',
    orderId,
    idempotencyKey: randomUUID(),
    body,
    response: undefined,
  };
}

export function refundOf({ shop, orderId }: SentEvent): SentEvent {
  const body = JSON.stringify({ externalOrderId: orderId, externalRefundId: randomUUID() });
  return {
    shop,
    kind: 'refunds',
    orderId,
    idempotencyKey: randomUUID(),
    body,
    response: undefined,
  };
}

/** A customer follows the link in an email. */
async function claim(
  mailbox: ReturnType<typeof openMailbox>,
  trafficLog: TrafficLog,
): Promise<void> {
  const letter = await mailbox.take();
  if (letter === undefined) return;
  const answer = await ask(letter.link, { method: 'POST' });
  if (answer?.status === 200) trafficLog.claimed.add(letter.rewardId);
  if (answer === undefined) {
    mailbox.putBack(letter);
    await delay(unansweredPauseMs);
  }
  if (answer && isBreakdown(answer)) trafficLog.breakdowns.push(answer);
}

/** An operator decides a review, and tops up the shop with little money. */
async function operate(
  { adminUrl, shops, adminToken }: TrafficTarget,
  trafficLog: TrafficLog,
): Promise<void> {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
  const resultOf = (answer: LoggedResponse | undefined) => {
    if (answer && isBreakdown(answer)) trafficLog.breakdowns.push(answer);
    return answer !== undefined && answer.status < 300 ? JSON.parse(answer.text) : undefined;
  };
  const post = async (path: string, fields: unknown) => {
    const operation = { url: adminUrl + path, headers, body: JSON.stringify(fields) };
    const answer = await sendOperation(operation);
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
  const ofShops = (open?.items ?? []).filter(({ partnerId }: { partnerId: string }) =>
    shops.some((shop) => shop.partnerId === partnerId),
  );
  const review = pickRandom<{ reviewId: string }>(ofShops);
  if (!review) return;
  const decision = randomInt(2) === 0 ? 'UPHOLD' : 'DISMISS';
  const made = { decision, reasonCode: 'OTHER', reason: 'the proof decides' };
  if (await post(`/reviews/${review.reviewId}/decision`, made)) {
    trafficLog.decided.set(review.reviewId, decision);
  }
}
