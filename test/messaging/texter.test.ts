import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { type TextMessage, UnreachableError } from '../../messaging/message.ts';
import { createTexter, httpGateway, twilio } from '../../messaging/texts.ts';

const message: TextMessage = {
  channel: 'SMS',
  id: 'text-PNR_1',
  to: '+12025550123',
  text: 'Yours: https://a.example/claim/x',
};
const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString('base64')}`;

/** Starts a gateway that gives every request the same response, and records the requests. */
async function gateway(t: ExecutionContext, status: number, answer: object = {}) {
  const requests: { url?: string; body: string; headers: Record<string, unknown> }[] = [];
  const server = createServer(async (request, response) => {
    const { url = '', headers } = request;
    requests.push({ url, headers, body: await textOf(request) });
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

const twilioAt = (host: string, from = '+12025550100') =>
  twilio({ accountSid: 'AC1', authToken: 'secret', from, baseUrl: `http://${host}` });

test('Twilio receives the number, the sender and the text, as its Messages resource expects', async (t) => {
  const { host, requests } = await gateway(t, 201, { sid: 'SM1' });
  await twilioAt(host)(message);
  await twilioAt(host, 'MG7')(message);
  const [one, other] = requests;
  t.is(one?.url, '/2010-04-01/Accounts/AC1/Messages.json');
  t.is(one?.headers.authorization, basic('AC1:secret'));
  t.deepEqual(Object.fromEntries(new URLSearchParams(one?.body)), {
    To: message.to,
    From: '+12025550100',
    Body: message.text,
  });
  t.is(new URLSearchParams(other?.body).get('MessagingServiceSid'), 'MG7');
});

test('a number that Twilio rejects as invalid is not retried; other errors are', async (t) => {
  const { host } = await gateway(t, 400, { code: 21614, message: 'To is not a mobile number' });
  await t.throwsAsync(twilioAt(host)(message), { instanceOf: UnreachableError });
  const busy = await gateway(t, 429, { code: 20429 });
  const error = await t.throwsAsync(twilioAt(busy.host)(message));
  t.false(error instanceof UnreachableError);
  t.false(error?.message.includes(message.to), 'the error does not contain the number');
});

test('any gateway receives the message as JSON, with an id for recognizing a repeat', async (t) => {
  const { host, requests } = await gateway(t, 202);
  await httpGateway(new URL(`http://shop:s%20ecret@${host}/texts`), 'Shop')(message);
  const [{ url, headers, body } = { body: '{}', headers: {} }] = requests;
  t.is(url, '/texts');
  t.is(headers.authorization, basic('shop:s ecret'));
  t.is(headers['idempotency-key'], message.id);
  const { id, to, text } = message;
  t.deepEqual(JSON.parse(body), { id, from: 'Shop', to, text });
});

test('a 422 of the gateway means that the number cannot receive text messages; without a response the message is retried', async (t) => {
  const { host } = await gateway(t, 422);
  const send = httpGateway(new URL(`http://${host}`), 'Shop');
  await t.throwsAsync(send(message), { instanceOf: UnreachableError });
  const broken = await gateway(t, 500);
  const error = await t.throwsAsync(httpGateway(new URL(`http://${broken.host}`), 'Shop')(message));
  t.is(error?.message, 'text text-PNR_1 was not sent: HTTP 500');
});

test('without a gateway, and for messages that stay in the outbox, a text message is a readable file', async (t) => {
  const outboxDir = await mkdtemp(join(tmpdir(), 'outbox-'));
  t.teardown(() => rm(outboxDir, { recursive: true }));
  const { host, requests } = await gateway(t, 202);
  const from = 'Shop';
  await createTexter({ smsUrl: undefined, from, outboxDir })({ ...message, dataKeyId: 'dek_1' });
  const withGateway = createTexter({ smsUrl: `http://${host}`, from, outboxDir });
  await withGateway({ ...message, id: 'text-2', staysInOutbox: true });
  t.deepEqual((await readdir(outboxDir)).toSorted(), ['text-2.txt', 'text-PNR_1.dek_1.txt']);
  const written = await readFile(join(outboxDir, 'text-PNR_1.dek_1.txt'), 'utf8');
  for (const part of [message.to, message.text]) t.true(written.includes(part));
  t.is(requests.length, 0);
  await withGateway(message);
  t.is(requests.length, 1);
});
