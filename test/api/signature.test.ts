import test from 'ava';
import { createPrincipals } from '../../api/principals.ts';
import { canonicalString, sign, signedHeaders } from '../../clients/typescript/signature.ts';
import { revokeCredential, revokeSecret, rotateCredential } from '../../operations/credentials.ts';
import { createLogger } from '../../platform/logger.ts';
import { startAnotherApi } from '../helpers/another-api.ts';
import { eventually } from '../helpers/eventually.ts';
import { operate } from '../helpers/operate.ts';
import { aPurchase, type PartnerBackend, toReply } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { type Town, townOf } from '../helpers/town.ts';

let service: Service;
let partner: PartnerBackend;

const path = '/api/v1/partner/purchases';
const codeOf = async (sent: ReturnType<PartnerBackend['send']>): Promise<string> => {
  const { status, body } = await sent;
  return status === 201 ? 'ACCEPTED' : body.error.code;
};
const operationDeps = () => ({ models: service.models, sealer: service.sealer, now: Date.now });

test('a request signed by hand as in docs/integrate/requests.md is accepted', async (t) => {
  const body = JSON.stringify(aPurchase());
  const timestamp = String(Math.floor(Date.now() / 1000));
  const canonical = canonicalString({ method: 'post', pathname: path, timestamp, body });
  t.deepEqual(canonical.split('\n').slice(0, 4), ['v1', 'POST', path, timestamp]);
  const reply = await fetch(service.baseUrl + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-partner-key': partner.key,
      'X-PARTNER-TIMESTAMP': timestamp,
      'X-Partner-Signature': sign({
        secret: partner.secret,
        method: 'POST',
        pathname: path,
        timestamp,
        body,
      }),
      'Idempotency-Key': 'by-hand',
    },
    body,
  });
  t.is(reply.status, 201, await reply.text());
});

test('the clock window is 300 s in both directions, and the 401 contains the server’s time', async (t) => {
  const nowMs = Date.now();
  const nowSeconds = Math.floor(nowMs / 1000);
  const api = await startAnotherApi(service, { now: () => nowMs });
  const at = (seconds: number) =>
    partner.changed(api).purchase(aPurchase(), { nowSeconds: seconds });
  for (const offset of [-300, -1, 0, 1, 300]) {
    t.is(await codeOf(at(nowSeconds + offset)), 'ACCEPTED', `${offset} s`);
  }
  for (const offset of [-301, 301, -86_400, 86_400]) {
    const reply = await at(nowSeconds + offset);
    t.is(reply.status, 401);
    t.is(reply.body.error.code, 'TIMESTAMP_OUT_OF_RANGE', `${offset} s`);
    t.true(reply.body.error.message.includes(String(nowSeconds)));
  }
  await api.stop();
});

test('only the server’s clock counts', async (t) => {
  const behind = await startAnotherApi(service, { now: () => Date.now() - 3_600_000 });
  t.is(await codeOf(partner.changed(behind).purchase()), 'TIMESTAMP_OUT_OF_RANGE');
  const nowSeconds = Date.now() / 1000 - 3_600;
  t.is(await codeOf(partner.changed(behind).purchase(aPurchase(), { nowSeconds })), 'ACCEPTED');
  await behind.stop();
});

test('a timestamp is whole seconds in decimal digits', async (t) => {
  const nowSeconds = Math.floor(Date.now() / 1000);
  for (const wrong of [
    `${nowSeconds}.5`,
    `+${nowSeconds}`,
    `0x${nowSeconds.toString(16)}`,
    String(nowSeconds * 1000),
    `${nowSeconds}e0`,
    'now',
  ]) {
    const sent = partner.purchase(aPurchase(), { headers: { 'X-Partner-Timestamp': wrong } });
    t.is(await codeOf(sent), 'TIMESTAMP_OUT_OF_RANGE', wrong);
  }
});

test('each of the three headers is required', async (t) => {
  for (const name of ['X-Partner-Key', 'X-Partner-Timestamp', 'X-Partner-Signature']) {
    for (const value of [null, '']) {
      const reply = await partner.purchase(aPurchase(), { headers: { [name]: value } });
      t.is(reply.status, 401);
      t.is(reply.body.error.code, 'AUTHENTICATION_MISSING');
      t.true(reply.body.error.message.includes(name));
    }
  }
});

test('a body changed after signing, even by a space, is refused', async (t) => {
  const body = JSON.stringify(aPurchase());
  for (const sentBody of [`${body} `, body.replace('4990', '4991'), '{}']) {
    t.is(await codeOf(partner.purchase(body, { sentBody })), 'INVALID_SIGNATURE');
  }
});

test('a signature for another path or another timestamp is refused', async (t) => {
  const body = JSON.stringify(aPurchase());
  const nowSeconds = Date.now() / 1000;
  const { key, secret } = partner;
  const elsewhere = signedHeaders({
    key,
    secret,
    method: 'POST',
    pathname: '/api/v1/partner/refunds',
    body,
    nowSeconds,
  });
  const earlier = String(Math.floor(nowSeconds) - 10);
  t.is(await codeOf(partner.purchase(body, { headers: elsewhere })), 'INVALID_SIGNATURE');
  t.is(
    await codeOf(partner.purchase(body, { headers: { 'X-Partner-Timestamp': earlier } })),
    'INVALID_SIGNATURE',
  );
});

test('a refused signature is told which of its forms is wrong, and where the doctor is', async (t) => {
  const right = '0123456789abcdef'.repeat(4);
  for (const [signature, told] of [
    [right, /does not begin with sha256=/],
    [`sha256=${right.toUpperCase()}`, /in upper case/],
    [`sha256=${Buffer.from(right, 'hex').toString('base64')}`, /in base64/],
    [Buffer.from(right, 'hex').toString('base64url'), /does not begin with sha256=.*in base64/],
    ['sha256=abc', /is not sha256= and 64/],
    [`sha256=${right}`, /Sign the exact bytes you send/],
  ] as const) {
    const { body } = await partner.purchase(aPurchase(), {
      headers: { 'X-Partner-Signature': signature },
    });
    t.is(body.error.code, 'INVALID_SIGNATURE');
    t.regex(body.error.message, told);
    t.true(body.error.message.endsWith(`${service.config.portal.url}/doctor`));
  }
});

test('a signature is sha256= and 64 lowercase hex digits, and nothing else', async (t) => {
  const body = JSON.stringify(aPurchase());
  const { key, secret } = partner;
  const nowSeconds = Date.now() / 1000;
  const good =
    signedHeaders({ key, secret, method: 'POST', pathname: path, body, nowSeconds })[
      'X-Partner-Signature'
    ] ?? '';
  const hex = good.slice('sha256='.length);
  for (const wrong of [hex, `sha256=${hex.toUpperCase()}`, `sha1=${hex}`, `${good}00`, 'x']) {
    const sent = partner.purchase(body, {
      nowSeconds,
      headers: { 'X-Partner-Signature': wrong },
    });
    t.is(await codeOf(sent), 'INVALID_SIGNATURE', wrong);
  }
});

test('another partner’s secret is refused', async (t) => {
  const { secret } = await service.partner();
  t.is(await codeOf(partner.changed({ secret: secret ?? '' }).purchase()), 'INVALID_SIGNATURE');
});

test('an unknown key, a revoked key and a wrong signature have different codes', async (t) => {
  const revoked = await service.partner();
  await operate(operationDeps(), revokeCredential, { credentialId: revoked.credentialId });
  t.is(await codeOf(partner.changed({ key: 'pk_test_nobody' }).purchase()), 'INVALID_API_KEY');
  t.is(await codeOf(revoked.purchase()), 'INVALID_API_KEY');
  t.is(await codeOf(partner.changed({ secret: 'sk_wrong' }).purchase()), 'INVALID_SIGNATURE');
});

test('an expired secret is refused like a revoked one', async (t) => {
  const expired = await service.partner();
  const [createdAt, expiresAt] = [new Date(Date.now() - 86_400_000), new Date()];
  await service.models.credentials.updateOne(
    { _id: expired.credentialId },
    { $set: { 'secrets.0.createdAt': createdAt, 'secrets.0.expiresAt': expiresAt } },
  );
  t.is(await codeOf(expired.purchase()), 'INVALID_API_KEY');
  const { secret } = await operate(operationDeps(), rotateCredential, {
    credentialId: expired.credentialId,
  });
  await eventually(
    async () => (await codeOf(expired.purchase())) === 'INVALID_SIGNATURE',
    'the key works again, and its expired secret does not',
  );
  t.is(await codeOf(expired.changed({ secret: secret ?? '' }).purchase()), 'ACCEPTED');
});

test('two secrets can be active at a time, and each shows when it was last used', async (t) => {
  const rotating = await service.partner();
  const { secretId, secret } = await operate(operationDeps(), rotateCredential, {
    credentialId: rotating.credentialId,
  });
  const renewed = rotating.changed({ secret: secret ?? '' });
  const lastUses = async () => {
    const { secrets } = await service.models.credentials.findById(rotating.credentialId).orFail();
    return secrets.map(({ lastUsedAt }) => lastUsedAt);
  };

  t.deepEqual(await lastUses(), [null, null]);
  t.is(await codeOf(rotating.purchase()), 'ACCEPTED');
  await eventually(async () => (await lastUses())[0], 'the use of the old secret is recorded');
  t.is((await lastUses())[1], null);
  await eventually(async () => (await renewed.purchase()).status === 201, 'the new secret works');
  await eventually(async () => (await lastUses())[1], 'the use of the new secret is recorded');
  t.is(await codeOf(rotating.purchase()), 'ACCEPTED');

  const stored = await service.models.credentials.findById(rotating.credentialId).orFail();
  const first = stored.secrets.find((one) => one.secretId !== secretId)?.secretId ?? '';
  await operate(operationDeps(), revokeSecret, {
    credentialId: rotating.credentialId,
    secretId: first,
  });
  await eventually(
    async () => (await codeOf(rotating.purchase())) === 'INVALID_SIGNATURE',
    'the revoked secret stops working',
  );
  t.is(await codeOf(renewed.purchase()), 'ACCEPTED');
});

test('a refused signature does not count as a use', async (t) => {
  const unused = await service.partner();
  await unused.changed({ secret: 'sk_wrong' }).purchase();
  const { secrets } = await service.models.credentials.findById(unused.credentialId).orFail();
  t.is(secrets[0]?.lastUsedAt, null);
});

test('a revoked secret and a revoked credential stop working within seconds, in every API process', async (t) => {
  const other = await startAnotherApi(service);
  for (const revoke of ['secret', 'credential'] as const) {
    const revoked = await service.partner();
    t.is(await codeOf(revoked.purchase()), 'ACCEPTED');
    t.is(await codeOf(revoked.changed(other).purchase()), 'ACCEPTED');
    const { secrets } = await service.models.credentials.findById(revoked.credentialId).orFail();
    if (revoke === 'credential')
      await operate(operationDeps(), revokeCredential, { credentialId: revoked.credentialId });
    else {
      await operate(operationDeps(), revokeSecret, {
        credentialId: revoked.credentialId,
        secretId: secrets[0]?.secretId ?? '',
      });
    }
    for (const sender of [revoked, revoked.changed(other)]) {
      await eventually(
        async () => (await codeOf(sender.purchase())) === 'INVALID_API_KEY',
        `the revoked ${revoke} stops working`,
      );
    }
  }
  await other.stop();
});

test('the brand word of the header names is configuration', async (t) => {
  const { config } = service;
  const http = { ...config.http, headerBrand: 'Acme' };
  const api = await startAnotherApi(service, { config: { ...config, http } });
  const body = JSON.stringify(aPurchase());
  const { key, secret } = partner;
  const send = async (brand: string) =>
    toReply(
      await fetch(api.baseUrl + path, {
        method: 'POST',
        headers: signedHeaders({
          key,
          secret,
          method: 'POST',
          pathname: path,
          body,
          nowSeconds: Date.now() / 1000,
          brand,
          idempotencyKey: 'branded',
        }),
        body,
      }),
    );
  t.is((await send('Acme')).status, 201);
  const unbranded = await send('Partner');
  t.is(unbranded.body.error.code, 'AUTHENTICATION_MISSING');
  t.true(unbranded.body.error.message.includes('X-Acme-Key'));
  await api.stop();
});

/** A look-up that caches two keys, which do not expire during a test. */
function cachingTwoKeys() {
  const { config } = service;
  const log = createLogger('test', config.log);
  return createPrincipals({ ...service, log, now: Date.now, credentialCacheMs: 3_600_000 }, 2);
}

test('more concurrent unknown keys than the table holds are all refused as unknown', async (t) => {
  const { find } = cachingTwoKeys();
  const keys = Array.from({ length: 20 }, (_, index) => `pk_test_unknown${index}`);
  t.deepEqual(await Promise.all(keys.map(find)), Array(20).fill(null));
});

test('unknown keys do not evict a known one', async (t) => {
  const { find } = cachingTwoKeys();
  const { key } = await service.partner();
  const first = await find(key);
  t.truthy(first);
  for (const stranger of ['a', 'b', 'c', 'd']) t.is(await find(stranger), null);
  t.is(await find(key), first);
});

test('concurrent requests with one key share one look-up', async (t) => {
  const { find } = cachingTwoKeys();
  const { key } = await service.partner();
  const found = await Promise.all(Array.from({ length: 10 }, () => find(key)));
  t.is(new Set(found).size, 1);
});

let town: Town;

test.before(async () => {
  service = await startService();
  partner = await service.partner();
  town = townOf(service);
});

test.after.always(async () => {
  await service.stop();
  await service?.stop();
});

const setStatus = (partner: PartnerBackend, status: 'ACTIVE' | 'SUSPENDED') =>
  town.admin.patch(`/partners/${partner.partnerId}`, { status });

/** Suspends a partner, and waits until its key is refused. */
async function suspend(partner: PartnerBackend): Promise<void> {
  await setStatus(partner, 'SUSPENDED');
  await eventually(
    // An invalid purchase: a valid one would be accepted until then, and take funds.
    async () => (await partner.purchase({})).body.error?.code === 'PARTNER_NOT_ACTIVE',
    'the key is refused',
  );
}

const refusalOf = (reply: { body: { error?: { code: string } } }) => reply.body.error?.code;

for (const mode of ['TEST', 'LIVE'] as const) {
  test(`${mode}: a suspension disables a partner’s keys within seconds until it is lifted`, async (t) => {
    const partner = await town.partner(mode);
    t.is((await partner.purchase()).status, 201);
    await suspend(partner);
    for (const path of ['plans', 'usage', 'billing']) {
      const reply = await partner.send(undefined, {
        method: 'GET',
        path: `/api/v1/partner/${path}`,
      });
      t.is(reply.status, 403);
      t.is(refusalOf(reply), 'PARTNER_NOT_ACTIVE');
    }
    await setStatus(partner, 'ACTIVE');
    t.true(
      await eventually(
        async () => (await partner.purchase()).status === 201,
        'the key is accepted',
      ),
    );
  });

  test(`${mode}: a suspended partner’s refund is still accepted, and the money is returned`, async (t) => {
    const partner = await town.partner(mode, { fundingCents: 1_000 });
    const bought = await town.funded(partner);
    await suspend(partner);
    const refund = await town.refund(bought);
    t.is(refund.status, 201);
    t.is(refund.body.refund.status, 'CANCELLED');
    t.like(await town.wallet(partner), { fundingCents: 1_000, reservedCents: 0 });
  });

  test(`${mode}: a suspended partner’s reward cannot be claimed until the suspension ends`, async (t) => {
    const partner = await town.partner(mode);
    const bought = await town.funded(partner);
    const claimed = await town.funded(partner);
    t.is((await town.claim(claimed)).status, 200);
    await setStatus(partner, 'SUSPENDED');
    const refused = await town.claim(bought);
    t.is(refused.status, 409);
    t.is(refusalOf(refused), 'PARTNER_SUSPENDED');
    t.like(await town.rewardOf(bought), { state: 'FUNDED' });
    // Repeating a successful claim still succeeds.
    t.is((await town.claim(claimed)).status, 200);
    await setStatus(partner, 'ACTIVE');
    t.is((await town.claim(bought)).status, 200);
  });
}

test('customers of a suspended partner cannot spend points', async (t) => {
  const partner = await town.partner('LIVE');
  const bought = await town.funded(partner);
  await town.claim(bought);
  await service.carriedOut(partner);
  const { customerId } = await town.rewardOf(bought);
  const spend = () =>
    town.admin.post(`/customers/${customerId}/redemptions`, { points: 100, reference: 'till' });
  await setStatus(partner, 'SUSPENDED');
  const refused = await spend();
  t.is(refused.status, 409);
  t.is(refusalOf(refused), 'PARTNER_SUSPENDED');
  t.like((await town.admin.get(`/customers/${customerId}`)).body, { points: 499 });
  await setStatus(partner, 'ACTIVE');
  t.is((await spend()).status, 201);
});

test('a LIVE key of a partner that is not live is refused refunds too', async (t) => {
  const partner = await town.partner('LIVE');
  const bought = await town.funded(partner);
  await service.models.partners.updateOne(
    { _id: partner.partnerId },
    { $set: { 'goLive.state': 'IN_REVIEW' } },
  );
  const code = async () => refusalOf(await town.refund(bought));
  t.true(
    await eventually(async () => (await code()) === 'PARTNER_NOT_ACTIVE', 'the refund is refused'),
  );
});
