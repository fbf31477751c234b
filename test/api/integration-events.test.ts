import test, { type ExecutionContext } from 'ava';
import { revokeCredential } from '../../models/commands/revoke-credential.ts';
import { aPurchase, type PartnerBackend, type Reply } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';

let service: Service;
let partner: PartnerBackend;

test.before(async () => {
  service = await startService();
  partner = await service.partner();
});
test.after.always(() => service.stop());

const eventsOf = ({ headers }: Reply) =>
  service.models.integrationEvents.find({ requestId: headers.get('x-request-id') ?? '' }).lean();

/** The one integration event of a request, and nothing beside it. */
async function hasOne(t: ExecutionContext, reply: Reply, sender: PartnerBackend, code: string) {
  await service.integrationEventBuffer.flush();
  const found = await eventsOf(reply);
  t.is(found.length, 1, `${code}: ${reply.text}`);
  const [event] = found;
  t.like(event, {
    code,
    status: reply.status,
    partnerId: sender.partnerId,
    integrationId: sender.integrationId,
    credentialId: sender.credentialId,
    mode: sender.mode,
    method: 'POST',
  });
  return event;
}

test('the integration event of an accepted purchase or refund is there as soon as the answer', async (t) => {
  const body = aPurchase();
  const { externalOrderId } = body;
  for (const [reply, path] of [
    [await partner.purchase(body), '/api/v1/partner/purchases'],
    [await partner.refund({ externalOrderId }), '/api/v1/partner/refunds'],
  ] as const) {
    const [event] = await eventsOf(reply);
    t.like(event, {
      code: 'ACCEPTED',
      status: 201,
      path,
      externalOrderId,
      eventId: reply.body.eventId,
    });
    await hasOne(t, reply, partner, 'ACCEPTED');
  }
});

test('a replay leaves an integration event of its own that names the recorded event', async (t) => {
  const body = aPurchase();
  const first = await partner.purchase(body, { idempotencyKey: 'replayed' });
  const replay = await partner.purchase(body, { idempotencyKey: 'replayed' });
  const event = await hasOne(t, replay, partner, 'REPLAYED');
  t.is(event?.eventId, first.body.eventId);
  t.is(event?.externalOrderId, body.externalOrderId);
});

test('a read leaves an integration event that says OK and names no event', async (t) => {
  for (const name of ['plans', 'usage', 'billing']) {
    const path = `/api/v1/partner/${name}`;
    const reply = await partner.send(undefined, {
      method: 'GET',
      path,
      idempotencyKey: undefined,
    });
    t.is(reply.status, 200);
    await service.integrationEventBuffer.flush();
    const events = await eventsOf(reply);
    t.is(events.length, 1);
    t.like(events[0], { code: 'OK', status: 200, method: 'GET', path, eventId: null });
  }
});

test('20 identical requests at once leave 20 integration events: one accepted, 19 replayed', async (t) => {
  const sender = await service.partner();
  const body = aPurchase();
  await Promise.all(
    Array.from({ length: 20 }, () => sender.purchase(body, { idempotencyKey: 'twenty' })),
  );
  await service.integrationEventBuffer.flush();
  await service.allBegun();
  const { partnerId } = sender;
  const events = await service.models.integrationEvents.find({ partnerId }).lean();
  t.deepEqual(events.map(({ code }) => code).sort(), ['ACCEPTED', ...Array(19).fill('REPLAYED')]);
});

test('every refusal of a known key leaves exactly one integration event with its code', async (t) => {
  const { models, sealer } = service;
  const readOnly = await partner.withAnotherCredential(models, sealer, {
    scopes: ['events:read'],
  });
  const limited = await service.partner({ partner: { apiRateLimitPerMinute: 0 } });
  const suspended = await service.partner({ partner: { status: 'SUSPENDED' } });
  const ruleless = await service.partner({ rule: null });
  const revoked = await service.partner();
  await revokeCredential({ models, now: Date.now }, revoked.credentialId);
  const known = aPurchase();
  await partner.purchase(known, { idempotencyKey: 'known' });
  const { externalOrderId } = known;
  await partner.refund({ externalOrderId });

  const refusals: [PartnerBackend, string, (sender: PartnerBackend) => Promise<Reply>][] = [
    [partner, 'PAYLOAD_TOO_LARGE', (of) => of.purchase(' '.repeat(70_000))],
    [
      partner,
      'UNSUPPORTED_MEDIA_TYPE',
      (of) => of.purchase(known, { headers: { 'Content-Type': 'text/plain' } }),
    ],
    [
      partner,
      'AUTHENTICATION_MISSING',
      (of) => of.purchase(known, { headers: { 'X-Partner-Signature': null } }),
    ],
    [partner, 'INVALID_SIGNATURE', (of) => of.changed({ secret: 'sk_wrong' }).purchase()],
    [partner, 'TIMESTAMP_OUT_OF_RANGE', (of) => of.purchase(known, { nowSeconds: 1 })],
    [revoked, 'INVALID_API_KEY', (of) => of.purchase()],
    [readOnly, 'INSUFFICIENT_SCOPE', (of) => of.purchase()],
    [suspended, 'PARTNER_NOT_ACTIVE', (of) => of.purchase()],
    [limited, 'RATE_LIMITED', (of) => of.purchase()],
    [partner, 'UNEXPECTED_QUERY', (of) => of.purchase(known, { query: '?a=b' })],
    [
      partner,
      'IDEMPOTENCY_KEY_REQUIRED',
      (of) => of.purchase(known, { idempotencyKey: undefined }),
    ],
    [partner, 'IDEMPOTENCY_KEY_INVALID', (of) => of.purchase(known, { idempotencyKey: 'a b' })],
    [partner, 'INVALID_JSON', (of) => of.purchase('{')],
    [partner, 'VALIDATION_FAILED', (of) => of.purchase({})],
    [
      partner,
      'FORBIDDEN_METADATA_FIELD',
      (of) => of.purchase(aPurchase({ metadata: { cost: 1 } })),
    ],
    [
      partner,
      'IDEMPOTENCY_CONFLICT',
      (of) => of.purchase(aPurchase(), { idempotencyKey: 'known' }),
    ],
    [partner, 'DUPLICATE_EXTERNAL_ORDER', (of) => of.purchase(known)],
    [partner, 'DUPLICATE_EXTERNAL_REFUND', (of) => of.refund({ externalOrderId })],
    [partner, 'ORIGINAL_PURCHASE_NOT_FOUND', (of) => of.refund({ externalOrderId: 'nothing' })],
    [ruleless, 'NO_ACTIVE_EARNING_RULE', (of) => of.purchase()],
    [
      partner,
      'CURRENCY_MISMATCH',
      (of) => of.purchase(aPurchase({ order: { subtotalCents: 1, currency: 'EUR' } })),
    ],
  ];
  for (const [sender, code, send] of refusals) {
    const reply = await send(sender);
    t.is(reply.body?.error?.code, code, reply.text);
    await hasOne(t, reply, sender, code);
  }
});

test('the integration event of a refusal names the order once the fields are known', async (t) => {
  const body = aPurchase({ order: { subtotalCents: 1, currency: 'EUR' } });
  const event = await hasOne(t, await partner.purchase(body), partner, 'CURRENCY_MISMATCH');
  t.is(event?.externalOrderId, body.externalOrderId);
  t.is(event?.eventId, null);
});

test('a request under an unknown key leaves none: it belongs to no partner', async (t) => {
  const reply = await partner.changed({ key: 'pk_test_unknown' }).purchase();
  t.is(reply.status, 401);
  await service.integrationEventBuffer.flush();
  t.deepEqual(await eventsOf(reply), []);
});
