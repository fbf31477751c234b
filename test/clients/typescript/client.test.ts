import test from 'ava';
import { PartnerClient, PartnerNetworkError } from '../../../clients/typescript/index.ts';
import { key, secret, stall, startServer } from './scripted-server.ts';

// What all clients have in common is tested by the scenarios in clients/conformance.

test('without a response, the network error gives the reason', async (t) => {
  const { baseUrl } = await startServer(t, stall);
  const client = new PartnerClient({ baseUrl, key, secret, timeoutMs: 50, maxAttempts: 1 });
  const error = await t.throwsAsync(client.plans(), { instanceOf: PartnerNetworkError });
  t.regex(error.message, /GET http:.*plans got no answer: none was complete within 50 ms/);
});

test('a refused connection is a network error that says so', async (t) => {
  const baseUrl = 'http://127.0.0.1:2';
  const client = new PartnerClient({ baseUrl, key, secret, maxAttempts: 1 });
  const error = await t.throwsAsync(client.plans(), { instanceOf: PartnerNetworkError });
  t.regex(error.message, /ECONNREFUSED/);
});

test('the client refuses an empty key, an empty secret and an invalid URL', (t) => {
  const good = { baseUrl: 'http://127.0.0.1', key, secret };
  t.throws(() => new PartnerClient({ ...good, key: '' }), { instanceOf: TypeError });
  t.throws(() => new PartnerClient({ ...good, secret: '' }), { instanceOf: TypeError });
  for (const baseUrl of ['', '127.0.0.1:3000', 'ftp://host', 'http://']) {
    t.throws(() => new PartnerClient({ ...good, baseUrl }), { instanceOf: TypeError });
  }
});
