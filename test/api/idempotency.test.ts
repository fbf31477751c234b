import { randomUUID } from 'node:crypto';
import test from 'ava';
import { findEarlierEvents } from '../../models/events/order-events.ts';
import { startAnotherApi } from '../helpers/another-api.ts';
import { eventually } from '../helpers/eventually.ts';
import { aPurchase, type PartnerBackend, type Reply } from '../helpers/partner-backend.ts';
import { activateRule, type Service, startService } from '../helpers/service.ts';

let service: Service;
let partner: PartnerBackend;

test.before(async () => {
  service = await startService();
  partner = await service.partner();
});
test.after.always(() => service.stop());

const isReplay = ({ headers }: Reply) => headers.get('idempotent-replayed') === 'true';
const codeOf = ({ status, body }: Reply): string => (status === 201 ? 'ACCEPTED' : body.error.code);
const countOf = (codes: string[]) =>
  Object.fromEntries(
    [...new Set(codes)].map((code) => [code, codes.filter((one) => one === code).length]),
  );
const times = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

/** An accepted purchase, ready to be refunded. */
async function purchased(from: PartnerBackend = partner) {
  const body = aPurchase();
  const reply = await from.purchase(body);
  if (reply.status !== 201) throw new Error(reply.text);
  return { externalOrderId: body.externalOrderId, reply };
}

test('a purchase returns 201 with the documented body and its mode', async (t) => {
  const body = aPurchase();
  const { status, body: answer, headers } = await partner.purchase(body);
  t.is(status, 201);
  t.like(answer, { success: true, mode: 'TEST', externalOrderId: body.externalOrderId });
  t.regex(answer.eventId, /^evt_/);
  t.deepEqual(Object.keys(answer.reward), [
    'id',
    'points',
    'status',
    'customerStatus',
    'claimExpiresAt',
    'claimableFrom',
  ]);
  t.regex(answer.reward.id, /^PNR_/);
  t.is(answer.reward.points, 499);
  t.is(answer.reward.status, 'PENDING');
  t.is(answer.reward.customerStatus, 'AWAITING_CUSTOMER_CLAIM');
  t.is(new Date(answer.reward.claimExpiresAt).toISOString(), answer.reward.claimExpiresAt);
  t.is(headers.get('idempotent-replayed'), null);
  t.regex(headers.get('x-request-id') ?? '', /^req_/);
});

test('a refund returns 201 with the documented body and its mode', async (t) => {
  const { externalOrderId, reply } = await purchased();
  const { status, body, headers } = await partner.refund({ externalOrderId });
  t.is(status, 201);
  t.like(body, {
    success: true,
    mode: 'TEST',
    externalOrderId,
    refund: { externalRefundId: `refund:${externalOrderId}`, status: 'CANCELLED' },
    reward: { id: reply.body.reward.id, points: 499, status: 'CANCELLED' },
  });
  t.not(body.eventId, reply.body.eventId);
  t.is(headers.get('idempotent-replayed'), null);
});

test('same credential, key, event type and payload: the stored response, byte for byte, and its status', async (t) => {
  const body = aPurchase();
  const first = await partner.purchase(body, { idempotencyKey: 'replay' });
  for (let again = 0; again < 3; again++) {
    const replay = await partner.purchase(body, { idempotencyKey: 'replay' });
    t.true(isReplay(replay));
    t.is(replay.status, first.status);
    t.is(replay.text, first.text);
    t.is(replay.headers.get('content-type'), first.headers.get('content-type'));
    t.not(replay.headers.get('x-request-id'), first.headers.get('x-request-id'));
  }
  const refund = { externalOrderId: body.externalOrderId, reason: 'changed mind' };
  const refunded = await partner.refund(refund, { idempotencyKey: 'replay' });
  const replayed = await partner.refund(refund, { idempotencyKey: 'replay' });
  t.false(isReplay(refunded));
  t.true(isReplay(replayed));
  t.is(replayed.text, refunded.text);
  t.is(replayed.status, 201);
});

test('the stored response of a purchase stays the same, whatever happens to the reward', async (t) => {
  const body = aPurchase();
  const first = await partner.purchase(body, { idempotencyKey: 'as-it-was' });
  await partner.refund({ externalOrderId: body.externalOrderId });
  const replay = await partner.purchase(body, { idempotencyKey: 'as-it-was' });
  t.is(replay.text, first.text);
  t.is(replay.body.reward.status, 'PENDING');
});

test('the raw body is compared: the same JSON spelled differently is different data', async (t) => {
  const body = aPurchase();
  await partner.purchase(JSON.stringify(body), { idempotencyKey: 'spelling' });
  const reply = await partner.purchase(JSON.stringify(body, null, 1), {
    idempotencyKey: 'spelling',
  });
  t.is(codeOf(reply), 'IDEMPOTENCY_CONFLICT');
});

test('a key reused with different data is a conflict, and the first response stays', async (t) => {
  const body = aPurchase();
  const first = await partner.purchase(body, { idempotencyKey: 'conflict' });
  const other = await partner.purchase(aPurchase(), { idempotencyKey: 'conflict' });
  t.is(other.status, 409);
  t.is(codeOf(other), 'IDEMPOTENCY_CONFLICT');
  t.false(isReplay(other));
  t.is((await partner.purchase(body, { idempotencyKey: 'conflict' })).text, first.text);

  const { externalOrderId } = body;
  await partner.refund({ externalOrderId }, { idempotencyKey: 'conflict' });
  const otherRefund = await partner.refund(
    { externalOrderId, reason: 'other' },
    { idempotencyKey: 'conflict' },
  );
  t.is(codeOf(otherRefund), 'IDEMPOTENCY_CONFLICT');
});

test('an invalid body is reported before a reused key', async (t) => {
  const body = aPurchase();
  const idempotencyKey = 'wrong-body';
  await partner.purchase(body, { idempotencyKey });
  for (const [other, code] of [
    ['{"externalOrderId":', 'INVALID_JSON'],
    [{ ...body, coupon: 'x' }, 'VALIDATION_FAILED'],
    [{ ...body, metadata: { margin: 1 } }, 'FORBIDDEN_METADATA_FIELD'],
    [aPurchase(), 'IDEMPOTENCY_CONFLICT'],
  ] as const) {
    t.is(codeOf(await partner.purchase(other, { idempotencyKey })), code, JSON.stringify(other));
  }
  t.true(isReplay(await partner.purchase(body, { idempotencyKey })));
});

test('another process replays the response too, and remembers it', async (t) => {
  const api = await startAnotherApi(service);
  t.teardown(api.stop);
  const there = partner.changed(api);
  const body = aPurchase();
  const refund = { externalOrderId: body.externalOrderId };
  const idempotencyKey = 'somewhere-else';
  const bought = await partner.purchase(body, { idempotencyKey });
  const refunded = await partner.refund(refund, { idempotencyKey });
  for (const from of ['the database', 'memory']) {
    const replays = [
      [await there.purchase(body, { idempotencyKey }), bought],
      [await there.refund(refund, { idempotencyKey }), refunded],
    ] as const;
    for (const [replay, first] of replays) {
      t.true(isReplay(replay), `${from}: ${replay.text}`);
      t.is(replay.text, first.text, from);
      t.is(replay.status, 201, from);
    }
  }
  const { externalOrderId } = body;
  const rows = await eventually(async () => {
    const found = await service.models.requestLog.find({
      externalOrderId,
      code: 'REPLAYED',
    });
    return found.length === 4 && found;
  }, 'the log names the order of each replay');
  t.is(rows.filter(({ type }) => type === 'REFUND').length, 2);
});

test('20 identical concurrent requests give one reward and 20 equal responses', async (t) => {
  const other = await startAnotherApi(service);
  const body = aPurchase();
  const replies = await times(20, (index) =>
    partner.changed(index % 2 ? other : {}).purchase(body, { idempotencyKey: 'twenty-purchases' }),
  );
  t.deepEqual(countOf(replies.map(codeOf)), { ACCEPTED: 20 });
  t.is(new Set(replies.map(({ text }) => text)).size, 1);
  t.is(replies.filter((reply) => !isReplay(reply)).length, 1);
  const { externalOrderId } = body;
  await service.allStarted(partner);
  t.is(await service.models.rewards.countDocuments({ externalOrderId }), 1);
  t.is(await service.models.orderEvents.countDocuments({ externalOrderId }), 1);

  const refunds = await times(20, (index) =>
    partner
      .changed(index % 2 ? other : {})
      .refund({ externalOrderId }, { idempotencyKey: 'twenty-refunds' }),
  );
  t.deepEqual(countOf(refunds.map(codeOf)), { ACCEPTED: 20 });
  t.is(new Set(refunds.map(({ text }) => text)).size, 1);
  t.is(refunds.filter((reply) => !isReplay(reply)).length, 1);
  t.is(await service.models.orderEvents.countDocuments({ externalOrderId, type: 'REFUND' }), 1);
  await other.stop();
});

test('20 keys for one order give one 201 and 19 DUPLICATE_EXTERNAL_ORDER that name the first event', async (t) => {
  const body = aPurchase();
  const replies = await times(20, async (index) => ({
    key: `race-${index}`,
    reply: await partner.purchase(body, { idempotencyKey: `race-${index}` }),
  }));
  t.deepEqual(countOf(replies.map(({ reply }) => codeOf(reply))), {
    ACCEPTED: 1,
    DUPLICATE_EXTERNAL_ORDER: 19,
  });
  const winner = replies.find(({ reply }) => reply.status === 201);
  const losers = replies.filter(({ reply }) => reply.status !== 201);
  for (const { reply } of losers) {
    t.is(reply.status, 409);
    t.true(reply.body.error.message.includes(winner?.reply.body.eventId));
  }
  const { externalOrderId } = body;
  await service.allStarted(partner);
  t.is(await service.models.rewards.countDocuments({ externalOrderId }), 1);

  // A refusal stores nothing under its key.
  const [first, second] = losers;
  const corrected = await partner.purchase(aPurchase(), { idempotencyKey: first?.key });
  t.is(corrected.status, 201, corrected.text);
  t.false(isReplay(corrected));
  const repeated = await partner.purchase(body, { idempotencyKey: second?.key });
  t.is(codeOf(repeated), 'DUPLICATE_EXTERNAL_ORDER');
});

test('20 keys for one refund give one 201 and 19 DUPLICATE_EXTERNAL_REFUND that name the first event', async (t) => {
  const { externalOrderId } = await purchased();
  const replies = await times(20, () => partner.refund({ externalOrderId }));
  t.deepEqual(countOf(replies.map(codeOf)), { ACCEPTED: 1, DUPLICATE_EXTERNAL_REFUND: 19 });
  const winner = replies.find(({ status }) => status === 201);
  for (const { status, body } of replies.filter((reply) => reply !== winner)) {
    t.is(status, 409);
    t.true(body.error.message.includes(winner?.body.eventId));
  }
  t.is(await service.models.orderEvents.countDocuments({ externalOrderId, type: 'REFUND' }), 1);
});

test('20 bodies under one key give one 201 and 19 conflicts', async (t) => {
  const replies = await times(20, () =>
    partner.purchase(aPurchase(), { idempotencyKey: 'one-key' }),
  );
  t.deepEqual(countOf(replies.map(codeOf)), { ACCEPTED: 1, IDEMPOTENCY_CONFLICT: 19 });
});

test('a retry while the first request is still running gets the same response', async (t) => {
  const quiet = await service.partner();
  const body = aPurchase();
  const send = (changes = {}) =>
    quiet.purchase({ ...body, ...changes }, { idempotencyKey: 'still-running' });
  const replies = await Promise.all([send(), send()]);
  t.deepEqual(replies.map(codeOf), ['ACCEPTED', 'ACCEPTED']);
  t.is(replies[0].text, replies[1].text);
  t.is(replies.filter(isReplay).length, 1);
  t.is(codeOf(await send({ metadata: { another: 'body' } })), 'IDEMPOTENCY_CONFLICT');
});

test('a refused request leaves no trace: corrected, it succeeds under the same key', async (t) => {
  const wrong = { ...aPurchase(), order: { subtotalCents: -1 } };
  const right = aPurchase({ externalOrderId: wrong.externalOrderId });
  t.is(codeOf(await partner.purchase(wrong, { idempotencyKey: 'corrected' })), 'VALIDATION_FAILED');
  const reply = await partner.purchase(right, { idempotencyKey: 'corrected' });
  t.is(reply.status, 201);
  t.false(isReplay(reply));

  const duplicate = await partner.purchase(right, { idempotencyKey: 'corrected-2' });
  t.is(codeOf(duplicate), 'DUPLICATE_EXTERNAL_ORDER');
  t.is((await partner.purchase(aPurchase(), { idempotencyKey: 'corrected-2' })).status, 201);

  const early = { externalOrderId: aPurchase().externalOrderId };
  const unknown = await partner.refund(early, { idempotencyKey: 'early' });
  t.is(codeOf(unknown), 'ORIGINAL_PURCHASE_NOT_FOUND');
  await partner.purchase(aPurchase(early));
  t.is((await partner.refund(early, { idempotencyKey: 'early' })).status, 201);
});

test('a request refused for lack of a rule succeeds unchanged once there is one', async (t) => {
  const beginner = await service.partner({ rule: null });
  const body = aPurchase();
  const send = () => beginner.purchase(body, { idempotencyKey: 'first-of-all' });
  t.is(codeOf(await send()), 'NO_ACTIVE_EARNING_RULE');
  await activateRule(service.models, { partnerId: beginner.partnerId, mode: 'TEST' });
  const reply = await eventually(async () => {
    const answer = await send();
    return answer.status === 201 && answer;
  }, 'the new rule applies');
  t.false(isReplay(reply));
  t.is(reply.body.reward.points, 499);
});

test('the scope of a key is one credential', async (t) => {
  const { models, sealer } = service;
  const colleague = await partner.withAnotherCredential(models, sealer);
  const stranger = await service.partner();
  for (const sender of [partner, colleague, stranger]) {
    const reply = await sender.purchase(aPurchase(), { idempotencyKey: 'shared' });
    t.is(reply.status, 201, reply.text);
    t.false(isReplay(reply));
  }
});

test('the scope of a key is one event type', async (t) => {
  const { externalOrderId } = await purchased();
  const purchase = await partner.purchase(aPurchase(), { idempotencyKey: 'both-types' });
  const refund = await partner.refund({ externalOrderId }, { idempotencyKey: 'both-types' });
  t.deepEqual([purchase.status, refund.status], [201, 201]);
});

test('another credential of the same integration shares its orders', async (t) => {
  const { models, sealer } = service;
  const colleague = await partner.withAnotherCredential(models, sealer);
  const body = aPurchase();
  await partner.purchase(body);
  t.is(codeOf(await colleague.purchase(body)), 'DUPLICATE_EXTERNAL_ORDER');
  const { externalOrderId } = body;
  t.is((await colleague.refund({ externalOrderId })).body.refund.status, 'CANCELLED');
});

test('an order id is unique per source: another integration can use it too, and refunds its own', async (t) => {
  const { models, sealer } = service;
  const shop = await service.partner();
  const till = await shop.withAnotherCredential(models, sealer, {
    integrationId: `int_${randomUUID()}`,
  });
  const body = aPurchase();
  const { externalOrderId } = body;
  const inShop = await shop.purchase(body);
  t.is(codeOf(await till.refund({ externalOrderId })), 'ORIGINAL_PURCHASE_NOT_FOUND');
  const atTill = await till.purchase(body);
  t.deepEqual([inShop.status, atTill.status], [201, 201]);
  t.not(inShop.body.reward.id, atTill.body.reward.id);
  t.is((await till.refund({ externalOrderId })).body.reward.id, atTill.body.reward.id);
  t.is((await shop.refund({ externalOrderId })).body.reward.id, inShop.body.reward.id);
});

test('TEST and LIVE are separate', async (t) => {
  const { models, sealer } = service;
  const inTest = await service.partner();
  const { partnerId } = inTest;
  await activateRule(models, { partnerId, mode: 'LIVE', points: 20 });
  const inLive = await inTest.withAnotherCredential(models, sealer, { mode: 'LIVE' });
  const body = aPurchase();
  const { externalOrderId } = body;
  const tested = await inTest.purchase(body, { idempotencyKey: 'both-modes' });
  t.is(codeOf(await inLive.refund({ externalOrderId })), 'ORIGINAL_PURCHASE_NOT_FOUND');
  const live = await inLive.purchase(body, { idempotencyKey: 'both-modes' });
  t.deepEqual([tested.body.mode, live.body.mode], ['TEST', 'LIVE']);
  t.deepEqual([tested.body.reward.points, live.body.reward.points], [499, 998]);
  t.deepEqual(Object.keys(tested.body.reward), Object.keys(live.body.reward));
  await inTest.refund({ externalOrderId });
  const reward = await service.rewardOf(live.body.reward.id);
  t.deepEqual(
    reward.moves.filter(({ move }) => move === 'REFUND'),
    [],
  );
});

test('the currency defaults to USD and is converted to upper case', async (t) => {
  for (const order of [{ subtotalCents: 100 }, { subtotalCents: 100, currency: 'usd' }]) {
    const { body } = await partner.purchase(aPurchase({ order }));
    const reward = await service.rewardOf(body.reward.id);
    t.is(reward.currency, 'USD');
  }
});

test('a refund has its own id, or refund:<externalOrderId> by default', async (t) => {
  const { externalOrderId } = await purchased();
  const named = await partner.refund({ externalOrderId, externalRefundId: 'R-1' });
  t.is(named.body.refund.externalRefundId, 'R-1');
  const unnamed = await partner.refund({ externalOrderId });
  t.is(unnamed.body.refund.externalRefundId, `refund:${externalOrderId}`);
  const spelledOut = await partner.refund({
    externalOrderId,
    externalRefundId: `refund:${externalOrderId}`,
  });
  t.is(codeOf(spelledOut), 'DUPLICATE_EXTERNAL_REFUND');
  const ofAnother = await partner.refund({
    externalOrderId: (await purchased()).externalOrderId,
    externalRefundId: 'R-1',
  });
  t.is(codeOf(ofAnother), 'DUPLICATE_EXTERNAL_REFUND');
});

test('a refund must reference an original purchase', async (t) => {
  const reply = await partner.refund({ externalOrderId: 'never "reported"' });
  t.is(reply.status, 404);
  t.is(codeOf(reply), 'ORIGINAL_PURCHASE_NOT_FOUND');
  t.true(reply.body.error.message.includes('TEST'));
  t.is(await service.models.orderEvents.countDocuments({ externalOrderId: 'never "reported"' }), 0);
});

// Serial, because the profiler covers the whole database and its log is short.
test.serial('replays are read with majority read concern', async (t) => {
  const { connection } = service.models;
  await connection.db?.command({ profile: 2 });
  const { partnerId, integrationId, credentialId, mode } = partner;
  const externalOrderId = randomUUID();
  await findEarlierEvents(service, {
    partnerId,
    integrationId,
    credentialId,
    mode,
    externalOrderId,
    type: 'PURCHASE',
    idempotencyKeyHash: randomUUID(),
    payloadHash: randomUUID(),
  });
  await connection.db?.command({ profile: 0 });
  const reads = await connection.db
    ?.collection('system.profile')
    .find({
      'command.find': 'order_events',
      'command.filter.$or.externalOrderId': externalOrderId,
    })
    .toArray();
  t.is(reads?.length, 1);
  t.is(reads?.[0]?.command.readConcern?.level, 'majority');
});

test.serial('a replay and different data under its key cost one read each', async (t) => {
  const { db } = service.models.connection;
  const [body, other] = [aPurchase(), aPurchase()];
  const idempotencyKey = `key-${body.externalOrderId}`;
  const first = await partner.purchase(body, { idempotencyKey });
  await db?.command({ profile: 2 });
  const again = await partner.purchase(body, { idempotencyKey });
  const conflict = await partner.purchase(other, { idempotencyKey });
  await db?.command({ profile: 0 });
  t.is(again.text, first.text);
  t.is(codeOf(conflict), 'IDEMPOTENCY_CONFLICT');
  const orderIds = { $in: [body, other].map(({ externalOrderId }) => externalOrderId) };
  const reads = await db?.collection('system.profile').countDocuments({
    'command.find': 'order_events',
    'command.filter.$or.externalOrderId': orderIds,
  });
  t.is(reads, 2);
});
