import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import test from 'ava';
import { searchAttributes } from '../../domain/workflow-names.ts';
import { stateQuery } from '../../workflows/messages.ts';
import { eventually } from '../helpers/eventually.ts';
import { type Service, startService } from '../helpers/service.ts';
import { type Bought, createScene, type Scene } from './helpers/scene.ts';

const keyword = (name: keyof typeof searchAttributes) =>
  defineSearchAttributeKey(searchAttributes[name], SearchAttributeType.KEYWORD);

let service: Service;
let scene: Scene;
test.before(async () => {
  service = await startService();
  scene = createScene(service);
});
test.after.always(() => service?.stop());

async function historyOf(bought: Bought) {
  const { events } = await (await scene.workflowOf(bought)).fetchHistory();
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
  const bought = await scene.funded(await scene.partner('LIVE'));
  const handle = await scene.workflowOf(bought);
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
  await scene.claim(bought);
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
  const bought = await scene.funded(await scene.partner('TEST'));
  const handle = await scene.workflowOf(bought);
  const { reward, waitingFor } = await eventually(async () => {
    const state = await handle.query(stateQuery);
    return state.waitingFor.startsWith('the customer') && state;
  }, 'the workflow waits for the customer');
  t.is(reward?.rewardId, bought.rewardId);
  t.regex(waitingFor, /the customer's claim, until/);
  await scene.claim(bought);
  await eventually(
    async () => (await handle.query(stateQuery)).waitingFor === 'nothing',
    'the workflow waits for nothing',
  );
});

test('a history has a summary, and so does each of its activities and timers', async (t) => {
  const bought = await scene.funded(await scene.partner('LIVE'));
  await eventually(
    async () => (await historyOf(bought)).some((event) => event.timerStartedEventAttributes),
    'the workflow waits for the customer',
  );
  await scene.refund(bought);
  await scene.closed(bought);
  const events = await historyOf(bought);
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
  const partner = await scene.partner('LIVE');
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
  await scene.claim(bought);
  await scene.closed(bought);
  await partner.refund({ externalOrderId: 'private-1', reason: secret.reason });
  const reviewId = await scene.reviewOf(bought);
  const runs = [];
  for await (const run of service.temporal.workflow.list({
    query: `ExternalOrderId = 'private-1' AND PartnerId = '${partner.partnerId}'`,
  })) {
    runs.push(run.runId);
  }
  const { workflowId } = await scene.rewardOf(bought);
  await scene.decide(reviewId, 'UPHOLD');
  await scene.closed(bought);
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
  const bought = await scene.funded(await scene.partner('TEST'));
  await scene.claim(bought);
  await scene.closed(bought);
  const handle = await scene.workflowOf(bought);
  const first = (await handle.describe()).runId;
  t.is((await scene.refund(bought)).body.refund.status, 'ADMIN_REVIEW');
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
  const bought = await scene.boughtBriefly('TEST', {}, ({ funded }) => funded);
  await (await scene.workflowOf(bought)).cancel();
  await scene.onceStatus(bought, 'EXPIRED');
  await scene.closed(bought);
  t.pass();
});

test('a claim window of ten years is one durable timer', async (t) => {
  const partner = await scene.partner('TEST', { rule: { claimWindow: 'P10Y' } });
  const bought = await scene.funded(partner);
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
