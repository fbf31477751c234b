import { spawnSync } from 'node:child_process';
import test from 'ava';
import { curlLine } from '../../portal/documents/curl-line.ts';
import { eventually } from '../helpers/eventually.ts';
import { type Service, startService } from '../helpers/service.ts';
import { type Browser, textOf, unescaped } from './helpers/browser.ts';
import { partnerBrowser } from './helpers/people.ts';
import { portalOf, type SomePortal, startPortal } from './helpers/portal.ts';

let service: Service;
let portal: SomePortal;
test.before(async () => {
  service = await startService();
  portal = await portalOf(service);
});
test.after.always(() => service?.stop());

const operationsOf = (partnerId: string, action: string) =>
  service.models.auditEntries.find({ partnerId, action });

/** Creates a reward in the console, and waits until it is funded. */
async function madeReward(browser: Browser): Promise<string> {
  await browser.open('/console');
  const { html } = await browser.submit('/console', { ...sending });
  const [rewardId = ''] = /PNR_[0-9A-Z]{26}/.exec(html) ?? [];
  await eventually(
    async () => (await service.models.rewards.findById(rewardId))?.funded,
    `${rewardId} is funded`,
  );
  return rewardId;
}
const sending = { step: 'send' };

test('a preview shows the canonical string, the headers and a curl command, and sends nothing', async (t) => {
  const { partnerId, key, secret } = await service.partner();
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  await developer.open('/console');
  const { html, status } = await developer.submit('/console', { step: 'preview' });
  t.is(status, 200);
  const shown = unescaped(html);
  t.regex(shown, /v1\nPOST\n\/api\/v1\/partner\/purchases\n\d{10}\n[0-9a-f]{64}/);
  t.true(shown.includes(`X-Partner-Key: ${key}`));
  t.true(shown.includes('-hmac "$SECRET"'));
  t.false(html.includes(secret));
  t.false(/sha256=[0-9a-f]{64}/.test(html));
  t.is(await service.models.orderEvents.countDocuments({ partnerId }), 0);
  t.deepEqual(await operationsOf(partnerId, 'test-console.send'), []);
});

test('a purchase is sent signed, its response and progress are shown, and the operation is in the audit log', async (t) => {
  const { partnerId, credentialId, secret } = await service.partner();
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  await developer.open('/console');
  const { html } = await developer.submit('/console', { ...sending, externalOrderId: 'A1' });
  t.regex(textOf(html), /201 in \d+ ms/);
  t.true(unescaped(html).includes('"externalOrderId": "A1"'));
  t.regex(html, /href="\/events\/evt_/);
  t.regex(html, /hx-get="\/test-clock\/PNR_/);
  t.false(html.includes(secret));
  const [operation] = await operationsOf(partnerId, 'test-console.send');
  t.like(operation, { status: 'DONE', targetId: credentialId });
  t.is(operation?.details.status, 201);
  t.false(JSON.stringify(operation).includes('ann@example.com'));
});

test('a EUR partner’s first purchase works, the refund form suggests its order, and a refunded order has no clock', async (t) => {
  const { partnerId } = await service.partner({
    partner: { currency: 'EUR' },
    rule: { currency: 'EUR' },
  });
  const owner = await partnerBrowser(portal, partnerId);
  t.true((await owner.open('/console?as=json')).html.includes('&quot;currency&quot;:&quot;EUR'));
  await owner.open('/console');
  t.regex(textOf((await owner.submit('/console', sending)).html), /201 in \d+ ms/);
  const made = await service.models.orderEvents.findOne({ partnerId }).orFail();
  t.regex((await owner.open('/home')).html, /href="\/console\?type=refund"/);
  await owner.open('/console?type=refund');
  const { html } = await owner.submit('/console', sending);
  t.true(unescaped(html).includes(`"externalOrderId": "${made.externalOrderId}"`));
  t.regex(textOf(html), /CANCELLED/);
});

test('a sent purchase is refunded with one button, for any order id', async (t) => {
  const { partnerId } = await service.partner();
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  await developer.open('/console');
  const externalOrderId = '<b>"1"</b> & more';
  const sent = await developer.submit('/console', { externalOrderId, step: 'send' });
  t.regex(textOf(sent.html), /201 in \d+ ms/);
  const again = await developer.submit('/console');
  t.regex(textOf(again.html), /"status": "CANCELLED"/);
  t.regex(textOf(again.html), /The refund/);
  t.false(again.html.includes('Refund this purchase'));
  const refund = await service.models.orderEvents.findOne({ partnerId, type: 'REFUND' });
  t.is(refund?.externalOrderId, externalOrderId);
});

test('a refusal says what to do, and a refused signature links to the doctor', async (t) => {
  const { partnerId, credentialId } = await service.partner({ rule: null });
  const owner = await partnerBrowser(portal, partnerId);
  await owner.open('/console');
  const { html } = await owner.submit('/console', sending);
  t.true(html.includes('NO_ACTIVE_EARNING_RULE'));
  t.true(html.includes('href="/rules?mode=TEST"'));
  const fast = await startPortal(service, { now: () => Date.now() + 600_000 });
  t.teardown(fast.stop);
  const early = await partnerBrowser(fast, partnerId);
  await early.open('/console');
  const refused = await early.submit('/console', sending);
  t.true(refused.html.includes('TIMESTAMP_OUT_OF_RANGE'));
  t.true(refused.html.includes(`href="/doctor/${credentialId}?mode=TEST"`));
});

test('a body that is not JSON is sent unchanged, including its line ends', async (t) => {
  const { partnerId } = await service.partner();
  const owner = await partnerBrowser(portal, partnerId);
  await owner.open('/console?type=refund&as=json');
  const { html } = await owner.submit('/console', { ...sending, json: '{\r\n"a' });
  t.true(html.includes('INVALID_JSON'));
  t.true(unescaped(html).includes('{\n"a'));
});

test('neither a LIVE key nor another partner’s key can sign, whatever is entered', async (t) => {
  const live = await service.partner({ mode: 'LIVE', fundingCents: 100_000 });
  const theirs = await service.partner();
  const own = await live.withAnotherCredential(service.models, service.sealer, { mode: 'TEST' });
  const owner = await partnerBrowser(portal, live.partnerId);
  for (const credentialId of [live.credentialId, theirs.credentialId]) {
    const { html } = await owner.open('/console');
    t.false(html.includes(credentialId));
    t.true(html.includes(own.credentialId));
    const refused = await owner.submit('/console', { ...sending, credentialId });
    t.is(refused.status, 422);
    t.regex(textOf(refused.html), /Choose one of your active TEST keys/);
  }
  const partnerId = { $in: [live.partnerId, theirs.partnerId] };
  t.is(await service.models.orderEvents.countDocuments({ partnerId }), 0);
  t.is((await operationsOf(live.partnerId, 'test-console.send')).length, 0);
});
test('the form says who receives the TEST claim email', async (t) => {
  const { partnerId } = await service.partner();
  const owner = await partnerBrowser(portal, partnerId);
  t.regex(textOf((await owner.open('/console')).html), /nothing is sent to this address/);
  const contactEmail = 'team@shop.example';
  const verified = { contactEmail, verifiedContactEmail: contactEmail };
  await service.models.partners.updateOne({ _id: partnerId }, verified);
  t.regex(
    textOf((await owner.open('/console')).html),
    /goes to your contact, team@shop\.example, not to this address/,
  );
});

test('all missing parts of a request are named at once', async (t) => {
  const { partnerId } = await service.partner();
  const owner = await partnerBrowser(portal, partnerId);
  await owner.open('/console');
  const credentialId = 'key_of_nobody';
  const lacking = { credentialId, externalOrderId: '', email: '', amount: 'much' };
  const { status, html } = await owner.submit('/console', { ...sending, ...lacking });
  t.is(status, 422);
  for (const name of Object.keys(lacking)) t.true(html.includes(`id="${name}-error"`), name);
});

test('the curl command is quoted for the shell, for any body', (t) => {
  const body = `{"a":"it's $HOME \`id\` \\"b\\""}`;
  const line = curlLine({
    url: 'http://127.0.0.1:1',
    pathname: '/p',
    key: 'pk_test_1',
    brand: 'Partner',
    idempotencyKey: "k'1",
    body,
  });
  const script = `curl() { printf '%s\\n' "$@"; }\n${line}`;
  const { stdout } = spawnSync('bash', ['-c', script], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, SECRET: 'sk_test_1' },
  });
  t.true(stdout.includes(`--data-binary\n${body}\n`));
  t.true(stdout.includes("Idempotency-Key: k'1\n"));
  t.regex(stdout, /X-Partner-Signature: sha256=[0-9a-f]{64}\n/);
});

test('the test clock claims one TEST reward and expires another', async (t) => {
  const { partnerId } = await service.partner();
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  for (const [path, status, action] of [
    ['claim', 'AVAILABLE', 'test-clock.claim'],
    ['expire', 'EXPIRED', 'test-clock.expire'],
  ] as const) {
    const rewardId = await madeReward(developer);
    t.true((await developer.open('/test-clock')).html.includes(`/test-clock/${rewardId}`));
    await developer.open(`/test-clock/${rewardId}`);
    const { html } = await developer.submit(`/test-clock/${rewardId}/${path}`);
    t.is((await service.models.rewards.findById(rewardId))?.status, status);
    t.regex(textOf(html), /Nothing more will happen to it over time/);
    const [operation] = await operationsOf(partnerId, action);
    t.like(operation, { status: 'DONE', targetId: rewardId });
  }
});

test('the test clock does not affect LIVE rewards', async (t) => {
  const live = await service.partner({ mode: 'LIVE', fundingCents: 100_000 });
  const { body } = await live.purchase();
  const reward = await service.rewardOf(body.reward.id);
  t.is(reward.mode, 'LIVE');
  const owner = await partnerBrowser(portal, live.partnerId);
  t.is((await owner.open(`/test-clock/${reward._id}`)).status, 404);
  await owner.open('/account');
  for (const move of ['claim', 'expire']) {
    t.is((await owner.post(`/test-clock/${reward._id}/${move}`)).status, 404);
  }
  const after = await service.rewardOf(reward._id);
  t.is(after.customerStatus, 'AWAITING_CUSTOMER_CLAIM');
});
