import { randomUUID } from 'node:crypto';
import { PartnerClient } from '../../clients/typescript/index.ts';
import { assertEqual, assertRefused } from './assertions.ts';
import { playCheckout } from './checkout.ts';
import type { Narrator } from './narrator.ts';
import type { OperatorClient } from './operator.ts';
import { shortWindowClient } from './short-window.ts';

interface KeyPair {
  key: string;
  secret: string;
}

export interface Scenario {
  baseUrl: string;
  test: KeyPair;
  live: KeyPair;
  operator: OperatorClient;
  /** The link in the customer's email. */
  claimLinkOf(rewardId: string): Promise<string>;
  narrator: Narrator;
  /**
   * Names a page of the portal that shows the current step. @param path of the partner's portal, or below
   * `/admin`
   */
  page(what: string, path: string): void;
  /** The claim window of the last TEST chapter. */
  shortWindowSeconds: number;
}

type Purchased = Awaited<ReturnType<PartnerClient['purchase']>>;

const money = (cents: number) => (cents / 100).toFixed(2);

/**
 * Plays the whole scenario against a running service, and checks that everything happens as in the contract.
 * It can be repeated.
 * @throws Error at the first deviation
 */
export async function playScenario(scenario: Scenario): Promise<void> {
  const shop = clientOf(scenario, scenario.test);
  await playIdempotency(scenario, shop);
  await playReview(scenario, shop);
  await playSpending(scenario, shop);
  await playExpiry(scenario);
  await playMoney(scenario);
  scenario.narrator.chapter('That was the whole scenario.');
  scenario.narrator.happened('Run it again whenever you like: each run uses its own orders.');
  showPages(scenario);
}

const clientOf = ({ baseUrl }: Scenario, { key, secret }: KeyPair) =>
  new PartnerClient({ baseUrl, key, secret });

const newOrder = () => `demo-${randomUUID().slice(0, 8)}`;

/** A purchase of 49.90 by a new customer. */
function aPurchase(externalOrderId: string, subtotalCents = 4_990) {
  const customer = { email: `${externalOrderId}@customers.example` };
  return { externalOrderId, customer, order: { subtotalCents, currency: 'USD' } };
}

/** Shows the page and the workflow of a purchase, once the workflow has started. */
async function link({ operator, narrator, page }: Scenario, { reward }: Purchased) {
  const { temporalUrl } = await operator.rewardOnce(reward.id, () => true);
  page('its page', `/orders/${reward.id}`);
  narrator.link('its workflow', temporalUrl);
}

async function playIdempotency(scenario: Scenario, shop: PartnerClient): Promise<void> {
  const { narrator, operator, page } = scenario;
  narrator.chapter('TEST: purchases, and what a retry does');
  const order = newOrder();
  const idempotencyKey = `purchase:${order}`;

  narrator.step(`The shop reports order ${order}, 49.90 USD.`);
  const first = await shop.purchase(aPurchase(order), { idempotencyKey });
  assertEqual('the points', first.reward.points, 499);
  narrator.happened(
    `201: reward ${first.reward.id}, ${first.reward.points} points, ${first.reward.status}.`,
  );
  await link(scenario, first);

  narrator.step('The response is lost on the way; the shop sends the same request again.');
  const again = await shop.purchase(aPurchase(order), { idempotencyKey });
  assertEqual('the replayed reward', again.reward, first.reward);
  assertEqual('replayed', again.replayed, true);
  narrator.happened(
    'The same response, byte for byte, marked `Idempotent-Replayed: true`. One reward.',
  );

  narrator.step('A different body under the same key.');
  narrator.happened(
    await assertRefused('IDEMPOTENCY_CONFLICT', () =>
      shop.purchase(aPurchase(order, 9_990), { idempotencyKey }),
    ),
  );

  narrator.step('The same order under a different key.');
  narrator.happened(
    await assertRefused('DUPLICATE_EXTERNAL_ORDER', () =>
      shop.purchase(aPurchase(order), { idempotencyKey: `${idempotencyKey}:2` }),
    ),
  );
  page('all of this in the log', `/events?order=${order}`);

  narrator.step('The customer returns the goods before claiming: a refund.');
  const refunded = await shop.refund({ externalOrderId: order });
  assertEqual('the refund', refunded.refund.status, 'CANCELLED');
  const reward = await operator.rewardOnce(first.reward.id, ({ status }) => status === 'CANCELLED');
  narrator.happened(
    'The reward is cancelled, its money has been returned, and its workflow has closed.',
  );
  page('the order', `/orders/${first.reward.id}`);
  narrator.link('its workflow', reward.temporalUrl);
}

/** A purchase whose customer has claimed the reward through the emailed link. */
async function claimed(scenario: Scenario, shop: PartnerClient, order: string): Promise<Purchased> {
  const { narrator, operator, claimLinkOf } = scenario;
  narrator.step(
    `Order ${order} is reported; the customer gets an email, follows its link, and claims.`,
  );
  const purchase = await shop.purchase(aPurchase(order));
  const claimLink = await claimLinkOf(purchase.reward.id);
  narrator.link('the page that the customer sees', claimLink);
  await claim(claimLink);
  await operator.rewardOnce(purchase.reward.id, ({ status }) => status === 'AVAILABLE');
  narrator.happened(`${purchase.reward.points} points belong to the customer: AVAILABLE, CLAIMED.`);
  await link(scenario, purchase);
  return purchase;
}

/** Presses the button on a claim link's page. */
async function claim(claimLink: string): Promise<void> {
  const headers = { accept: 'application/json' };
  const answer = await fetch(claimLink, { method: 'POST', headers });
  if (answer.ok) return;
  throw new Error(`the claim returned ${answer.status}: ${await answer.text()}`);
}

async function playReview(scenario: Scenario, shop: PartnerClient): Promise<void> {
  const { narrator, operator, page } = scenario;
  narrator.chapter('TEST: the customer already has the points when the refund comes');
  const order = newOrder();
  const { reward } = await claimed(scenario, shop, order);

  narrator.step('The order is refunded.');
  const { refund } = await shop.refund({ externalOrderId: order, reason: 'arrived broken' });
  assertEqual('the refund', refund.status, 'ADMIN_REVIEW');
  const reviewId = await operator.openReviewOf(reward.id);
  narrator.happened(`ADMIN_REVIEW: nothing is taken back until an operator decides (${reviewId}).`);
  page('what the decision is based on', `/admin/reviews/${reviewId}`);
  narrator.link(
    'its workflow waits for the decision',
    (await operator.rewardOnce(reward.id, () => true)).temporalUrl,
  );

  narrator.step('An operator upholds the refund.');
  const decision = { decision: 'UPHOLD', reasonCode: 'GOODS_RETURNED' };
  await operator.ask('POST', `/reviews/${reviewId}/decision`, decision);
  await operator.rewardOnce(reward.id, ({ status }) => status === 'CANCELLED');
  narrator.happened('The reward is cancelled. The audit log records who decided, when and why.');
  page('the audit log', '/admin/audit');

  narrator.step('A second operator, a moment later, tries to dismiss it.');
  const late = { decision: 'DISMISS', reasonCode: 'NOT_CONFIRMED' };
  const refused = await operator.ask('POST', `/reviews/${reviewId}/decision`, late).then(
    () => '',
    (error: Error) => error.message,
  );
  if (!refused.includes('409')) throw new Error(`two admins decided one review: ${refused}`);
  narrator.happened('409 CONFLICT: the first decision counts.');
}

async function playSpending(scenario: Scenario, shop: PartnerClient): Promise<void> {
  const { narrator, page } = scenario;
  narrator.chapter('TEST: points pay at the checkout');
  const order = newOrder();
  await claimed(scenario, shop, order);
  await playCheckout({ shop, order, newOrder, narrator, page });
}

async function playExpiry(scenario: Scenario): Promise<void> {
  const { narrator, operator, shortWindowSeconds, test, baseUrl } = scenario;
  narrator.chapter('TEST: a claim window that ends');
  const order = newOrder();
  const { client, end } = await shortWindowClient(
    operator,
    { baseUrl, ofReward: await anyReward(scenario, test) },
    shortWindowSeconds,
  );
  try {
    narrator.step(`Order ${order} earns by a rule with a claim window of ${shortWindowSeconds} s.`);
    const purchase = await client.purchase(aPurchase(order));
    narrator.happened(
      `${purchase.reward.points} points, to be claimed by ${purchase.reward.claimExpiresAt}.`,
    );
    await link(scenario, purchase);

    narrator.step('Nobody claims them. A durable timer waits, and survives any restart …');
    await operator.rewardOnce(purchase.reward.id, ({ status }) => status === 'EXPIRED');
    narrator.happened('EXPIRED: the money reserved for the reward is free again.');

    narrator.step('A refund now has nothing to cancel.');
    const { refund } = await client.refund({ externalOrderId: order });
    assertEqual('the refund', refund.status, 'NO_ACTION');
    narrator.happened('NO_ACTION: it is recorded, and changes nothing.');
    await link(scenario, purchase);
  } finally {
    await end();
  }
}

/** Any reward of the shop, to find the demo's partner and integration. */
async function anyReward(scenario: Scenario, keys: KeyPair) {
  const { reward } = await clientOf(scenario, keys).purchase(aPurchase(newOrder()));
  return await scenario.operator.rewardOnce(reward.id, () => true);
}

async function playMoney(scenario: Scenario): Promise<void> {
  const { narrator, operator, live, page } = scenario;
  narrator.chapter('LIVE: every reward is money');
  const shop = clientOf(scenario, live);
  const before = await shop.billing();
  narrator.step('The wallet, as shown by GET billing.');
  narrator.happened(
    `${money(before.wallet.availableCents)} ${before.wallet.currency} available, ${money(before.wallet.reservedCents)} reserved for unclaimed rewards.`,
  );
  page('the funding', '/funding');

  const order = newOrder();
  narrator.step(`Order ${order} is reported. Its 499 points cost the shop 4.99.`);
  const purchase = await shop.purchase(aPurchase(order));
  const { reward } = purchase;
  const { customerId, partnerId } = await operator.rewardOnce(
    reward.id,
    ({ funded, status }) => funded || status === 'AWAITING_FUNDING',
  );
  const wallet = await operator.ask<{ reservedCents: number }>(
    'GET',
    `/partners/${partnerId}/wallet`,
  );
  narrator.happened(
    `Reserved: funding → reserved. ${money(wallet.reservedCents)} is reserved now.`,
  );
  await link(scenario, purchase);
  page('the same for operators, with its postings', `/admin/rewards/${reward.id}`);

  narrator.step('The customer claims with the emailed link.');
  await claim(await scenario.claimLinkOf(reward.id));
  await operator.rewardOnce(reward.id, ({ status }) => status === 'AVAILABLE');
  const customer = await operator.customerOnceOwed(customerId);
  narrator.happened(
    `Owed to the customer: ${customer.points} points, ${money(customer.owedCents)} USD.`,
  );
  page('the customer, as operators see them', `/admin/customers/${customerId}`);

  const usage = await shop.usage();
  narrator.step('The shop’s usage of its plan, as shown by GET usage.');
  narrator.happened(
    `${usage.includedPointsConsumed} of ${usage.includedPoints} included points; about ${usage.projection.points} by ${usage.billingPeriod.end.slice(0, 10)}.`,
  );
  narrator.happened(`Advice: ${usage.recommendation.action}. ${usage.recommendation.reason}`);
  page('usage, day by day', '/usage');
  page('plan and invoices', '/invoices');
  narrator.step('And the ledger: `npm run audit` checks it on the live database.');
  page('what the audits found', '/admin/audit-runs');
}

/** Pages that no chapter has shown. */
function showPages({ page }: Scenario): void {
  page('how the shop was set up, step by step', '/home');
  page('a request, signed step by step', '/console');
  page('why a signature was refused', '/doctor');
  page('signing in six languages', '/quickstarts');
  page('what is waiting for an operator', '/admin');
}
