import type { PartnerClient } from '../../clients/typescript/index.ts';
import { assertEqual, assertRefused } from './assertions.ts';
import type { Narrator } from './narrator.ts';

interface Checkout {
  shop: PartnerClient;
  /** An order whose customer, named after it, has claimed 499 points. */
  order: string;
  newOrder: () => string;
  narrator: Narrator;
  page(what: string, path: string): void;
}

/** A checkout: half of the points pay for an order, which is refunded later. */
export async function playCheckout(demo: Checkout): Promise<void> {
  const { shop, order, newOrder, narrator, page } = demo;
  const customer = { email: `${order}@customers.example` };
  narrator.step('At the checkout, the shop asks what the customer can spend.');
  const balance = await shop.balance({ customer });
  assertEqual('the balance', [balance.points, balance.amountCents], [499, 499]);
  narrator.happened(`${balance.points} points, which pay for 4.99 ${balance.currency}.`);

  const paidOrder = newOrder();
  narrator.step(`Order ${paidOrder} is paid with half of them: held until the payment is through.`);
  const { redemption: held } = await shop.redeem({
    externalRedemptionId: `redemption-${paidOrder}`,
    customer,
    points: 249,
    externalOrderId: paidOrder,
    hold: true,
  });
  assertEqual('the hold', held.status, 'HELD');
  narrator.happened(`HELD until ${held.expiresAt}: they come back by themselves.`);

  narrator.step('The customer tries to spend all of them elsewhere meanwhile.');
  narrator.happened(
    await assertRefused('INSUFFICIENT_POINTS', () =>
      shop.redeem({ externalRedemptionId: `second-${paidOrder}`, customer, points: 499 }),
    ),
  );

  narrator.step('The payment is through: the shop captures them.');
  const captured = await shop.capture(held.id);
  assertEqual('the points that are left', captured.balance.points, 250);
  narrator.happened('CAPTURED: 249 points are spent, and 250 are left. The customer is told.');
  page('where points went', '/redemptions?mode=TEST');

  narrator.step(`Order ${paidOrder} is refunded, and so are the points that paid for it.`);
  const reversed = await shop.reverse(held.id);
  assertEqual('the points after the reversal', reversed.balance.points, 499);
  narrator.happened('REVERSED: points and money are the customer’s again.');
}
