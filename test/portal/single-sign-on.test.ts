import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import test from 'ava';
import { pino } from 'pino';
import { portOf } from '../../http/listen.ts';
import { createAccessToken } from '../../operations/account.ts';
import { createSingleSignOn } from '../../portal/session/single-sign-on.ts';
import { operate } from '../helpers/operate.ts';
import { type Service, startService } from '../helpers/service.ts';
import { Browser, textOf } from './helpers/browser.ts';
import { clientId, clientSecret, startProvider } from './helpers/identity-provider.ts';
import { anOperator, aUser, signedIn } from './helpers/people.ts';
import { configOf, startPortal, type TestPortal } from './helpers/portal.ts';

let service: Service;
let provider: Awaited<ReturnType<typeof startProvider>>;
let portal: TestPortal;
test.before(async () => {
  service = await startService();
  provider = await startProvider(`${service.config.portal.url}/sign-in/sso/callback`);
  portal = await portalWith({});
});
test.after.always(async () => {
  await portal?.stop();
  await provider?.stop();
  await service?.stop();
});

const portalWith = (env: Record<string, string>) =>
  startPortal(service, {
    config: configOf(service, {
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: clientId,
      OIDC_CLIENT_SECRET: clientSecret,
      ...env,
    }),
  });

/** Signs in at the provider. @returns the browser, and where it went from there */
async function signInAt(
  where: TestPortal,
  person: Parameters<typeof provider.signsIn>[0],
  to = '/account',
) {
  provider.signsIn(person);
  const browser = new Browser(where);
  await browser.ask('GET', `/sign-in/sso?to=${encodeURIComponent(to)}`);
  const back = await provider.visit(browser.shown?.headers.get('location') ?? '');
  return { browser, back, shown: await browser.open(back.pathname + back.search) };
}

test.serial(
  'a member of a team signs in at the provider, and comes to the page they wanted',
  async (t) => {
    const { partnerId } = await service.partner();
    const { email } = await aUser(portal, { partnerId });
    const { shown } = await signInAt(portal, { email: email ?? '' }, '/team');
    t.is(shown.path, '/team');
    t.is(shown.status, 200);
    const session = await service.models.sessions.findOne({ signedInBy: 'SSO' }).sort({ _id: -1 });
    t.truthy(session);
  },
);

test.serial(
  'a provider that says who they are at its userinfo endpoint alone is asked there',
  async (t) => {
    const redirect = `${service.config.portal.url}/sign-in/sso/callback`;
    const reticent = await startProvider(redirect, { conformIdTokenClaims: true });
    t.teardown(reticent.stop);
    const here = await portalWith({ OIDC_ISSUER: reticent.issuer });
    t.teardown(() => here.stop());
    const { partnerId } = await service.partner();
    const { email } = await aUser(here, { partnerId });
    reticent.signsIn({ email: email ?? '' });
    const browser = new Browser(here);
    await browser.ask('GET', '/sign-in/sso?to=/team');
    const back = await reticent.visit(browser.shown?.headers.get('location') ?? '');
    t.is((await browser.open(back.pathname + back.search)).path, '/team');
  },
);

test('the provider’s name is found with or without its slash; otherwise, both names are said', async (t) => {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ issuer: `${base}/realms/shop/` }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const base = `http://127.0.0.1:${portOf(server)}`;
  const check = (issuer: string) =>
    createSingleSignOn(
      configOf(service, {
        OIDC_ISSUER: issuer,
        OIDC_CLIENT_ID: clientId,
        OIDC_CLIENT_SECRET: clientSecret,
      }),
    )?.check();
  await check(`${base}/realms/shop/`);
  await check(`${base}/realms/shop`);
  await t.throwsAsync(async () => check(`${base}/realms/other`), {
    message: `OIDC_ISSUER is ${base}/realms/other, but the provider calls itself ${base}/realms/shop/: set that`,
  });
});

test.serial('an operator still gives the second factor', async (t) => {
  const operator = await anOperator(portal, 'support');
  const { shown } = await signInAt(portal, { email: operator.email ?? '' }, '/admin');
  t.regex(shown.path, /^\/second-factor/);
});

test.serial(
  'strangers, unverified addresses and refusals of the provider do not get in',
  async (t) => {
    const { partnerId } = await service.partner();
    const { email } = await aUser(portal, { partnerId });
    for (const person of [
      { email: `${randomUUID()}@strangers.example` },
      { email: email ?? '', email_verified: false },
      null,
    ]) {
      const { shown, browser } = await signInAt(portal, person);
      t.is(shown.status, 403);
      t.regex(textOf(shown.html), /not signed in|no account/);
      t.regex((await browser.open('/account')).path, /^\/sign-in/);
    }
  },
);

test.serial('a response of another attempt, or a second use of one, signs nobody in', async (t) => {
  const { partnerId } = await service.partner();
  const { email } = await aUser(portal, { partnerId });
  const { back, browser } = await signInAt(portal, { email: email ?? '' });
  const path = back.pathname + back.search;
  t.is((await browser.open(path)).status, 403);
  const victim = new Browser(portal);
  t.is((await victim.open(path)).status, 403);
  await victim.ask('GET', '/sign-in/sso');
  t.is((await victim.open(path)).status, 403);
  t.regex((await victim.open('/account')).path, /^\/sign-in/);
});

test.serial('a lower role by groups counts at once; a higher one is given by people', async (t) => {
  const mapped = await portalWith({ OIDC_GROUPS: 'admins=admin,desk=support' });
  t.teardown(() => mapped.stop());
  const operator = await anOperator(mapped, 'admin');
  const spare = await Promise.all([anOperator(mapped, 'admin'), anOperator(mapped, 'admin')]);
  t.is(spare.length, 2);
  const operatorId = operator.operatorId ?? '';
  const roleOf = async () => (await service.models.operators.findById(operatorId).orFail()).role;
  const email = operator.email ?? '';
  t.is((await signInAt(mapped, { email, groups: ['cooks'] })).shown.status, 403);
  await signInAt(mapped, { email, groups: ['desk'] });
  t.is(await roleOf(), 'support');
  await signInAt(mapped, { email, groups: ['admins'] });
  t.is(await roleOf(), 'support');
  const { models } = service;
  const change = await models.auditEntries.findOne({
    action: 'operator.change-role',
    targetId: operatorId,
  });
  t.like(change, { actorId: 'system', status: 'DONE' });
});

/** The status of a program's read with a user's token. */
const read = async (at: TestPortal, token: string) =>
  (await fetch(`${at.url}/events`, { headers: { authorization: `Bearer ${token}` } })).status;

/** Signs a developer in at the provider, who then makes an access token. */
async function aDeveloperAt(where: TestPortal, group: string, partnerId: string) {
  const { _id: userId, email } = await aUser(where, { partnerId, role: 'developer' });
  const person = { email: email ?? '', groups: [group] };
  const { browser } = await signInAt(where, person);
  const { token } = await operate(where.deps, createAccessToken, {
    partnerId,
    userId,
    name: 'a terminal',
    days: 90,
  });
  return { browser, token, person };
}

test.serial(
  'a provider that names no groups, although they decide, is told of in the log',
  async (t) => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
    const config = configOf(service, {
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: clientId,
      OIDC_CLIENT_SECRET: clientSecret,
      OIDC_GROUPS: 'desk=support',
    });
    const here = await startPortal(service, { config, log });
    t.teardown(() => here.stop());
    const { email } = await anOperator(here, 'support');
    t.is((await signInAt(here, { email: email ?? '' })).shown.status, 403);
    t.regex(lines.join(), /names no groups: have it send the claim groups/);
    lines.length = 0;
    t.is((await signInAt(here, { email: email ?? '', groups: ['cooks'] })).shown.status, 403);
    t.deepEqual(lines, []);
  },
);

test.serial('a sign-in without a group ends the sessions and tokens of before', async (t) => {
  const { partnerId } = await service.partner();
  const here = await portalWith({ OIDC_GROUPS: `shop=${partnerId}:developer,desk=support` });
  t.teardown(() => here.stop());
  const { browser, token, person } = await aDeveloperAt(here, 'shop', partnerId);
  t.is((await browser.open('/account')).path, '/account');
  t.is(await read(here, token), 200);
  t.is((await signInAt(here, { ...person, groups: ['cooks'] })).shown.status, 403);
  t.regex((await browser.open('/account')).path, /^\/sign-in/);
  t.is(await read(here, token), 401);

  const operator = await anOperator(here, 'support');
  const operatorId = operator.operatorId ?? '';
  const at = { email: operator.email ?? '' };
  const desk = await signInAt(here, { ...at, groups: ['desk'] });
  t.is((await signInAt(here, { ...at, groups: [] })).shown.status, 403);
  t.regex((await desk.browser.open('/account')).path, /^\/sign-in/);
  const { tokens } = await service.models.operators.findById(operatorId).orFail();
  t.true(tokens.length > 0 && tokens.every(({ revokedAt }) => revokedAt !== null));
});

test.serial(
  'hours after the last sign-in at the provider, its sessions end and tokens wait for the next',
  async (t) => {
    const { partnerId } = await service.partner();
    let clockOffsetMs = 0;
    const here = await startPortal(service, {
      now: () => Date.now() + clockOffsetMs,
      config: configOf(service, {
        OIDC_ISSUER: provider.issuer,
        OIDC_CLIENT_ID: clientId,
        OIDC_CLIENT_SECRET: clientSecret,
        OIDC_GROUPS: `shop=${partnerId}:developer`,
        OIDC_SIGN_IN_HOURS: '1',
      }),
    });
    t.teardown(() => here.stop());
    const { browser, token, person } = await aDeveloperAt(here, 'shop', partnerId);
    const byPassword = await signedIn(here, await aUser(here, { partnerId }));
    clockOffsetMs = 59 * 60_000;
    t.is((await browser.open('/account')).path, '/account');
    t.is(await read(here, token), 200);
    clockOffsetMs = 61 * 60_000;
    t.regex((await browser.open('/account')).path, /^\/sign-in/);
    t.is(await read(here, token), 401);
    t.is((await byPassword.open('/account')).path, '/account');
    await signInAt(here, person);
    t.is(await read(here, token), 200);
  },
);

test.serial(
  'with passwords off, neither a password nor an emailed link signs anybody in',
  async (t) => {
    const only = await portalWith({ PASSWORD_SIGN_IN: 'off' });
    t.teardown(() => only.stop());
    const { partnerId } = await service.partner();
    const { email } = await aUser(only, { partnerId });
    const browser = new Browser(only);
    const { html } = await browser.open('/sign-in');
    t.regex(textOf(html), /Sign in with your organization/);
    t.notRegex(html, /type="password"/);
    const given = { email: email ?? '', password: 'a password of theirs' };
    t.is((await browser.post('/sign-in', given)).status, 403);
    t.is((await browser.post('/sign-in/link', { email: email ?? '' })).status, 403);
    const { browser: inside } = await signInAt(only, { email: email ?? '' });
    t.notRegex((await inside.open('/account')).html, /newPassword/);
  },
);
