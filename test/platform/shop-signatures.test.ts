import { createSecretKey } from 'node:crypto';
import '@shopify/shopify-api/adapters/node';
import { ApiVersion, shopifyApi } from '@shopify/shopify-api';
import test from 'ava';
import Stripe from 'stripe';
import type { Platform } from '../../domain/connections.ts';
import { verifyShopSignature } from '../../platform/shop-signatures.ts';
import { base64Hmac, shopifyOrder, stripeEvent } from '../helpers/shop-payloads.ts';

const secretText = 'made-up-signing-secret';
const key = (text: string) => createSecretKey(text, 'utf8');
const nowMs = Date.parse('2026-03-24T14:05:00Z');

const verify = (
  platform: Platform,
  { body = '{"id":1}', signature = '', secrets = [secretText] },
) => verifyShopSignature({ platform, body: Buffer.from(body), signature, nowMs }, secrets.map(key));

test('what Shopify’s own library takes for signed is signed', async (t) => {
  const shopify = shopifyApi({
    apiKey: 'made-up',
    apiSecretKey: secretText,
    hostName: 'example.com',
    apiVersion: ApiVersion.July26,
    isEmbeddedApp: false,
    logger: { level: 0 },
  });
  const body = JSON.stringify(shopifyOrder());
  const accepts = async (signature: string) =>
    await shopify.webhooks.validate({
      rawBody: body,
      rawRequest: {
        method: 'POST',
        url: '/',
        headers: {
          'x-shopify-hmac-sha256': signature,
          'x-shopify-topic': 'orders/paid',
          'x-shopify-shop-domain': 'teapots.myshopify.com',
          'x-shopify-api-version': '2026-07',
          'x-shopify-webhook-id': 'b54557e4',
        },
      },
    } as never);
  const signature = base64Hmac(secretText, body);
  t.true((await accepts(signature)).valid);
  t.is(await verify('SHOPIFY', { body, signature }), 0);
  const other = base64Hmac('another', body);
  t.false((await accepts(other)).valid);
  t.is(await verify('SHOPIFY', { body, signature: other }), 'WRONG');
});

for (const platform of ['SHOPIFY', 'WOOCOMMERCE'] as const) {
  test(`${platform}: either of two secrets signs, and a changed body does not`, async (t) => {
    const body = '{"id":731,"total":"49.90"}';
    const signature = base64Hmac(secretText, body);
    t.is(await verify(platform, { body, signature, secrets: ['new', secretText] }), 1);
    t.is(await verify(platform, { body: `${body} `, signature }), 'WRONG');
    t.is(await verify(platform, { body, signature: `${signature.slice(0, -4)}AAA=` }), 'WRONG');
    t.is(await verify(platform, { body }), 'MISSING');
    t.is(await verify(platform, { body, signature, secrets: [] }), 'WRONG');
  });
}

const payload = JSON.stringify(stripeEvent('customer.created', {}));
const nowSeconds = nowMs / 1_000;
const header = (timestamp: number, secret = secretText) =>
  Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });

test('Stripe: the library’s own test header is signed', async (t) => {
  t.is(await verify('STRIPE', { body: payload, signature: header(nowSeconds) }), 0);
  const secrets = ['new', secretText];
  t.is(await verify('STRIPE', { body: payload, signature: header(nowSeconds), secrets }), 1);
});

test('Stripe: any of several v1 signs, and no other scheme', async (t) => {
  const [, v1 = ''] = /v1=(\w+)/.exec(header(nowSeconds)) ?? [];
  const several = `t=${nowSeconds},v1=${'0'.repeat(64)},v1=${v1},v0=${'1'.repeat(64)}`;
  t.is(await verify('STRIPE', { body: payload, signature: several }), 0);
  const other = `t=${nowSeconds},v0=${v1}`;
  t.is(await verify('STRIPE', { body: payload, signature: other }), 'WRONG');
});

test('Stripe: five minutes is how far a clock may be off', async (t) => {
  for (const [offset, expected] of [
    [-300, 0],
    [-301, 'OLD'],
    [300, 0],
    [301, 'OLD'],
  ] as const) {
    const signature = header(nowSeconds + offset);
    t.is(await verify('STRIPE', { body: payload, signature }), expected, `${offset} s`);
  }
});

test('Stripe: a wrong secret, a changed body and no signature', async (t) => {
  const wrong = header(nowSeconds, 'another');
  t.is(await verify('STRIPE', { body: payload, signature: wrong }), 'WRONG');
  t.is(await verify('STRIPE', { body: `${payload} `, signature: header(nowSeconds) }), 'WRONG');
  t.is(await verify('STRIPE', { body: payload, signature: 'v1=nonsense' }), 'WRONG');
  t.is(await verify('STRIPE', { body: payload }), 'MISSING');
});
