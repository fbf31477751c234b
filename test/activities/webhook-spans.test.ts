import { createSecretKey, randomBytes } from 'node:crypto';
import test from 'ava';
import { createWebhookSender } from '../../activities/webhooks.ts';
import { createSealer } from '../../platform/sealing.ts';
import { startTracing } from '../../platform/tracing.ts';
import { startTraceReceiver } from '../helpers/trace-receiver.ts';

const sealer = createSealer([{ id: 'test', key: createSecretKey(randomBytes(32)) }]);
const sealed = sealer.seal(`whsec_${randomBytes(32).toString('base64')}`, 'whe_1');
const client = 3;

/** Sends a delivery that was tried once before. @returns the headers it was sent with */
async function send(
  response: { status: number | null; error: string | null },
  traceparent?: string,
): Promise<Record<string, string>> {
  let sent: Record<string, string> = {};
  const { to } = createWebhookSender({
    sealer,
    postWebhook: () => async (headers) => {
      sent = headers;
      return { ...response, answer: '', durationMs: 1, retryAfterMs: null };
    },
  });
  await to({
    _id: 'whe_1',
    partnerId: 'prt_1',
    mode: 'LIVE',
    url: 'https://shop.example/',
    secrets: [{ sealed, createdAt: new Date(0), expiresAt: null }],
  })({
    _id: 'whd_1',
    partnerId: 'prt_1',
    endpointId: 'whe_1',
    mode: 'LIVE',
    eventId: 'evt_1',
    type: 'test.ping',
    rewardId: null,
    body: '{}',
    state: 'PENDING',
    tries: 1,
    nextTryAt: new Date(),
    deliveredAt: null,
    history: [],
    createdAt: new Date(),
    ...(traceparent !== undefined && { traceparent }),
  });
  return sent;
}

test('an attempt is a span of the trace of the announcement, with its result, and the receiver can continue it', async (t) => {
  const receiver = await startTraceReceiver();
  const end = await startTracing('test', { endpoint: receiver.url, headers: {} });
  const announcements = ['a', 'b'].map((digit) => digit.repeat(32));
  const [first = '', second = ''] = announcements;
  const spanId = '1234567890abcdef';
  const responded = await send({ status: 204, error: null }, `00-${first}-${spanId}-01`);
  await send({ status: null, error: 'ECONNREFUSED' }, `00-${second}-${spanId}-01`);
  const untraced = await send({ status: 204, error: null });
  await end();
  await receiver.stop();

  t.is(receiver.spans.length, 2);
  const attempt = { 'app.webhook.type': 'test.ping', 'app.webhook.try': 2 };
  const [made] = receiver.of(first);
  t.like(made, { name: 'POST webhook test.ping', kind: client, parentSpanId: spanId });
  t.deepEqual(made?.attributes, { ...attempt, 'http.response.status_code': 204 });
  t.is(responded.traceparent, `00-${first}-${made?.spanId}-01`);
  const [failed] = receiver.of(second);
  t.deepEqual(failed?.attributes, { ...attempt, 'error.type': 'ECONNREFUSED' });
  t.is(untraced.traceparent, undefined);
});
