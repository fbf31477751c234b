import test from 'ava';
import { eventually } from '../helpers/eventually.ts';
import { type Service, startService } from '../helpers/service.ts';
import { Browser, textOf } from './helpers/browser.ts';
import { tokenIn } from './helpers/fixtures.ts';
import { anOperator, aUser, operatorBrowser, password } from './helpers/people.ts';
import { startPortal, type TestPortal } from './helpers/portal.ts';

let service: Service;
let portal: TestPortal;
let partnerId: string;
test.before(async () => {
  service = await startService();
  portal = await startPortal(service);
  ({ partnerId } = await service.partner());
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

const emailOf = ({ email }: { email: string | null }): string => email ?? '';

async function signInWith(browser: Browser, email: string, typed = password, path = '/sign-in') {
  await browser.open(path);
  return await browser.submit('/sign-in', { email, password: typed });
}

/** Requests a sign-in link, and waits for the email. @returns the link's path */
async function linkFor(email: string): Promise<string> {
  const browser = new Browser(portal);
  await browser.open('/sign-in/link');
  await browser.submit('/sign-in/link', { email });
  const mail = await eventually(
    async () => portal.mails.find(({ to }) => to === email),
    'the email is sent',
  );
  return `/sign-in/link/${tokenIn(mail)}`;
}

test('a partner’s user signs in with a password, with the address in any case', async (t) => {
  const user = await aUser(portal, { partnerId });
  const browser = new Browser(portal);
  const { html } = await browser.open('/sign-in');
  t.regex(html, /<input id="email"[^>]* autofocus/);
  const shown = await signInWith(browser, ` ${emailOf(user).toUpperCase()} `);
  t.deepEqual([shown.status, shown.path], [200, '/home']);
  t.regex(textOf(shown.html), /Corner Shop/);
});

test('an operator signs in and sees today’s pending work', async (t) => {
  const user = await anOperator(portal);
  const email = emailOf(user);
  const { status } = await new Browser(portal).open(await linkFor(email));
  t.is(status, 200);
  const browser = new Browser(portal);
  await browser.open(await linkFor(email));
  const shown = await browser.submit(browser.shown?.path ?? '');
  t.is(shown.path, '/second-factor/enroll?to=%2F', 'no operator works without a second factor');
  const { html } = await (await operatorBrowser(portal)).open('/admin');
  t.regex(textOf(html), /What needs attention/);
});

test('signing in returns to the requested page', async (t) => {
  const user = await aUser(portal, { partnerId });
  const browser = new Browser(portal);
  await browser.open('/team?cursor=');
  t.is(
    (await browser.submit('/sign-in', { email: emailOf(user), password })).path,
    '/team?cursor=',
  );
});

test('after signing in, a link to another site leads home', async (t) => {
  const user = await aUser(portal, { partnerId });
  for (const to of ['https://evil.example/', '//evil.example', '/\\evil.example']) {
    const browser = new Browser(portal);
    const path = `/sign-in?to=${encodeURIComponent(to)}`;
    t.is((await signInWith(browser, emailOf(user), password, path)).path, '/home');
    await browser.open(path);
    t.is(browser.shown?.path, '/home', 'a signed-in user is sent home, too');
  }
});

test('a wrong password and an unknown address get the same response, with the same work', async (t) => {
  const user = await aUser(portal, { partnerId });
  const withoutPassword = await aUser(portal, { partnerId, passwordHash: null });
  const shown = [
    await signInWith(new Browser(portal), emailOf(user), 'not the password'),
    await signInWith(new Browser(portal), 'nobody@users.example', 'not the password'),
    await signInWith(new Browser(portal), emailOf(withoutPassword), 'a password that nobody has'),
  ];
  for (const { status, html, path } of shown) {
    t.deepEqual([status, path], [422, '/sign-in']);
    t.regex(textOf(html), /Wrong email or password/);
    t.notRegex(
      html,
      /not the password|a password that nobody has/,
      'the password is not shown again',
    );
  }
  t.regex(shown[0]?.html ?? '', new RegExp(`value="${emailOf(user)}"`), 'the email address is');
});

test('a removed user and a revoked operator cannot sign in', async (t) => {
  const removed = await aUser(portal, { partnerId, disabledAt: new Date() });
  t.is((await signInWith(new Browser(portal), emailOf(removed))).status, 422);
  const operator = await anOperator(portal);
  const path = await linkFor(emailOf(operator));
  await portal.deps.models.operators.updateOne(
    { _id: operator.operatorId ?? '' },
    { $set: { revokedAt: new Date() } },
  );
  const browser = new Browser(portal);
  await browser.open(path);
  t.is((await browser.submit(path)).status, 410);
});

test('guesses per account and address are limited: then even the right password is refused', async (t) => {
  const strict = await startPortal(service);
  t.teardown(() => strict.stop());
  const user = await aUser(portal, { partnerId });
  const statuses: number[] = [];
  for (let guess = 0; guess < 9; guess++) {
    const { status } = await signInWith(
      new Browser(strict),
      emailOf(user),
      `guess number ${guess}`,
    );
    statuses.push(status);
  }
  t.deepEqual(statuses, [422, 422, 422, 422, 422, 422, 422, 422, 429]);
  const { status, headers, html } = await signInWith(new Browser(strict), emailOf(user));
  t.is(status, 429);
  t.true(Number(headers.get('retry-after')) > 0);
  t.regex(textOf(html), /Too many attempts/);

  const other = await aUser(portal, { partnerId });
  t.is(
    (await signInWith(new Browser(strict), emailOf(other))).path,
    '/home',
    'other users can still sign in',
  );
});

test('guessing from everywhere locks nobody out: the email link still works', async (t) => {
  const strict = await startPortal(service, {}, { account: 2, address: 1_000 });
  t.teardown(() => strict.stop());
  const user = await aUser(portal, { partnerId });
  const email = emailOf(user);
  for (const expected of [422, 422, 429]) {
    t.is((await signInWith(new Browser(strict), email, 'a guess, a guess')).status, expected);
  }
  const browser = new Browser(strict);
  await browser.open('/sign-in/link');
  await browser.submit('/sign-in/link', { email });
  const mail = await eventually(
    async () => strict.mails.find(({ to }) => to === email),
    'the email is sent',
  );
  await browser.open(`/sign-in/link/${tokenIn(mail)}`);
  t.is((await browser.submit(browser.shown?.path ?? '')).path, '/home');
});

test('one address has limited attempts across all accounts', async (t) => {
  const strict = await startPortal(service, {}, { address: 3 });
  t.teardown(() => strict.stop());
  const statuses: number[] = [];
  for (let guess = 0; guess < 4; guess++) {
    const { status } = await signInWith(new Browser(strict), `a${guess}@b.example`, 'a guess');
    statuses.push(status);
  }
  t.deepEqual(statuses, [422, 422, 422, 429]);
});

test('right passwords do not count against an account', async (t) => {
  const strict = await startPortal(service, {}, { accountFromAddress: 2 });
  t.teardown(() => strict.stop());
  const user = await aUser(portal, { partnerId });
  for (let time = 0; time < 4; time++) {
    t.is((await signInWith(new Browser(strict), emailOf(user))).path, '/home');
  }
});

test('a link signs in once; requesting it again, or guessing one, does not', async (t) => {
  const path = await linkFor(emailOf(await aUser(portal, { partnerId, passwordHash: null })));
  const browsers = [new Browser(portal), new Browser(portal), new Browser(portal)];
  for (const browser of browsers) await browser.open(path);
  const shown = await Promise.all(browsers.map((browser) => browser.submit(path)));
  t.deepEqual(
    shown.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 410, 410],
  );
  t.is((await new Browser(portal).open(path)).status, 410);
  t.is((await new Browser(portal).open(`/sign-in/link/${'a'.repeat(43)}`)).status, 410);
  t.is((await new Browser(portal).open('/sign-in/link/short')).status, 404);
});

test('a program that follows an emailed link without pressing the button does not use it up', async (t) => {
  const path = await linkFor(emailOf(await aUser(portal, { partnerId })));
  const scanner = new Browser(portal);
  for (const method of ['GET', 'HEAD', 'GET']) await scanner.ask(method, path);
  t.is((await scanner.open('/home')).path, '/sign-in?to=%2Fhome');
  const browser = new Browser(portal);
  await browser.open(path);
  t.is((await browser.submit(path)).path, '/home');
});

test.serial('a link expires after 15 minutes', async (t) => {
  const path = await linkFor(emailOf(await aUser(portal, { partnerId })));
  portal.setClockOffsetMs(15 * 60_000 + 1_000);
  t.teardown(() => portal.setClockOffsetMs(0));
  t.is((await new Browser(portal).open(path)).status, 410);
});

test('requesting a link reveals nothing about the address, not even by its timing', async (t) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  t.teardown(() => release());
  const slow = await startPortal(service, { sendMessage: () => held });
  t.teardown(() => slow.stop());
  const user = await aUser(portal, { partnerId });
  const answers = await Promise.all(
    [emailOf(user), 'nobody@users.example'].map(async (email) => {
      const browser = new Browser(slow);
      await browser.open('/sign-in/link');
      const { path, html } = await browser.submit('/sign-in/link', { email });
      return [path, textOf(html)];
    }),
  );
  t.deepEqual(answers[0], answers[1]);
  t.is(answers[0]?.[0], '/sign-in/sent');
});

test('a mailbox gets a limited number of links in 15 minutes', async (t) => {
  const strict = await startPortal(service, {}, { mails: 2 });
  t.teardown(() => strict.stop());
  const [flooded, other] = [await aUser(portal, { partnerId }), await aUser(portal, { partnerId })];
  for (const { email } of [flooded, flooded, flooded, flooded, other]) {
    const browser = new Browser(strict);
    await browser.open('/sign-in/link');
    await browser.submit('/sign-in/link', { email: email ?? '' });
  }
  // Emails are sent after the response, in any order.
  const isSent = ({ email }: { email: string | null }) =>
    strict.mails.some(({ to }) => to === email);
  await eventually(async () => strict.mails.length >= 3 && isSent(other), 'the emails are sent');
  t.is(strict.mails.filter(({ to }) => to === flooded.email).length, 2);
});

test('the link is only in the email: the database has its hash, and the file is not named after it', async (t) => {
  const user = await aUser(portal, { partnerId });
  const path = await linkFor(emailOf(user));
  const token = path.split('/').at(-1) ?? '';
  const links = await portal.deps.models.signInLinks.find({ userId: user._id });
  t.is(links.length, 1);
  t.false(JSON.stringify(links).includes(token));
  t.false(portal.mails.some(({ id }) => id.includes(token)));
});

test('signing in and out is in the audit log, with the user', async (t) => {
  const user = await aUser(portal, { partnerId });
  const browser = new Browser(portal);
  await signInWith(browser, emailOf(user));
  t.is((await browser.submit('/sign-out')).path, '/sign-in');
  t.is((await browser.open('/home')).path, '/sign-in?to=%2Fhome');
  const entries = await portal.deps.models.auditEntries
    .find({ actorId: user._id })
    .sort({ _id: 1 });
  t.deepEqual(
    entries.map(({ action, status, details }) => [action, status, details.signedInBy]),
    [
      ['own-session.create', 'DONE', 'PASSWORD'],
      ['own-session.revoke', 'DONE', undefined],
    ],
  );
  t.false(JSON.stringify(entries).includes(emailOf(user)));
});
