import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { Webhook } from 'standardwebhooks';
import { logLine } from '../../../clients/typescript/cli/log/line.ts';
import { eventTriggers } from '../../../clients/typescript/cli/trigger.ts';
import type { LogEvent } from '../../../clients/typescript/portal-client.ts';
import { webhookEventTypes, webhookExamples } from '../../../domain/webhooks.ts';
import { createAccessToken } from '../../../operations/account.ts';
import { createWebhookEndpoint } from '../../../operations/webhook-endpoints.ts';
import { startCuttableProxy } from '../../helpers/cuttable-proxy.ts';
import { eventually } from '../../helpers/eventually.ts';
import { compileCache } from '../../helpers/inherited.ts';
import { operate } from '../../helpers/operate.ts';
import { aPurchase, type PartnerBackend } from '../../helpers/partner-backend.ts';
import { type Service, startService } from '../../helpers/service.ts';
import { startReceiver } from '../../helpers/webhook-receiver.ts';
import { textOf } from '../../portal/helpers/browser.ts';
import { aUser, partnerBrowser } from '../../portal/helpers/people.ts';
import { startPortal, type TestPortal } from '../../portal/helpers/portal.ts';
import { runCli } from './run-cli.ts';

let service: Service;
let portal: TestPortal;
test.before(async () => {
  service = await startService();
  portal = await startPortal(service);
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

/** The environment of a partner user's terminal. */
async function terminalOf(
  shop: PartnerBackend,
  role: 'developer' | 'viewer' = 'developer',
  portalUrl = portal.url,
): Promise<Record<string, string>> {
  const { partnerId } = shop;
  const { _id: userId } = await aUser(portal, { partnerId, role });
  const fields = { partnerId, userId, name: 'terminal', days: 7 };
  const { token } = await operate(portal.deps, createAccessToken, fields);
  return {
    PARTNER_PORTAL_URL: portalUrl,
    PARTNER_TOKEN: token,
    PARTNER_URL: service.baseUrl,
    PARTNER_KEY: shop.key,
    PARTNER_SECRET: shop.secret,
  };
}

const cliPath = fileURLToPath(new URL('../../../clients/typescript/cli.ts', import.meta.url));

/** Starts `listen`. @returns its output so far, and a function that ends it */
async function startListening(t: ExecutionContext, env: Record<string, string>, ...args: string[]) {
  const child = spawn(process.execPath, [cliPath, 'listen', '--json', ...args], {
    env: { ...compileCache, ...env },
  });
  t.teardown(() => child.kill('SIGKILL'));
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const events: LogEvent[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => events.push(JSON.parse(line)));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  return {
    events,
    closed,
    stderr: () => stderr,
    ordersOf: () => events.map(({ externalOrderId }) => externalOrderId),
    async end() {
      child.kill('SIGINT');
      return await closed;
    },
  };
}

/** Sends purchases until one is printed: from then on, none is missed. */
async function untilPrinted(
  shop: PartnerBackend,
  { ordersOf }: { ordersOf: () => (string | null)[] },
): Promise<void> {
  await eventually(async () => {
    const externalOrderId = `beginning-${Math.random()}`;
    await shop.purchase(aPurchase({ externalOrderId }));
    return ordersOf().length > 0;
  }, 'the command listens');
}

test('listen prints each request once as it arrives, across an outage of the portal, until Ctrl-C', async (t) => {
  const shop = await service.partner();
  const other = await service.partner();
  const proxy = await startCuttableProxy(new URL(portal.url).host);
  t.teardown(() => proxy.stop());
  const listening = await startListening(
    t,
    await terminalOf(shop, 'viewer', `http://${proxy.address}`),
  );
  await untilPrinted(shop, listening);
  const send = (externalOrderId: string) => shop.purchase(aPurchase({ externalOrderId }));
  await send('one');
  await other.purchase(aPurchase({ externalOrderId: 'another partner’s' }));
  await shop.changed({ secret: 'wrong' }).purchase();
  await shop.purchase({});
  proxy.cut();
  await send('while away');
  await eventually(async () => /trying again/.test(listening.stderr()), 'the outage is reported');
  proxy.mend();
  await send('two');
  const printed = () =>
    listening.events.filter(({ externalOrderId }) => !/^beginning/.test(externalOrderId ?? ''));
  await eventually(async () => printed().length >= 5, 'all requests are printed');
  await shop.changed({ secret: 'wrong' }).purchase();
  await eventually(async () => printed().length >= 6, 'the row’s increased count is printed');
  t.deepEqual(
    printed()
      .map(({ code, count, externalOrderId }) => [code, count, externalOrderId])
      .toSorted(),
    [
      ['ACCEPTED', 1, 'one'],
      ['ACCEPTED', 1, 'two'],
      ['ACCEPTED', 1, 'while away'],
      ['INVALID_SIGNATURE', 1, null],
      ['INVALID_SIGNATURE', 1, null],
      ['VALIDATION_FAILED', 1, null],
    ],
  );
  proxy.silence();
  t.is(await listening.end(), 0);
  t.notRegex(listening.stderr(), /Error|at /);
});

test('listen --forward-to delivers the TEST webhooks to a local address, signed, until Ctrl-C', async (t) => {
  const receiver = await startReceiver();
  t.teardown(() => receiver.stop());
  const shop = await service.partner();
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const env = { ...(await terminalOf(shop)), PARTNER_WEBHOOK_SECRET: secret };
  const { partnerId } = shop;
  let refusals = 1;
  receiver.answerWith((response) => response.writeHead(refusals-- > 0 ? 500 : 204).end('seen'));
  const forwarding = ['--forward-to', receiver.url, '--events', 'reward.funded,reward.cancelled'];
  const listening = await startListening(t, env, ...forwarding);
  const { models } = service;
  const listener = await eventually(
    () => models.webhookEndpoints.findOne({ partnerId }),
    'the command listens',
  );
  t.like(listener, { mode: 'TEST', status: 'LISTENING', secrets: [] });

  const purchase = aPurchase();
  const { body } = await shop.purchase(purchase);
  await eventually(async () => receiver.received.length > 0, 'the webhook is delivered');
  await shop.refund({ externalOrderId: purchase.externalOrderId });
  await eventually(async () => receiver.received.length >= 3, 'the failed delivery is repeated');
  const [funded, ...later] = receiver.received;
  t.is(funded?.event.data.rewardId, body.reward.id);
  t.true(later.some(({ event }) => event.type === 'reward.cancelled'));
  t.true(later.some(({ event }) => event.id === funded?.event.id));
  for (const { headers, body: sent } of receiver.received) {
    t.notThrows(() => new Webhook(secret).verify(sent, headers as Record<string, string>));
  }
  await eventually(async () => listening.events.length >= 3, 'each attempt is printed');
  const owner = await partnerBrowser(portal, partnerId);
  t.regex(
    textOf((await owner.open(`/webhooks/${listener._id}`)).html),
    /A terminal on a developer’s machine/,
  );

  t.is(await listening.end(), 0);
  t.is(await models.webhookEndpoints.countDocuments({ partnerId }), 0);
  const viewer = await terminalOf(shop, 'viewer');
  // An empty variable counts as unset, so the portal refuses.
  const unset = { ...viewer, PARTNER_WEBHOOK_SECRET: '' };
  const refused = await runCli(['listen', ...forwarding], unset);
  t.is(refused.code, 1);
  t.regex(refused.stderr, /FORBIDDEN/);
});

test('listen takes filters, and ends when its token does', async (t) => {
  const shop = await service.partner();
  const env = await terminalOf(shop);
  const listening = await startListening(t, env, '--order', 'wanted', '--mode', 'test');
  await eventually(async () => {
    await shop.purchase(aPurchase({ externalOrderId: 'wanted' }));
    return listening.events.length > 0;
  }, 'the command listens');
  await shop.purchase(aPurchase({ externalOrderId: 'other' }));
  await service.models.accessTokens.deleteMany({ partnerId: shop.partnerId });
  await eventually(
    async () => listening.stderr().includes('INVALID_ACCESS_TOKEN'),
    'the refusal is printed',
  );
  t.deepEqual([...new Set(listening.ordersOf())], ['wanted']);
  t.is(await listening.closed, 1);
});

test('logs prints filtered requests, newest last, without colours in a file', async (t) => {
  const shop = await service.partner();
  const env = await terminalOf(shop, 'viewer');
  for (const externalOrderId of ['a', 'b', 'c']) {
    await shop.purchase(aPurchase({ externalOrderId }));
  }
  const { code, stdout } = await runCli(['logs', '--limit', '2'], env);
  t.is(code, 0);
  const lines = stdout.trimEnd().split('\n');
  t.is(lines.length, 2);
  t.regex(
    lines[0] ?? '',
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}TEST {2}201 {2}PURCHASE {2}evt_\w{26} {2}ACCEPTED +b$/,
  );
  t.true(lines[1]?.endsWith(' c'));
  t.false(stdout.includes('\u001b'));
  const asJson = await runCli(['logs', '--json', '--order', 'a'], env);
  t.like(JSON.parse(asJson.stdout), { externalOrderId: 'a', code: 'ACCEPTED', status: 201 });
  const none = await runCli(['logs', '--code', 'RATE_LIMITED', '--from', '2025-01-01'], env);
  t.deepEqual([none.code, none.stdout], [0, '']);
  t.regex(none.stderr, /No request/);
  const wrong = await runCli(['logs', '--code', 'NO_SUCH_CODE'], env);
  t.is(wrong.code, 1);
  t.regex(wrong.stderr, /VALIDATION_FAILED: "code"/);
});

test('trigger causes a refund, a claim and an expiry in TEST, including the steps before them', async (t) => {
  const shop = await service.partner();
  const env = await terminalOf(shop);
  const steps = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCli(['trigger', ...args, '--json'], env);
    t.is(code, 0, stderr);
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  const [bought] = await steps('purchase', '--subtotal', '12.00');
  t.is(bought.reward.points, 120);
  const [, refunded] = await steps('refund', '--order', 'R1');
  t.like(refunded, { externalOrderId: 'R1', refund: { status: 'CANCELLED' } });
  const [forClaim, claimed] = await steps('claim');
  t.like(claimed.reward, { id: forClaim.reward.id, status: 'AVAILABLE' });
  t.is((await service.rewardOf(claimed.reward.id)).state, 'AVAILABLE');
  const [expired] = await steps('expire', '--reward', bought.reward.id);
  t.is((await service.rewardOf(expired.reward.id)).state, 'EXPIRED');
  const [forReview] = await steps('review');
  t.is((await service.rewardOf(forReview.reward.id)).state, 'IN_REVIEW');
  const shown = await runCli(['trigger', 'expire'], env);
  t.regex(
    shown.stdout,
    /^Purchase trigger-\w{8} accepted, TEST.*moved, TEST\n {2}Reward +PNR_\w+, EXPIRED/s,
  );
});

test('trigger produces each kind of event: TEST carries it out or sends an example', async (t) => {
  t.deepEqual(Object.keys(eventTriggers), [...webhookEventTypes]);
  const shop = await service.partner();
  const env = await terminalOf(shop);
  const unreceived = await runCli(['trigger', 'invoice.issued'], env);
  t.is(unreceived.code, 1);
  t.regex(unreceived.stderr, /CONFLICT.*No TEST endpoint or terminal receives invoice\.issued/);
  const receiver = await startReceiver();
  t.teardown(() => receiver.stop());
  const { partnerId } = shop;
  await operate(portal.deps, createWebhookEndpoint, {
    partnerId,
    mode: 'TEST',
    url: receiver.url,
    eventTypes: ['*'],
    description: '',
  });
  const examples = webhookEventTypes.filter((type) => eventTriggers[type] === null);
  for (const type of examples) {
    const { code, stdout, stderr } = await runCli(['trigger', type, '--json'], env);
    t.is(code, 0, stderr);
    const { event, told } = JSON.parse(stdout);
    t.is(told, 1);
    const received = await eventually(
      async () => receiver.of(type)[0]?.event,
      `${type} is delivered`,
    );
    t.like(received, { id: event.id, mode: 'TEST' });
    t.deepEqual(received.data, { ...webhookExamples[type], isExample: true });
  }
  const { stdout } = await runCli(['trigger', 'reward.claimed', '--json'], env);
  const { reward } = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
  const claimed = await eventually(
    async () => receiver.of('reward.claimed')[0]?.event,
    'reward.claimed is delivered',
  );
  t.is(claimed.data.rewardId, reward.id);
  t.is(claimed.data.isExample, undefined, 'it is not an example');
  const viewer = await terminalOf(shop, 'viewer');
  t.regex((await runCli(['trigger', 'invoice.issued'], viewer)).stderr, /FORBIDDEN/);
});

test('trigger does nothing for a viewer, and nothing in LIVE', async (t) => {
  const shop = await service.partner();
  const { body } = await shop.purchase();
  const viewer = await terminalOf(shop, 'viewer');
  const refused = await runCli(['trigger', 'claim', '--reward', body.reward.id], viewer);
  t.is(refused.code, 1);
  t.regex(refused.stderr, /FORBIDDEN/);
  t.is((await service.rewardOf(body.reward.id)).state, 'FUNDED');

  const live = await service.partner({ mode: 'LIVE', fundingCents: 1_000 });
  const env = await terminalOf(live);
  for (const what of ['purchase', 'refund', 'claim', 'expire']) {
    const { code, stderr } = await runCli(['trigger', what], env);
    t.is(code, 2, what);
    t.regex(stderr, /only in TEST/);
  }
  t.is(await service.models.orderEvents.countDocuments({ partnerId: live.partnerId }), 0);
  t.is((await runCli(['trigger', 'purchase', '--live'], env)).code, 2);
});

test('a token is sent only to its own portal, and never in clear over a network', async (t) => {
  const token = 'pat_1';
  for (const env of [
    { PARTNER_TOKEN: token },
    { PARTNER_PORTAL_URL: portal.url },
    { PARTNER_TOKEN: token, PARTNER_PORTAL_URL: 'http://partners.example.com' },
    { PARTNER_TOKEN: token, PARTNER_PORTAL_URL: 'http://localhost.example.com' },
    { PARTNER_TOKEN: token, PARTNER_PORTAL_URL: 'ftp://127.0.0.1' },
  ] as Record<string, string>[]) {
    const { code, stderr } = await runCli(['logs'], env);
    t.is(code, 2, JSON.stringify(env));
    t.false(stderr.includes(token));
  }
});

test('a line is coloured by the request’s outcome, and nothing in it moves the cursor', (t) => {
  const event: LogEvent = {
    id: 'iev_1',
    receivedAt: '2025-01-31T09:30:00.123Z',
    mode: 'LIVE',
    type: 'REFUND',
    method: 'POST',
    path: '/',
    status: 401,
    code: 'INVALID_SIGNATURE',
    count: 12,
    externalOrderId: null,
    eventId: null,
    requestId: 'req_1',
    integrationId: '',
    credentialId: '',
  };
  const painted = (one: LogEvent) => logLine(one, (style, text) => `<${style}>${text}</>`);
  t.regex(
    painted(event),
    /<magenta>LIVE<\/> {2}<red>401<\/>.*<red>INVALID_SIGNATURE +<\/> {2}×12 –\n$/,
  );
  const externalOrderId = 'a\u001b[2Jb\u202ec\nd';
  t.true(painted({ ...event, externalOrderId }).endsWith('×12 a\uFFFD[2Jb\uFFFDc\uFFFDd\n'));
  t.regex(painted({ ...event, status: 201, code: 'REPLAYED' }), /<dim>201<\/>/);
  t.regex(painted({ ...event, status: 201, code: 'ACCEPTED' }), /<green>201<\/>/);
});

for (const name of ['listen', 'logs', 'trigger']) {
  test(`${name} --help shows examples`, async (t) => {
    const { code, stdout } = await runCli([name, '--help']);
    t.is(code, 0);
    t.regex(stdout, new RegExp(`Examples:\n  node partner-events.mjs ${name}`));
    t.regex(stdout, /PARTNER_TOKEN/);
  });
}
