import { setTimeout as delay } from 'node:timers/promises';
import pMap from 'p-map';
import { PartnerClient } from '../../clients/typescript/client.ts';
import { createDemoOperator } from '../../dev/demo/operator.ts';
import { nextPurchase, nextRefund, sendLogged } from './traffic.ts';
import {
  type AvailabilityGap,
  ask,
  gapIn,
  isFinal,
  type LoggedResponse,
  newTrafficLog,
  type SentEvent,
  type SimulatedShop,
  send,
} from './traffic-log.ts';

const pauseMs = 400;
/** How long the traffic continues after what is done under it. */
const quietMs = 5_000;
/** In seconds: that the service answers, or the rate limit is over. */
const patience = 90;

/**
 * A partner whose shop delivers the claim links itself, in TEST.
 * @param token an operator's
 */
export async function openShop(adminUrl: string, token: string): Promise<SimulatedShop> {
  const { ask: made } = createDemoOperator(adminUrl, token);
  const name = 'shop';
  const { partnerId } = await made<{ partnerId: string }>('POST', '/partners', {
    name,
    contactEmail: 'owner@shop.example',
    currency: 'USD',
  });
  const of = `/partners/${partnerId}`;
  const integrations = `${of}/integrations`;
  const { integrationId } = await made<{ integrationId: string }>('POST', integrations, { name });
  await made('PATCH', `${integrations}/${integrationId}`, { delivery: 'PARTNER' });
  const earning = { mode: 'TEST', currency: 'USD', kind: 'PER_AMOUNT', points: 10, unitCents: 100 };
  const { ruleId } = await made<{ ruleId: string }>('POST', `${of}/earning-rules`, earning);
  await made('POST', `/earning-rules/${ruleId}/activate`);
  await made('POST', `${of}/test-funding`, {
    amountCents: 100_000_000,
    externalReference: 'first funds',
  });
  const { credential, secret } = await made<{ credential: { apiKey: string }; secret: string }>(
    'POST',
    `${of}/credentials`,
    { integrationId, mode: 'TEST', scopes: ['events:write', 'events:read'] },
  );
  return { name, partnerId, mode: 'TEST', key: credential.apiKey, secret, isTight: false };
}

/** A purchase, with the partners' own client. @returns the link for the customer */
export async function purchaseAsPartner(baseUrl: string, { key, secret }: SimulatedShop) {
  const client = new PartnerClient({ baseUrl, key, secret });
  const { reward } = await client.purchase({
    externalOrderId: `client-${Date.now()}`,
    customer: { email: 'bea@customers.example' },
    order: { subtotalCents: 4_990 },
  });
  return { client, rewardId: reward.id, link: reward.claimUrl ?? '' };
}

/** The customer's claim. @throws Error unless the reward becomes the customer's */
export async function claimAsCustomer({
  client,
  rewardId,
  link,
}: Awaited<ReturnType<typeof purchaseAsPartner>>) {
  const init = { method: 'POST', headers: { accept: 'application/json' } };
  // Refused until the purchase's workflow has begun.
  const claimed = await eventually(
    () => ask(link, init),
    (answer) => answer?.status === 200,
  );
  const { reward } = await client.reward(rewardId);
  if (reward.status !== 'AVAILABLE') {
    throw new Error(`the claim returned ${claimed?.text}, and the reward is ${reward.status}`);
  }
}

/** Buyers in these shops, who do not retry. */
export function createBuyers(baseUrl: string, shops: readonly SimulatedShop[]) {
  const trafficLog = newTrafficLog();
  return {
    sent: trafficLog.sent,

    /** Does something while they buy and return. @returns what they got */
    async during(work: () => Promise<unknown>): Promise<AvailabilityGap> {
      const fromMs = Date.now();
      let isOver = false;
      const buying = shops.map(async () => {
        while (!isOver) {
          const refund = Math.random() < 0.2 ? nextRefund(trafficLog) : undefined;
          await sendLogged(baseUrl, refund ?? nextPurchase(shops), trafficLog);
          await delay(pauseMs);
        }
      });
      try {
        await work();
        await delay(quietMs);
      } finally {
        isOver = true;
        await Promise.all(buying);
      }
      return gapIn(trafficLog, { fromMs, toMs: Date.now() });
    },
  };
}

/** Sends events again. @returns those that are refused or answered differently than before */
export async function replay(baseUrl: string, sent: readonly SentEvent[]): Promise<string[]> {
  const faults = await pMap(
    sent,
    async (event) => {
      const isAnswered = (answer: LoggedResponse | undefined) => !!answer && isFinal(answer);
      const answer = await eventually(() => send(baseUrl, event), isAnswered);
      const { response: first = answer } = event;
      event.response = answer;
      if (answer?.status === 201 && answer.text === first?.text) return [];
      return [`${event.kind} ${event.orderId}: first ${first?.text}, then ${answer?.text}`];
    },
    { concurrency: 4 },
  );
  return faults.flat();
}

async function eventually<T>(attempt: () => Promise<T>, isGood: (found: T) => boolean): Promise<T> {
  for (let left = patience; ; left--) {
    const found = await attempt();
    if (isGood(found) || left === 0) return found;
    await delay(1_000);
  }
}
