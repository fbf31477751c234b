import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { scopes } from '../../domain/partners.ts';
import { eventually } from '../helpers/eventually.ts';
import { aPurchase, type PartnerBackend, type Reply } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { townOf } from '../helpers/town.ts';

let service: Service;

test.before(async () => {
  service = await startService();
});
test.after.always(() => service.stop());

const base = '/api/v1/partner';
const customer = { email: 'customer@example.com' };

const read = (partner: PartnerBackend, what: string, parameters: Record<string, unknown> = {}) => {
  const query = new URLSearchParams(parameters as Record<string, string>).toString();
  return partner.send(undefined, {
    method: 'GET',
    path: `${base}/${what}`,
    query: query === '' ? '' : `?${query}`,
  });
};

const search = (partner: PartnerBackend, what: string, body: object) =>
  partner.send(body, { path: `${base}/${what}/search`, idempotencyKey: undefined });

const idsOf = ({ body }: Reply): string[] =>
  body.orders.map(({ externalOrderId }: { externalOrderId: string }) => externalOrderId);

async function buy(partner: PartnerBackend, externalOrderId: string, changes: object = {}) {
  const reply = await partner.purchase(aPurchase({ externalOrderId, ...changes }));
  const rewardId: string = reply.body.reward.id;
  await eventually(() => service.models.rewards.exists({ _id: rewardId }), 'the purchase begins');
  return rewardId;
}

const aShop = () => service.partner({ scopes: [...scopes] });

/** As if it had last changed then. */
const changed = (rewardId: string, updatedAt: string, createdAt = updatedAt) =>
  service.models.rewards.collection.updateOne(
    { _id: rewardId },
    { $set: { updatedAt: new Date(updatedAt), createdAt: new Date(createdAt) } },
  );

function refused(t: ExecutionContext, reply: Reply, status: number, code: string): string {
  t.is(reply.status, status, reply.text);
  t.is(reply.body.error.code, code);
  return reply.body.error.message;
}

test('an order has its amounts, its refunds and the redemptions that name it', async (t) => {
  const partner = await townOf(service).withPoints({ mode: 'TEST' });
  await buy(partner, 'A1', { order: { subtotalCents: 5_000 } });
  const part = { externalOrderId: 'A1', externalRefundId: 'R1', amountCents: 1_200 };
  t.is((await partner.refund(part)).status, 201);
  const pay = { externalRedemptionId: 'P1', customer, points: 100, externalOrderId: 'A1' };
  const paid = await partner.send(pay, { path: `${base}/redemptions` });
  const other = { ...pay, externalRedemptionId: 'P2', externalOrderId: 'A2' };
  await partner.send(other, { path: `${base}/redemptions` });
  const { body, status } = await read(partner, 'orders/A1');
  t.is(status, 200);
  t.like(body, {
    success: true,
    mode: 'TEST',
    externalOrderId: 'A1',
    currency: 'USD',
    subtotalCents: 5_000,
    refundedCents: 1_200,
    remainingCents: 3_800,
    reward: { points: 380 },
  });
  t.like(body.refunds[0], { externalRefundId: 'R1', amountCents: 1_200, status: 'REDUCED' });
  t.deepEqual(body.redemptions, [paid.body.redemption]);
  t.is(body.redemptions[0].externalOrderId, 'A1');
  const listed = (await read(partner, 'orders')).body;
  const { success, mode, ...order } = body;
  t.deepEqual([success, mode, listed.nextCursor], [true, 'TEST', null]);
  t.deepEqual(
    listed.orders.find((one: typeof order) => one.externalOrderId === 'A1'),
    order,
  );
});

test('orders come in pages, the newest change first, none twice and none left out', async (t) => {
  const partner = await aShop();
  const at = (minute: number) => `2026-01-31T09:${String(minute).padStart(2, '0')}:00.000Z`;
  // Two at one moment, on the edge of a page.
  const minutes = [1, 5, 3, 3, 2];
  for (const [index, minute] of minutes.entries()) {
    await changed(await buy(partner, `A${index}`), at(minute));
  }
  const seen: string[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < 3; page += 1) {
    const reply: Reply = await read(partner, 'orders', { limit: 2, ...(cursor && { cursor }) });
    seen.push(...idsOf(reply));
    cursor = reply.body.nextCursor;
  }
  t.is(cursor, null);
  t.deepEqual(seen, ['A1', 'A3', 'A2', 'A4', 'A0']);
});

test('orders are narrowed by change, reception and status', async (t) => {
  const partner = await aShop();
  const [first, second] = [await buy(partner, 'first'), await buy(partner, 'second')];
  await buy(partner, 'third');
  await partner.refund({ externalOrderId: 'third' });
  await changed(first, '2026-01-31T09:00:00.000Z', '2026-01-30T09:00:00.000Z');
  await changed(second, '2026-02-03T09:00:00.000Z', '2026-02-02T09:00:00.000Z');
  const ids = async (parameters: object) => idsOf(await read(partner, 'orders', { ...parameters }));
  t.deepEqual(await ids({}), ['third', 'second', 'first']);
  t.deepEqual(await ids({ changedSince: '2026-02-03T09:00:00Z' }), ['third', 'second']);
  t.deepEqual(await ids({ changedSince: '2026-02-03T10:00:00+01:00' }), ['third', 'second']);
  t.deepEqual(await ids({ changedSince: '2026-02-03T09:00:00.001Z' }), ['third']);
  t.deepEqual(await ids({ status: 'CANCELLED' }), ['third']);
  t.deepEqual(await ids({ status: 'PENDING' }), ['second', 'first']);
  t.deepEqual(await ids({ status: 'EXPIRED' }), []);
});

test('an order was received when its purchase was', async (t) => {
  const partner = await aShop();
  const before = new Date();
  await buy(partner, 'A1');
  const after = new Date(Date.now() + 1);
  const ids = async (receivedFrom: Date, receivedTo: Date) => {
    const range = {
      receivedFrom: receivedFrom.toISOString(),
      receivedTo: receivedTo.toISOString(),
    };
    return idsOf(await read(partner, 'orders', range));
  };
  const { createdAt } = (await read(partner, 'orders')).body.orders[0].reward;
  const at = new Date(createdAt);
  t.true(at >= before && at < after);
  t.deepEqual(await ids(before, after), ['A1']);
  t.deepEqual(await ids(at, after), ['A1']);
  t.deepEqual(await ids(before, at), [], 'the end is not part of it');
  t.deepEqual(await ids(new Date(0), before), []);
});

test('a customer is looked for in a body, and finds their orders and redemptions, the newest first', async (t) => {
  const partner = await townOf(service).withPoints({ mode: 'TEST' });
  const [{ externalOrderId: claimed }] = (await read(partner, 'orders')).body.orders;
  await buy(partner, 'A1');
  await buy(partner, 'B1', { customer: { email: 'other@example.com' } });
  const pay = { externalRedemptionId: 'P1', customer, points: 100 };
  await partner.send(pay, { path: `${base}/redemptions` });
  const asked = { customer: { email: 'Customer@EXAMPLE.com' } };
  t.deepEqual(idsOf(await search(partner, 'orders', asked)), ['A1', claimed]);
  const page = await search(partner, 'orders', { ...asked, limit: 1 });
  const { nextCursor: cursor } = page.body;
  const rest = await search(partner, 'orders', { ...asked, limit: 1, cursor });
  t.deepEqual([...idsOf(page), ...idsOf(rest)], ['A1', claimed]);
  t.is(rest.body.nextCursor, null);
  const { redemptions } = (await search(partner, 'redemptions', asked)).body;
  t.is(redemptions[0].externalRedemptionId, 'P1');
  const strange = { customer: { email: 'stranger@example.com' }, cursor: null, status: null };
  t.deepEqual((await search(partner, 'orders', strange)).body.orders, []);
  t.deepEqual((await search(partner, 'redemptions', strange)).body.redemptions, []);
});

test('redemptions are listed by their newest change, by status, and page by page', async (t) => {
  const partner = await townOf(service).withPoints({ mode: 'TEST' });
  const redeem = async (externalRedemptionId: string): Promise<string> => {
    const body = { externalRedemptionId, customer, points: 100, hold: true };
    return (await partner.send(body, { path: `${base}/redemptions` })).body.redemption.id;
  };
  const [first, second] = [await redeem('one'), await redeem('two')];
  const names = ({ body }: Reply) =>
    body.redemptions.map((one: { externalRedemptionId: string }) => one.externalRedemptionId);
  t.deepEqual(names(await read(partner, 'redemptions')), ['two', 'one']);
  await partner.send({}, { path: `${base}/redemptions/${first}/capture` });
  const newest = await read(partner, 'redemptions', { limit: 1 });
  t.deepEqual(names(newest), ['one']);
  const { nextCursor: cursor } = newest.body;
  t.deepEqual(names(await read(partner, 'redemptions', { limit: 1, cursor })), ['two']);
  t.deepEqual(names(await read(partner, 'redemptions', { status: 'HELD' })), ['two']);
  const { body } = await read(partner, 'redemptions', { status: 'HELD' });
  const single = await read(partner, `redemptions/${second}`);
  t.deepEqual(body.redemptions, [single.body.redemption]);
});

test('a list is of the integration and mode of the key alone', async (t) => {
  const partner = await aShop();
  await buy(partner, 'A1');
  const { models, sealer } = service;
  const live = await partner.withAnotherCredential(models, sealer, { mode: 'LIVE' });
  await models.partners.updateOne({ _id: partner.partnerId }, { $set: { live: true } });
  const elsewhere = await partner.withAnotherCredential(models, sealer, { integrationId: 'int_x' });
  await models.integrations.create({
    _id: 'int_x',
    partnerId: partner.partnerId,
    name: randomUUID(),
    delivery: 'SERVICE',
    createdAt: new Date(),
  });
  for (const other of [live, elsewhere, await aShop()]) {
    t.deepEqual(idsOf(await read(other, 'orders')), []);
    t.deepEqual(idsOf(await search(other, 'orders', { customer })), []);
  }
});

test('each list needs its scopes', async (t) => {
  const reader = await service.partner({ scopes: ['events:read'] });
  t.is((await read(reader, 'orders')).status, 200);
  t.is((await read(reader, 'redemptions')).status, 200);
  const checkout = await service.partner({ scopes: ['customers:read', 'events:write'] });
  for (const what of ['orders', 'redemptions']) {
    refused(t, await search(reader, what, { customer }), 403, 'INSUFFICIENT_SCOPE');
    refused(t, await read(checkout, what), 403, 'INSUFFICIENT_SCOPE');
    refused(t, await search(checkout, what, { customer }), 403, 'INSUFFICIENT_SCOPE');
  }
});

test('a parameter that a list does not have, or cannot read, is refused by name', async (t) => {
  const partner = await aShop();
  for (const [parameters, code, says] of [
    [{ customer: 'a@b.co' }, 'UNEXPECTED_QUERY', /changedSince/],
    [{ limit: 101 }, 'VALIDATION_FAILED', /limit/],
    [{ limit: '1.5' }, 'VALIDATION_FAILED', /limit/],
    [{ cursor: 'bmV4dA' }, 'VALIDATION_FAILED', /cursor/],
    [{ changedSince: '2026-01-31' }, 'VALIDATION_FAILED', /changedSince.*timezone/],
    [{ receivedTo: '2026-02-30T00:00:00Z' }, 'VALIDATION_FAILED', /receivedTo/],
    [{ status: 'GONE' }, 'VALIDATION_FAILED', /status.*AVAILABLE/],
  ] as const) {
    t.regex(refused(t, await read(partner, 'orders', parameters), 400, code), says);
  }
  const twice = await partner.send(undefined, {
    method: 'GET',
    path: `${base}/redemptions`,
    query: '?limit=1&limit=2',
  });
  refused(t, twice, 400, 'VALIDATION_FAILED');
  for (const [body, says] of [
    [{}, /customer/],
    [{ customer, limit: '2' }, /limit/],
    [{ customer, changedSince: 'x'.repeat(40) }, /changedSince/],
    [{ customer, page: 2 }, /page/],
    [{ customer: { email: 'nobody' } }, /email/],
  ] as const) {
    t.regex(refused(t, await search(partner, 'orders', body), 400, 'VALIDATION_FAILED'), says);
  }
});
