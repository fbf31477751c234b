import { createSecretKey, randomBytes } from 'node:crypto';
import { mock } from 'node:test';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import test, { type ExecutionContext } from 'ava';
import { Webhook } from 'standardwebhooks';
import { type EndpointNotice, webhookActivities } from '../../activities/webhooks.ts';
import { type WebhookFault, webhookFaultOf, webhookFaults } from '../../domain/rehearsal.ts';
import { attemptOffsetsMs, operatorsId, warnAfterMs } from '../../domain/webhooks.ts';
import type { Mail, Message } from '../../messaging/message.ts';
import type { WebhookResponse } from '../../messaging/webhooks/post.ts';
import type { WebhookDeliveryDoc, WebhookEndpointDoc } from '../../models/schemas/webhooks.ts';
import { deliveryOf } from '../../models/webhooks/announce.ts';
import { findDue, findDueEndpoints } from '../../models/webhooks/deliveries.ts';
import { createPartner } from '../../operations/partners.ts';
import { sha256 } from '../../platform/hashing.ts';
import { newId } from '../../platform/ids.ts';
import { createSealer } from '../../platform/sealing.ts';
import { operate } from '../helpers/operate.ts';
import { overridden } from '../helpers/overridden.ts';
import { type TestDatabase, takeDatabase } from '../helpers/test-database.ts';
import '../helpers/quiet-runtime.ts';

const logger = new DefaultLogger('ERROR');
const sealer = createSealer([{ id: 'test', key: createSecretKey(randomBytes(32)) }]);
const portalUrl = 'https://portal.example';

let models: TestDatabase['models'];
let giveBack: TestDatabase['giveBack'];
test.before(async () => {
  ({ models, giveBack } = await takeDatabase());
});
test.after.always(() => giveBack?.());

const responded = (status: number | null): WebhookResponse => ({
  status,
  error: status === null ? 'ECONNREFUSED' : null,
  answer: '',
  durationMs: 7,
  retryAfterMs: null,
});
const ago = (ms: number) => new Date(Date.now() - ms);

let slots = 0;
/** An endpoint of a new partner, unless `changes` names one. */
async function endpoint(changes: Partial<WebhookEndpointDoc> = {}) {
  const partner = await operate({ models, now: Date.now }, createPartner, { name: 'Shop' });
  slots += 1;
  const _id = newId('webhookEndpoint');
  const stored = await models.webhookEndpoints.create({
    _id,
    partnerId: partner._id,
    mode: 'TEST',
    slot: slots,
    url: 'https://shop.example/hook?secret=1',
    eventTypes: ['*'],
    status: 'ACTIVE',
    secrets: [{ sealed: sealer.seal('whsec_MDEyMzQ=', _id), createdAt: ago(0), expiresAt: null }],
    createdAt: ago(0),
    updatedAt: ago(0),
    ...changes,
  });
  return stored.toObject<WebhookEndpointDoc>();
}

const refOf = ({ partnerId, _id }: WebhookEndpointDoc) => ({ partnerId, endpointId: _id });
const read = ({ _id }: WebhookEndpointDoc) => models.webhookEndpoints.findOne({ _id }).orFail();
const deliveriesOf = ({ partnerId, _id }: WebhookEndpointDoc) =>
  models.webhookDeliveries.find({ partnerId, endpointId: _id }).sort({ _id: 1 });

/** Adds events for an endpoint. */
async function events(
  { partnerId, _id, mode }: WebhookEndpointDoc,
  count: number,
  changes: Partial<WebhookDeliveryDoc> = {},
) {
  const rows = Array.from({ length: count }, () => ({
    ...deliveryOf(_id, {
      type: 'test.ping',
      partnerId,
      mode,
      at: new Date(),
      cause: newId('webhookEvent'),
      sequence: null,
      rewardId: null,
      data: {},
    }),
    ...changes,
  }));
  await models.webhookDeliveries.insertMany(rows);
  return rows;
}

/**
 * The activities, with stand-ins for the network and the mail server.
 * @param recorded called after each write of attempts
 */
function worker({
  post = async () => responded(204),
  send = async () => undefined,
  recorded = () => undefined,
}: {
  post?: (headers: Record<string, string>) => Promise<WebhookResponse>;
  send?: (message: Message) => Promise<void>;
  recorded?: () => void;
} = {}) {
  const mails: Mail[] = [];
  let posted = 0;
  let reads = 0;
  const collection = {
    async bulkWrite(...writes: Parameters<typeof models.webhookDeliveries.collection.bulkWrite>) {
      const result = await models.webhookDeliveries.collection.bulkWrite(...writes);
      recorded();
      return result;
    },
  };
  const webhookDeliveries = overridden(models.webhookDeliveries, {
    collection,
    find(...args: Parameters<typeof models.webhookDeliveries.find>) {
      reads += 1;
      return models.webhookDeliveries.find(...args);
    },
  });
  const activities = webhookActivities({
    models: { ...models, webhookDeliveries },
    sealer,
    portalUrl,
    postWebhook: () => async (headers) => {
      posted += 1;
      return await post(headers);
    },
    async sendMessage(message) {
      mails.push(message as Mail);
      await send(message);
    },
  });
  const environment = new MockActivityEnvironment({}, { logger });
  const run = <T>(work: () => Promise<T>): Promise<T> => environment.run<[], T, typeof work>(work);
  return {
    mails,
    posted: () => posted,
    /** How often due deliveries were searched for. */
    reads: () => reads,
    environment,
    deliver: (one: WebhookEndpointDoc) => run(() => activities.deliverWebhooks(refOf(one))),
    mailNews: (one: WebhookEndpointDoc, news: EndpointNotice) =>
      activities.mailEndpointNews(refOf(one), news),
    purge: () => run(() => activities.purgeWebhookDeliveries()),
  };
}

const minuteMs = 60_000;
const long = warnAfterMs + minuteMs;
const outcomes: [
  title: string,
  changes: () => Partial<WebhookEndpointDoc>,
  news: EndpointNotice | null,
  isDue: boolean,
][] = [
  ['an endpoint that works', () => ({}), null, true],
  ['failing for a day', () => ({ failingSince: ago(long) }), 'FAILING', true],
  ['failing for less', () => ({ failingSince: ago(warnAfterMs - minuteMs) }), null, true],
  [
    'failing, and the partner knows',
    () => ({ failingSince: ago(long), warnedAt: ago(0) }),
    null,
    true,
  ],
  ['disabled', () => ({ status: 'DISABLED' }), 'DISABLED', false],
  [
    'disabled, and the partner knows',
    () => ({ status: 'DISABLED', disabledNoticeAt: ago(0) }),
    null,
    false,
  ],
  ['paused', () => ({ status: 'PAUSED', failingSince: ago(long) }), null, false],
];
for (const [title, changes, news, isDue] of outcomes) {
  test(`the partner is to be notified, and the next delivery awaited: ${title}`, async (t) => {
    const one = await endpoint(changes());
    const nextTryAt = new Date(Date.now() + 3_600_000);
    await events(one, 1, { nextTryAt });
    const nextDueAt = isDue ? nextTryAt.toISOString() : null;
    t.deepEqual(await worker().deliver(one), { nextDueAt, news });
  });
}

test('what was written by an API whose clock is ahead is sent at once', async (t) => {
  const one = await endpoint();
  await events(one, 1);
  const behind = new Date(Date.now() - 240_000);
  t.deepEqual(await findDueEndpoints(models, behind, { after: before(one._id), limit: 1 }), [
    one._id,
  ]);
  t.is((await findDue(models, one, behind, 10)).length, 1);
  const sending = worker();
  t.deepEqual(await sending.deliver(one), { nextDueAt: null, news: null });
  t.is(sending.posted(), 1);
});

/** Sorts right before an id. */
const before = (id: string) => id.slice(0, -1);

/** Stops the clock for a test. Timers go on. */
function stopClock(t: ExecutionContext): void {
  mock.timers.enable({ apis: ['Date'], now: Date.now() });
  t.teardown(() => mock.timers.reset());
}

test.serial(
  'the partner is to be notified as soon as an endpoint has failed for a day',
  async (t) => {
    stopClock(t);
    const failingFor = async (ms: number) => {
      const one = await endpoint({ failingSince: ago(ms) });
      return (await worker().deliver(one)).news;
    };
    t.is(await failingFor(warnAfterMs), 'FAILING');
    t.is(await failingFor(warnAfterMs - 1), null);
  },
);

test.serial('an activity ends after twenty seconds, whatever is left', async (t) => {
  stopClock(t);
  const postedIn = async (ms: number) => {
    const one = await endpoint();
    await events(one, 40);
    let calls = 0;
    const sending = worker({
      async post() {
        calls += 1;
        if (calls === 1) mock.timers.tick(ms);
        return responded(204);
      },
    });
    await sending.deliver(one);
    return sending.posted();
  };
  t.true((await postedIn(20_000)) <= 8);
  t.is(await postedIn(19_999), 40);
});

test('nothing is awaited for an endpoint whose deliveries have all arrived', async (t) => {
  const one = await endpoint();
  await events(one, 3);
  t.deepEqual(await worker().deliver(one), { nextDueAt: null, news: null });
});

test('the pending deliveries of a deleted endpoint are deleted', async (t) => {
  const one = await endpoint();
  await events(one, 2);
  await models.webhookEndpoints.deleteOne({ _id: one._id });
  const deleting = worker();
  t.deepEqual(await deleting.deliver(one), { nextDueAt: null, news: null });
  t.deepEqual(await deliveriesOf(one), []);
  t.is(deleting.posted(), 0);
});

test('an endpoint is marked while it is delivered to, and its attempts are counted by hour', async (t) => {
  const one = await endpoint();
  await events(one, 3);
  const marks: number[] = [];
  let calls = 0;
  const sending = worker({
    async post() {
      const { deliveringUntil } = await read(one);
      marks.push((deliveringUntil?.getTime() ?? 0) - Date.now());
      calls += 1;
      return responded(calls === 1 ? 500 : 204);
    },
  });
  await sending.deliver(one);
  t.is(marks.length, 3);
  for (const mark of marks) t.true(mark > 20_000 && mark <= 40_000, `${mark} ms`);
  const { traffic = {}, deliveringUntil } = await read(one);
  t.true((deliveringUntil?.getTime() ?? 0) <= Date.now());
  const hours = Object.values(traffic);
  const total = (name: 'succeeded' | 'failed' | 'durationMs') =>
    hours.reduce((sum, hour) => sum + hour[name], 0);
  t.deepEqual([total('succeeded'), total('failed'), total('durationMs')], [2, 1, 21]);
});

test('an endpoint that is gone gets no more than was being sent', async (t) => {
  const one = await endpoint();
  await events(one, 40);
  const sending = worker({ post: async () => responded(410) });
  t.deepEqual(await sending.deliver(one), { nextDueAt: null, news: 'DISABLED' });
  t.true(sending.posted() <= 8, `${sending.posted()} requests`);
  const stored = await deliveriesOf(one);
  t.is(stored.filter(({ tries }) => tries === 1).length, sending.posted());
  t.like(await read(one), { status: 'DISABLED', disabledReason: 'GONE' });
});

/** Requests that take some time. `begun` has the number of concurrent ones when each began. */
function slowRequests(ms: number) {
  const begun: number[] = [];
  let atOnce = 0;
  const send = async () => {
    atOnce += 1;
    begun.push(atOnce);
    await new Promise((resolve) => setTimeout(resolve, ms));
    atOnce -= 1;
  };
  return { begun, send };
}

/** Delivers until each delivery was attempted: an activity ends after a slow attempt. */
async function attemptAll(sending: ReturnType<typeof worker>, one: WebhookEndpointDoc) {
  const untried = { partnerId: one.partnerId, tries: 0 };
  while (await models.webhookDeliveries.exists(untried)) await sending.deliver(one);
}

test('eight requests are sent at a time, and one at a time after eight failures in a row', async (t) => {
  const one = await endpoint();
  await events(one, 40);
  const { begun, send } = slowRequests(5);
  const sending = worker({
    async post() {
      await send();
      if (begun.length === 18) sending.environment.cancel();
      return responded(500);
    },
  });
  // An activity ends after a slow attempt.
  while (begun.length < 18) await sending.deliver(one);
  t.is(Math.max(...begun), 8);
  t.is(begun.length, 18);
  t.deepEqual(begun.slice(15), [1, 1, 1]);
  const { failingSince } = await read(one);
  t.true(Math.abs((failingSince?.getTime() ?? 0) - Date.now()) < minuteMs);
});

test('a success within a batch resets the count of failures in a row', async (t) => {
  const one = await endpoint();
  await events(one, 30);
  let calls = 0;
  let reads = 0;
  const sending = worker({
    async post() {
      calls += 1;
      if (calls === 30) {
        reads = sending.reads();
        sending.environment.cancel();
      }
      return responded(calls % 4 === 0 ? 204 : 500);
    },
  });
  await sending.deliver(one);
  t.is(reads, 1, 'all of them are one batch');
});

test('a hundred deliveries are read at a time', async (t) => {
  const one = await endpoint();
  await events(one, 120);
  const reads: number[] = [];
  const sending = worker({
    async post() {
      reads.push(sending.reads());
      return responded(204);
    },
  });
  await attemptAll(sending, one);
  t.is(reads.length, 120);
  t.is(reads[99], reads[0]);
  t.is(reads[100], (reads[0] ?? 0) + 1);
});

test('a failing endpoint gets one delivery at a time, until it succeeds', async (t) => {
  const one = await endpoint();
  await events(one, 120);
  let hasRecovered = false;
  const { begun, send } = slowRequests(1);
  const sending = worker({
    async post() {
      await send();
      const status = hasRecovered ? 204 : 500;
      if (begun.length === 20) hasRecovered = true;
      return responded(status);
    },
  });
  await attemptAll(sending, one);
  // After eight failures in a row, and those in flight meanwhile, requests are sent one at a time.
  t.deepEqual(new Set(begun.slice(15, 20)), new Set([1]));
  t.is(Math.max(...begun.slice(20)), 8, 'full speed again');
  // Without the failed ones, which may be due again by now.
  const delivered = (await deliveriesOf(one)).filter(({ state }) => state === 'DELIVERED');
  t.is(delivered.filter(({ tries }) => tries === 1).length, 100);
});

test('an endpoint that was down for a day gets every delivery, each under its id', async (t) => {
  const one = await endpoint();
  const deliveries = await events(one, 5);
  let isDown = true;
  const taken: (string | undefined)[] = [];
  const sending = worker({
    async post(headers) {
      if (isDown) return responded(null);
      taken.push(headers['webhook-id']);
      return responded(204);
    },
  });
  const { partnerId } = one;
  /** Makes attempts, all of them due, as long as a delivery matches. */
  const tryWhile = async (filter: Partial<WebhookDeliveryDoc>) => {
    const pending = { partnerId, state: 'PENDING' as const };
    await models.webhookDeliveries.updateMany(pending, { nextTryAt: ago(0) });
    const left = { ...pending, ...filter };
    while (await models.webhookDeliveries.exists(left)) await sending.deliver(one);
  };
  const tries = attemptOffsetsMs.filter((offsetMs) => offsetMs < 86_400_000).length;
  for (let made = 1; made <= tries; made += 1) await tryWhile({ tries: made - 1 });
  isDown = false;
  await tryWhile({});
  t.deepEqual(taken.toSorted(), deliveries.map(({ eventId }) => eventId).toSorted());
  for (const { state } of await deliveriesOf(one)) t.is(state, 'DELIVERED');
});

test('an endpoint paused meanwhile gets nothing more after a second', async (t) => {
  const one = await endpoint();
  await events(one, 1);
  const more = { pause: true };
  const sending = worker({
    async post() {
      if (more.pause) {
        more.pause = false;
        await models.webhookEndpoints.updateOne({ _id: one._id }, { status: 'PAUSED' });
        await new Promise((resolve) => setTimeout(resolve, 1_100));
        await events(one, 5);
      }
      return responded(204);
    },
  });
  t.deepEqual(await sending.deliver(one), { nextDueAt: null, news: null });
  t.is(sending.posted(), 1);
});

test('a worker that shuts down sends nothing more', async (t) => {
  const one = await endpoint();
  await events(one, 40);
  const sending = worker({
    async post() {
      sending.environment.cancel();
      return responded(204);
    },
  });
  await sending.deliver(one);
  t.true(sending.posted() <= 8, `${sending.posted()} requests`);
  t.is((await deliveriesOf(one)).filter(({ tries }) => tries > 0).length, sending.posted());
});

test('a busy endpoint is checked again four times, a quiet one is not', async (t) => {
  const readsOf = async (count: number) => {
    const one = await endpoint();
    await events(one, count);
    const sending = worker();
    await sending.deliver(one);
    t.is(sending.posted(), count);
    return sending.reads();
  };
  // The read that finds them, and the first that finds nothing.
  t.deepEqual(await Promise.all([readsOf(9), readsOf(10)]), [2, 2 + 4]);
});

test('what arrives while a busy endpoint is checked again is sent by the same activity', async (t) => {
  const one = await endpoint();
  await events(one, 10);
  let calls = 0;
  const sending = worker({
    async post() {
      calls += 1;
      // Due after some of the checks, which take two seconds.
      if (calls === 10) await events(one, 1, { nextTryAt: ago(-1_300) });
      return responded(204);
    },
  });
  t.deepEqual(await sending.deliver(one), { nextDueAt: null, news: null });
  t.is(sending.posted(), 11);
});

test.serial('what becomes due a moment after a batch is sent by the same activity', async (t) => {
  stopClock(t);
  const one = await endpoint();
  await events(one, 1);
  await events(one, 1, { nextTryAt: ago(-50) });
  const sending = worker({ recorded: () => setTimeout(() => mock.timers.tick(50), 50) });
  t.deepEqual(await sending.deliver(one), { nextDueAt: null, news: null });
  t.is(sending.posted(), 2);
});

test('an activity probes an endpoint more than once that fails quickly', async (t) => {
  let most = 0;
  // On a busy machine an attempt may look slow.
  for (let activities = 0; most < 2 && activities < 10; activities += 1) {
    const one = await endpoint({ failingSince: ago(minuteMs) });
    await events(one, 2);
    const sending = worker({ post: async () => responded(500) });
    await sending.deliver(one);
    most = Math.max(most, sending.posted());
  }
  t.is(most, 2);
});

test('an activity that probes an endpoint that hangs ends after one attempt', async (t) => {
  const one = await endpoint({ failingSince: ago(minuteMs) });
  await events(one, 3);
  const sending = worker({
    async post() {
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      return responded(null);
    },
  });
  await sending.deliver(one);
  t.is(sending.posted(), 1);
});

/** A user of a partner with notices by email. */
async function reader(changes: Partial<WebhookEndpointDoc> = {}) {
  const userId = newId('user');
  const one = await endpoint({ userId, mode: 'LIVE', url: 'mailto:', secrets: [], ...changes });
  const email = `${userId}@shop.example`;
  const { partnerId } = one;
  await models.users.create({
    _id: userId,
    partnerId,
    email,
    role: 'owner',
    name: 'Ada',
    createdAt: ago(0),
  });
  return { one, userId, email };
}

const noticeOf = (amountCents: number) => ({
  type: 'reward.awaiting_funding',
  body: JSON.stringify({ type: 'reward.awaiting_funding', data: { missingCents: amountCents } }),
});

test('a user gets one email about all due notices, which are recorded as delivered', async (t) => {
  const { one, email } = await reader({ failingSince: ago(minuteMs) });
  await events(one, 2, noticeOf(100));
  const mailing = worker();
  t.deepEqual(await mailing.deliver(one), { nextDueAt: null, news: null });
  t.is(mailing.mails.length, 1);
  t.like(mailing.mails[0], { to: email });
  t.regex(mailing.mails[0]?.text ?? '', /^2 rewards are waiting for funds: \$/);
  t.is(mailing.posted(), 0);
  const stored = await deliveriesOf(one);
  t.deepEqual(
    stored.map(({ state, tries, history }) => [state, tries, history.length]),
    [
      ['DELIVERED', 1, 1],
      ['DELIVERED', 1, 1],
    ],
  );
  const [{ status, error, answer, durationMs = -1 } = {}] = stored[0]?.history ?? [];
  t.deepEqual([status, error, answer], [250, null, '']);
  t.true(durationMs >= 0 && durationMs < 60_000);
});

test('an operator, who has no partner, gets notices, and news of the operators’ endpoint', async (t) => {
  const [operatorId, userId] = [newId('operator'), newId('user')];
  const email = `${userId}@office.example`;
  await models.operators.collection.insertOne({ _id: operatorId, revokedAt: null } as never);
  await models.users.create({
    _id: userId,
    partnerId: null,
    operatorId,
    email,
    role: null,
    name: 'Grace',
    createdAt: ago(0),
  });
  const one = await endpoint({ partnerId: operatorsId, userId, url: 'mailto:', secrets: [] });
  const text = 'The audit found 2 faults.';
  const body = JSON.stringify({ type: 'audit.faults', data: {}, text });
  await events(one, 1, { type: 'audit.faults', body });
  const mailing = worker();
  await mailing.deliver(one);
  await mailing.mailNews(await endpoint({ partnerId: operatorsId }), 'DISABLED');
  t.deepEqual(
    mailing.mails.map(({ to, subject }) => [to, subject]),
    [
      [email, 'The audit found 2 faults'],
      [email, 'Your TEST webhook endpoint was disabled'],
    ],
  );
});

test('notices whose email could not be sent are tried again later', async (t) => {
  const { one } = await reader();
  await events(one, 2, noticeOf(100));
  const mailing = worker({ send: () => Promise.reject(new Error('away')) });
  const { nextDueAt } = await mailing.deliver(one);
  t.is(mailing.mails.length, 1);
  t.true(Date.parse(nextDueAt ?? '') > Date.now());
  for (const { state, tries, history } of await deliveriesOf(one)) {
    t.deepEqual([state, tries], ['PENDING', 1]);
    t.like(history[0], { status: null, error: 'MAIL_NOT_SENT' });
  }
});

test('the notices of a user who was removed end', async (t) => {
  const { one, userId } = await reader();
  await models.users.updateOne({ _id: userId }, { disabledAt: ago(0) });
  await events(one, 2, noticeOf(100));
  const mailing = worker();
  t.deepEqual(await mailing.deliver(one), { nextDueAt: null, news: null });
  t.deepEqual(mailing.mails, []);
  t.is(await models.webhookEndpoints.countDocuments({ _id: one._id }), 0);
  t.deepEqual(await deliveriesOf(one), []);
});

/** A partner's endpoint, its contact, and users who selected notices about endpoints. */
async function withReaders(
  contactEmail: string | null,
  isVerified: boolean,
  users: readonly string[],
  changes: Partial<WebhookEndpointDoc> = {},
) {
  const one = await endpoint(changes);
  const { partnerId } = one;
  await models.partners.updateOne(
    { _id: partnerId },
    { contactEmail, verifiedContactEmail: isVerified ? contactEmail : null },
  );
  for (const email of users) {
    const userId = newId('user');
    await models.users.create({
      _id: userId,
      partnerId,
      email,
      role: 'owner',
      name: 'Ada',
      createdAt: ago(0),
    });
    await endpoint({
      partnerId,
      userId,
      mode: 'LIVE',
      url: 'mailto:',
      secrets: [],
      eventTypes: ['webhook-endpoint.news'],
    });
  }
  return one;
}

let groups = 0;
/** The addresses of people whom no other test knows. */
function addresses() {
  groups += 1;
  const of = (name: string) => `${name}-${groups}@shop.example`;
  return { ada: of('ada'), bob: of('bob'), owner: of('owner') };
}

type Name = keyof ReturnType<typeof addresses>;
const recipients: [
  title: string,
  contact: Name | null,
  isVerified: boolean,
  users: Name[],
  to: Name[],
][] = [
  ['the verified contact', 'owner', true, [], ['owner']],
  [
    'users who asked for it, and the contact',
    'owner',
    true,
    ['ada', 'bob'],
    ['owner', 'ada', 'bob'],
  ],
  ['a contact who is such a user, once', 'ada', true, ['ada'], ['ada']],
  ['no contact that is not verified', 'owner', false, ['bob'], ['bob']],
  ['nobody, if there is nobody', null, false, [], []],
];
for (const [title, contact, isVerified, users, to] of recipients) {
  test(`news of an endpoint are emailed to: ${title}`, async (t) => {
    const of = addresses();
    const emails = users.map((name) => of[name]);
    const one = await withReaders(contact && of[contact], isVerified, emails);
    const mailing = worker();
    await mailing.mailNews(one, 'FAILING');
    t.deepEqual(
      mailing.mails.map((mail) => mail.to).toSorted(),
      to.map((name) => of[name]).toSorted(),
    );
    t.is(new Set(mailing.mails.map(({ id }) => id)).size, to.length, 'one id for each');
    for (const { id } of mailing.mails) {
      t.regex(id, new RegExp(`^webhook-failing-${one._id}-[0-9a-f]{8}$`));
    }
    const { warnedAt, disabledNoticeAt } = await read(one);
    t.true(Math.abs((warnedAt?.getTime() ?? 0) - Date.now()) < minuteMs);
    t.is(disabledNoticeAt, null);
  });
}

const words: [
  news: EndpointNotice,
  reason: 'GONE' | 'FAILING' | null,
  subject: RegExp,
  why: RegExp,
][] = [
  ['FAILING', null, /^Your LIVE webhook endpoint has been failing for a day$/, /five such days/],
  ['DISABLED', 'GONE', /^Your LIVE webhook endpoint was disabled$/, /It responded 410 Gone/],
  ['DISABLED', 'FAILING', /^Your LIVE webhook endpoint was disabled$/, /for five days\./],
];
for (const [news, disabledReason, subject, why] of words) {
  test(`the email says why and names the endpoint without its path: ${news}, ${disabledReason}`, async (t) => {
    const one = await withReaders(addresses().owner, true, [], { mode: 'LIVE', disabledReason });
    const mailing = worker();
    await mailing.mailNews(one, news);
    const [mail] = mailing.mails;
    t.regex(mail?.subject ?? '', subject);
    for (const body of [mail?.text ?? '', mail?.html ?? '']) {
      t.regex(body, why);
      t.true(body.includes(`https://shop.example (${one._id})`));
      t.true(body.includes('kept for 30 days'));
      t.true(body.includes(`${portalUrl}/`));
      t.false(body.includes('/hook'));
    }
    const { warnedAt, disabledNoticeAt } = await read(one);
    t.is(warnedAt === null, news === 'DISABLED');
    t.is(disabledNoticeAt === null, news === 'FAILING');
  });
}

test('nobody is notified of an endpoint that was deleted', async (t) => {
  const { owner, ada } = addresses();
  const one = await withReaders(owner, true, [ada]);
  await models.webhookEndpoints.deleteOne({ _id: one._id });
  const mailing = worker();
  await mailing.mailNews(one, 'FAILING');
  t.deepEqual(mailing.mails, []);
});

test.serial('old deliveries and absent listeners are deleted', async (t) => {
  const one = await endpoint();
  const day = 86_400_000;
  await events(one, 2, { createdAt: ago(31 * day) });
  await events(one, 1, { createdAt: ago(31 * day), state: 'DELIVERED', nextTryAt: null });
  await events(one, 1, { createdAt: ago(29 * day) });
  const absent = await endpoint({ status: 'LISTENING', listenUntil: ago(minuteMs) });
  const present = await endpoint({ status: 'LISTENING', listenUntil: ago(-minuteMs) });
  const purging = worker();
  const told: unknown[] = [];
  purging.environment.on('heartbeat', (details) => told.push(details));
  t.deepEqual(await purging.purge(), { deleted: 3, undelivered: 2 });
  t.deepEqual(told, [{ deleted: 3, undelivered: 2 }]);
  t.is((await deliveriesOf(one)).length, 1);
  t.is(await models.webhookEndpoints.countDocuments({ _id: absent._id }), 0);
  t.is(await models.webhookEndpoints.countDocuments({ _id: present._id }), 1);
});

/** An endpoint that takes part in a rehearsal, and how its events are to arrive. */
async function rehearsing(changes: Partial<WebhookEndpointDoc> = {}) {
  const rehearsal = { rehearsalId: newId('rehearsal'), seed: 'seed', endsAt: ago(-60_000) };
  const target = await endpoint({ rehearsal, ...changes });
  const { partnerId } = target;
  await models.rehearsals.create({
    _id: rehearsal.rehearsalId,
    partnerId,
    integrationId: 'int_1',
    credentialId: 'key_1',
    seed: rehearsal.seed,
    startedAt: ago(0),
    endsAt: rehearsal.endsAt,
    faults: [],
    webhooks: {},
    expiresAt: rehearsal.endsAt,
  });
  const sent = await events(target, 60);
  const faultOf = (eventId: string) =>
    webhookFaultOf(sha256(Buffer.from(`${rehearsal.seed}/${eventId}`)));
  const count = (fault: WebhookFault) =>
    sent.filter(({ eventId }) => faultOf(eventId) === fault).length;
  const counts = async () => (await models.rehearsals.findOne({ partnerId }).orFail()).webhooks;
  return { target, sent, faultOf, count, counts };
}

test('in a rehearsal, webhooks arrive twice, with another signature, or are held back', async (t) => {
  const { target, sent, faultOf, count, counts } = await rehearsing();
  const { partnerId } = target;
  const isHeld = (eventId: string) => ['LATE', 'REORDERED'].includes(faultOf(eventId) ?? '');
  const heldIds = sent.map(({ eventId }) => eventId).filter(isHeld);
  // So that none is held for less time than the test takes.
  await models.webhookDeliveries.updateMany(
    { partnerId, eventId: { $in: heldIds } },
    { $set: { createdAt: ago(-3_600_000) } },
  );
  const received: Record<string, string>[] = [];
  const { deliver } = worker({
    async post(headers) {
      received.push(headers);
      return responded(204);
    },
  });
  await deliver(target);
  const times = (id: string) => received.filter((headers) => headers['webhook-id'] === id).length;
  for (const { eventId } of sent) {
    const fault = faultOf(eventId);
    t.is(times(eventId), isHeld(eventId) ? 0 : fault === 'DOUBLED' ? 2 : 1, `${fault}`);
  }
  for (const { 'webhook-id': id = '', 'webhook-signature': signature = '' } of received) {
    t.is(signature.split(' ').length, faultOf(id) === 'ROTATED' ? 2 : 1);
    t.notThrows(() => new Webhook('whsec_MDEyMzQ=').verify(bodyOf(id), headersOf(id)));
  }
  const held = await deliveriesOf(target);
  t.true(
    held
      .filter(({ state }) => state === 'PENDING')
      .every(({ nextTryAt, createdAt }) => (nextTryAt ?? createdAt) > createdAt),
  );
  await models.webhookDeliveries.updateMany(
    { partnerId, state: 'PENDING' },
    { $set: { createdAt: ago(120_000), nextTryAt: ago(0) } },
  );
  await deliver(target);
  t.deepEqual(
    await counts(),
    Object.fromEntries(
      webhookFaults.map((fault) => [fault, { sent: count(fault), accepted: count(fault) }]),
    ),
  );

  function bodyOf(id: string): string {
    return sent.find(({ eventId }) => eventId === id)?.body ?? '';
  }
  function headersOf(id: string): Record<string, string> {
    return received.find((headers) => headers['webhook-id'] === id) ?? {};
  }
});

test('a rehearsal counts what the receiver refuses, and is over when it ends', async (t) => {
  const { target, sent, counts, count } = await rehearsing();
  const seen = new Set<string>();
  const refusing = worker({
    async post({ 'webhook-id': id = '' }) {
      const isRepeated = seen.has(id);
      seen.add(id);
      return responded(isRepeated ? 500 : 204);
    },
  });
  await refusing.deliver(target);
  t.like(await counts(), {
    DOUBLED: { sent: count('DOUBLED'), accepted: 0 },
    ROTATED: { sent: count('ROTATED'), accepted: count('ROTATED') },
  });

  const over = await rehearsing({
    rehearsal: { rehearsalId: 'rhs_over', seed: 'seed', endsAt: ago(1) },
  });
  const usual = worker();
  await usual.deliver(over.target);
  t.is(usual.posted(), sent.length);
});

test('a LIVE endpoint is never rehearsed', async (t) => {
  const { target, sent } = await rehearsing({ mode: 'LIVE' });
  const { deliver, posted } = worker();
  await deliver(target);
  t.is(posted(), sent.length);
});
