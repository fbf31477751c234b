import test, { type ExecutionContext } from 'ava';
import type { SealedPurchase, SealedRefund } from '../../domain/purchase.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import { claimTokenOf, openEvent } from '../helpers/claim-token.ts';
import { eventually } from '../helpers/eventually.ts';
import { type OwnProcess, startOwnProcess } from '../helpers/own-process.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { aPurchase, type PartnerBackend } from '../helpers/partner-backend.ts';
import { textOf } from '../helpers/readable.ts';

let service: OwnService;
let partner: PartnerBackend;
let baseUrl: string;
let portalUrl: string;
const processes: OwnProcess[] = [];

/** The output of all processes. */
const logs = () => processes.map((one) => one.output()).join('');

function start(entry: string, env: Record<string, string>): OwnProcess {
  const started = startOwnProcess(service, [entry], { LOG_LEVEL: 'trace', ...env });
  processes.push(started);
  return started;
}

const email = 'Jane.Doe+gift@private.example';
const phone = '+1 (415) 555-2671';
const idempotencyKey = 'key-of-jane.doe@private.example';
const note = 'a note about Janet Doette';
const reason = 'Janet Doette sent it back';
let order: string;
let payload: string;
let claimToken: string;
let signature: string;
let workflowId: string;

/** Values that must not appear anywhere in clear text. */
const secrets = () => ({
  email,
  phone: '4155552671',
  phoneAsSent: phone,
  domain: 'private.example',
  name: 'Doette',
  claimToken,
  signingSecret: partner.secret,
  signature,
  masterKey: service.env.MASTER_KEYS?.split(':')[1] ?? '',
});

function containsNoSecret(t: ExecutionContext, text: string, where: string): void {
  t.true(text.length > 100, `${where} was read`);
  const inLowerCase = text.toLowerCase();
  for (const [name, secret] of Object.entries(secrets())) {
    t.true(secret.length > 5, name);
    t.false(inLowerCase.includes(secret.toLowerCase()), `${name} is in ${where}`);
  }
}

const claimLink = (method: string, accept = 'text/html') =>
  fetch(`${portalUrl}/claim/${claimToken}`, { method, headers: { accept } });

/** One scenario for all tests: a purchase, its failures, its retry, a claim and a refund. */
test.before(async () => {
  service = await startOwnService({}, { hasWorker: false });
  // Longer than the default, for busy machines.
  const RESPONSE_TIMEOUT_MS = '10000';
  const api = start('api/server.ts', { RESPONSE_TIMEOUT_MS });
  const portal = start('portal/server.ts', { RESPONSE_TIMEOUT_MS });
  baseUrl = await api.address('API is listening');
  portalUrl = await portal.address('portal is listening');
  // In TEST, emails go only to the partner's own verified contact.
  const contactEmail = 'owner@shop.example';
  const contact = { contactEmail, verifiedContactEmail: contactEmail };
  partner = (await service.partner({ partner: contact })).changed({ baseUrl });

  const body = aPurchase({ customer: { email, phone }, metadata: { note } });
  order = body.externalOrderId;
  payload = JSON.stringify(body);
  const send = () => partner.purchase(body, { idempotencyKey });
  // Without a worker, both are accepted and wait for their workflow.
  const other = aPurchase({ customer: { email, phone } });
  await partner.purchase(other);
  const waiting = await partner.refund({ externalOrderId: other.externalOrderId, reason: note });
  if (waiting.status !== 201) throw new Error(waiting.text);
  const reply = await send();
  if (reply.status !== 201) throw new Error(reply.text);

  // An unreachable mail server, so that sending fails and the failure is logged.
  const worker = start('worker/worker.ts', { SMTP_URL: 'smtp://127.0.0.1:1' });
  claimToken = await claimTokenOf(service, reply.body.eventId);
  const stored = await service.models.orderEvents.findById(reply.body.eventId).orFail();
  workflowId = stored.workflowId;
  await eventually(async () => {
    if (worker.hasEnded()) throw new Error(logs());
    return logs().includes('was not sent') || logs().includes('ECONNREFUSED');
  }, 'the failed email is logged');

  await partner.purchase(aPurchase({ customer: { email: `${email} ${note}` } }));
  await partner.purchase(aPurchase({ [email]: note }));
  await partner.purchase(`{"customer":{"email":"${email}",`);
  await partner.purchase({ ...body, metadata: { cost: note } }, { idempotencyKey });
  await partner.purchase(body);
  await partner.changed({ secret: 'sk_of_another' }).purchase(body);
  await partner.purchase(body, { query: `?email=${email}` });
  const timestamp = String(Math.floor(Date.now() / 1000));
  signature = `sha256=${'5e'.repeat(32)}`;
  await partner.purchase(body, {
    headers: { 'X-Partner-Timestamp': timestamp, 'X-Partner-Signature': signature },
  });
  await claimLink('GET');
  await claimLink('POST');
  await claimLink('GET', 'application/json');
  await claimLink('DELETE');
  await partner.refund({ externalOrderId: order, reason, metadata: { note } });
  await eventually(() => service.models.reviews.findOne({}), 'the review is open');
  const refunded = await partner.refund({ externalOrderId: order, reason: `again: ${reason}` });
  if (refunded.status !== 409) throw new Error(refunded.text);

  // An internal error: the partner's document is missing.
  await service.models.partners.deleteOne({ _id: partner.partnerId });
  await eventually(async () => (await send()).status === 500, 'the response is an internal error');
  await eventually(async () => logs().includes('500 INTERNAL'), 'the internal error is logged');
});
test.after.always(async () => {
  await Promise.all(processes.map((one) => one.end()));
  await service.stop();
});

test('no secret, signature, email, phone number or claim token is logged, whatever fails', (t) => {
  for (const code of ['ACCEPTED', 'INTERNAL', 'VALIDATION_FAILED', 'INVALID_JSON']) {
    t.true(logs().includes(code), `${code} was logged`);
  }
  containsNoSecret(t, logs(), 'the logs');
});

test('each request is one structured log line with its id, partner, code and duration', (t) => {
  const lines = logs()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  const accepted = lines.filter(({ code, route }) => code === 'ACCEPTED' && route);
  t.true(accepted.length >= 1);
  for (const { requestId, partnerId, status, ms } of accepted) {
    t.regex(requestId, /^req_/);
    t.is(partnerId, partner.partnerId);
    t.is(status, 201);
    t.is(typeof ms, 'number');
  }
  t.true(lines.some(({ route, code }) => route === '/claim/:token' && code === 'OK'));
  const ids = lines.filter(({ route }) => route).map(({ requestId }) => requestId);
  t.is(new Set(ids).size, ids.length);
});

test('customer data is never in clear in a workflow’s history, search attributes or memo', async (t) => {
  const handle = service.temporal.workflow.getHandle(workflowId);
  const history = textOf(await handle.fetchHistory());
  t.true(history.includes(order));
  containsNoSecret(t, history, 'the history');
  t.false(history.includes(idempotencyKey), 'the idempotency key is in the history');
  const { raw, memo, searchAttributes } = await handle.describe();
  containsNoSecret(
    t,
    `${workflowId} ${textOf({ raw, memo, searchAttributes })}`,
    'the description',
  );
});

test('no guessable value is stored or sent to Temporal as a plain hash', async (t) => {
  const { events } = await service.temporal.workflow.getHandle(workflowId).fetchHistory();
  const stored = await service.models.orderEvents.find({ externalOrderId: order });
  t.is(stored.length, 2);
  const written = textOf({ events, stored, workflowId });
  t.false(written.includes(sha256Hex(idempotencyKey)), 'the plain hash of the idempotency key');
  t.false(written.includes(sha256Hex(payload)), 'the plain hash of the payload');
});

test('customer data, claim tokens and secrets are never in clear in MongoDB', async (t) => {
  const { db } = service.models.connection;
  const names = (await db?.listCollections().toArray())?.map(({ name }) => name) ?? [];
  t.true(names.includes('order_events') && names.includes('request_log'));
  let dump = '';
  for (const name of names) dump += textOf(await db?.collection(name).find().toArray());
  t.true(dump.includes(order));
  containsNoSecret(t, dump, 'the database');
  t.false(dump.includes(idempotencyKey), 'the idempotency key is in the database');
});

test('sealed data can be opened with the customer’s key', async (t) => {
  const events = await service.models.orderEvents
    .find({ externalOrderId: order })
    .sort({ receivedAt: 1 });
  const [purchase, refund] = await Promise.all(
    events.map((event) => openEvent<SealedPurchase & SealedRefund>(service, event)),
  );
  t.like(purchase, {
    email: email.toLowerCase(),
    phone: '+14155552671',
    claimToken,
    metadata: { note },
  });
  t.like(refund, { reason, metadata: { note } });
});
