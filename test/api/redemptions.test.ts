import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { scopes } from '../../domain/partners.ts';
import { holdMs } from '../../domain/redemption.ts';
import { expireHold } from '../../domain/redemption-facts.ts';
import type { Models } from '../../models/schemas/index.ts';
import { eventually } from '../helpers/eventually.ts';
import {
  aPurchase,
  type PartnerBackend,
  type Reply,
  type SendOptions,
} from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { townOf } from '../helpers/town.ts';

let service: Service;

test.before(async () => {
  service = await startService();
});
test.after.always(() => service.stop());

const base = '/api/v1/partner';
const customer = { email: 'customer@example.com' };

const post = (
  partner: PartnerBackend,
  path: string,
  body: unknown,
  options: SendOptions = {},
): Promise<Reply> => partner.send(body, { path: `${base}${path}`, ...options });

const redeem = (partner: PartnerBackend, changes: object = {}, options: SendOptions = {}) =>
  post(
    partner,
    '/redemptions',
    { externalRedemptionId: randomUUID(), customer, points: 400, ...changes },
    options,
  );

const act = (partner: PartnerBackend, id: string, action: string, options: SendOptions = {}) =>
  post(partner, `/redemptions/${id}/${action}`, {}, options);

const balanceOf = async (partner: PartnerBackend) =>
  (await post(partner, '/balances', { customer }, { idempotencyKey: undefined })).body;

const holdings = async ({ customerBalances }: Models, partnerId: string) => ({
  LIVE: await customerBalances.findOne({ partnerId, mode: 'LIVE' }),
  TEST: await customerBalances.findOne({ partnerId, mode: 'TEST' }),
});

function refused(t: ExecutionContext, reply: Reply, status: number, code: string): string {
  t.is(reply.status, status, reply.text);
  t.is(reply.body.error.code, code);
  return reply.body.error.message;
}

for (const mode of ['LIVE', 'TEST'] as const) {
  test(`${mode}: points pay at the checkout, and the money behind them moves with them`, async (t) => {
    const partner = await townOf(service).withPoints({ mode });
    t.like(await balanceOf(partner), {
      success: true,
      mode,
      currency: 'USD',
      points: 1_000,
      amountCents: 1_000,
      heldPoints: 0,
      pendingPoints: 0,
      endingPoints: 0,
      endsAt: null,
    });
    const sent = { externalRedemptionId: 'till 1', externalOrderId: 'A2' };
    const reply = await redeem(partner, sent);
    t.is(reply.status, 201, reply.text);
    const { eventId, redemption, ...rest } = reply.body;
    t.regex(eventId, /^evt_/);
    t.regex(redemption.id, /^red_/);
    t.like(redemption, {
      externalRedemptionId: 'till 1',
      status: 'CAPTURED',
      points: 400,
      amountCents: 400,
      expiresAt: null,
    });
    t.deepEqual(rest, { success: true, mode, balance: { points: 600, amountCents: 600 } });
    const { partnerId } = partner;
    t.is(await service.models.ledger.countDocuments({ partnerId, mode, kind: 'REDEEM' }), 1);
    t.is(await service.models.ledger.countDocuments({ partnerId, kind: 'REDEEM' }), 1);
    const stored = await holdings(service.models, partnerId);
    t.is(stored[mode]?.points, 600);
    t.is(stored[mode === 'LIVE' ? 'TEST' : 'LIVE'], null);
    await service.flushed();
    const event = await service.models.requestLog.findOne({ eventId });
    t.like(event, { type: 'REDEMPTION', code: 'ACCEPTED', externalOrderId: 'A2', status: 201 });
  });

  test(`${mode}: held points are captured, released, or reversed after the order is refunded`, async (t) => {
    const partner = await townOf(service).withPoints({ mode });
    const held = await redeem(partner, { hold: true });
    t.is(held.body.redemption.status, 'HELD');
    const leftMs = Date.parse(held.body.redemption.expiresAt) - Date.now();
    t.true(leftMs > holdMs - 60_000 && leftMs <= holdMs);
    t.like(await balanceOf(partner), { points: 600, amountCents: 600, heldPoints: 400 });
    const { id } = held.body.redemption;
    const captured = await act(partner, id, 'capture');
    t.is(captured.status, 200, captured.text);
    t.is(captured.body.redemption.status, 'CAPTURED');
    t.like(await balanceOf(partner), { points: 600, heldPoints: 0 });
    const again = await act(partner, id, 'capture');
    t.deepEqual(again.body.redemption, captured.body.redemption);
    refused(t, await act(partner, id, 'release'), 409, 'REDEMPTION_ENDED');
    const reversed = await act(partner, id, 'reverse');
    t.is(reversed.body.redemption.status, 'REVERSED');
    t.deepEqual(reversed.body.balance, { points: 1_000, amountCents: 1_000 });
    t.is((await act(partner, id, 'reverse')).body.redemption.status, 'REVERSED');
    refused(t, await act(partner, id, 'capture'), 409, 'REDEMPTION_ENDED');

    const second = (await redeem(partner, { hold: true })).body.redemption.id;
    t.is((await act(partner, second, 'release')).body.redemption.status, 'RELEASED');
    t.is((await act(partner, second, 'release')).status, 200);
    t.like(await balanceOf(partner), { points: 1_000, amountCents: 1_000, heldPoints: 0 });
    refused(t, await act(partner, second, 'capture'), 409, 'REDEMPTION_ENDED');
    t.regex(
      refused(
        t,
        await act(partner, (await redeem(partner, { hold: true })).body.redemption.id, 'reverse'),
        409,
        'REDEMPTION_ENDED',
      ),
      /release it instead/,
    );
  });
}

test('parts of a redemption come back, never more than it was, and the rest after them', async (t) => {
  const partner = await townOf(service).withPoints();
  const { id } = (await redeem(partner, { hold: true })).body.redemption;
  const reverse = (body: object, options: SendOptions = {}) =>
    post(partner, `/redemptions/${id}/reverse`, body, options);
  refused(t, await reverse({ points: 1 }), 409, 'REDEMPTION_ENDED');
  await act(partner, id, 'capture');
  const key = { idempotencyKey: 'credit-note-1' };
  const part = await reverse({ amountCents: 150 }, key);
  t.is(part.status, 200, part.text);
  t.like(part.body.redemption, {
    status: 'CAPTURED',
    points: 400,
    amountCents: 400,
    reversedPoints: 150,
    reversedCents: 150,
  });
  t.deepEqual(part.body.balance, { points: 750, amountCents: 750 });
  t.is((await reverse({ amountCents: 150 }, key)).text, part.text, 'a repeat gives nothing back');
  refused(t, await reverse({ amountCents: 151 }, key), 409, 'IDEMPOTENCY_CONFLICT');
  const over = refused(t, await reverse({ points: 251 }), 422, 'INSUFFICIENT_POINTS');
  t.regex(over, /250 points .* \$2\.50.*at most 250/);
  t.is((await reverse({ points: 50 })).body.redemption.reversedPoints, 200);
  t.like(await balanceOf(partner), { points: 800, amountCents: 800 });
  const rest = await reverse({});
  t.like(rest.body.redemption, { status: 'REVERSED', reversedPoints: 400, reversedCents: 400 });
  t.like(await balanceOf(partner), { points: 1_000, amountCents: 1_000 });
  refused(t, await reverse({ points: 1 }), 409, 'REDEMPTION_ENDED');
  refused(t, await reverse({ amountCents: 150 }, key), 409, 'REDEMPTION_ENDED');
  const { partnerId } = partner;
  const entries = await service.models.ledger.find({ partnerId, kind: 'REVERSE' }).sort({ seq: 1 });
  t.deepEqual(
    entries.map(({ reference }) => reference),
    [`reverse:${id}`, `reverse:${id}:2`, `reverse:${id}:3`],
  );
  for (const body of [
    { points: 0 },
    { points: 1, amountCents: 1 },
    { points: 1.5 },
    { all: true },
  ]) {
    refused(t, await reverse(body), 400, 'VALIDATION_FAILED');
  }
});

test('a part that comes back no longer counts in the customer’s day', async (t) => {
  const redemptions = { isAllowed: true, pointsPerUnit: null, maxPointsPerCustomerDay: 500 };
  const partner = await townOf(service).withPoints({ partner: { redemptions } });
  const { id } = (await redeem(partner)).body.redemption;
  t.like(await balanceOf(partner), { points: 100 });
  await post(partner, `/redemptions/${id}/reverse`, { points: 300 });
  t.like(await balanceOf(partner), { points: 400 });
});

test('a hold whose time is over is not captured, and comes back', async (t) => {
  const partner = await townOf(service).withPoints();
  const { id } = (await redeem(partner, { hold: true })).body.redemption;
  const { partnerId } = partner;
  const expiresAt = new Date(Date.now() - 1);
  await service.models.redemptions.collection.updateOne({ _id: id }, { $set: { expiresAt } });
  refused(t, await act(partner, id, 'capture'), 409, 'REDEMPTION_ENDED');
  await service.commit({
    partnerId,
    wallet: { mode: 'LIVE', partnerId },
    redemptionIds: [id],
    readsHoldings: true,
    decide: (draft, terms) => {
      const found = draft.redemptions.get(id);
      return found && expireHold(draft, found, terms);
    },
  });
  t.is((await service.models.redemptions.findById(id))?.status, 'EXPIRED');
  t.like(await balanceOf(partner), { points: 1_000, heldPoints: 0 });
  t.regex(refused(t, await act(partner, id, 'capture'), 409, 'REDEMPTION_ENDED'), /15 minutes/);
});

test('a retry replays the response; another body, or another redemption, is a conflict', async (t) => {
  const partner = await townOf(service).withPoints();
  const body = { externalRedemptionId: 'till', points: 100, hold: true };
  const first = await redeem(partner, body, { idempotencyKey: 'one' });
  const replay = await redeem(partner, body, { idempotencyKey: 'one' });
  t.is(replay.text, first.text);
  t.is(replay.headers.get('idempotent-replayed'), 'true');
  const other = await redeem(partner, { ...body, points: 101 }, { idempotencyKey: 'one' });
  refused(t, other, 409, 'IDEMPOTENCY_CONFLICT');
  const duplicate = await redeem(partner, body);
  const message = refused(t, duplicate, 409, 'DUPLICATE_EXTERNAL_REDEMPTION');
  t.true(message.includes(first.body.eventId));

  const second = (await redeem(partner, { points: 100, hold: true })).body.redemption.id;
  const { id } = first.body.redemption;
  const captured = await act(partner, id, 'capture', { idempotencyKey: 'end' });
  const replayed = await act(partner, id, 'capture', { idempotencyKey: 'end' });
  t.is(replayed.text, captured.text);
  const elsewhere = await act(partner, second, 'capture', { idempotencyKey: 'end' });
  refused(t, elsewhere, 409, 'IDEMPOTENCY_CONFLICT');
  t.like(await balanceOf(partner), { points: 800, heldPoints: 100 });
});

/** What is sent, what is done then, and how the repeat says that it ended. */
const ends = [
  { made: 'captured', next: 'reverse', says: /was reversed/ },
  { made: 'held', next: 'release', says: /was released/ },
  { made: 'held', next: 'capture', says: /was captured/ },
  { made: 'redeemed', next: 'reverse', says: /was reversed/ },
] as const;

for (const { made, next, says } of ends) {
  test(`a repeat of what was ${made} is no longer answered after a ${next}: it has ended`, async (t) => {
    const partner = await townOf(service).withPoints();
    const key = { idempotencyKey: 'first' };
    const body = { externalRedemptionId: 'till', points: 100, hold: made !== 'redeemed' };
    const { id } = (await redeem(partner, body, key)).body.redemption;
    const repeat = () =>
      made === 'captured' ? act(partner, id, 'capture', key) : redeem(partner, body, key);
    const first = await repeat();
    t.is((await repeat()).text, first.text);
    const end = { idempotencyKey: 'end' };
    const ended = await act(partner, id, next, end);
    t.is(ended.status, 200, ended.text);
    t.regex(refused(t, await repeat(), 409, 'REDEMPTION_ENDED'), says);
    t.is((await act(partner, id, next, end)).text, ended.text, 'what it ended with is repeated');
    t.is((await redeem(partner, { ...body, externalRedemptionId: 'till:2' })).status, 201);
  });
}

test('a repeated hold is not held once its time is over, also before it is ended', async (t) => {
  const partner = await townOf(service).withPoints();
  const key = { idempotencyKey: 'hold' };
  const body = { externalRedemptionId: 'till', points: 100, hold: true };
  const { id } = (await redeem(partner, body, key)).body.redemption;
  const expiresAt = new Date(Date.now() - 1);
  await service.models.redemptions.collection.updateOne({ _id: id }, { $set: { expiresAt } });
  refused(t, await redeem(partner, body, key), 409, 'REDEMPTION_ENDED');
});

test('a redemption is read as it is now, and by its own partner alone', async (t) => {
  const partner = await townOf(service).withPoints({ mode: 'TEST' });
  const { id } = (await redeem(partner, { hold: true })).body.redemption;
  const path = `${base}/redemptions/${id}`;
  const read = (by: PartnerBackend) => by.send(undefined, { method: 'GET', path });
  await act(partner, id, 'capture');
  await act(partner, id, 'reverse');
  t.like(await read(partner), { status: 200, body: { redemption: { id, status: 'REVERSED' } } });
  refused(t, await read(await service.partner()), 404, 'NOT_FOUND');
});

test('ten simultaneous redemptions spend no more than there is, and ten equal ones spend once', async (t) => {
  const partner = await townOf(service).withPoints();
  const equal = { externalRedemptionId: 'same', points: 600 };
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => redeem(partner, equal, { idempotencyKey: 'same' })),
  );
  const texts = [...new Set(replies.map(({ text }) => text))];
  t.deepEqual(texts, texts.slice(0, 1));
  const others = await Promise.all(
    Array.from({ length: 10 }, () => redeem(partner, { points: 150 })),
  );
  const codes = others.map(({ status }) => status).toSorted();
  t.deepEqual(codes, [201, 201, ...Array<number>(8).fill(422)]);
  t.like(await balanceOf(partner), { points: 100 });
});

test('an amount is paid with the fewest points that are worth it, at the partner’s own rate if it has one', async (t) => {
  const partner = await townOf(service).withPoints();
  const paid = await redeem(partner, { points: undefined, amountCents: 250 });
  t.like(paid.body.redemption, { points: 250, amountCents: 250 });
  const { partnerId: _id } = partner;
  const redemptions = { isAllowed: true, pointsPerUnit: 300, maxPointsPerCustomerDay: null };
  await service.models.partners.updateOne({ _id }, { $set: { redemptions } });
  const isKnown = async () => (await balanceOf(partner)).amountCents === 250;
  await eventually(isKnown, 'the rate is known');
  const dearer = await redeem(partner, { points: undefined, amountCents: 101 });
  t.like(dearer.body.redemption, { points: 303, amountCents: 101 });
  const stored = await service.models.redemptions.findById(dearer.body.redemption.id);
  t.is(stored?.owedCents, 303);
});

test('too few points: the refusal names what there is, and nothing changes', async (t) => {
  const partner = await townOf(service).withPoints();
  const message = refused(t, await redeem(partner, { points: 1_001 }), 422, 'INSUFFICIENT_POINTS');
  t.regex(message, /1000 points, worth \$10\.00/);
  const amount = await redeem(partner, { points: undefined, amountCents: 1_001 });
  refused(t, amount, 422, 'INSUFFICIENT_POINTS');
  const stranger = await redeem(partner, { customer: { phone: '+49 30 901820' }, points: 1 });
  refused(t, stranger, 422, 'INSUFFICIENT_POINTS');
  t.like(await balanceOf(partner), { points: 1_000, heldPoints: 0 });
});

test('the partner’s daily limit of a customer counts what was redeemed and did not come back', async (t) => {
  const redemptions = { isAllowed: true, pointsPerUnit: null, maxPointsPerCustomerDay: 500 };
  const partner = await townOf(service).withPoints({ partner: { redemptions } });
  t.like(await balanceOf(partner), { points: 500, amountCents: 500 });
  const { id } = (await redeem(partner, { hold: true })).body.redemption;
  t.like(await balanceOf(partner), { points: 100 });
  const message = refused(t, await redeem(partner, { points: 101 }), 422, 'INSUFFICIENT_POINTS');
  t.regex(message, /100 points.* today/);
  await act(partner, id, 'release');
  t.like(await balanceOf(partner), { points: 500 });
});

test('a partner that does not allow redemptions, or is suspended, gets no new ones', async (t) => {
  const redemptions = { isAllowed: false, pointsPerUnit: null, maxPointsPerCustomerDay: null };
  const closed = await townOf(service).withPoints({ partner: { redemptions } });
  refused(t, await redeem(closed), 403, 'PARTNER_NOT_ACTIVE');
  const partner = await townOf(service).withPoints();
  const { id } = (await redeem(partner, { hold: true })).body.redemption;
  await service.models.partners.updateOne(
    { _id: partner.partnerId },
    { $set: { status: 'SUSPENDED' } },
  );
  const isKnown = async () => (await redeem(partner)).status === 403;
  await eventually(isKnown, 'the suspension is known');
  t.is((await act(partner, id, 'capture')).status, 200);
  t.is((await act(partner, id, 'reverse')).status, 200);
});

test('each endpoint needs its scope', async (t) => {
  const partner = await service.partner({ scopes: ['events:write'] });
  const answers = await Promise.all([
    post(partner, '/quotes', {}),
    post(partner, '/balances', {}),
    redeem(partner),
    act(partner, 'red_1', 'capture'),
  ]);
  for (const reply of answers) refused(t, reply, 403, 'INSUFFICIENT_SCOPE');
});

test('a redemption of another integration, partner or mode is unknown', async (t) => {
  const partner = await townOf(service).withPoints();
  const { id } = (await redeem(partner, { hold: true })).body.redemption;
  const other = await service.partner({ scopes: [...scopes] });
  refused(t, await act(other, id, 'capture'), 404, 'NOT_FOUND');
  const { models, sealer } = service;
  const test = await partner.withAnotherCredential(models, sealer, { mode: 'TEST' });
  refused(t, await act(test, id, 'capture'), 404, 'NOT_FOUND');
  refused(t, await act(partner, 'red_x', 'capture'), 404, 'NOT_FOUND');
});

test('fields are checked, and named', async (t) => {
  const partner = await service.partner({ scopes: [...scopes] });
  for (const [changes, field] of [
    [{ points: 0 }, 'points'],
    [{ points: 1.5 }, 'points'],
    [{ points: undefined }, 'points or amountCents'],
    [{ amountCents: 5 }, 'points and amountCents'],
    [{ externalRedemptionId: '' }, 'externalRedemptionId'],
    [{ customer: {} }, 'customer.email or customer.phone'],
    [{ hold: 'yes' }, 'hold'],
    [{ discount: 1 }, 'discount'],
  ] as const) {
    const message = refused(t, await redeem(partner, changes), 400, 'VALIDATION_FAILED');
    t.true(message.includes(field), message);
  }
  const acted = await post(partner, '/redemptions/red_1/capture', { points: 1 });
  refused(t, acted, 400, 'VALIDATION_FAILED');
});

test('a quote says what a purchase would give, and stores nothing', async (t) => {
  const rule = { capPerCustomerDayPoints: 600 };
  const partner = await service.partner({ rule });
  const order = { subtotalCents: 4_990 };
  const keyless = { idempotencyKey: undefined };
  const quoted = await post(partner, '/quotes', { order }, keyless);
  t.is(quoted.status, 200, quoted.text);
  t.like(quoted.body, { success: true, mode: 'TEST', points: 499, claimWindow: 'P30D' });
  t.regex(quoted.body.explanation, /10 points for every \$1\.00/);
  t.regex(quoted.body.ruleId, /^rul_/);
  const bought = await partner.purchase(aPurchase({ customer, order }));
  t.is(bought.body.reward.points, 499);
  t.is((await post(partner, '/quotes', { order, customer }, keyless)).body.points, 101);
  t.is(await service.models.orderEvents.countDocuments({ partnerId: partner.partnerId }), 1);
  const yen = await post(partner, '/quotes', { order: { subtotalCents: 1, currency: 'JPY' } });
  refused(t, yen, 422, 'CURRENCY_MISMATCH');
});

test('a stranger’s balance is zeros, and unclaimed points are pending', async (t) => {
  const partner = await service.partner({ scopes: [...scopes] });
  t.like(await balanceOf(partner), { points: 0, amountCents: 0, heldPoints: 0, pendingPoints: 0 });
  await partner.purchase(aPurchase({ customer }));
  const isPending = async () => (await balanceOf(partner)).pendingPoints === 499;
  t.truthy(await eventually(isPending, 'the reward is pending'));
});

test('the customer is told of a captured redemption, once', async (t) => {
  const partner = await townOf(service).withPoints();
  const { id } = (await redeem(partner, { hold: true })).body.redemption;
  const told = () => service.mails.filter((mail) => mail.id === `redeemed-${id}`);
  t.is(told().length, 0);
  await act(partner, id, 'capture');
  await act(partner, id, 'capture');
  await eventually(async () => told().length > 0, 'the customer is told');
  await service.carriedOut(partner);
  t.is(told().length, 1);
  t.is(told()[0]?.subject, 'You used 400 points at Corner Shop');
});
