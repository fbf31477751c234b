import { randomUUID } from 'node:crypto';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import test, { type ExecutionContext } from 'ava';
import { computePoints } from '../../domain/points.ts';
import { walletOf } from '../../domain/postings.ts';
import { statusOf } from '../../domain/reward.ts';
import { searchAttributes } from '../../domain/workflow-names.ts';
import { findEntry } from '../../models/ledger/index.ts';
import { toEarningRule } from '../../models/rewards/rules.ts';
import { stateQuery } from '../../workflows/messages.ts';
import { eventually } from '../helpers/eventually.ts';
import { auditOf } from '../helpers/operator.ts';
import type { PartnerBackend } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { anOrderEvent } from '../helpers/signed-requests.ts';
import { type Bought, rewardCents, type Town, townOf } from '../helpers/town.ts';

let service: Service;
let town: Town;

const codeOf = (reply: { body: { error?: { code: string } } }) => reply.body.error?.code;

const fundedPartner = (rule: object = {}) => town.partner('LIVE', { fundingCents: 1_000, rule });
/** The balances of a partner whose 10.00 are all available. */
const untouched = { fundingCents: 1_000, reservedCents: 0, owedCents: 0 };
const reserved = { ...untouched, fundingCents: 1_000 - rewardCents, reservedCents: rewardCents };
const owed = { ...untouched, fundingCents: 1_000 - rewardCents, owedCents: rewardCents };

/** Refunds an order that was refunded, or whose reward has expired. */
async function refundAgain(t: ExecutionContext, bought: Bought, status: string) {
  const before = await town.rewardOf(bought);
  const { status: http, body } = await town.refund(bought, 'another');
  t.is(http, 201);
  t.is(body.refund.status, status);
  t.is(body.reward.status, statusOf(before.state));
  t.is((await town.rewardOf(bought)).state, before.state);
  t.truthy(await service.models.orderEvents.exists({ _id: body.eventId }), 'it is recorded');
}

// TEST is the same, with test funding: the tests of facts make each move in both modes.

test('a purchase is funded and claimed: its money is reserved, then owed to the customer', async (t) => {
  const partner = await fundedPartner();
  const bought = await town.funded(partner);
  t.like(await town.rewardOf(bought), { state: 'FUNDED' });
  t.deepEqual(await town.wallet(partner), reserved);
  t.is((await town.claim(bought)).body.reward.customerStatus, 'CLAIMED');
  t.like(await town.rewardOf(bought), { state: 'AVAILABLE' });
  t.deepEqual(await town.wallet(partner), owed);
  await town.closed(bought);
});

test('a purchase without funds waits, and nobody can claim it; a top-up funds it with a new claim window', async (t) => {
  const partner = await town.partner('LIVE', { fundingCents: 1 });
  const bought = await town.buy(partner);
  const waiting = await town.onceState(bought, 'AWAITING_FUNDING');
  t.is(codeOf(await town.claim(bought)), 'REWARD_NOT_CLAIMABLE');
  t.like(await town.wallet(partner), { fundingCents: 1, reservedCents: 0 });
  await town.topUp(partner, rewardCents);
  const funded = await town.onceState(bought, 'FUNDED');
  t.true(funded.claimExpiresAt > waiting.claimExpiresAt);
  t.like(await town.wallet(partner), { fundingCents: 1, reservedCents: rewardCents });
  t.is((await town.claim(bought)).status, 200);
});

test('a refund before the claim cancels the reward, and its money is free again; another changes nothing', async (t) => {
  const partner = await fundedPartner();
  const bought = await town.funded(partner);
  const { body } = await town.refund(bought);
  t.is(body.refund.status, 'CANCELLED');
  t.is(body.reward.status, 'CANCELLED');
  await town.closed(bought);
  t.deepEqual(await town.wallet(partner), untouched);
  t.is(codeOf(await town.claim(bought)), 'REWARD_NOT_CLAIMABLE');
  await refundAgain(t, bought, 'CANCELLED');
});

test('the claim window ends: the reward expires and its money is free again; a refund changes nothing', async (t) => {
  const partner = await fundedPartner({ claimWindow: 'PT1S' });
  const bought = await town.buy(partner);
  await town.onceState(bought, 'EXPIRED');
  await town.closed(bought);
  t.deepEqual(await town.wallet(partner), untouched);
  t.is(codeOf(await town.claim(bought)), 'CLAIM_EXPIRED');
  await refundAgain(t, bought, 'NO_ACTION');
});

test('a refund after the claim opens a review and moves nothing; dismissed, it can be refunded again; upheld, all is taken back', async (t) => {
  const { partner, bought, reviewId } = await inReview();
  t.like(await town.rewardOf(bought), { state: 'IN_REVIEW' });
  t.deepEqual(await town.wallet(partner), owed);
  await refundAgain(t, bought, 'ADMIN_REVIEW');
  t.is(await town.reviewOf(bought), reviewId);
  t.is((await town.decide(reviewId, 'DISMISS')).status, 200);
  t.like(await town.rewardOf(bought), { state: 'AVAILABLE' });
  t.deepEqual(await town.wallet(partner), owed);
  await town.closed(bought);

  t.is((await town.refund(bought, 'second')).body.refund.status, 'ADMIN_REVIEW');
  const second = await town.reviewOf(bought);
  t.not(second, reviewId);
  t.is((await town.decide(second, 'UPHOLD')).status, 200);
  t.like(await town.rewardOf(bought), { state: 'CANCELLED' });
  t.deepEqual(await town.wallet(partner), untouched);
  await town.closed(bought);
});

test('points on hold are claimed after it, and a refund before that needs no review', async (t) => {
  const partner = await fundedPartner({ holdFor: 'P14D' });
  const [bought, returned] = [await town.funded(partner), await town.funded(partner)];
  const before = await town.rewardOf(bought);
  t.like(await town.wallet(partner), { fundingCents: 2, reservedCents: 2 * rewardCents });
  t.is(codeOf(await town.claim(bought)), 'REWARD_NOT_CLAIMABLE');
  t.is((await town.refund(returned, 'part', 2_000)).body.refund.status, 'REDUCED');
  t.is((await town.refund(returned, 'rest')).body.refund.status, 'CANCELLED');
  const { status, body } = await town.release(bought);
  t.is(status, 200);
  t.true(body.reward.claimableFrom < (before.claimableFrom?.toISOString() ?? ''));
  t.true(body.reward.claimExpiresAt < before.claimExpiresAt.toISOString());
  const again = await town.release(bought);
  t.deepEqual(again.body, body, 'a repeat changes nothing');
  t.is((await town.claim(bought)).status, 200);
  t.is((await town.release(bought)).body.reward.status, 'AVAILABLE');
  t.deepEqual(await town.movesOf(bought), ['FUND', 'MATURE', 'CLAIM']);
  await town.closed(bought);
  await town.closed(returned);
});

test('a reward waiting for funds expires as well', async (t) => {
  const bought = await town.boughtBriefly(
    'LIVE',
    { fundingCents: 1 },
    ({ state }) => state === 'AWAITING_FUNDING',
  );
  const { partner } = bought;
  const { moves } = await town.onceState(bought, 'EXPIRED');
  t.deepEqual(
    moves.map(({ move }) => move),
    ['RUN_SHORT', 'EXPIRE'],
  );
  await town.topUp(partner, 10_000);
  await town.closed(bought);
  t.like(await town.wallet(partner), { fundingCents: 10_001, reservedCents: 0 });
});

test('a refund or an operator cancels a reward waiting for funds, and a later top-up does not change that', async (t) => {
  const partner = await town.partner('LIVE', { fundingCents: 1 });
  const [refunded, cancelled] = [await town.buy(partner), await town.buy(partner)];
  for (const bought of [refunded, cancelled]) await town.onceState(bought, 'AWAITING_FUNDING');
  t.is((await town.refund(refunded)).body.refund.status, 'CANCELLED');
  t.is((await cancel(cancelled)).status, 200);
  await town.topUp(partner, 10_000);
  await town.closed(refunded);
  t.like(await town.rewardOf(cancelled), { state: 'CANCELLED' });
  t.like(await town.wallet(partner), { fundingCents: 10_001, reservedCents: 0 });
});

async function inReview(meanwhile?: (customerId: string) => Promise<unknown>) {
  const partner = await fundedPartner();
  const bought = await town.funded(partner);
  await town.claim(bought);
  await meanwhile?.((await town.rewardOf(bought)).customerId);
  const { body } = await town.refund(bought);
  if (body.refund.status !== 'ADMIN_REVIEW') throw new Error(`the refund is ${body.refund.status}`);
  return { partner, bought, reviewId: await town.reviewOf(bought) };
}

test('a refund is upheld after points were spent: the loss is written off, no balance goes below zero', async (t) => {
  const { partner, bought, reviewId } = await inReview((id) =>
    town.admin.post(`/customers/${id}/redemptions`, { points: 300, reference: 'v' }),
  );
  const { customerId } = await town.rewardOf(bought);
  await town.decide(reviewId, 'UPHOLD');
  t.like(await town.rewardOf(bought), { state: 'CANCELLED' });
  await service.carriedOut(partner);
  t.like((await town.admin.get(`/customers/${customerId}`)).body, { points: 0, owedCents: 0 });
  t.deepEqual(await town.wallet(partner), { ...untouched, fundingCents: 1_000 - 300 });
  const written = await findEntry(service.models, walletOf(partner), `clawback:${bought.rewardId}`);
  t.is(written?.postings.find(({ account }) => account.startsWith('writeOff:'))?.amount, 300);
});

test('TEST without test funding: every reward counts as funded', async (t) => {
  const bought = await town.funded(await town.partner('TEST'));
  t.is((await town.claim(bought)).status, 200);
});

const cancel = ({ rewardId }: Bought, reason = 'a mistake of the shop') =>
  town.admin.post(`/rewards/${rewardId}/cancellation`, { reason });

test('an operator cancels a funded reward with a reason: its money is returned, and its workflow closes', async (t) => {
  const partner = await fundedPartner();
  const bought = await town.funded(partner);
  const { status, body } = await cancel(bought);
  t.is(status, 200);
  t.like(body, { status: 'CANCELLED', customerStatus: 'CANCELLED', funded: false });
  t.is(body.cancellation.reason, 'a mistake of the shop');
  t.is(body.moves.at(-1).move, 'CANCEL');
  t.deepEqual(await town.wallet(partner), untouched);
  t.is(codeOf(await town.claim(bought)), 'REWARD_NOT_CLAIMABLE');
  await town.closed(bought);
});

test('a claimed reward is the customer’s: only a refund and its review take it back', async (t) => {
  const bought = await town.funded(await town.partner('LIVE'));
  await town.claim(bought);
  const { status, body } = await cancel(bought);
  t.is(status, 409);
  t.regex(body.error.message, /is AVAILABLE\. Only an unclaimed reward can be cancelled/);
  t.like(await town.rewardOf(bought), { state: 'AVAILABLE', cancellation: null });
});

test('repeating a cancellation returns the same, a different one is a conflict', async (t) => {
  const bought = await town.funded(await town.partner('TEST'));
  const [first, again] = [await cancel(bought), await cancel(bought)];
  t.deepEqual([first.status, again.status], [200, 200]);
  t.deepEqual(again.body.cancellation, first.body.cancellation);
  t.is((await cancel(bought, 'another reason')).status, 409);
  t.is((await town.rewardOf(bought)).moves.filter(({ move }) => move === 'CANCEL').length, 1);
});

test('a refund of a cancelled reward is recorded and changes nothing; a cancellation after a refund is refused', async (t) => {
  const partner = await town.partner('TEST');
  const cancelled = await town.funded(partner);
  await cancel(cancelled);
  t.is((await town.refund(cancelled)).body.refund.status, 'CANCELLED');
  const refunded = await town.funded(partner);
  await town.refund(refunded);
  t.is((await cancel(refunded)).status, 409);
});

test('the reason is encrypted, and the audit log names who cancelled what', async (t) => {
  const bought = await town.funded(await town.partner('TEST'));
  const reply = await cancel(bought, 'Ann asked for it');
  const { cancellation } = await town.rewardOf(bought);
  t.false(JSON.stringify(cancellation).includes('Ann'));
  const [entry] = await auditOf(service, reply);
  t.like(entry, { action: 'reward.cancel', targetId: bought.rewardId });
  t.false(JSON.stringify(entry).includes('Ann'));
});

/** Stores a purchase that no relay knows of: no workflow starts before a move, and no reward exists until then. */
async function store(partner: PartnerBackend): Promise<Bought> {
  const { partnerId, integrationId, mode } = partner;
  const rule = await service.models.earningRules.findOne({ partnerId, mode }).orFail();
  const arithmetic = computePoints(toEarningRule(rule), 4_990, Date.now(), null);
  const event = anOrderEvent({
    partnerId,
    integrationId,
    mode,
    receivedAt: new Date(),
    workflowId: `${randomUUID()}/${mode}/abc`,
    purchase: {
      currency: 'USD',
      customerId: `cus_${randomUUID()}`,
      customerDay: null,
      claimWindow: rule.claimWindow,
      delivery: 'SERVICE',
      claimTokenHash: randomUUID(),
      claimExpiresAt: new Date(Date.now() + 86_400_000),
      arithmetic,
      liabilityCents: arithmetic.points,
    },
  });
  await service.models.orderEvents.collection.insertOne(event);
  const { externalOrderId, _id: eventId, rewardId } = event;
  return { partner, externalOrderId, eventId, rewardId };
}

const rewardsOf = (partnerId: string) => service.models.rewards.countDocuments({ partnerId });

test('an operator reads and cancels a reward whose workflow has not started: its money is free again', async (t) => {
  const partner = await fundedPartner();
  const bought = await store(partner);
  t.like((await town.admin.get(`/rewards/${bought.rewardId}`)).body, { status: 'PENDING' });
  t.is(await rewardsOf(partner.partnerId), 0, 'a read writes nothing');
  const reply = await town.admin.post(`/rewards/${bought.rewardId}/cancellation`, {
    reason: 'a mistake of the shop',
  });
  t.is(reply.status, 200, reply.text);
  t.like(reply.body, { status: 'CANCELLED', funded: false });
  await service.carriedOut(partner);
  t.like(await town.wallet(partner), { fundingCents: 1_000, reservedCents: 0 });
  t.deepEqual(await town.movesOf(bought), ['FUND', 'CANCEL']);
});

test('a TEST reward whose workflow has not started is claimed or expires by the test clock', async (t) => {
  const partner = await town.partner('TEST', { fundingCents: 1_000 });
  const claimed = await town.setTestClock(await store(partner), 'CLAIM');
  t.is(claimed.status, 200, claimed.text);
  t.like(claimed.body, { status: 'AVAILABLE', customerStatus: 'CLAIMED' });
  const expired = await town.setTestClock(await store(partner), 'EXPIRE');
  t.is(expired.status, 200, expired.text);
  t.is(expired.body.status, 'EXPIRED');
  await service.carriedOut(partner);
  t.like(await town.wallet(partner), { fundingCents: 1_000 - 499, reservedCents: 0 });
});

test('a TEST reward whose workflow has not started and whose funds do not suffice cannot be claimed', async (t) => {
  const partner = await town.partner('TEST', { fundingCents: 1 });
  const bought = await store(partner);
  const refused = await town.setTestClock(bought, 'CLAIM');
  t.is(refused.status, 409, refused.text);
  t.regex(refused.body.error.message, /AWAITING_FUNDING.*funded and unclaimed/);
});

const keyword = (name: keyof typeof searchAttributes) =>
  defineSearchAttributeKey(searchAttributes[name], SearchAttributeType.KEYWORD);

test.before(async () => {
  service = await startService();
  town = townOf(service);
});

test.after.always(async () => {
  await service?.stop();
});

async function historyOf(bought: Bought) {
  const { events } = await (await town.workflowOf(bought)).fetchHistory();
  return events ?? [];
}

/** All texts and payloads of a history, as anyone with access to Temporal can read them. */
function textOf(history: unknown): string {
  const texts: string[] = [];
  const visit = (value: unknown): void => {
    if (value instanceof Uint8Array) texts.push(Buffer.from(value).toString('utf8'));
    else if (typeof value === 'string') texts.push(value);
    else if (value && typeof value === 'object') Object.values(value).forEach(visit);
  };
  visit(history);
  return texts.join('\n');
}

test('a purchase can be searched by partner, mode, order and reward, and shows its reward’s state', async (t) => {
  const bought = await town.funded(await town.partner('LIVE'));
  const handle = await town.workflowOf(bought);
  t.regex(handle.workflowId, /^[A-Za-z0-9._-]{1,40}\/LIVE\/[a-z2-7]{26}$/);
  t.true(
    handle.workflowId.startsWith(bought.externalOrderId.slice(0, 8)),
    'the workflow id starts with the order id',
  );
  const shown = async () => (await handle.describe()).typedSearchAttributes;
  const { partner, rewardId, externalOrderId } = bought;
  const found = await eventually(async () => {
    const attributes = await shown();
    return attributes.get(keyword('rewardStatus')) === undefined ? undefined : attributes;
  }, 'the reward’s status is searchable');
  t.is(found.get(keyword('partnerId')), partner.partnerId);
  t.is(found.get(keyword('mode')), 'LIVE');
  t.is(found.get(keyword('externalOrderId')), externalOrderId);
  t.is(found.get(keyword('rewardId')), rewardId);
  t.is(found.get(keyword('rewardStatus')), 'PENDING');
  await town.claim(bought);
  await eventually(
    async () => (await shown()).get(keyword('rewardStatus')) === 'AVAILABLE',
    'the reward’s new status is searchable',
  );
  const query = `ExternalOrderId = '${externalOrderId}' AND RewardStatus = 'AVAILABLE'`;
  await eventually(async () => {
    for await (const { workflowId } of service.temporal.workflow.list({ query })) {
      return workflowId === handle.workflowId;
    }
    return false;
  }, 'the workflow is listed');
});

test('the state query returns what a purchase waits for', async (t) => {
  const bought = await town.funded(await town.partner('TEST'));
  const handle = await town.workflowOf(bought);
  const { reward, waitingFor } = await eventually(async () => {
    const state = await handle.query(stateQuery);
    return state.waitingFor.startsWith('the customer') && state;
  }, 'the workflow waits for the customer');
  t.is(reward?.rewardId, bought.rewardId);
  t.regex(waitingFor, /the customer's claim, until/);
  await town.claim(bought);
  await eventually(
    async () => (await handle.query(stateQuery)).waitingFor === 'nothing',
    'the workflow waits for nothing',
  );
});

test('a history has a summary, and so does each of its activities and timers', async (t) => {
  const bought = await town.funded(await town.partner('LIVE'));
  const waiting = await eventually(async () => {
    const events = await historyOf(bought);
    return events.some((event) => event.timerStartedEventAttributes) && events;
  }, 'the workflow waits for the customer');
  await town.refund(bought);
  await town.closed(bought);
  // A workflow that looked by itself first has closed, and the refund's signal has started another run.
  const events = [...waiting, ...(await historyOf(bought))];
  t.truthy(events[0]?.userMetadata?.summary);
  const steps = events.filter(
    (event) =>
      event.activityTaskScheduledEventAttributes ??
      event.timerStartedEventAttributes ??
      event.markerRecordedEventAttributes,
  );
  t.true(steps.length >= 3);
  for (const step of steps) t.truthy(step.userMetadata?.summary, String(step.eventId));
});

test('no history contains the customer, the idempotency key, the reason, the metadata or the claim token', async (t) => {
  const partner = await town.partner('LIVE');
  const secret = {
    email: 'jane.doe@example.com',
    phone: '+14155550199',
    key: 'key-of-jane-doe',
    note: 'a birthday gift',
    reason: 'Jane changed her mind',
  };
  const purchase = {
    externalOrderId: 'private-1',
    customer: { email: secret.email, phone: secret.phone },
    order: { subtotalCents: 4_990 },
    metadata: { note: secret.note },
  };
  const { body } = await partner.purchase(purchase, { idempotencyKey: secret.key });
  const bought = {
    partner,
    externalOrderId: 'private-1',
    eventId: body.eventId,
    rewardId: body.reward.id,
  };
  await town.claim(bought);
  await town.closed(bought);
  await partner.refund({ externalOrderId: 'private-1', reason: secret.reason });
  const reviewId = await town.reviewOf(bought);
  const runs = [];
  for await (const run of service.temporal.workflow.list({
    query: `ExternalOrderId = 'private-1' AND PartnerId = '${partner.partnerId}'`,
  })) {
    runs.push(run.runId);
  }
  const { workflowId } = await town.rewardOf(bought);
  await town.decide(reviewId, 'UPHOLD');
  await town.closed(bought);
  t.true(runs.length >= 1);
  const histories = await Promise.all(
    [...new Set(runs)].map((runId) =>
      service.temporal.workflow.getHandle(workflowId, runId).fetchHistory(),
    ),
  );
  const text = textOf([histories, await historyOf(bought)]);
  t.true(text.includes('private-1'));
  const token = (await service.mails.find(({ id }) => id === bought.rewardId))?.text.match(
    /claim\/([\w-]+)/,
  )?.[1];
  t.truthy(token);
  for (const word of [...Object.values(secret), '4155550199', 'as the shop says', token ?? '']) {
    t.false(text.includes(word), word);
  }
});

test('a refund of a purchase whose workflow has closed restarts it under the same id', async (t) => {
  const bought = await town.funded(await town.partner('TEST'));
  await town.claim(bought);
  await town.closed(bought);
  const handle = await town.workflowOf(bought);
  const first = (await handle.describe()).runId;
  t.is((await town.refund(bought)).body.refund.status, 'ADMIN_REVIEW');
  const again = await eventually(async () => {
    const shown = await handle.describe();
    return shown.runId !== first && shown;
  }, 'the workflow is restarted');
  t.is(again.status.name, 'RUNNING');
  await eventually(
    async () =>
      (await handle.describe()).typedSearchAttributes.get(keyword('rewardStatus')) ===
      'ADMIN_REVIEW',
    'the reward’s new status is searchable',
  );
});

test('cancelling a workflow in Temporal does not abandon its reward', async (t) => {
  const bought = await town.boughtBriefly('TEST', {}, ({ state }) => state === 'FUNDED');
  await (await town.workflowOf(bought)).cancel();
  await town.onceState(bought, 'EXPIRED');
  await town.closed(bought);
  t.pass();
});

test('a claim window of ten years is one durable timer', async (t) => {
  const partner = await town.partner('TEST', { rule: { claimWindow: 'P10Y' } });
  const bought = await town.funded(partner);
  await eventually(
    async () => (await historyOf(bought)).some((event) => event.timerStartedEventAttributes),
    'the timer is started',
  );
  const timers = (await historyOf(bought)).flatMap(
    (event) => event.timerStartedEventAttributes ?? [],
  );
  t.is(timers.length, 1);
  const days = Number(timers[0]?.startToFireTimeout?.seconds) / 86_400;
  t.true(days > 3_650 && days < 3_655);
});
