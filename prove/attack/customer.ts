import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  PartnerApiError,
  PartnerClient,
  type PartnerClientOptions,
} from '../../clients/typescript/index.ts';
import { reviewIdOf } from '../../domain/review.ts';
import type { Attempt } from './attempt.ts';
import { senderTo } from './operator.ts';

/** How long each step of a workflow is waited for. */
const patienceMs = 60_000;
const subtotalCents = 10_000;

/**
 * What a shop's customer attempts by buying, spending and returning. It happens in TEST, where points move as in
 * LIVE, and claims need no link.
 * @param partner with a TEST key that may do everything
 */
export function customerAttempts(
  adminUrl: string,
  token: string,
  partner: Pick<PartnerClientOptions, 'baseUrl' | 'key' | 'secret'>,
): Attempt[] {
  const client = new PartnerClient(partner);
  const ask = senderTo(adminUrl, token);
  /** Repeats what a workflow has yet to make possible. @returns the last status */
  const patiently = async (path: string, body: object) => {
    const untilMs = performance.now() + patienceMs;
    for (;;) {
      const { status } = await ask('POST', path, body);
      if (status < 400 || performance.now() > untilMs) return status;
      await delay(200);
    }
  };
  const aCustomer = () => ({ email: `${randomUUID()}@attack.example` });

  async function buyAndClaim(customer: { email: string }) {
    const externalOrderId = randomUUID();
    const { currency } = await client.usage();
    const order = { currency, subtotalCents };
    const { reward } = await client.purchase({ externalOrderId, customer, order });
    await patiently(`/rewards/${reward.id}/test-clock`, { move: 'CLAIM' });
    const { points } = await client.balance({ customer });
    return { externalOrderId, points };
  }

  async function giveBack(externalOrderId: string) {
    const { eventId } = await client.refund({ externalOrderId });
    const decision = { decision: 'UPHOLD', reasonCode: 'GOODS_RETURNED', reason: 'only tried' };
    return await patiently(`/reviews/${reviewIdOf(eventId)}/decision`, decision);
  }

  return [
    {
      threat: 'buy, pay with the points, return both, and keep points',
      async attempt() {
        const customer = aCustomer();
        for (let round = 0; round < 3; round++) {
          const { externalOrderId, points } = await buyAndClaim(customer);
          const redemption = { externalRedemptionId: randomUUID(), customer, points };
          const { redemption: spent } = await client.redeem(redemption);
          await giveBack(externalOrderId);
          await client.reverse(spent.id);
        }
        const { points } = await client.balance({ customer });
        return { answer: `${points} points`, isRefused: points === 0 };
      },
    },
    {
      threat: 'hold one point, so that no refund can be upheld',
      async attempt() {
        const customer = aCustomer();
        const { externalOrderId } = await buyAndClaim(customer);
        await client.redeem({
          externalRedemptionId: randomUUID(),
          customer,
          points: 1,
          hold: true,
        });
        const answer = await giveBack(externalOrderId);
        const { points } = await client.balance({ customer });
        return { answer, isRefused: answer === 200 && points === 0 };
      },
    },
    {
      threat: 'repeat the capture of a redemption that was reversed, and be told that it paid',
      async attempt() {
        const customer = aCustomer();
        await buyAndClaim(customer);
        const { redemption } = await client.redeem({
          externalRedemptionId: randomUUID(),
          customer,
          points: 10,
          hold: true,
        });
        const options = { idempotencyKey: randomUUID() };
        await client.capture(redemption.id, options);
        await client.reverse(redemption.id);
        try {
          const again = await client.capture(redemption.id, options);
          return { answer: again.redemption.status, isRefused: false };
        } catch (error) {
          if (!(error instanceof PartnerApiError)) throw error;
          return { answer: error.status, isRefused: error.code === 'REDEMPTION_ENDED' };
        }
      },
    },
  ];
}
