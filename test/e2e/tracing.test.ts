import { randomBytes } from 'node:crypto';
import test from 'ava';
import { workerCommand } from '../../worker/command.ts';
import { claimTokenOf } from '../helpers/claim-token.ts';
import { eventually } from '../helpers/eventually.ts';
import { Operator } from '../helpers/operator.ts';
import { startOwnProcess } from '../helpers/own-process.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { aPurchase } from '../helpers/partner-backend.ts';
import { type ReceivedSpan, startTraceReceiver } from '../helpers/trace-receiver.ts';
import { startReceiver } from '../helpers/webhook-receiver.ts';

let service: OwnService;

test.before(async () => {
  service = await startOwnService({}, { hasWorker: false });
});
test.after.always(async () => {
  await service.stop();
});

const processes = [['api/server.ts'], workerCommand, ['portal/server.ts']];

test('a purchase is one trace from its request through the workflow and its activities to the webhook, without names', async (t) => {
  const [traces, webhooks] = await Promise.all([startTraceReceiver(), startReceiver()]);
  const started = processes.map((command) =>
    startOwnProcess(service, command, {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${traces.url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=of%20the%20collector',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      WEBHOOK_ALLOW_LOOPBACK: 'on',
      RESPONSE_TIMEOUT_MS: '30000',
    }),
  );
  t.teardown(async () => {
    if (!t.passed) t.log(started.map((one) => one.output()).join('\n'));
    await Promise.all(started.map((one) => one.end()));
    await Promise.all([traces.stop(), webhooks.stop()]);
  });
  const [api, , portal] = started;
  const baseUrl = (await api?.address('API is listening')) ?? '';
  const portalUrl = (await portal?.address('portal is listening')) ?? '';
  await eventually(async () => (await fetch(`${baseUrl}/statusz`)).ok, 'the service is up');

  const partner = (await service.partner()).changed({ baseUrl });
  const operator = new Operator(service, service.adminToken);
  const { body: made } = await operator.post(`/partners/${partner.partnerId}/webhook-endpoints`, {
    mode: 'TEST',
    url: `${webhooks.url}?token=of-the-receiver`,
  });
  const email = `${randomBytes(6).toString('hex')}@customer.example`;
  const externalOrderId = `order-of-${randomBytes(6).toString('hex')}`;
  const bought = await partner.purchase(aPurchase({ externalOrderId, customer: { email } }));
  const traceId = bought.headers.get('x-trace-id') ?? '';
  t.regex(traceId, /^[0-9a-f]{32}$/);
  const [received] = await eventually(async () => {
    const of = webhooks.of('reward.funded');
    return of.length > 0 && of;
  }, 'the webhook arrives');
  // The activity that starts the purchase may still be running when the webhook is sent.
  const last = ['POST webhook reward.funded', 'activity begin'];
  const names = () => traces.of(traceId).map(({ name }) => name);
  await eventually(async () => last.every((name) => names().includes(name)), 'the spans arrive');

  const spans = traces.of(traceId);
  const named = (name: string): ReceivedSpan => {
    const found = spans.find((span) => span.name === name);
    if (!found) throw new Error(`no span ${name} among ${spans.map((span) => span.name)}`);
    return found;
  };
  const request = named('POST /api/v1/partner/purchases');
  t.is(request.parentSpanId, undefined);
  t.like(request.attributes, {
    'http.response.status_code': 201,
    'app.code': 'ACCEPTED',
    'app.request.id': bought.headers.get('x-request-id') ?? '',
  });
  const start = named('start purchase');
  t.is(start.parentSpanId, request.spanId);
  const begin = named('activity begin');
  t.is(begin.parentSpanId, start.spanId);
  const webhook = named('POST webhook reward.funded');
  t.is(webhook.parentSpanId, begin.spanId);
  t.is(webhook.attributes['http.response.status_code'], 204);
  t.is(received?.headers.traceparent, `00-${traceId}-${webhook.spanId}-01`);
  const insert = spans.find(({ name, parentSpanId }) => {
    return name === 'insert order_events' && parentSpanId === request.spanId;
  });
  t.is(insert?.attributes['db.system.name'], 'mongodb');
  const own = (name: string) => `partner-events-${name}`;
  t.deepEqual([request.service, webhook.service], [own('api'), own('worker')]);
  const line =
    api
      ?.output()
      .split('\n')
      .find((text) => text.includes(traceId)) ?? '{}';
  t.is(
    JSON.parse(line).requestId,
    bought.headers.get('x-request-id'),
    'the trace’s log line has the request ID',
  );

  // The claim and the refund each have their own trace, which the workflow continues.
  const token = await claimTokenOf(service, bought.body.eventId);
  const claimed = await fetch(`${portalUrl}/claim/${token}`, {
    method: 'POST',
    redirect: 'manual',
  });
  const claim = claimed.headers.get('x-trace-id') ?? '';
  const callers = {
    traceId: randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
  };
  await webhookOf('reward.claimed', claim);
  const refunded = await partner.refund(
    { externalOrderId },
    // Not sampled, which is the caller's own affair.
    { headers: { traceparent: `00-${callers.traceId}-${callers.spanId}-00` } },
  );
  const refund = refunded.headers.get('x-trace-id') ?? '';
  t.not(refund, callers.traceId, 'the caller’s trace is no parent of ours');
  await webhookOf('review.opened', refund);
  const refunding = traces.of(refund).find(({ name }) => name === 'POST /api/v1/partner/refunds');
  t.like(refunding?.links?.[0], callers, 'the caller’s trace is linked');

  async function webhookOf(type: string, of: string): Promise<void> {
    const nameOf = `POST webhook ${type}`;
    const has = async () => traces.of(of).some(({ name }) => name === nameOf);
    await eventually(has, `${type} is in the trace`);
  }

  const secrets = [
    ...[email, externalOrderId, token, 'of-the-receiver', partner.key, partner.secret],
    ...[made.secret, service.adminToken, service.env.MASTER_KEYS?.split(':')[1] ?? ''],
  ];
  for (const { path, headers, body } of traces.requests) {
    t.is(path, '/v1/traces');
    t.is(headers['x-api-key'], 'of the collector');
    for (const secret of secrets) t.false(body.includes(secret), secret);
  }
  t.false(
    traces.spans.some(({ name }) => name.includes('healthz')),
    'health checks are not traced',
  );
});

test('without a destination there are no traces and no trace headers', async (t) => {
  const answer = await (await service.partner()).purchase();
  t.is(answer.status, 201);
  t.is(answer.headers.get('x-trace-id'), null);
  const event = await service.models.orderEvents.findById(answer.body.eventId);
  t.false('traceparent' in (event ?? {}));
});
