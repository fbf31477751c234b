import { spawnSync } from 'node:child_process';
import test from 'ava';
import { Webhook } from 'standardwebhooks';
import { unclaimedStates } from '../../domain/reward.ts';
import { curlLine } from '../../portal/documents/quickstarts.ts';
import { eventually } from '../helpers/eventually.ts';
import { aPurchase } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { startReceiver } from '../helpers/webhook-receiver.ts';
import { type Browser, textOf, unescaped } from './helpers/browser.ts';
import { partnerBrowser } from './helpers/people.ts';
import { portalOf, type SomePortal, startPortal } from './helpers/portal.ts';

let service: Service;
let portal: SomePortal;

const operationsOf = (partnerId: string, action: string) =>
  service.models.auditEntries.find({ partnerId, action });

/** Creates a reward in the console, and waits until it is funded. */
async function madeReward(browser: Browser): Promise<string> {
  await browser.open('/console');
  const { html } = await browser.submit('/console', { ...sending });
  const [rewardId = ''] = /PNR_[0-9A-Z]{26}/.exec(html) ?? [];
  await eventually(
    async () => (await service.models.rewards.findById(rewardId))?.state === 'FUNDED',
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
  t.regex(html, /<a href="\/orders\/PNR_/);
  t.regex(html, /Claim now|hx-get="\/orders\/PNR_/);
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

test('once it is sent, the response comes first, and what was sent and the form are folded', async (t) => {
  const { partnerId } = await service.partner();
  const owner = await partnerBrowser(portal, partnerId);
  await owner.open('/console');
  const { html } = await owner.submit('/console', sending);
  t.deepEqual(
    [...html.matchAll(/<details class="card"><summary>([^<]*)</g)].map(([, title]) => title),
    ['What was signed and sent', 'Change it and send it again'],
  );
  const places = ['Response body', 'What happens next', 'What was signed and sent'].map((text) =>
    html.indexOf(text),
  );
  t.deepEqual(
    places,
    places.toSorted((one, other) => one - other),
  );
  t.true((places[0] ?? -1) > 0);
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
  for (const [path, state, action] of [
    ['claim', 'AVAILABLE', 'test-clock.claim'],
    ['expire', 'EXPIRED', 'test-clock.expire'],
  ] as const) {
    const rewardId = await madeReward(developer);
    const open = await developer.open(`/orders/${rewardId}`);
    t.regex(open.html, /<details class="confirm is-dangerous" *><summary>Let it expire …/);
    const { html } = await developer.submit(`/orders/${rewardId}/${path}`);
    t.is((await service.models.rewards.findById(rewardId))?.state, state);
    t.notRegex(html, /Claim now|Let it expire now/);
    const [operation] = await operationsOf(partnerId, action);
    t.like(operation, { status: 'DONE', targetId: rewardId });
  }
});

test('the test clock ends a hold, and then the reward can be claimed', async (t) => {
  const { partnerId } = await service.partner({ rule: { holdFor: 'P14D' } });
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  const rewardId = await madeReward(developer);
  const page = `/orders/${rewardId}`;
  const open = await developer.open(page);
  t.regex(textOf(open.html), /on hold: the customer can claim it from/);
  t.notRegex(open.html, /Claim now/);
  t.is((await developer.post(`${page}/claim`)).status, 409);
  t.regex((await developer.submit(`${page}/mature`)).html, /Claim now/);
  await developer.submit(`${page}/claim`);
  t.is((await service.models.rewards.findById(rewardId))?.state, 'AVAILABLE');
});

test('the test clock does not affect LIVE rewards', async (t) => {
  const live = await service.partner({ mode: 'LIVE', fundingCents: 100_000 });
  const { body } = await live.purchase();
  const reward = await service.rewardOf(body.reward.id);
  t.is(reward.mode, 'LIVE');
  const owner = await partnerBrowser(portal, live.partnerId);
  t.notRegex((await owner.open(`/orders/${reward._id}`)).html, /Claim now|Let it expire now/);
  await owner.open('/account');
  for (const move of ['mature', 'claim', 'expire', 'end-points']) {
    t.is((await owner.post(`/orders/${reward._id}/${move}`)).status, 404);
  }
  const after = await service.rewardOf(reward._id);
  t.true(unclaimedStates.includes(after.state));
});

test.before(async () => {
  service = await startService();
  portal = await portalOf(service);
});

test.after.always(async () => {
  await service?.stop();
});

test('an endpoint is created, notified, shown, resent to, rotated, paused and deleted', async (t) => {
  const receiver = await startReceiver();
  t.teardown(() => receiver.stop());
  const partner = await service.partner();
  const { partnerId } = partner;
  const { models } = service;
  const owner = await partnerBrowser(portal, partnerId, 'developer');
  t.regex(textOf((await owner.open('/webhooks?mode=TEST')).html), /No TEST endpoint yet/);
  const hint = textOf((await owner.open('/webhooks/new?mode=TEST')).html);
  t.regex(hint, /or be on this machine, such as http:\/\/localhost:4000\/hook/);
  const refused = await owner.submit('/webhooks/new', { url: 'https://10.0.0.1/' });
  t.is(refused.status, 400);
  t.regex(textOf(refused.html), /Must lead to a public address/);
  const typed = {
    url: `${receiver.url}?token=t`,
    description: 'till',
    eventTypes: 'reward.funded',
  };
  const shown = await owner.submit('/webhooks/new', typed);
  const [secret = ''] = /whsec_[\w+/=]{44}/.exec(shown.html) ?? [];
  t.true(secret.length > 40, textOf(shown.html));
  const endpoint = await models.webhookEndpoints.findOne({ partnerId }).orFail();
  t.deepEqual(endpoint.eventTypes, ['reward.funded']);
  const path = `/webhooks/${endpoint._id}`;
  t.false((await owner.open(path)).html.includes(secret), 'the secret is shown only once');

  const { body } = await partner.purchase(aPurchase());
  const [received] = await eventually(
    async () => receiver.received.length > 0 && receiver.received,
    'the webhook arrives',
  );
  t.notThrows(() =>
    new Webhook(secret).verify(received?.body ?? '', received?.headers as Record<string, string>),
  );
  const delivered = { partnerId, type: 'reward.funded', state: 'DELIVERED' } as const;
  const delivery = await eventually(
    () => models.webhookDeliveries.findOne(delivered),
    'the delivery is recorded',
  );
  const today = new Date(delivery.createdAt).toISOString().slice(0, 10);
  const narrowed = (query: string) => owner.open(`${path}?type=reward.funded${query}`);
  t.true(
    (await narrowed(`&state=DELIVERED&from=${today}&to=${today}`)).html.includes(delivery._id),
  );
  t.false((await narrowed('&state=FAILED')).html.includes(delivery._id));
  t.false((await narrowed('&to=2026-01-01')).html.includes(delivery._id));
  t.regex((await owner.open(path)).html, new RegExp(`to=${today}[^>]*>7 days</a>`));
  const detail = await owner.open(`/webhooks/deliveries/${delivery._id}`);
  t.regex(textOf(detail.html), /Response 204 after [\d,]+ ms/);
  t.true(detail.html.includes(body.reward.id));
  await eventually(
    async () => /100% of 1 succeeded/.test(textOf((await owner.open(path)).html)),
    'the page counts it',
  );
  const event = textOf((await owner.open(`/events/${body.eventId}`)).html);
  t.regex(event, /Webhooks .* reward\.funded 127\.0\.0\.1:\d+ Delivered/);

  const doctor = `/webhooks/doctor/${endpoint._id}`;
  const headers = Object.entries(received?.headers ?? {}).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const diagnosed = async (pasted: string) => {
    await owner.open(doctor);
    return textOf((await owner.submit(doctor, { headers: headers.join('\n'), body: pasted })).html);
  };
  t.regex(
    await diagnosed(received?.body ?? ''),
    /The signature holds, under this endpoint’s newest/,
  );
  t.regex(await diagnosed(`${received?.body} `), /blanks around it/);
  t.regex(await diagnosed('{}'), /not the body that was sent/);

  await owner.open(`/webhooks/deliveries/${delivery._id}`);
  await owner.submit(`/webhooks/deliveries/${delivery._id}/resend`);
  await eventually(async () => receiver.received.length === 2, 'it arrives again');
  await eventually(
    () => models.webhookDeliveries.exists(delivered),
    'the second attempt is recorded',
  );
  await owner.open(`/webhooks/${endpoint._id}`);
  const backwards = await owner.submit(`/webhooks/${endpoint._id}/resend`, {
    from: '2026-03-02T00:00',
    until: '2026-03-01T00:00',
  });
  t.regex(backwards.html, /id="until-error"[^>]*>Must be after the period&#39;s start</);
  await owner.open(`/webhooks/${endpoint._id}`);
  const resent = await owner.submit(`/webhooks/${endpoint._id}/resend`, { which: 'all' });
  t.regex(textOf(resent.html), /1 webhook sent again/);
  await eventually(async () => receiver.received.length === 3, 'it arrives a third time');
  t.is(new Set(receiver.received.map(({ event: { id } }) => id)).size, 1);

  const settings = `/webhooks/${endpoint._id}`;
  await owner.open(settings);
  const rotated = await owner.submit(`${settings}/rotate`);
  t.regex(rotated.html, /whsec_/);
  t.false(rotated.html.includes(secret));
  await owner.open(settings);
  t.regex(textOf((await owner.submit(`${settings}/pause`)).html), /Paused: events wait/);
  await owner.open(settings);
  t.regex(textOf((await owner.submit(`${settings}/resume`)).html), /Resumed/);
  t.is((await owner.submit(`${settings}/ping`)).status, 200);
  await eventually(async () => receiver.of('test.ping').length === 1, 'the ping arrives');

  const viewer = await partnerBrowser(portal, partnerId, 'viewer');
  const seen = (await viewer.open(path)).html;
  t.false(seen.includes('token=t'), 'a viewer does not see the URL’s query');
  t.false(seen.includes('/settings'));

  await owner.open(settings);
  await owner.submit(`${settings}/delete`);
  t.is(await models.webhookEndpoints.countDocuments({ partnerId }), 0);
  const gone = await owner.open(`/webhooks/deliveries/${delivery._id}`);
  t.regex(textOf(gone.html), /Endpoint deleted/);
});

test('the mode in the address is that of a new endpoint, which a developer cannot change in LIVE', async (t) => {
  const { partnerId } = await service.partner();
  const owner = await partnerBrowser(portal, partnerId);
  await owner.open('/webhooks/new?mode=LIVE');
  await owner.submit('/webhooks/new', { url: 'https://shop.example/hook' });
  const made = await service.models.webhookEndpoints.findOne({ partnerId }).orFail();
  t.is(made.mode, 'LIVE');
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  await developer.open('/account');
  const url = 'https://elsewhere.example/';
  t.is((await developer.post(`/webhooks/${made._id}/settings?mode=TEST`, { url })).status, 403);
});

test('a TEST endpoint is copied to LIVE, with a secret of its own', async (t) => {
  const { partnerId } = await service.partner();
  const owner = await partnerBrowser(portal, partnerId);
  await owner.open('/webhooks/new?mode=TEST');
  const fields = { url: 'https://shop.example/hook', eventTypes: 'reward.funded' };
  const [tested = ''] =
    /whsec_[\w+/=-]+/.exec((await owner.submit('/webhooks/new', fields)).html) ?? [];
  const { _id } = await service.models.webhookEndpoints.findOne({ partnerId }).orFail();
  await owner.open('/webhooks?mode=LIVE');
  const shown = await owner.submit(`/webhooks/${_id}/copy`);
  const [secret = ''] = /whsec_[\w+/=-]+/.exec(shown.html) ?? [];
  t.not(secret, '');
  t.not(secret, tested);
  const copy = await service.models.webhookEndpoints.findOne({ partnerId, mode: 'LIVE' }).orFail();
  t.like(copy, { url: 'https://shop.example/hook', status: 'ACTIVE' });
  t.deepEqual([...copy.eventTypes], ['reward.funded']);
  t.is((await owner.post(`/webhooks/${copy._id}/copy`)).status, 404, 'only TEST is copied');
});

test('a rehearsal is switched on and off for a TEST key, and go-live shows it as evidence', async (t) => {
  const shop = await service.partner();
  const { partnerId, credentialId } = shop;
  const notLive = { $set: { 'goLive.state': 'SANDBOX' as const } };
  await service.models.partners.updateOne({ _id: partnerId }, notLive);
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  await developer.open('/console/rehearsal');
  t.regex(
    (await developer.open('/home')).html,
    /Failures were not rehearsed, which is not required/,
  );
  await developer.open('/console/rehearsal');
  const { html } = await developer.submit('/console/rehearsal', { minutes: '5' });
  t.regex(textOf(html), /A rehearsal is on Until .* Nothing has happened yet/);
  const [started] = await operationsOf(partnerId, 'rehearsal.start');
  t.like(started, { status: 'DONE', targetId: credentialId });
  const { rehearsal } = await service.models.credentials.findById(credentialId).orFail();
  const { _id } = await service.models.rehearsals.findOne({ partnerId }).orFail();
  t.is(rehearsal?.rehearsalId, _id);

  const ended = await developer.submit('/console/rehearsal/end', {});
  t.regex(textOf(ended.html), /Start a rehearsal/);
  t.is((await service.models.credentials.findById(credentialId).orFail()).rehearsal, undefined);
  t.regex((await developer.open('/home')).html, /Failures were rehearsed on .*: nothing was sent/);
});

test('a rehearsal needs one of the partner’s TEST keys, and at most an hour', async (t) => {
  const { partnerId } = await service.partner();
  const live = await service.partner({ mode: 'LIVE', fundingCents: 1 });
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  for (const wrong of [{ minutes: '61' }, { credentialId: live.credentialId }]) {
    await developer.open('/console/rehearsal');
    const { status } = await developer.submit('/console/rehearsal', wrong);
    t.true(status >= 400, JSON.stringify(wrong));
  }
  t.is(await service.models.rehearsals.countDocuments({ partnerId }), 0);
});
