import { randomUUID } from 'node:crypto';
import test from 'ava';
import { aPurchase, type PartnerBackend } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { type Client, rightClient, sha256, signatureOf } from '../helpers/wrong-clients.ts';
import { textOf } from './helpers/browser.ts';
import { partnerBrowser } from './helpers/people.ts';
import { startPortal, type TestPortal } from './helpers/portal.ts';

let service: Service;
let portal: TestPortal;
test.before(async () => {
  service = await startService();
  portal = await startPortal(service, {}, { address: 100_000, diagnoses: 5 });
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

const path = '/api/v1/partner/purchases';
const bodyText = JSON.stringify(aPurchase({ metadata: { note: 'a b' } }));
const clientOf = ({ key, secret }: PartnerBackend): Client =>
  rightClient({ key, secret, body: bodyText, nowSeconds: Date.now() / 1_000 });

/** Sends a client's wrongly signed request. @returns its id and its signature */
async function refuse(client: Client): Promise<{ requestId: string; signature: string }> {
  const { signature } = signatureOf(client);
  const response = await fetch(service.baseUrl + client.path, {
    method: client.method,
    body: client.sentBody as string,
    headers: {
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
      'x-partner-key': client.key,
      'x-partner-timestamp': client.timestamp,
      'x-partner-signature': signature,
    },
  });
  if (response.status !== 401) throw new Error(`${response.status} ${await response.text()}`);
  await service.flushed();
  return { requestId: response.headers.get('x-request-id') ?? '', signature };
}

test('a wrongly signed request is diagnosed on its page, with the differing line', async (t) => {
  const partner = await service.partner();
  const right = clientOf(partner);
  const { requestId, signature } = await refuse({ ...right, signedPath: `${path}/` });
  const developer = await partnerBrowser(portal, partner.partnerId, 'developer');
  t.true(
    (await developer.open('/doctor?mode=TEST')).html.includes(`/doctor/${partner.credentialId}`),
  );
  const list = await developer.open(`/doctor/${partner.credentialId}`);
  t.true(list.html.includes(`/doctor/requests/${requestId}`));
  t.regex(textOf(list.html), /:\d\d UTC .*slash.* The signature does not match the request\./);
  const { html, status } = await developer.open(`/doctor/requests/${requestId}`);
  t.is(status, 200);
  t.true(html.includes('slash at the end'));
  t.regex(textOf(html), /3\. path differs Ours \S+purchases Yours \S+purchases\/ /);
  t.is(html.match(/class="line line-differs"/g)?.length, 1);
  for (const kept of [signature, signatureOf(right).signature, partner.secret]) {
    t.false(html.includes(kept.replace('sha256=', '')));
    t.false(list.html.includes(kept.replace('sha256=', '')));
  }
  const reads = await service.models.auditEntries.find({
    partnerId: partner.partnerId,
    action: 'refused-request.read',
  });
  t.is(reads.length, 2);
  t.true(reads.every(({ targetId }) => targetId === partner.credentialId));
  t.true(reads.some(({ details }) => details.requestId === requestId));
});

test('invisible characters are shown', async (t) => {
  const partner = await service.partner();
  const right = clientOf(partner);
  const { requestId } = await refuse({ ...right, join: (lines) => `${lines.join('\r\n')}\r\n` });
  const owner = await partnerBrowser(portal, partner.partnerId);
  const { html } = await owner.open(`/doctor/requests/${requestId}`);
  t.true(html.includes('v1⟨CR⟩'));
});

test('a secret sent as a header is not shown', async (t) => {
  const partner = await service.partner();
  const { requestId } = await refuse({ ...clientOf(partner), timestamp: partner.secret });
  const owner = await partnerBrowser(portal, partner.partnerId);
  const { html } = await owner.open(`/doctor/requests/${requestId}`);
  t.true(html.includes('SECRET_SENT'));
  t.true(html.includes('sk_…'));
  t.false(html.includes(partner.secret));
});

test('another partner’s request and key are not found, and a viewer has no access', async (t) => {
  const [mine, theirs] = [await service.partner(), await service.partner()];
  const { requestId } = await refuse({ ...clientOf(theirs), signedPath: '/other' });
  const owner = await partnerBrowser(portal, mine.partnerId);
  t.is((await owner.open(`/doctor/requests/${requestId}`)).status, 404);
  t.is((await owner.open(`/doctor/${theirs.credentialId}`)).status, 404);
  const viewer = await partnerBrowser(portal, theirs.partnerId, 'viewer');
  t.is((await viewer.open(`/doctor/requests/${requestId}`)).status, 403);
});

test('a pasted string is compared, despite the browser’s CR LF', async (t) => {
  const partner = await service.partner();
  const at = `/doctor/${partner.credentialId}/paste`;
  const developer = await partnerBrowser(portal, partner.partnerId, 'developer');
  const body = '{\n  "a": 1\n}';
  const lines = ['v1', 'POST', path, '1760000000', sha256(body).toString('hex')];
  const crLf = (text: string) => text.replaceAll('\n', '\r\n');
  await developer.open(at);
  const right = await developer.submit(at, { canonical: crLf(lines.join('\n')), body: crLf(body) });
  t.regex(textOf(right.html), /Nothing is wrong with what you signed/);
  const wrong = await developer.submit(at, {
    canonical: crLf(lines.with(4, sha256('{"a":1}').toString('hex')).join('\n')),
    body: crLf(body),
  });
  t.is(wrong.html.match(/class="line line-differs"/g)?.length, 1);
  t.regex(textOf(wrong.html), /5\. body hash differs/);
});

test('form input never becomes HTML, and no correct signature is shown', async (t) => {
  const partner = await service.partner();
  const at = `/doctor/${partner.credentialId}/paste`;
  const owner = await partnerBrowser(portal, partner.partnerId);
  await owner.open(at);
  const evil = '"><script>alert(1)</script></textarea>';
  const fields = { canonical: evil, body: evil, timestamp: evil, signature: evil };
  const { html } = await owner.submit(at, fields);
  t.false(html.includes('<script>alert'));
  t.false(/[^0-9a-f]sha256=[0-9a-f]{64}/.test(html));
});

test('a user with too many diagnoses in a row is asked to wait', async (t) => {
  const partner = await service.partner();
  const at = `/doctor/${partner.credentialId}/paste`;
  const owner = await partnerBrowser(portal, partner.partnerId);
  await owner.open(at);
  const statuses: number[] = [];
  for (let turn = 0; turn < 6; turn++) statuses.push((await owner.submit(at)).status);
  t.deepEqual(statuses, [200, 200, 200, 200, 200, 429]);
});
