import test from 'ava';
import Joi from 'joi';
import { generateSync } from 'otplib';
import { ServiceError } from '../../domain/errors.ts';
import {
  dropSecondFactor,
  enrollSecondFactor,
  maxWrongCodesADay,
  noteDevice,
  proveDevice,
} from '../../models/identity/second-factors.ts';
import type { UserDoc } from '../../models/schemas/people.ts';
import { requireFreshFactor } from '../../operations/execute.ts';
import { newToken } from '../../platform/hashing.ts';
import { field, form } from '../../portal/components/form.ts';
import { view } from '../../portal/components/view.ts';
import { type PageContext, redirect } from '../../portal/context.ts';
import type { Action, Filled } from '../../portal/forms/submit.ts';
import { actorOf } from '../../portal/operate.ts';
import type { Needs } from '../../portal/routing/route.ts';
import type { Routes, RoutesOf } from '../../portal/routing/route-table.ts';
import { approved, makeLive } from '../helpers/live-partner.ts';
import { type Service, startService } from '../helpers/service.ts';
import { type Browser, textOf, unescaped } from './helpers/browser.ts';
import { sandbox } from './helpers/partner-in-review.ts';
import { anOperator, aUser, password, signedIn } from './helpers/people.ts';
import { startPortal, type TestPortal } from './helpers/portal.ts';

let service: Service;
let portal: TestPortal;
let partnerId: string;
/** The notes of the forms that were carried out. */
const done: string[] = [];
const times = (note: string): number => done.filter((one) => one === note).length;

/** Adds a page and a form that require the second factor, for a partner and for an operator. */
function livePages(routes: Routes): void {
  addLive(routes.of('partner'), '/live', { permission: 'credential.live', secondFactor: true });
  addLive(routes.of('operator'), '/admin/live', {
    permission: 'partner.top-up',
    secondFactor: true,
  });
  routes.of('partner').action('/unguarded', {
    schema: Joi.object({ note: Joi.string() }),
    async act(ctx, { now }, { note }) {
      requireFreshFactor(actorOf(ctx), now());
      done.push(note);
      redirect(ctx, '/account', 'Done.');
    },
  });
}

function addLive<A extends 'partner' | 'operator'>(
  { page, action }: RoutesOf<A>,
  path: string,
  needs: Needs<A>,
): void {
  const show = (ctx: PageContext<A>, filled?: Filled) => {
    const entered = filled && { filled };
    const note = field({ name: 'note', label: 'Note', ...entered });
    view(ctx, { title: 'LIVE' }, form(ctx, { action: path, submit: 'Do it', ...entered }, note));
  };
  page(path, (ctx, _deps, filled) => show(ctx, filled), needs);
  const live: Action<A, { note?: string }> = {
    schema: Joi.object({ note: Joi.string() }),
    async act(ctx, _deps, { note = '' }) {
      if (note.startsWith('refuse')) throw new ServiceError('CONFLICT', 'Not this note.');
      done.push(note);
      redirect(ctx, path, `Done: ${note}.`);
    },
    retry: (ctx, _deps, filled) => show(ctx, filled),
  };
  action(path, live, needs);
}

test.before(async () => {
  service = await startService();
  portal = await startPortal(service, {}, { address: 100_000 }, livePages);
  ({ partnerId } = await service.partner());
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

const codeOf = (secret: string, offsetMs = 0): string =>
  generateSync({ secret, epoch: Math.floor((Date.now() + offsetMs) / 1000) });

const factorSecret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const keptAddress = /^\/second-factor\?to=%2Fcarry-on%3Fform%3D[\w-]{43}$/;

/** Opens a page that redirects to the set-up, and enters the emailed code. @returns the set-up page */
async function proveByMail(browser: Browser, path = '/second-factor/enroll') {
  const { path: at, html: page } = await browser.open(path);
  if (!at.startsWith('/second-factor/email')) throw new Error(`${path} redirected to ${at}`);
  const [, to] = /<strong>([^<]+@[^<]+)<\/strong>/.exec(page) ?? [];
  await browser.submit('/second-factor/email', {});
  const { text = '' } = portal.mails.findLast((mail) => mail.to === to) ?? {};
  return await browser.submit('/second-factor/email/code', { code: mailedCode(text) });
}

const mailedCode = (text: string): string => /^\d{6}$/m.exec(text)?.[0] ?? '';

/** Enrolls a second factor in the browser. @returns its secret and the recovery codes */
async function enroll(browser: Browser) {
  const { html: page } = await proveByMail(browser);
  const secret = /<code>([A-Z2-7]{32})<\/code>/.exec(page)?.[1] ?? '';
  const shown = await browser.submit('/second-factor/enroll', { code: codeOf(secret) });
  const [, codes = ''] = /Recovery codes"><code>([^<]+)</.exec(shown.html) ?? [];
  return { secret, codes: codes.split('\n'), shown };
}

/**
 * A user with a second factor, which is stored without using the pages.
 * @returns also the browser that enrolled it, and one that has not entered it
 */
async function enrolled() {
  const { deps } = portal;
  const user = await aUser(portal, { partnerId });
  const secret = factorSecret;
  const { customerHashKey } = deps.config;
  const step = Math.floor(Date.now() / 30_000);
  const codes = await enrollSecondFactor({ ...deps, customerHashKey }, user._id, { secret, step });
  const first = await signedIn(portal, user);
  const device = newToken();
  await proveDevice(deps.models, user._id, device, new Date());
  first.cookies.set('device', device);
  return { user, secret, codes, first, browser: await signedIn(portal, user, { isStrong: false }) };
}

/** The same, enrolled with the pages. */
async function enrolledByPages() {
  const user = await aUser(portal, { partnerId });
  const first = await signedIn(portal, user, { isStrong: false });
  const { secret, codes } = await enroll(first);
  return { user, secret, codes, first, browser: await signedIn(portal, user, { isStrong: false }) };
}

test('a user without a second factor is sent to enroll one, and then to the requested page', async (t) => {
  for (const [path, user] of [
    ['/live', await aUser(portal, { partnerId })],
    ['/admin/live', await anOperator(portal)],
  ] as const) {
    const browser = await signedIn(portal, user, { isStrong: false });
    const { path: at, html: page } = await proveByMail(browser, path);
    t.is(at, `/second-factor/enroll?to=${encodeURIComponent(path)}`);
    t.regex(page, /<img class="qr" src="data:image\/svg\+xml;base64,/);
    t.is(/Every operator needs a second factor/.test(page), path === '/admin/live');
    t.notRegex(page, /company is LIVE/);
    const secret = /<code>([A-Z2-7]{32})<\/code>/.exec(page)?.[1] ?? '';
    const shown = await browser.submit('/second-factor/enroll', { code: codeOf(secret) });
    t.is(shown.status, 200);
    t.regex(shown.html, new RegExp(`href="${path}"`));
    t.is((await browser.open(path)).path, path, 'enrolling counts as entering the second factor');
    const { secondFactor } = await portal.deps.models.users.findById(user._id).orFail();
    t.false(JSON.stringify(secondFactor).includes(secret));
    const actorId = user.operatorId ?? user._id;
    const entry = { actorId, action: 'own-second-factor.enroll', status: 'DONE' } as const;
    t.truthy(await portal.deps.models.auditEntries.findOne(entry));
  }
});

test('a wrong code enrolls nothing and shows the same key again, whose next code enrolls', async (t) => {
  const user = await aUser(portal, { partnerId });
  const browser = await signedIn(portal, user, { isStrong: false });
  const before = (await proveByMail(browser)).html;
  const { status, html: after } = await browser.submit('/second-factor/enroll', { code: '000000' });
  t.is(status, 422);
  const secretIn = (page: string) => /<code>([A-Z2-7]{32})<\/code>/.exec(page)?.[1];
  t.is(secretIn(after), secretIn(before));
  t.is((await portal.deps.models.users.findById(user._id))?.secondFactor, null);
  const code = codeOf(secretIn(after) ?? '');
  t.is((await browser.submit('/second-factor/enroll', { code })).status, 200);
  t.truthy((await portal.deps.models.users.findById(user._id))?.secondFactor);
});

test('a password alone enrolls no first factor: it takes an emailed code', async (t) => {
  const user = await aUser(portal, { partnerId });
  const thief = await signedIn(portal, user, { isStrong: false });
  const factor = async () =>
    (await portal.deps.models.users.findById(user._id))?.secondFactor ?? null;
  t.regex((await thief.open('/second-factor/enroll')).path, /^\/second-factor\/email/);
  const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
  const sealedSecret = service.sealer.seal(secret, `second factor of ${user._id}`);
  const set = () => thief.post('/second-factor/enroll', { code: codeOf(secret), sealedSecret });
  t.is((await set()).status, 403);
  await thief.open('/second-factor/email');
  await thief.submit('/second-factor/email', {});
  const mail = portal.mails.findLast(({ to }) => to === user.email);
  t.regex(mail?.text ?? '', /If it’s not you, someone knows your password/);
  const code = mailedCode(mail?.text ?? '');
  const wrong = code === '000000' ? '000001' : '000000';
  t.is((await thief.submit('/second-factor/email/code', { code: wrong })).status, 400);
  t.is((await set()).status, 403);
  // The code is valid only in the session that requested it.
  const other = await signedIn(portal, user, { isStrong: false });
  await other.open('/second-factor/email');
  t.is((await other.post('/second-factor/email/code', { code })).status, 400);
  t.is(await factor(), null);
  await other.submit('/second-factor/email', {});
  const own = mailedCode(portal.mails.findLast(({ to }) => to === user.email)?.text ?? '');
  t.is(
    (await other.submit('/second-factor/email/code', { code: own })).path,
    '/second-factor/enroll?to=%2Faccount',
  );
  t.is(
    (await other.post('/second-factor/enroll', { code: codeOf(secret), sealedSecret })).status,
    303,
  );
  t.truthy(await factor());
});

test('a user who signed in by email link can enroll the factor without a code, for 15 minutes', async (t) => {
  const user = await aUser(portal, { partnerId });
  const browser = await signedIn(portal, user, { isStrong: false });
  const { sessions } = portal.deps.models;
  for (const signedInBy of ['LINK', 'INVITATION'] as const) {
    await sessions.updateOne({ userId: user._id }, { $set: { signedInBy, createdAt: new Date() } });
    t.is((await browser.open('/second-factor/enroll')).path, '/second-factor/enroll');
    const createdAt = new Date(Date.now() - 16 * 60_000);
    await sessions.updateOne({ userId: user._id }, { $set: { createdAt } });
    t.regex((await browser.open('/second-factor/enroll')).path, /^\/second-factor\/email/);
  }
});

test('another user’s sealed secret enrolls nothing', async (t) => {
  const [one, two] = [await aUser(portal, { partnerId }), await aUser(portal, { partnerId })];
  const [a, b] = [
    await signedIn(portal, one, { isStrong: false }),
    await signedIn(portal, two, { isStrong: false }),
  ];
  const { html: page } = await proveByMail(a);
  const secret = /<code>([A-Z2-7]{32})<\/code>/.exec(page)?.[1] ?? '';
  const sealedSecret = /name="sealedSecret" value="([^"]+)"/.exec(page)?.[1] ?? '';
  await proveByMail(b);
  const sent = { code: codeOf(secret), sealedSecret };
  t.is((await b.post('/second-factor/enroll', sent)).status, 422);
  t.is((await portal.deps.models.users.findById(two._id))?.secondFactor, null);
});

test('the second factor is required before LIVE changes, returns to the page, and renews the cookie', async (t) => {
  const { browser, secret } = await enrolled();
  const before = browser.cookies.get('session') ?? '';
  t.is((await browser.open('/live')).path, '/second-factor?to=%2Flive');
  const wrong = await browser.submit('/second-factor', { code: '000000' });
  t.is(wrong.status, 400);
  t.regex(textOf(wrong.html), /wrong or has already been used/);
  // The current code was used to enroll; the next one is within the tolerance for clocks.
  const shown = await browser.submit('/second-factor', { code: codeOf(secret, 30_000) });
  t.is(shown.path, '/live');
  t.not(browser.cookies.get('session'), before);
  browser.cookies.set('session', before);
  t.regex((await browser.open('/live')).path, /^\/sign-in/);
});

test('a form without a fresh second factor does nothing, and is kept with its page', async (t) => {
  const { browser, user } = await enrolled();
  const kept = async (referer: string) => {
    await browser.open('/account');
    const { status, headers } = await browser.post('/live', { note: 'left' }, { referer });
    t.is(status, 303);
    t.regex(headers.get('location') ?? '', keptAddress);
    const { keptForm } = await portal.deps.models.sessions
      .findOne({ userId: user._id, keptForm: { $ne: null } })
      .orFail();
    return `${keptForm?.path}${keptForm?.search}`;
  };
  t.is(await kept(`${portal.url}/live`), '/live');
  // A form that is shown again has the path of its action.
  t.is(await kept(`${portal.url}/live/action?x=1`), '/live?x=1');
  t.is(await kept('https://evil.example//x'), '/');
  // Nobody carries it out who has gone elsewhere meanwhile.
  await browser.open('/second-factor?to=/account');
  await browser.submit('/second-factor', { code: codeOf(factorSecret, 30_000) });
  t.is(times('left'), 0);
});

test('a form is carried out as soon as the second factor is given, once', async (t) => {
  const { browser } = await enrolled();
  await browser.open('/account');
  const due = await browser.post('/live', { note: 'kept' }, { referer: `${portal.url}/live` });
  await browser.follow(due);
  t.is((await browser.submit('/second-factor', { code: '000000' })).status, 400);
  t.is(times('kept'), 0);
  const shown = await browser.submit('/second-factor', { code: codeOf(factorSecret, 30_000) });
  t.is(shown.path, '/live');
  t.regex(textOf(shown.html), /Done: kept\./);
  t.is(times('kept'), 1);
  t.is(
    (await browser.open(due.headers.get('location') ?? '')).path.split('?')[0],
    '/second-factor',
  );
  t.is(times('kept'), 1);
});

test('a form is carried out once the second factor that it needs is set up, and its codes are saved', async (t) => {
  const user = await aUser(portal, { partnerId });
  const browser = await signedIn(portal, user, { isStrong: false });
  await browser.open('/account');
  const due = await browser.post('/live', { note: 'first' }, { referer: `${portal.url}/live` });
  const { html: page } = await proveByMail(browser, due.headers.get('location') ?? '');
  const secret = /<code>([A-Z2-7]{32})<\/code>/.exec(page)?.[1] ?? '';
  const shown = await browser.submit('/second-factor/enroll', { code: codeOf(secret) });
  t.regex(textOf(shown.html), /Save these codes/);
  t.is(times('first'), 0);
  t.regex(textOf((await browser.submit('/carry-on')).html), /Done: first\./);
  t.is(times('first'), 1);
});

test('a form that its action refuses is shown with its errors after the second factor', async (t) => {
  const { browser } = await enrolled();
  await browser.open('/account');
  await browser.follow(await browser.post('/live', { note: 'refuse <this>' }));
  const shown = await browser.submit('/second-factor', { code: codeOf(factorSecret, 30_000) });
  t.is(shown.status, 409);
  t.regex(textOf(shown.html), /Not this note\./);
  t.true(unescaped(shown.html).includes('value="refuse <this>"'));
  t.is((await browser.submit('/live', { note: 'that' })).path, '/live', 'its token is valid');
});

test('an operation asks for the second factor if its route does not, and carries the form out', async (t) => {
  const { browser, user } = await enrolled();
  await browser.open('/second-factor');
  await browser.submit('/second-factor', { code: codeOf(factorSecret, 30_000) });
  await portal.deps.models.sessions.updateMany(
    { userId: user._id },
    { $set: { secondFactorAt: new Date(Date.now() - 16 * 60_000) } },
  );
  await browser.open('/account');
  const due = await browser.post('/unguarded', { note: 'late' });
  t.regex(due.headers.get('location') ?? '', keptAddress);
  await browser.follow(due);
  t.is(times('late'), 0);
  await portal.deps.models.users.updateOne(
    { _id: user._id },
    { $set: { 'secondFactor.lastStep': 0 } },
  );
  await browser.submit('/second-factor', { code: codeOf(factorSecret) });
  t.is(times('late'), 1);
});

test.serial('form input is kept while entering the second factor, except secrets', async (t) => {
  t.teardown(() => portal.setClockOffsetMs(0));
  const { first, secret, user } = await enrolled();
  const laterMs = 16 * 60_000;
  portal.setClockOffsetMs(laterMs);
  await first.open('/account');
  const typed = { note: 'typed <before>', newPassword: 'a secret thing' };
  await first.post('/live', typed, { referer: `${portal.url}/live?x=1` });
  const { sessions } = portal.deps.models;
  const kept = await sessions.find({ userId: user._id });
  t.true(kept.some(({ keptForm }) => keptForm?.path === '/live'));
  t.false(JSON.stringify(kept).includes('typed'), 'the input is stored encrypted');
  await first.open('/second-factor?to=/live');
  const shown = await first.submit('/second-factor', { code: codeOf(secret, laterMs) });
  t.is(shown.path, '/live');
  t.true(unescaped(shown.html).includes('value="typed <before>"'));
  t.false(shown.html.includes('a secret thing'));
  t.false((await first.open('/live')).html.includes('typed'), 'the input is restored only once');
});

test.serial('a second factor stays fresh for 15 minutes', async (t) => {
  t.teardown(() => portal.setClockOffsetMs(0));
  const { first } = await enrolled();
  portal.setClockOffsetMs(14 * 60_000);
  t.is((await first.open('/live')).path, '/live');
  portal.setClockOffsetMs(16 * 60_000);
  t.is((await first.open('/live')).path, '/second-factor?to=%2Flive');
});

test('a code works once, even in two concurrent requests', async (t) => {
  const { user, secret } = await enrolled();
  const code = codeOf(secret, 30_000);
  const browsers = [
    await signedIn(portal, user, { isStrong: false }),
    await signedIn(portal, user, { isStrong: false }),
  ];
  for (const browser of browsers) await browser.open('/second-factor?to=/live');
  const shown = await Promise.all(browsers.map((one) => one.submit('/second-factor', { code })));
  t.deepEqual(shown.map(({ path }) => path).toSorted(), ['/live', '/second-factor']);
});

test('each recovery code works once, in place of the phone', async (t) => {
  const { user, codes, browser } = await enrolledByPages();
  t.is(codes.length, 10);
  t.is(new Set(codes).size, 10);
  const [code = ''] = codes;
  await browser.open('/second-factor?to=/live');
  t.is((await browser.submit('/second-factor', { code: code.toUpperCase() })).path, '/live');
  const again = await signedIn(portal, user, { isStrong: false });
  await again.open('/second-factor?to=/live');
  t.is((await again.submit('/second-factor', { code })).status, 400);
  const { secondFactor } = await portal.deps.models.users.findById(user._id).orFail();
  t.is(secondFactor?.recoveryCodeHashes.length, 9);
  for (const one of codes) t.false(JSON.stringify(secondFactor).includes(one));
});

test('guesses of codes are limited', async (t) => {
  const { user } = await enrolled();
  const strict = await startPortal(service, {}, { codes: 3 });
  t.teardown(() => strict.stop());
  const browser = await signedIn(strict, user, { isStrong: false });
  await browser.open('/second-factor');
  const statuses: number[] = [];
  for (const code of ['000000', '000001', '000002', '000003']) {
    statuses.push((await browser.submit('/second-factor', { code })).status);
  }
  t.deepEqual(statuses, [400, 400, 400, 429]);
});

/** A guessed code, which is almost certainly wrong. */
const wrongCode = (nth: number): string => String(nth).padStart(6, '0');

test('a day’s wrong codes are counted across a right one, and their owner is notified once', async (t) => {
  const { user, codes, secret } = await enrolled();
  const limits = { codes: 100 };
  // Two portal processes share the day's limit.
  const [strict, other] = [
    await startPortal(service, {}, limits),
    await startPortal(service, {}, limits),
  ];
  t.teardown(() => Promise.all([strict.stop(), other.stop()]));
  const asked = [strict, other, other].map((one) => signedIn(one, user, { isStrong: false }));
  const browsers = await Promise.all(asked);
  for (const browser of browsers) await browser.open('/second-factor');
  const give = async (code: string, nth: number) =>
    (await browsers[nth]?.post('/second-factor', { code }))?.status;
  const wrong = (nth: number) => give(wrongCode(nth), nth % 2);
  for (let nth = 0; nth < 4; nth++) t.is(await wrong(nth), 400);
  t.is(strict.mails.length + other.mails.length, 0);
  t.is(await give(codeOf(secret, 30_000), 2), 303);
  for (let nth = 4; nth < maxWrongCodesADay; nth++) t.is(await wrong(nth), 400, `${nth}`);
  t.is(await wrong(maxWrongCodesADay), 429);
  // Now both processes refuse even a right code, in the browsers that guessed.
  await portal.deps.models.users.updateOne({ _id: user._id }, { 'secondFactor.lastStep': 0 });
  t.is(await give(codeOf(secret), 0), 429);
  t.is(await give(codeOf(secret), 1), 429);
  t.is(await give(codes[0] ?? '', 1), 303, 'a recovery code is too long to be guessed');
  const [mail, ...more] = [...strict.mails, ...other.mails];
  t.is(mail?.to, user.email ?? '');
  t.regex(mail?.text ?? '', /5 wrong second-factor codes were entered/);
  t.deepEqual(more, []);
});

/** A new session in a browser that entered a code before: it has only the device cookie. */
async function returned(from: Browser, user: UserDoc): Promise<Browser> {
  const browser = await signedIn(portal, user, { isStrong: false });
  browser.cookies.set('device', from.cookies.get('device') ?? '');
  await browser.open('/second-factor');
  return browser;
}

/** A browser that knows the password, after the day's limit of wrong codes. */
async function exhaustGuesses(user: UserDoc): Promise<Browser> {
  const { models } = portal.deps;
  const thief = await signedIn(portal, user, { isStrong: false });
  await thief.open('/second-factor');
  const wrongCodes = { endsAt: new Date(Date.now() + 3_600_000), count: maxWrongCodesADay };
  await models.users.updateOne({ _id: user._id }, { $set: { wrongCodes } });
  return thief;
}

test('guessing does not lock out a browser that has entered a code before', async (t) => {
  const { user, first, secret } = await enrolledByPages();
  const thief = await exhaustGuesses(user);
  const refused = await thief.post('/second-factor', { code: wrongCode(1) });
  t.is(refused.status, 429);
  t.regex(textOf(refused.html), /Use a recovery code, or a browser in which you have entered/);
  const own = await returned(first, user);
  t.is((await own.post('/second-factor', { code: wrongCode(2) })).status, 400);
  t.is((await own.post('/second-factor', { code: codeOf(secret, 30_000) })).status, 303);
  t.is((await thief.post('/second-factor', { code: wrongCode(3) })).status, 429);
});

test('a browser that has entered a code has its own attempts, as many as others', async (t) => {
  const { user, first, codes } = await enrolled();
  const strict = await startPortal(service, {}, { codes: 100 });
  t.teardown(() => strict.stop());
  const own = await signedIn(strict, user, { isStrong: false });
  own.cookies.set('device', first.cookies.get('device') ?? '');
  await own.open('/second-factor');
  const give = async (code: string) => await own.post('/second-factor', { code });
  for (let nth = 0; nth < maxWrongCodesADay; nth++) {
    t.is((await give(wrongCode(nth))).status, 400, `${nth}`);
  }
  const refused = await give(wrongCode(maxWrongCodesADay));
  t.is(refused.status, 429);
  t.regex(textOf(refused.html), /in this browser today\. Use a recovery code/);
  t.is(strict.mails.length, 1, 'the owner is notified');
  const elsewhere = await signedIn(strict, user, { isStrong: false });
  await elsewhere.open('/second-factor');
  t.is((await elsewhere.post('/second-factor', { code: wrongCode(0) })).status, 400);
  t.is((await give(codes[0] ?? '')).status, 303);
});

test('many sign-ins do not make a browser trusted that never entered a code', async (t) => {
  const { user, first, secret } = await enrolled();
  const { models } = portal.deps;
  for (let nth = 0; nth < 30; nth++) await noteDevice(models, user._id, `${nth}`, new Date());
  const thief = await exhaustGuesses(user);
  thief.cookies.set('device', 'x'.repeat(43));
  t.is((await thief.post('/second-factor', { code: codeOf(secret, 30_000) })).status, 429);
  const own = await returned(first, user);
  t.is((await own.post('/second-factor', { code: codeOf(secret, 30_000) })).status, 303);
});

test('attempts at recovery codes are limited per address', async (t) => {
  const { user, codes } = await enrolled();
  const strict = await startPortal(service, {}, { recoveryCodes: 2 });
  t.teardown(() => strict.stop());
  const browser = await signedIn(strict, user, { isStrong: false });
  await browser.open('/second-factor');
  const give = async (code: string) => (await browser.post('/second-factor', { code })).status;
  t.deepEqual(
    [
      await give('aaaa-aaaa-aaaa-aaaa'),
      await give('aaaa-aaaa-aaaa-aaab'),
      await give(codes[0] ?? ''),
    ],
    [400, 400, 429],
  );
});

test('a new password clears others’ attempts, and so does a reset of the second factor', async (t) => {
  const { user, first } = await enrolled();
  const { models } = portal.deps;
  const wrongCodeCount = async () =>
    (await models.users.findById(user._id))?.wrongCodes?.count ?? 0;
  await exhaustGuesses(user);
  await first.open('/account');
  const fields = { currentPassword: password, newPassword: 'a long one, and another' };
  t.is((await first.post('/account/password', fields)).status, 303);
  t.is(await wrongCodeCount(), 0);
  await exhaustGuesses(user);
  await dropSecondFactor(models, { _id: user._id });
  t.is(await wrongCodeCount(), 0);
  const { devices = [] } = await models.users.findById(user._id).orFail();
  t.true(devices.length > 0);
  t.true(devices.every(({ provenAt }) => provenAt === undefined));
});

test('signing in with the password again gives no more guesses of the code', async (t) => {
  const { user } = await enrolled();
  const strict = await startPortal(service, {}, { codes: 3 });
  t.teardown(() => strict.stop());
  const browser = await signedIn(strict, user, { isStrong: false });
  await browser.open('/second-factor');
  for (const code of ['000000', '000001', '000002'])
    await browser.submit('/second-factor', { code });
  // With only the password, every page asks for the second factor.
  for (const path of ['/account', '/home', '/']) {
    t.regex((await browser.open(path)).path, /^\/second-factor\?to=/, path);
  }
  const changed = await browser.post('/account/password', {
    currentPassword: password,
    newPassword: 'the same, or another one',
  });
  t.is(changed.status, 303);
  await browser.open('/second-factor');
  t.is((await browser.submit('/second-factor', { code: '000003' })).status, 429);
});

test('changing the second factor requires the current one', async (t) => {
  const { browser, secret, user } = await enrolled();
  t.is(
    (await browser.open('/second-factor/enroll')).path,
    '/second-factor?to=/second-factor/enroll',
  );
  const stranger = await signedIn(portal, user, { isStrong: false });
  await stranger.open('/account');
  const sealedSecret = service.sealer.seal(secret, `second factor of ${user._id}`);
  const sent = { code: codeOf(secret), sealedSecret };
  t.is((await stranger.post('/second-factor/enroll', sent)).status, 403);
});

test('after the second factor, redirects stay on our site', async (t) => {
  const { browser, codes } = await enrolled();
  await browser.open('/second-factor?to=//evil.example');
  const { headers } = await browser.post('/second-factor', {
    code: codes[0] ?? '',
    to: 'https://evil.example',
  });
  t.is(headers.get('location'), '/');
});

const eightDaysAgo = () => new Date(Date.now() - 8 * 86_400_000);

test('a LIVE partner’s team has a week to enroll a second factor, and must then do so first', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const recent = await signedIn(portal, await aUser(portal, { partnerId }), { isStrong: false });
  t.regex(textOf((await recent.open('/home')).html), /Set up a second factor by \d+ \w+ \d{4}/);
  t.is((await recent.open('/events')).path, '/events');

  const user = await aUser(portal, { partnerId, role: 'viewer', createdAt: eightDaysAgo() });
  const late = await signedIn(portal, user, { isStrong: false });
  for (const path of ['/events', '/account', '/home']) {
    const shown = await late.open(path);
    t.regex(shown.path, /^\/second-factor\/email\?to=/);
    t.regex(textOf(shown.html), /everyone on the team needs a second factor/);
    t.false(shown.html.includes('class="menu"'));
  }
  await enroll(late);
  t.is((await late.open('/events')).path, '/events');
  t.notRegex(textOf((await late.open('/home')).html), /Set up a second factor by/);
});

test('before LIVE nobody needs a second factor, and going LIVE gives a week', async (t) => {
  const { partnerId } = await service.partner({ partner: { goLive: sandbox } });
  const user = await aUser(portal, { partnerId, createdAt: eightDaysAgo() });
  const browser = await signedIn(portal, user, { isStrong: false });
  t.is((await browser.open('/events')).path, '/events');
  await service.models.partners.updateOne(
    { _id: partnerId },
    { $set: { goLive: { ...approved, decidedAt: new Date() } } },
  );
  t.is((await browser.open('/events')).path, '/events');
  await makeLive(service.models, partnerId);
  t.regex((await browser.open('/events')).path, /^\/second-factor\/email/);
});
