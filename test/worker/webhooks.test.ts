import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { Webhook } from 'standardwebhooks';
import { remind } from '../../domain/invoice-facts.ts';
import { expiryNoticeDays } from '../../domain/partners.ts';
import { dayMs } from '../../domain/utc-days.ts';
import {
  deliveryRetentionMs,
  type WebhookEventType,
  webhookEventTypes,
} from '../../domain/webhooks.ts';
import { invoiceIdOf } from '../../models/billing/invoices.ts';
import { announceDue } from '../../models/webhooks/announce-due.ts';
import { purgeDeliveries } from '../../models/webhooks/deliveries.ts';
import { createCredential, revokeCredential } from '../../operations/credentials.ts';
import { correctTopUp, withdraw } from '../../operations/funding.ts';
import { approveGoLive, requestGoLive, returnGoLive } from '../../operations/go-live.ts';
import { recordPayment, reversePayment, voidInvoice } from '../../operations/invoices.ts';
import { changePointsEnd } from '../../operations/points-end.ts';
import { askPartner } from '../../operations/reviews.ts';
import {
  createServiceAccount,
  revokeServiceAccount,
  rotateServiceAccount,
} from '../../operations/service-accounts.ts';
import { endTestPoints } from '../../operations/test-clock.ts';
import { newId } from '../../platform/ids.ts';
import { readReference } from '../api/helpers/reference.ts';
import { smallPlan } from '../helpers/billing.ts';
import { eventually } from '../helpers/eventually.ts';
import { issuedInvoice } from '../helpers/issued-invoice.ts';
import { operate } from '../helpers/operate.ts';
import { Operator } from '../helpers/operator.ts';
import { aPurchase, type PartnerBackend } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { type Town, townOf } from '../helpers/town.ts';
import { startReceiver } from '../helpers/webhook-receiver.ts';
import { partnerInReview } from '../portal/helpers/partner-in-review.ts';

const reference = readReference();
let service: Service;
let town: Town;
let operator: Operator;
test.before(async () => {
  service = await startService();
  town = townOf(service);
  operator = new Operator(service, service.adminToken);
});
test.after.always(() => service?.stop());

async function receiverOf(t: ExecutionContext) {
  const receiver = await startReceiver();
  t.teardown(() => receiver.stop());
  return receiver;
}

const pathOf = ({ partnerId }: { partnerId: string }) => `/partners/${partnerId}/webhook-endpoints`;

async function endpointOf(partner: PartnerBackend, url: string, more: object = {}) {
  const made = await operator.post(pathOf(partner), { mode: 'TEST', url, ...more });
  if (made.status !== 201) throw new Error(made.text);
  const { endpoint, secret } = made.body;
  return { endpoint, secret, path: `${pathOf(partner)}/${endpoint.id}` };
}

/** A partner with a verified contact address, and a way to await its emails. */
async function withContact() {
  const contactEmail = `${randomUUID()}@shop.example`;
  const partner = await service.partner({
    partner: { contactEmail, verifiedContactEmail: contactEmail },
  });
  const mailed = async (subject: string): Promise<string> => {
    const isIt = (mail: { to: string; subject: string }) =>
      mail.to === contactEmail && mail.subject === subject;
    return (await eventually(async () => service.mails.find(isIt), subject)).text;
  };
  return { partner, mailed };
}

/** The event types that each test below validates against the API reference. */
const coveredTypes = {
  story: [
    ...['reward.funded', 'reward.claimed', 'review.opened', 'review.asked', 'review.decided'],
    'reward.cancelled',
  ],
  shop: [
    ...['reward.funded', 'reward.awaiting_funding', 'reward.cancelled', 'reward.expired'],
    ...['funding.topped_up', 'credential.created', 'credential.revoked', 'service_account.changed'],
  ],
  live: [
    ...['reward.funded', 'funding.low', 'usage.threshold', 'funding.topped_up'],
    ...['funding.recovered', 'invoice.issued', 'credential.expiring'],
  ],
  goLive: ['go_live.approved', 'go_live.returned'],
  money: [
    ...['reward.funded', 'reward.reduced', 'funding.topped_up', 'funding.withdrawn'],
    ...['funding.corrected', 'invoice.issued', 'invoice.payment_recorded', 'invoice.voided'],
    ...['invoice.payment_reversed', 'invoice.overdue'],
  ],
  ping: ['test.ping'],
  hold: ['reward.funded', 'reward.claimable'],
  budget: ['reward.funded', 'budget.threshold'],
  ends: ['reward.funded', 'reward.claimed', 'points.ending', 'points.ended'],
  list: ['reconciliation.completed'],
} as const satisfies Record<string, readonly WebhookEventType[]>;

test('these tests cover every event type', (t) => {
  const covered = new Set<string>(Object.values(coveredTypes).flat());
  t.deepEqual([...covered].toSorted(), [...webhookEventTypes].toSorted());
});

/** Asserts that delivered events match the reference's `webhooks`. */
function matchTheReference(
  t: ExecutionContext,
  events: readonly { type: string }[],
  of: keyof typeof coveredTypes,
): void {
  for (const event of events) {
    const { schema } =
      reference.document.webhooks[event.type].post.requestBody.content['application/json'];
    const isDescribed = reference.validatorOf(schema);
    t.true(isDescribed(event), `${event.type}: ${JSON.stringify(isDescribed.errors)}`);
  }
  const types: ReadonlySet<string> = new Set(events.map(({ type }) => type));
  t.deepEqual([...types].toSorted(), [...coveredTypes[of]].toSorted());
}

test('each move of a reward is delivered once, signed, in sequence', async (t) => {
  const receiver = await receiverOf(t);
  const partner = await service.partner();
  const { secret, endpoint } = await endpointOf(partner, receiver.url);
  t.regex(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  t.like(endpoint, { status: 'ACTIVE', eventTypes: ['*'], description: '', mode: 'TEST' });

  const purchase = aPurchase();
  const { body } = await partner.purchase(purchase);
  const rewardId: string = body.reward.id;
  const announced = (type: string) =>
    eventually(
      async () => receiver.of(type).find(({ event }) => event.data.rewardId === rewardId),
      type,
    );
  await announced('reward.funded');
  await town.claim(body);
  await announced('reward.claimed');
  await partner.refund({ externalOrderId: purchase.externalOrderId });
  await announced('review.opened');
  const review = await eventually(
    () => service.models.reviews.findOne({ rewardId }),
    'a review opens',
  );
  const { models, sealer } = service;
  const asked = { reviewId: review._id, text: 'did it come back?' };
  await operate({ models, sealer, now: Date.now }, askPartner, asked);
  await announced('review.asked');
  await operator.post(`/reviews/${review._id}/decision`, {
    decision: 'UPHOLD',
    reasonCode: 'GOODS_RETURNED',
  });
  await announced('review.decided');
  await announced('reward.cancelled');

  const verifier = new Webhook(secret);
  for (const { headers, body: sent, event } of receiver.received) {
    t.notThrows(() => verifier.verify(sent, headers as Record<string, string>));
    t.is(headers['webhook-id'], event.id);
    t.like(event, { apiVersion: 'v1', mode: 'TEST' });
    t.false(sent.includes('@'), 'the body contains no email address');
  }
  const story = receiver.received.map(({ event }) => event);
  t.deepEqual(story.map(({ type, sequence }) => `${sequence} ${type}`).toSorted(), [
    '1 reward.funded',
    '2 reward.claimed',
    '3 review.opened',
    '4 review.decided',
    '4 reward.cancelled',
    'null review.asked',
  ]);
  t.is(new Set(story.map(({ id }) => id)).size, story.length);
  matchTheReference(t, story, 'story');
});

test('cancelled, expired and unfunded rewards, top-ups and keys are announced', async (t) => {
  const receiver = await receiverOf(t);
  const partner = await service.partner({ fundingCents: 499 });
  const { integrationId, partnerId } = partner;
  await endpointOf(partner, receiver.url);
  const first = aPurchase();
  await partner.purchase(first);
  const announced = (type: string) => eventually(async () => receiver.of(type)[0]?.event, type);
  await announced('reward.funded');
  await partner.purchase(aPurchase());
  t.like((await announced('reward.awaiting_funding')).data, { status: 'AWAITING_FUNDING' });
  await partner.refund({ externalOrderId: first.externalOrderId });
  t.like((await announced('reward.cancelled')).data, { cancelledBy: 'REFUND' });
  await eventually(
    async () => receiver.of('reward.funded').length === 2,
    'the next reward is funded',
  );
  const { rewardId } = receiver.of('reward.funded')[1]?.event.data ?? {};
  await operator.post(`/rewards/${rewardId}/test-clock`, { move: 'EXPIRE' });
  t.like((await announced('reward.expired')).data, { rewardId, status: 'EXPIRED' });
  const money = { amountCents: 1_000, externalReference: randomUUID() };
  await operator.post(`/partners/${partnerId}/test-funding`, money);
  t.like((await announced('funding.topped_up')).data, { amountCents: 1_000 });
  const key = { integrationId, mode: 'TEST', scopes: ['events:read'] };
  const made = await operator.post(`/partners/${partnerId}/credentials`, key);
  const { credentialId } = made.body.credential;
  t.like((await announced('credential.created')).data, { credentialId });
  await operator.delete(`/credentials/${credentialId}`);
  t.like((await announced('credential.revoked')).data, { credentialId });
  const deps = { models: service.models, now: Date.now };
  const wish = { partnerId, mode: 'TEST', name: 'a monitor', days: null } as const;
  const { account } = await operate(deps, createServiceAccount, { ...wish, reads: ['log:read'] });
  const program = { partnerId, serviceAccountId: account._id };
  await operate(deps, rotateServiceAccount, program);
  await operate(deps, revokeServiceAccount, program);
  const changes = () =>
    receiver.of('service_account.changed').map(({ event }) => event.data.change);
  await eventually(async () => changes().length === 3, 'all changes of the account are announced');
  t.deepEqual(changes().toSorted(), ['CREATED', 'REVOKED', 'ROTATED']);
  t.is(new Set(receiver.received.map(({ event }) => event.id)).size, receiver.received.length);
  matchTheReference(
    t,
    receiver.received.map(({ event }) => event),
    'shop',
  );
});

test('the end of a hold is announced, with the window in which the customer can claim', async (t) => {
  const receiver = await receiverOf(t);
  const partner = await service.partner({ rule: { holdFor: 'P14D', claimWindow: 'P30D' } });
  await endpointOf(partner, receiver.url);
  const announced = (type: string) => eventually(async () => receiver.of(type)[0]?.event, type);
  const { body } = await partner.purchase(aPurchase());
  const { id: rewardId, claimableFrom } = body.reward;
  t.like((await announced('reward.funded')).data, { rewardId, claimableFrom });
  await operator.post(`/rewards/${rewardId}/test-clock`, { move: 'MATURE' });
  const { data } = await announced('reward.claimable');
  t.like(data, { rewardId, customerStatus: 'AWAITING_CUSTOMER_CLAIM' });
  t.true(data.claimableFrom < claimableFrom);
  matchTheReference(
    t,
    receiver.received.map(({ event }) => event),
    'hold',
  );
});

test('a budget that reaches 80 % and 100 % is announced by the purchase that took it there', async (t) => {
  const receiver = await receiverOf(t);
  const budget = { name: 'Spring', totalPoints: 100, monthPoints: null };
  const partner = await service.partner({ rule: { budget } });
  await endpointOf(partner, receiver.url);
  await partner.purchase(aPurchase());
  const announced = await eventually(async () => {
    const found = receiver.of('budget.threshold');
    return found.length === 2 && receiver.of('reward.funded').length === 1 ? found : undefined;
  }, 'both thresholds are announced');
  const told = announced.map(({ event }) => event.data);
  t.deepEqual(
    told.map(({ percent }) => percent).toSorted((a, b) => a - b),
    [80, 100],
  );
  for (const data of told) {
    t.like(data, { budget: 'Spring', of: 'TOTAL', month: null, usedPoints: 100, limitPoints: 100 });
  }
  matchTheReference(
    t,
    receiver.received.map(({ event }) => event),
    'budget',
  );
});

test('points that end are announced 30 and 7 days before, and when they end', async (t) => {
  const receiver = await receiverOf(t);
  const partner = await service.partner();
  const { partnerId } = partner;
  const deps = { ...service, now: Date.now } as never;
  await operate(deps, changePointsEnd, { partnerId, mode: 'TEST', after: 'P12M' });
  await endpointOf(partner, receiver.url);
  const { rewardId } = await town.claimed(partner);
  const { customerId, externalOrderId } = await service.rewardOf(rewardId);
  const known = { customerId, rewardId, externalOrderId, points: 499 };
  const moved = async (type: string, count: number) => {
    await operate(deps, endTestPoints, { rewardId });
    return await eventually(async () => {
      const found = receiver.of(type);
      return found.length === count ? found[count - 1]?.event.data : undefined;
    }, `${type} is announced`);
  };
  t.like(await moved('points.ending', 1), { ...known, days: 30 });
  t.like(await moved('points.ending', 2), { ...known, days: 7 });
  t.like(await moved('points.ended', 1), { ...known, leftPoints: 0 });
  await t.throwsAsync(operate(deps, endTestPoints, { rewardId }), { code: 'CONFLICT' });
  matchTheReference(
    t,
    receiver.received.map(({ event }) => event),
    'ends',
  );
});

test('a compared list is announced, with its counts', async (t) => {
  const receiver = await receiverOf(t);
  const partner = await service.partner();
  const { partnerId, integrationId } = partner;
  const eventTypes = ['reconciliation.completed'] as const;
  await endpointOf(partner, receiver.url, { eventTypes: [...eventTypes], description: 'nightly' });
  const path = '/api/v1/partner/reconciliations';
  const headers = { 'content-type': 'text/csv' };
  const { body } = await partner.send('externalOrderId,subtotal\nA1,1\n', { path, headers });
  const of = () => receiver.of('reconciliation.completed').map(({ event }) => event);
  await eventually(async () => of().length > 0, 'it is announced');
  t.like(of()[0]?.data, {
    reconciliationId: body.reconciliation.id,
    integrationId,
    status: 'DONE',
    rows: 1,
    matched: 0,
    missing: 1,
  });
  t.truthy(partnerId);
  matchTheReference(t, of(), 'list');
});

test('an endpoint receives its selected events in its mode, and nothing from before its creation', async (t) => {
  const receiver = await receiverOf(t);
  const partner = await service.partner();
  await endpointOf(partner, receiver.url, { eventTypes: ['reward.claimed'], description: 'till' });
  const { eventId } = await town.funded(partner);
  await town.claim({ eventId });
  await eventually(async () => receiver.received.length > 0, 'the claim is announced');
  t.deepEqual(
    receiver.received.map(({ event }) => event.type),
    ['reward.claimed'],
  );

  const stranger = await service.partner();
  await town.funded(stranger);
  t.is(await service.models.webhookDeliveries.countDocuments({ partnerId: stranger.partnerId }), 0);
});

test('a failed delivery is retried under its id, and holds up no later event', async (t) => {
  const receiver = await receiverOf(t);
  const partner = await service.partner();
  const { path } = await endpointOf(partner, receiver.url, { eventTypes: ['reward.funded'] });
  let refusedId = '';
  receiver.answerWith((response, { event }) => {
    refusedId ||= event.id;
    const isFirst = receiver.received.filter(({ event: { id } }) => id === refusedId).length === 1;
    // A redirect counts as a failure, and is not followed.
    if (event.id === refusedId && isFirst) response.writeHead(302, { location: receiver.url });
    else response.writeHead(200);
    response.end('ok');
  });
  await town.funded(partner);
  await eventually(async () => refusedId, 'the first delivery is refused');
  await town.funded(partner);
  await eventually(
    async () => receiver.received.some(({ event }) => event.id !== refusedId),
    'the second event arrives',
  );
  const delivered = await eventually(async () => {
    const { items } = (await operator.get(`${path}/deliveries?state=DELIVERED`)).body;
    return items.length === 2 && items;
  }, 'both events are delivered');
  const { attempts } = delivered.find(({ eventId }: { eventId: string }) => eventId === refusedId);
  t.deepEqual(
    attempts.map(({ status }: { status: number }) => status),
    [302, 200],
  );
  t.is(attempts[1].response, 'ok');

  const [{ id }] = delivered;
  const before = receiver.received.length;
  const resent = await operator.post(`${path}/deliveries/${id}/resend`);
  t.is(resent.status, 202);
  await eventually(async () => receiver.received.length > before, 'the event is resent');
  t.is(receiver.received.at(-1)?.event.id, resent.body.delivery.eventId);
});

test('abandoned deliveries are resent by date range, with their ids', async (t) => {
  const receiver = await receiverOf(t);
  const partner = await service.partner();
  const { path, endpoint } = await endpointOf(partner, receiver.url);
  // Both are before the pings, however long those take.
  const [from, until] = [60_000, 30_000].map((ms) => new Date(Date.now() - ms).toISOString());
  for (let sent = 0; sent < 2; sent += 1) await operator.post(`${path}/test`);
  await eventually(async () => receiver.received.length === 2, 'both pings arrive');
  const ids = receiver.received.map(({ event }) => event.id).toSorted();
  const ofEndpoint = { partnerId: partner.partnerId, endpointId: endpoint.id };
  await eventually(
    async () =>
      (await service.models.webhookDeliveries.countDocuments({
        ...ofEndpoint,
        state: 'DELIVERED',
      })) === 2,
    'both deliveries are recorded',
  );
  await service.models.webhookDeliveries.updateOne(ofEndpoint, { $set: { state: 'FAILED' } });

  const none = await operator.post(`${path}/resend`, { from, until });
  t.deepEqual([none.status, none.body], [202, { resent: 0, next: null }]);
  const failed = await operator.post(`${path}/resend`, { from, state: 'FAILED' });
  t.deepEqual(failed.body, { resent: 1, next: null });
  await eventually(async () => receiver.received.length === 3, 'the failed ping is resent');
  t.true(ids.includes(receiver.received.at(-1)?.event.id));
  await eventually(
    async () => (await operator.post(`${path}/resend`, { from })).body.resent === 2,
    'both pings can be resent',
  );
  await eventually(async () => receiver.received.length >= 5, 'both pings arrive again');
  t.deepEqual([...new Set(receiver.received.map(({ event }) => event.id))].toSorted(), ids);
  t.is((await operator.post(`${path}/resend`, { from, until: from })).status, 400);
  for (const wrong of ['yesterday', '2026-03-01T09:30:00']) {
    const { body } = await operator.post(`${path}/resend`, { from: wrong });
    t.regex(body.error.message, /^from must be an ISO 8601 time with an offset, such as /);
  }
  const longAgo = { from: '0903-01-07T22:05:17-08:18', until: '1970-01-01T00:00:00Z' };
  t.deepEqual((await operator.post(`${path}/resend`, longAgo)).body, { resent: 0, next: null });
});

test('an endpoint that was down, or sent Retry-After, gets the delivery under the same id', async (t) => {
  const receiver = await receiverOf(t);
  const partner = await service.partner();
  const { path } = await endpointOf(partner, receiver.url);
  const answers = [
    (response: ServerResponse) => void response.destroy(),
    (response: ServerResponse) => void response.writeHead(503, { 'retry-after': '3600' }).end(),
  ];
  receiver.answerWith((response) => {
    const answer = answers.shift();
    if (answer) answer(response);
    else response.writeHead(204).end();
  });
  await operator.post(`${path}/test`);
  const { id, nextAttemptAt, attempts } = await eventually(async () => {
    const [delivery] = (await operator.get(`${path}/deliveries`)).body.items;
    return delivery.attempts.length === 2 && delivery;
  }, 'two attempts are made');
  t.deepEqual([attempts[0].status, attempts[1].status], [null, 503]);
  t.is(typeof attempts[0].error, 'string');
  t.true(
    Date.parse(nextAttemptAt) >= Date.parse(attempts[1].at) + 3_600_000,
    'Retry-After is respected',
  );
  await operator.post(`${path}/deliveries/${id}/resend`);
  await eventually(
    async () => (await operator.get(`${path}/deliveries?state=DELIVERED`)).body.items.length === 1,
    'the event is delivered',
  );
  t.is(new Set(receiver.received.map(({ event }) => event.id)).size, 1);
});

test('parts of orders, money that goes out, payments, credit notes and reminders are announced', async (t) => {
  const { models, commit } = service;
  const partner = await service.partner({ mode: 'LIVE', fundingCents: 1_000 });
  const { partnerId } = partner;
  await models.partners.updateOne({ _id: partnerId }, { lowBalanceThresholdCents: 0 });
  const made = await operator.post(pathOf(partner), { mode: 'LIVE', url: 'https://shop.example/' });
  await operator.patch(`${pathOf(partner)}/${made.body.endpoint.id}`, { status: 'PAUSED' });
  const announced = (type: string) =>
    eventually(async () => {
      const found = await models.webhookDeliveries.findOne({ partnerId, type });
      return found && JSON.parse(found.body);
    }, type);
  const plan = { ...smallPlan, planCode: `out-${randomUUID().slice(0, 8)}`, includedPoints: 9_000 };
  const { planVersionId } = (await operator.post('/plans', plan)).body;
  await operator.post(`/plans/${planVersionId}/publish`);
  const subscribed = { planVersionId, interval: 'MONTH' };
  const { subscriptionId } = (
    await operator.post(`/partners/${partnerId}/subscription`, subscribed)
  ).body;

  const purchase = aPurchase();
  await partner.purchase(purchase);
  await announced('reward.funded');
  const { externalOrderId } = purchase;
  await partner.refund({ externalOrderId, externalRefundId: 'part 1', amountCents: 1_000 });
  await announced('reward.reduced');

  const deps = { models, commit, now: Date.now };
  const money = { partnerId, currency: 'USD', externalReference: 'wire 1' };
  const topUp = { amountCents: 2_000, externalReference: 'wire 1', currency: 'USD' };
  await operator.post(`/partners/${partnerId}/top-ups`, topUp);
  const { _id: transactionId } = await models.ledger
    .findOne({ partnerId, reference: 'topUp:wire 1' })
    .orFail();
  await operate(deps, withdraw, { ...money, amountCents: 100 });
  await operate(deps, correctTopUp, { ...money, amountCents: 200, transactionId });

  const issued = async (issuedAt: Date) =>
    await issuedInvoice(service, {
      _id: invoiceIdOf(subscriptionId, 'a period', issuedAt.getTime()),
      partnerId,
      subscriptionId,
      planVersionId,
      currency: 'USD',
      kind: 'PERIOD',
      changeId: null,
      terms: null,
      issuedAt,
      periodStart: issuedAt,
      periodEnd: issuedAt,
      lines: [{ kind: 'PLAN', description: 'plan', amountCents: 1_000 }],
    });
  const nowMs = Date.now();
  const paid = await issued(new Date(nowMs));
  const payment = { reference: 'wire 2', amountCents: 400, currency: 'USD', paidOn: '2026-01-31' };
  await operate(deps, recordPayment, { partnerId, invoiceId: paid._id, ...payment });
  const { reference } = payment;
  const reversal = { partnerId, invoiceId: paid._id, reference, reason: 'it did not arrive' };
  await operate(deps, reversePayment, reversal);
  const wrong = await issued(new Date(nowMs - 1));
  await operate(deps, voidInvoice, { partnerId, invoiceId: wrong._id, reason: 'twice' });
  const { _id: late } = await issued(new Date(nowMs - 90 * 86_400_000));
  await commit({
    partnerId,
    wallet: null,
    invoiceIds: [late],
    decide: (draft, terms) => remind(draft, late, terms),
  });
  await announced('invoice.overdue');
  const all = await models.webhookDeliveries.find({ partnerId, mode: 'LIVE' });
  matchTheReference(
    t,
    all.map(({ body }) => JSON.parse(body)),
    'money',
  );
});

test('LIVE announces low funds, top-ups, plan thresholds, invoices and go-live', async (t) => {
  const { models } = service;
  const partner = await service.partner({
    mode: 'LIVE',
    fundingCents: 1_000,
    partner: { lowBalanceThresholdCents: 600 },
  });
  const { partnerId } = partner;
  // A LIVE endpoint cannot be on this machine, so the test pauses it and reads the waiting deliveries.
  const made = await operator.post(pathOf(partner), { mode: 'LIVE', url: 'https://shop.example/' });
  await operator.patch(`${pathOf(partner)}/${made.body.endpoint.id}`, { status: 'PAUSED' });
  const announced = (type: string, count = 1) =>
    eventually(async () => {
      const found = await models.webhookDeliveries.find({ partnerId, type }).sort({ _id: 1 });
      return found.length >= count && found.map(({ body }) => JSON.parse(body));
    }, type);
  const planCode = `hooks-${randomUUID().slice(0, 8)}`;
  const plan = { ...smallPlan, planCode, includedPoints: 500, apiRateLimitPerMinute: 100_000 };
  const { planVersionId } = (await operator.post('/plans', plan)).body;
  await operator.post(`/plans/${planVersionId}/publish`);
  const subscribed = { planVersionId, interval: 'MONTH' };
  const subscription = (await operator.post(`/partners/${partnerId}/subscription`, subscribed))
    .body;

  await partner.purchase(aPurchase());
  // The purchase used half of the funds within a day, so the rest lasts one more day.
  t.deepEqual((await announced('funding.low'))[0].data, {
    balanceCents: 501,
    thresholdCents: 600,
    runwayDays: 1,
  });
  t.like((await announced('usage.threshold'))[0].data, { percent: 80, usedPoints: 499 });
  await partner.purchase(aPurchase());
  t.deepEqual(
    (await announced('usage.threshold', 2)).map(({ data }) => data.percent),
    [80, 100],
  );
  const money = { amountCents: 2_000, externalReference: randomUUID(), currency: 'USD' };
  await operator.post(`/partners/${partnerId}/top-ups`, money);
  t.like((await announced('funding.topped_up'))[0].data, { amountCents: 2_000 });
  const [recovered] = await announced('funding.recovered');
  t.like(recovered.data, { balanceCents: 2_002, thresholdCents: 600, runwayDays: 2 });
  const more = { ...money, externalReference: randomUUID() };
  await operator.post(`/partners/${partnerId}/top-ups`, more);
  await announced('funding.topped_up', 2);
  t.is(
    (await announced('funding.recovered')).length,
    1,
    'a top-up that does not cross the threshold is no recovery',
  );
  const issuedAt = new Date();
  const invoice = await issuedInvoice(service, {
    _id: invoiceIdOf(subscription.subscriptionId, 'a period', issuedAt.getTime()),
    partnerId,
    subscriptionId: subscription.subscriptionId,
    planVersionId,
    currency: 'USD',
    kind: 'PERIOD',
    changeId: null,
    terms: null,
    issuedAt,
    periodStart: issuedAt,
    periodEnd: issuedAt,
    lines: [{ kind: 'PLAN', description: 'plan', amountCents: 1_000 }],
  });
  t.like((await announced('invoice.issued'))[0].data, {
    invoiceId: invoice._id,
    totalCents: 1_000,
  });
  t.is(
    (await announced('funding.low')).length,
    1,
    'one crossing of the threshold is announced once',
  );
  const expiresAt = new Date(Date.now() + expiryNoticeDays[0] * dayMs);
  await models.credentials.updateOne({ partnerId }, { $set: { 'secrets.0.expiresAt': expiresAt } });
  for (let runs = 0; runs < 2; runs += 1) await announceDue(models, new Date());
  t.is((await announced('credential.expiring')).length, 1, 'what was announced is not again');
  t.like((await announced('credential.expiring'))[0].data, {
    expiresAt: expiresAt.toISOString(),
  });
  const all = await models.webhookDeliveries.find({ partnerId, mode: 'LIVE' });
  matchTheReference(
    t,
    all.map(({ body }) => JSON.parse(body)),
    'live',
  );
});

test('what operators decide about a request for LIVE is announced in both modes', async (t) => {
  const { models } = service;
  const { partnerId } = await partnerInReview(service, 'Corner Shop');
  const deps = { ...service, now: Date.now };
  for (const mode of ['TEST', 'LIVE']) {
    await operator.post(pathOf({ partnerId }), { mode, url: 'https://shop.example/' });
  }
  await operate(deps, returnGoLive, { partnerId, reason: 'which shop?' });
  await operate(deps, requestGoLive, { partnerId });
  await operate(deps, approveGoLive, { partnerId });
  const all = await models.webhookDeliveries.find({ partnerId, type: /^go_live/ });
  t.deepEqual(all.map(({ type, mode }) => `${type} ${mode}`).toSorted(), [
    'go_live.approved LIVE',
    'go_live.approved TEST',
    'go_live.returned LIVE',
    'go_live.returned TEST',
  ]);
  const events = all.map(({ body }) => JSON.parse(body));
  t.like(events.find(({ type }) => type === 'go_live.returned').data, { reason: 'which shop?' });
  matchTheReference(t, events, 'goLive');
});

test('what is refused announces nothing, and a repeat nothing more', async (t) => {
  const { models } = service;
  const partner = await service.partner();
  const { partnerId, integrationId } = partner;
  await operator.post(pathOf(partner), { mode: 'TEST', url: 'https://shop.example/' });
  const deps = { ...service, now: Date.now };
  const key = { partnerId, integrationId, mode: 'TEST', scopes: ['events:read'] } as const;
  const { credential } = await operate(deps, createCredential, { ...key, scopes: [...key.scopes] });
  const credentialId = credential._id;
  for (let times = 0; times < 2; times += 1) {
    await operate(deps, revokeCredential, { credentialId });
  }
  await t.throwsAsync(operate(deps, returnGoLive, { partnerId, reason: 'no' }), {
    code: 'CONFLICT',
  });
  const all = await models.webhookDeliveries.find({ partnerId });
  t.deepEqual(all.map(({ type }) => type).toSorted(), ['credential.created', 'credential.revoked']);
});

test('410 disables an endpoint; a pause keeps deliveries; a rotated secret signs alongside the new one', async (t) => {
  const receiver = await receiverOf(t);
  const { partner, mailed } = await withContact();
  const { path, secret } = await endpointOf(partner, receiver.url);
  await operator.patch(path, { status: 'PAUSED' });
  await operator.post(`${path}/test`);
  const rotated = (await operator.post(`${path}/secrets`)).body.secret;
  t.not(rotated, secret);
  t.is(receiver.received.length, 0);
  await operator.patch(path, { status: 'ACTIVE' });
  const [ping] = await eventually(
    async () => receiver.received.length > 0 && receiver.received,
    'a ping arrives',
  );
  matchTheReference(t, [ping?.event], 'ping');
  for (const one of [secret, rotated]) {
    t.notThrows(() =>
      new Webhook(one).verify(ping?.body ?? '', ping?.headers as Record<string, string>),
    );
  }

  receiver.answerWith((response) => response.writeHead(410).end());
  await operator.post(`${path}/test`);
  await eventually(async () => {
    const { endpoint } = (await operator.get(path)).body;
    return endpoint.status === 'DISABLED' && endpoint.disabledReason === 'GONE';
  }, 'the endpoint is disabled');
  const text = await mailed('Your TEST webhook endpoint was disabled');
  t.regex(text, /It responded 410 Gone, which asks us to stop\./);
  t.is((await operator.get(`${path}/deliveries?state=FAILED`)).body.items.length, 1);
  t.is((await operator.delete(path)).status, 200);
  t.is((await operator.get(path)).status, 404);
});

test('purchases and other deliveries continue despite hanging endpoints', async (t) => {
  const hanging = await receiverOf(t);
  hanging.answerWith(() => undefined);
  const slow = await service.partner();
  for (let nth = 0; nth < 10; nth += 1) await endpointOf(slow, hanging.url);
  await town.funded(slow);
  await eventually(async () => hanging.received.length >= 10, 'all requests hang');

  await town.funded(slow);
  const receiver = await receiverOf(t);
  const partner = await service.partner();
  await endpointOf(partner, receiver.url);
  await town.funded(partner);
  await eventually(
    async () => receiver.of('reward.funded').length === 1,
    'another partner’s event arrives',
  );
  t.is(
    await service.models.webhookDeliveries.countDocuments({
      partnerId: slow.partnerId,
      state: 'DELIVERED',
    }),
    0,
  );
});

test('five days of failures disable an endpoint', async (t) => {
  const receiver = await receiverOf(t);
  receiver.answerWith((response) => response.writeHead(500).end('x'.repeat(100_000)));
  const { partner, mailed } = await withContact();
  const { path, endpoint } = await endpointOf(partner, receiver.url);
  const { models } = service;
  const failing = (days: number) =>
    models.webhookEndpoints.updateOne(
      { _id: endpoint.id },
      { $set: { failingSince: new Date(Date.now() - days * 86_400_000) } },
    );
  await failing(2);
  await operator.post(`${path}/test`);
  const warning = await mailed('Your TEST webhook endpoint has been failing for a day');
  t.regex(warning, /After five such days it is disabled\./);
  t.false(warning.includes('/hook'), 'a path can be a secret');
  t.is((await operator.get(path)).body.endpoint.status, 'ACTIVE');
  await failing(5);
  await operator.post(`${path}/test`);
  await eventually(
    async () => (await operator.get(path)).body.endpoint.disabledReason === 'FAILING',
    'the endpoint is disabled',
  );
  const end = await mailed('Your TEST webhook endpoint was disabled');
  t.regex(end, /It hasn’t responded to a single webhook with 2xx for five days\./);
  const [{ attempts }] = (await operator.get(`${path}/deliveries`)).body.items;
  t.is(attempts[0].response.length, 16 * 1024);
});

test('forbidden addresses and kinds, and numbers above the limits, are refused', async (t) => {
  const partner = await service.partner();
  const create = (more: object) => operator.post(pathOf(partner), { mode: 'TEST', ...more });
  for (const wrong of [
    ...[{ url: 'http://example.com/' }, { url: 'https://10.0.0.1/' }, { url: 'not a URL' }, {}],
    { url: 'https://example.com/', eventTypes: ['reward.unknown'] },
    { mode: 'LIVE', url: 'http://127.0.0.1:1/' },
  ]) {
    const { status, body } = await create(wrong);
    t.deepEqual([status, body.error?.code], [400, 'VALIDATION_FAILED'], JSON.stringify(wrong));
  }
  const made = await Promise.all(
    Array.from({ length: 12 }, () => create({ url: 'https://example.com/hook' })),
  );
  t.deepEqual(made.map(({ status }) => status).toSorted(), [...Array(10).fill(201), 409, 409]);
  const stranger = await service.partner();
  const id = made.find(({ status }) => status === 201)?.body.endpoint.id;
  t.is((await operator.get(`${pathOf(stranger)}/${id}`)).status, 404);
  t.is((await operator.patch(`${pathOf(stranger)}/${id}`, { status: 'PAUSED' })).status, 404);
  const stored = await service.models.webhookEndpoints.findById(id);
  t.false(JSON.stringify(stored).includes('whsec_'));
});

test('deliveries older than thirty days are deleted, and undelivered ones counted', async (t) => {
  const { webhookDeliveries } = service.models;
  const partnerId = newId('partner');
  const delivery = (state: 'PENDING' | 'DELIVERED', ageMs: number) => ({
    _id: newId('webhookDelivery'),
    partnerId,
    endpointId: 'whe_none',
    mode: 'TEST' as const,
    eventId: newId('webhookEvent'),
    type: 'test.ping',
    rewardId: null,
    body: '{}',
    state,
    tries: 0,
    nextTryAt: new Date('2999-01-01'),
    deliveredAt: null,
    history: [],
    createdAt: new Date(Date.now() - ageMs),
  });
  await webhookDeliveries.create([
    delivery('PENDING', deliveryRetentionMs + 1_000),
    delivery('DELIVERED', deliveryRetentionMs + 1_000),
    delivery('PENDING', deliveryRetentionMs - 3_600_000),
  ]);
  const purged = await purgeDeliveries(service.models, Date.now());
  t.deepEqual(purged, { deleted: 2, undelivered: 1 });
  t.is(await webhookDeliveries.countDocuments({ partnerId }), 1);
});
