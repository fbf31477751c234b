import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ask, isFinal, send } from '../prove-crash/send.ts';
import type { Traffic } from '../prove-crash/traffic.ts';
import type { LoggedResponse, SentEvent, SimulatedShop } from '../prove-crash/traffic-log.ts';
import type { RequestHistory } from './history.ts';

export interface ContentionTarget {
  baseUrl: string;
  adminUrl: string;
  adminToken: string;
  /** A shop that delivers its claim links itself, used by nothing else. */
  shop: SimulatedShop;
  /** Integrations whose test funding is used by nothing else. */
  wallets: readonly string[];
}

const pauseMs = 100;
/** Requests of one client to one order or reward. */
const turns = 10;
/**
 * The number of concurrent groups of clients. Most wait for their reward, which is created in TEST's turn.
 */
const groups = { orders: 1, rewards: 5, wallets: 3 };
/** The wait for a reward after its purchase's response: longer than any event lasts. */
const [lookUpEveryMs, maxLookUps] = [500, 240];
/** The models distinguish up to 64 references. */
const maxReferences = 60;

/**
 * Several clients at a time repeatedly access the same order, the same reward and the same wallet, and every
 * response goes into the history.
 */
export function startContention(place: ContentionTarget, history: RequestHistory): Traffic {
  let isOver = false;
  const again = async (work: () => Promise<unknown>): Promise<void> => {
    while (!isOver) await work();
  };
  const wallets = place.wallets.values();
  const nextWallet = async () => {
    const { value: integrationId } = wallets.next();
    if (integrationId) await contendForWallet(place, history, integrationId, () => isOver);
    else await delay(pauseMs);
  };
  const times = (count: number, work: () => Promise<unknown>) =>
    Array.from({ length: count }, () => again(work));
  const everybody = [
    ...times(groups.orders, () => contendForOrder(place, history)),
    ...times(groups.rewards, () => contendForReward(place, history, () => isOver)),
    ...times(groups.wallets, nextWallet),
  ];
  return {
    async stop() {
      isOver = true;
      await Promise.all(everybody);
    },
  };
}

async function clients(count: number, work: (client: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, client) => work(client)));
}

async function purchase(
  { baseUrl, shop }: ContentionTarget,
  orderId: string,
  { key = 'only', subtotalCents = 1_000 } = {},
): Promise<LoggedResponse | undefined> {
  const body = JSON.stringify({
    externalOrderId: orderId,
    customer: { email: 'customer@example.com' },
    order: { subtotalCents },
  });
  const idempotencyKey = `${orderId}-${key}`;
  return await send(baseUrl, { ...noted(shop, orderId), kind: 'purchases', idempotencyKey, body });
}

const noted = (shop: SimulatedShop, orderId: string) =>
  ({ shop, orderId, response: undefined }) as const;

/** The outcome in a response; undefined if the response leaves it open. */
function outcomeOf<T>(
  answer: LoggedResponse | undefined,
  read: (body: ReturnType<typeof JSON.parse>, status: number) => T,
): T | { code: string } | undefined {
  if (!answer || !isFinal(answer)) return undefined;
  const body = JSON.parse(answer.text);
  return answer.status < 300 ? read(body, answer.status) : { code: body.error.code };
}

/** The same order under three keys, with two bodies. */
async function contendForOrder(place: ContentionTarget, history: RequestHistory): Promise<void> {
  const orderId = randomUUID();
  await clients(3, async (client) => {
    for (let turn = 0; turn < turns; turn++) {
      const key = ['one', 'one', 'one', 'another', 'third'][randomInt(5)] ?? 'one';
      const subtotalCents = randomInt(3) === 0 ? 2_000 : 1_000;
      const input = { op: 'purchase', key, body: String(subtotalCents) };
      await history.note({ model: 'order', part: orderId, client }, input, async () =>
        outcomeOf(await purchase(place, orderId, { key, subtotalCents }), ({ eventId }) => ({
          code: 'RECORDED',
          eventId,
        })),
      );
      await delay(pauseMs);
    }
  });
}

/** Two customers with the same link, a shop that refunds, and operators who read. */
async function contendForReward(
  place: ContentionTarget,
  history: RequestHistory,
  isOver: () => boolean,
): Promise<void> {
  const orderId = randomUUID();
  const bought = await purchase(place, orderId);
  if (bought?.status !== 201) return await delay(pauseMs);
  const { id, claimUrl } = JSON.parse(bought.text).reward;
  const json = { accept: 'application/json' };
  const authorization = `Bearer ${place.adminToken}`;
  const statusOf = ({ reward }: { reward: { status: string } }) => seenAs(reward.status);
  const claim = async () =>
    outcomeOf(await ask(claimUrl, { method: 'POST', headers: json }), (body) => ({
      code: 'DONE',
      status: statusOf(body),
    }));
  const refund = async () => {
    const body = JSON.stringify({ externalOrderId: orderId, externalRefundId: randomUUID() });
    const sent: SentEvent = {
      ...noted(place.shop, orderId),
      kind: 'refunds',
      idempotencyKey: randomUUID(),
      body,
    };
    return outcomeOf(await send(place.baseUrl, sent), (body) => ({ status: statusOf(body) }));
  };
  const lookUp = async () => {
    const answer = await ask(`${place.adminUrl}/rewards/${id}`, { headers: { authorization } });
    return outcomeOf(answer, ({ status }) => ({ status: seenAs(status) }));
  };
  const open = async () =>
    outcomeOf(await ask(claimUrl, { headers: json }), (body) => ({ status: statusOf(body) }));
  const read = () => (randomInt(2) === 0 ? lookUp() : open());
  const does = { claim, refund, read };
  // Starts once the reward is created: until then its link shows it already, while operators do not find it.
  for (let tried = 0; ; tried++) {
    const found = await lookUp();
    if (found && 'status' in found) break;
    if (tried === maxLookUps || isOver()) return;
    await delay(lookUpEveryMs);
  }
  await clients(4, async (client) => {
    for (let turn = 0; turn < turns; turn++) {
      const chance = randomInt(8);
      const op = client < 2 ? 'read' : client === 2 ? 'claim' : chance === 0 ? 'refund' : 'read';
      await history.note({ model: 'reward', part: id, client }, { op }, does[op]);
      await delay(pauseMs);
    }
  });
}

/** The reward is funded only after the response. */
const seenAs = (status: string) => (status === 'AWAITING_FUNDING' ? 'PENDING' : status);

/** Two operators who top up, sometimes twice, and two who read. */
async function contendForWallet(
  { adminUrl, adminToken }: ContentionTarget,
  history: RequestHistory,
  integrationId: string,
  isOver: () => boolean,
): Promise<void> {
  const url = `${adminUrl}/integrations/${integrationId}/test-funding`;
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
  const amountOf = (reference: number) => 100 + reference;
  let references = 0;
  const topUp = async (reference: number) => {
    const body = { amountCents: amountOf(reference), externalReference: String(reference) };
    const answer = await ask(url, { method: 'POST', headers, body: JSON.stringify(body) });
    return outcomeOf(answer, (_body, status) => ({ code: status === 201 ? 'DONE' : 'REPEATED' }));
  };
  const readBalance = async () =>
    outcomeOf(await ask(url, { headers }), ({ fundingCents }) => ({ balance: fundingCents }));
  await clients(4, async (client) => {
    while (references < maxReferences && !isOver()) {
      const of = { model: 'wallet', part: integrationId, client } as const;
      if (client < 2) {
        const reference =
          randomInt(4) === 0 && references > 0 ? randomInt(references) : references++;
        const input = { op: 'top-up', key: String(reference), amount: amountOf(reference) };
        await history.note(of, input, () => topUp(reference));
      } else {
        await history.note(of, { op: 'read' }, readBalance);
      }
      await delay(pauseMs);
    }
  });
}
