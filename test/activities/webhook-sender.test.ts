import { createSecretKey, randomBytes } from 'node:crypto';
import test from 'ava';
import { Webhook } from 'standardwebhooks';
import { createWebhookSender, type SendTarget } from '../../activities/webhooks.ts';
import { operatorsId } from '../../domain/webhooks.ts';
import type { WebhookTarget } from '../../messaging/webhooks/post.ts';
import type { WebhookDeliveryDoc } from '../../models/schemas/webhooks.ts';
import { type WebhookTried, webhookTried } from '../../models/store/metric-events.ts';
import { createSealer } from '../../platform/sealing.ts';

const sealer = createSealer([{ id: 'test', key: createSecretKey(randomBytes(32)) }]);

/** A sender that keeps where and what it sent, and gets the same response to everything. */
function sender(status: number | null = 204) {
  const targets: WebhookTarget[] = [];
  const sent: { headers: Record<string, string>; body: string }[] = [];
  const { to } = createWebhookSender({
    sealer,
    postWebhook(target) {
      targets.push(target);
      return async (headers, body) => {
        sent.push({ headers, body });
        const error = status === null ? 'ECONNREFUSED' : null;
        return { status, error, answer: 'ok', durationMs: 5, retryAfterMs: 1_000 };
      };
    },
  });
  return { to, targets, sent };
}

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const seal = (secret: string, id = 'whe_1', expiresAt: Date | null = null) => ({
  sealed: sealer.seal(secret, id),
  createdAt: new Date(0),
  expiresAt,
});

const target = (changes: Partial<SendTarget> = {}): SendTarget => ({
  _id: 'whe_1',
  partnerId: 'prt_1',
  mode: 'LIVE',
  url: 'https://shop.example/',
  secrets: [seal(newSecret(), changes._id)],
  ...changes,
});

const delivery = (changes: Partial<WebhookDeliveryDoc> = {}): WebhookDeliveryDoc => ({
  _id: 'whd_1',
  partnerId: 'prt_1',
  endpointId: 'whe_1',
  mode: 'LIVE',
  eventId: 'evt_1',
  type: 'test.ping',
  rewardId: null,
  body: '{"a":1}',
  state: 'PENDING',
  tries: 0,
  nextTryAt: new Date(),
  deliveredAt: null,
  history: [],
  createdAt: new Date(),
  ...changes,
});

const verifies = (
  secret: string,
  { headers, body }: { headers: object; body: string },
): boolean => {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
};

test('an endpoint’s secrets are opened once, and again when its address, mode or secrets change', (t) => {
  const { to, targets } = sender();
  const one = target();
  const send = to(one);
  t.is(to({ ...one }), send);
  t.deepEqual(targets, [{ url: one.url, mode: 'LIVE' }]);
  const changes: Partial<SendTarget>[] = [
    { url: 'https://other.example/' },
    { mode: 'TEST' },
    { secrets: [seal(newSecret()), ...one.secrets] },
  ];
  for (const change of changes) t.not(to({ ...one, ...change }), to(one));
  const another = target({ _id: 'whe_2' });
  const count = targets.length;
  t.not(to(another), to(one));
  t.is(to(another), to(another));
  t.is(targets.length, count + 1, 'endpoints do not displace each other');
});

test('the operators’ endpoint passes the guard of addresses, and may be on this machine where TEST may', (t) => {
  const { to, targets } = sender();
  to(target({ partnerId: operatorsId }));
  t.like(targets[0], { mode: 'TEST' });
});

test('every secret signs that has not expired', async (t) => {
  const { to, sent } = sender();
  const [current, replaced, expired] = [newSecret(), newSecret(), newSecret()];
  const inAnHour = new Date(Date.now() + 3_600_000);
  const secrets = [
    seal(current),
    seal(replaced, 'whe_1', inAnHour),
    seal(expired, 'whe_1', new Date(Date.now() - 1_000)),
  ];
  await to(target({ secrets }))(delivery());
  const [one] = sent;
  if (!one) throw new Error('it was sent');
  t.deepEqual(
    [current, replaced, expired].map((secret) => verifies(secret, one)),
    [true, true, false],
  );
  t.is(one.headers['webhook-id'], 'evt_1');
  t.is(one.headers.traceparent, undefined);
  const seconds = Number(one.headers['webhook-timestamp']);
  t.true(Math.abs(seconds - Date.now() / 1_000) < 60);
});

const attempts: [tries: number, status: number | null, isSuccess: boolean][] = [
  [0, 204, true],
  [0, 500, false],
  [1, 204, true],
  [2, null, false],
];
for (const [tries, status, isSuccess] of attempts) {
  test.serial(`an attempt is counted with its result: ${tries} before it, ${status}`, async (t) => {
    const told: WebhookTried[] = [];
    webhookTried.subscribe((one) => told.push(one));
    const createdAt = new Date(Date.now() - 5_000);
    const startMs = Date.now();
    const result = await sender(status).to(target({ mode: 'TEST' }))(
      delivery({ tries, createdAt }),
    );
    t.like(result, { status, answer: 'ok', durationMs: 5, retryAfterMs: 1_000 });
    t.is(result.error, status === null ? 'ECONNREFUSED' : null);
    t.true(result.at.getTime() >= startMs && result.at.getTime() <= Date.now());
    t.like(told, [{ mode: 'TEST', isSuccess, durationMs: 5 }]);
    const firstTriedAfterMs = told[0]?.firstTriedAfterMs ?? null;
    if (tries > 0) t.is(firstTriedAfterMs, null);
    else t.is(firstTriedAfterMs, result.at.getTime() - createdAt.getTime());
  });
}
