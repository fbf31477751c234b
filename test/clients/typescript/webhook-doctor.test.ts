import { createHmac, randomBytes } from 'node:crypto';
import test from 'ava';
import { diagnoseWebhook } from '../../../clients/typescript/doctor/index.ts';
import { signWebhook } from '../../../clients/typescript/webhook.ts';

const secretOf = () => `whsec_${randomBytes(32).toString('base64')}`;
const [own, other] = [secretOf(), secretOf()];
const id = 'whk_1';
const atSeconds = 1_800_000_000;
const body = '{"id":"whk_1","type":"reward.funded","data":{"points":499}}';
const known = {
  secrets: [
    { secret: own, name: 'this endpoint’s secret', isOwn: true },
    { secret: other, name: 'the secret of other.example', isOwn: false },
  ],
  sentBodyOf: (webhookId: string) => (webhookId === id ? body : null),
  nowSeconds: atSeconds + 5,
};

async function headersOf(secret = own, changes: Record<string, string | undefined> = {}) {
  const signed = { ...(await signWebhook(body, { id, secret, atSeconds })), ...changes };
  return Object.entries(signed)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))
    .join('\n');
}

test('the webhook doctor names the differences and shows no signature', async (t) => {
  const headers = await headersOf();
  const rows: [string, { headers?: string; body?: string; nowSeconds?: number }, RegExp][] = [
    ['unchanged', {}, /The signature holds, under this endpoint’s secret/],
    ['another endpoint', { headers: await headersOf(other) }, /signed under .*other\.example/],
    ['a line break', { body: `${body}\n` }, /line break or blanks around it/],
    ['surrounding whitespace', { body: ` ${body}` }, /blanks around it/],
    [
      'reformatted',
      { body: JSON.stringify(JSON.parse(body), null, 2) },
      /the same content in other bytes/,
    ],
    [
      'reordered',
      { body: '{"type":"reward.funded","id":"whk_1","data":{"points":499}}' },
      /the same content in other bytes/,
    ],
    ['changed', { body: body.replace('499', '999') }, /differ from character 55 on/],
    [
      'an unknown id',
      { headers: await headersOf(own, { 'webhook-id': 'whk_2' }) },
      /No webhook with/,
    ],
    ['an unknown secret', { headers: await headersOf(secretOf()) }, /None of your secrets/],
    [
      'a missing header',
      { headers: await headersOf(own, { 'webhook-timestamp': undefined }) },
      /no webhook-timestamp header/,
    ],
    [
      'a truncated header',
      { headers: await headersOf(own, { 'webhook-signature': 'abc' }) },
      /no signature of/,
    ],
    ['an old webhook', { nowSeconds: atSeconds + 900 }, /signed 900 s ago/],
  ];
  for (const [name, { nowSeconds = known.nowSeconds, ...pasted }, expected] of rows) {
    const found = diagnoseWebhook({ headers, body, ...pasted }, { ...known, nowSeconds });
    t.regex(found.map(({ what }) => what).join(' '), expected, name);
    t.notRegex(JSON.stringify(found), /v1,[\w+/]{20}|whsec_[\w+/]{20}/, name);
  }
});

test('the webhook doctor explains a wrong signature', async (t) => {
  const headers = await headersOf();
  const key = Buffer.from(own.slice('whsec_'.length), 'base64');
  const mac = (by: Buffer | string, content: string, encoding: 'base64' | 'hex' = 'base64') =>
    createHmac('sha256', by).update(content).digest(encoding);
  const content = `${id}.${atSeconds}.${body}`;
  const rows: [string, RegExp][] = [
    [mac(key, content), /right signature/],
    [`v1,${mac(key, content)}`, /right signature/],
    [mac(key, content, 'hex'), /hex instead of base64/],
    [mac(own, content), /whole secret as text/],
    [mac(own.slice('whsec_'.length), content), /secret undecoded/],
    [mac(key, `${atSeconds}.${body}`), /without the webhook-id/],
    [mac(own, body, 'hex'), /whole secret as text, whsec_ included, the body alone, in hex/],
    ['anything', /none of the usual mistakes/],
  ];
  for (const [computed, expected] of rows) {
    const found = diagnoseWebhook({ headers, body, computed }, known);
    t.regex(found.map(({ what }) => what).join(' '), expected);
  }
});
