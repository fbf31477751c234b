import test from 'ava';
import { isMail } from '../../messaging/message.ts';
import {
  sessionIdleMs,
  sessionLifeMs,
  sessionRememberedMs,
} from '../../models/identity/sessions.ts';
import { changePassword } from '../../operations/account.ts';
import { eventually } from '../helpers/eventually.ts';
import { operate } from '../helpers/operate.ts';
import { type Service, startService } from '../helpers/service.ts';
import { Browser, textOf } from './helpers/browser.ts';
import { aUser, password, signedIn } from './helpers/people.ts';
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

const user = () => aUser(portal, { partnerId });

async function isIn(browser: Browser): Promise<boolean> {
  return (await browser.open('/account')).path === '/account';
}

test('a visitor’s former cookie is worthless after signing in', async (t) => {
  const { email } = await user();
  const [victim, attacker] = [new Browser(portal), new Browser(portal)];
  await attacker.open('/sign-in');
  const planted = attacker.cookies.get('session') ?? '';
  victim.cookies.set('session', planted);
  await victim.open('/sign-in');
  await victim.submit('/sign-in', { email: email ?? '', password });
  t.true(await isIn(victim));
  t.not(victim.cookies.get('session'), planted);
  t.false(await isIn(attacker));
});

test('signing in again starts a new session and ends the previous one', async (t) => {
  const who = await user();
  const browser = await signedIn(portal, who);
  const before = new Browser(portal);
  before.cookies.set('session', browser.cookies.get('session') ?? '');
  await browser.open('/account');
  await browser.post('/sign-in', { email: who.email ?? '', password });
  t.true(await isIn(browser));
  t.false(await isIn(before));
});

test('the database stores the hash of a cookie, never the cookie', async (t) => {
  const who = await user();
  const browser = await signedIn(portal, who);
  const sessions = await portal.deps.models.sessions.find({ userId: who._id });
  t.is(sessions.length, 1);
  t.false(JSON.stringify(sessions).includes(browser.cookies.get('session') ?? ''));
});

test('the cookie is HttpOnly and same-site, and Secure over HTTPS', async (t) => {
  const { email } = await user();
  const plain = new Browser(portal);
  await plain.open('/sign-in');
  const { headers } = await plain.post('/sign-in', { email: email ?? '', password });
  const line = headers.getSetCookie()[0] ?? '';
  t.regex(line, /^session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=1209600$/);

  const { config } = service;
  const secured = await startPortal(service, {
    config: { ...config, portal: { ...config.portal, url: 'https://portal.example' } },
  });
  t.teardown(() => secured.stop());
  const browser = new Browser(secured);
  const shown = await browser.open('/sign-in');
  t.regex(
    shown.headers.getSetCookie()[0] ?? '',
    /^__Host-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  );
  t.regex(shown.headers.get('strict-transport-security') ?? '', /max-age=31536000/);
});

test('a visitor who only reads gets no cookie', async (t) => {
  const browser = new Browser(portal);
  await browser.ask('GET', '/home');
  await browser.ask('GET', '/sign-in/sent');
  await browser.ask('GET', '/nothing');
  t.is(browser.cookies.size, 0);
});

test.serial('an idle session ends after 12 hours; an active one continues', async (t) => {
  t.teardown(() => portal.setClockOffsetMs(0));
  const [idle, busy] = [await signedIn(portal, await user()), await signedIn(portal, await user())];
  portal.setClockOffsetMs(sessionIdleMs - 60_000);
  t.true(await isIn(busy));
  portal.setClockOffsetMs(sessionIdleMs + 60_000);
  t.false(await isIn(idle));
  t.true(await isIn(busy));
});

test.serial('even an active session ends after seven days', async (t) => {
  t.teardown(() => portal.setClockOffsetMs(0));
  const browser = await signedIn(portal, await user());
  for (let at = 0; at < sessionLifeMs; at += sessionIdleMs / 2) {
    portal.setClockOffsetMs(at);
    t.true(await isIn(browser), `${at}`);
  }
  portal.setClockOffsetMs(sessionLifeMs + 1_000);
  t.false(await isIn(browser));
});

test('the database deletes expired sessions, a week after they ended', async (t) => {
  const { sessions, signInLinks, invitations } = portal.deps.models;
  const who = await user();
  await signedIn(portal, who);
  const { expiresAt, deletableAt } = await sessions.findOne({ userId: who._id }).orFail();
  t.is(deletableAt.getTime() - expiresAt.getTime(), sessionRememberedMs);
  for (const model of [sessions, signInLinks, invitations]) {
    const indexes = await model.collection.indexes();
    const ttl = indexes.find(({ key }) => 'expiresAt' in key || 'deletableAt' in key);
    t.is(ttl?.expireAfterSeconds, 0, model.modelName);
  }
});

test('users see their sessions, end one of them, or all others', async (t) => {
  const who = await user();
  const [own, second, third] = [
    await signedIn(portal, who),
    await signedIn(portal, who),
    await signedIn(portal, who),
  ];
  const { html } = await own.open('/account');
  t.regex(textOf(html), /This browser/);
  const ends = [...html.matchAll(/action="(\/account\/sessions\/ses_\w+\/end)"/g)];
  t.is(ends.length, 2);
  const shown = await own.submit(ends[0]?.[1] ?? '');
  t.regex(textOf(shown.html), /Browser signed out/);
  t.is([await isIn(second), await isIn(third)].filter(Boolean).length, 1);
  await own.open('/account');
  await own.submit('/account/sessions/end-others');
  t.deepEqual([await isIn(own), await isIn(second), await isIn(third)], [true, false, false]);
});

test('nobody can end another user’s session', async (t) => {
  const [victim, who] = [await user(), await user()];
  const held = await signedIn(portal, victim);
  const { _id } = await portal.deps.models.sessions.findOne({ userId: victim._id }).orFail();
  const browser = await signedIn(portal, who);
  await browser.open('/account');
  t.is((await browser.post(`/account/sessions/${_id}/end`)).status, 404);
  t.true(await isIn(held));
});

test('changing the password requires the old one, and ends all other sessions and links', async (t) => {
  const who = await user();
  const [own, other] = [await signedIn(portal, who), await signedIn(portal, who)];
  await own.open('/sign-in/link');
  await own.open('/account');
  const wrong = await own.submit('/account/password', {
    currentPassword: 'not this one',
    newPassword: 'a new one, and long',
  });
  t.is(wrong.status, 422);
  t.regex(textOf(wrong.html), /Wrong password/);
  t.notRegex(wrong.html, /a new one, and long|not this one/);
  const short = await own.submit('/account/password', {
    currentPassword: password,
    newPassword: 'short',
  });
  t.regex(textOf(short.html), /at least 12 characters/);
  const common = await own.submit('/account/password', {
    currentPassword: password,
    newPassword: 'Password1234',
  });
  t.regex(textOf(common.html), /too common/);
  const shown = await own.submit('/account/password', {
    currentPassword: password,
    newPassword: 'a new one, and long',
  });
  t.regex(textOf(shown.html), /Password changed/);
  t.deepEqual([await isIn(own), await isIn(other)], [true, false]);
  const fresh = new Browser(portal);
  await fresh.open('/sign-in');
  t.is((await fresh.submit('/sign-in', { email: who.email ?? '', password })).status, 422);
  await fresh.submit('/sign-in', { email: who.email ?? '', password: 'a new one, and long' });
  t.true(await isIn(fresh));
  const { passwordHash } = await portal.deps.models.users.findById(who._id).orFail();
  t.regex(passwordHash ?? '', /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$/);
  const entry = await portal.deps.models.auditEntries.findOne({
    actorId: who._id,
    action: 'own-password.change',
  });
  t.like(entry, { status: 'DONE', partnerId, targetId: who._id });
});

test('a concurrent sign-in with the old password ends with the others', async (t) => {
  const { models } = portal.deps;
  const who = await user();
  const { collection } = models.sessions;
  const insertOne = collection.insertOne.bind(collection);
  collection.insertOne = async (doc, ...options) => {
    const isTheirs = doc.userId === who._id;
    const change = { password: 'a new one, and long', sessionId: 'none' };
    if (isTheirs) await operate(portal.deps, changePassword, change, { as: who._id });
    return await insertOne(doc, ...options);
  };
  t.teardown(() => Reflect.deleteProperty(collection, 'insertOne'));
  const thief = new Browser(portal);
  await thief.open('/sign-in');
  const shown = await thief.submit('/sign-in', { email: who.email ?? '', password });
  t.regex(textOf(shown.html), /Your password was changed in the meantime/);
  t.false(await isIn(thief));
  t.is(await models.sessions.countDocuments({ userId: who._id }), 0);
});

test.serial(
  'a user sets a password without the old one just after signing in by email link, but not an hour later',
  async (t) => {
    t.teardown(() => portal.setClockOffsetMs(0));
    const who = await user();
    const browser = new Browser(portal);
    await browser.open('/sign-in/link');
    await browser.submit('/sign-in/link', { email: who.email ?? '' });
    const mail = await eventually(
      async () => portal.mails.find(({ to }) => to === who.email),
      'the email is sent',
    );
    const path = /\/sign-in\/link\/[\w-]+/.exec(mail.text)?.[0] ?? '';
    await browser.open(path);
    await browser.submit(path);
    await browser.open('/account');
    const shown = await browser.submit('/account/password', {
      newPassword: 'forgotten and set anew',
    });
    t.regex(textOf(shown.html), /Password changed/);
    portal.setClockOffsetMs(3_600_000);
    t.regex((await browser.open('/account')).html, /name="currentPassword"/);
  },
);

test('a message shows once', async (t) => {
  const browser = await signedIn(portal, await user());
  await browser.open('/team');
  const shown = await browser.submit('/team/invite', {
    email: 'once@shop.example',
    role: 'viewer',
  });
  t.regex(textOf(shown.html), /on its way/);
  t.notRegex(textOf((await browser.open('/team')).html), /on its way/);
});

test('a user has at most 20 sessions: the least recently used one ends', async (t) => {
  const who = await user();
  const first = await signedIn(portal, who);
  for (let more = 0; more < 20; more++) await signedIn(portal, who);
  t.is(await portal.deps.models.sessions.countDocuments({ userId: who._id }), 20);
  t.false(await isIn(first));
});

test('a sign-in with a new browser is announced by email, unless switched off', async (t) => {
  const who = await user();
  const email = who.email ?? '';
  const mailsAbout = (subject: RegExp) =>
    portal.mails.filter((mail) => mail.to === email && subject.test(mail.subject));
  const known = async (count: number) =>
    await eventually(
      async () => (await portal.deps.models.users.findById(who._id))?.devices?.length === count,
      `${count} browsers are known`,
    );
  const signIn = async (browser: Browser) => {
    await browser.open('/sign-in');
    await browser.submit('/sign-in', { email, password });
  };
  const [own, thiefs, third] = [
    new Browser(portal),
    new Browser(portal, { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0' }),
    new Browser(portal),
  ];
  await signIn(own);
  await known(1);
  await own.submit('/sign-out');
  await signIn(own);
  await signIn(thiefs);
  const [mail] = await eventually(async () => {
    const mails = mailsAbout(/New sign-in/);
    return mails.length > 0 && mails;
  }, 'the sign-in is announced');
  t.regex(mail?.text ?? '', /Firefox on Linux, from 127\.0\.0\.1, on /);
  t.is(
    mailsAbout(/New sign-in/).length,
    1,
    'neither the first browser nor a known one is announced',
  );
  const stored = JSON.stringify(await portal.deps.models.users.findById(who._id));
  t.false(stored.includes(own.cookies.get('device') ?? ''), 'only a hash of the cookie is stored');

  const { html } = await own.open('/account/notices');
  t.regex(html, /value="sign-in.new-device"\s+checked/);
  await own.submit('/account/notices', { notices: [] });
  t.is(mailsAbout(/account was changed/).length, 1, 'switching announcements off is announced');
  await signIn(third);
  await known(3);
  t.is(mailsAbout(/New sign-in/).length, 1);
});

test('a new browser whose announcement failed is announced at its next sign-in', async (t) => {
  const mails: string[] = [];
  let isAway = true;
  const own = await startPortal(service, {
    sendMessage: async (message) => {
      if (isAway) throw new Error('the mail server is away');
      if (isMail(message)) mails.push(message.subject);
    },
  });
  t.teardown(() => own.stop());
  const who = await user();
  const signIn = async (browser: Browser) => {
    await browser.open('/sign-in');
    const shown = await browser.submit('/sign-in', { email: who.email ?? '', password });
    t.is(shown.status, 200);
  };
  const stored = async () => (await portal.deps.models.users.findById(who._id))?.devices;
  await signIn(new Browser(own));
  await eventually(async () => (await stored())?.length === 1, 'the first browser is known');
  const next = new Browser(own);
  await signIn(next);
  await eventually(
    async () => (await stored())?.length === 1,
    'the unannounced browser is forgotten',
  );
  isAway = false;
  await next.submit('/sign-out');
  await signIn(next);
  await eventually(async () => mails.length === 1, 'the next sign-in is announced');
  t.deepEqual(mails, ['New sign-in to your account']);
});
