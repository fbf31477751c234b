import test from 'ava';
import { pino } from 'pino';
import { ServiceError } from '../../domain/errors.ts';
import { type Service, startService } from '../helpers/service.ts';
import { Browser, textOf } from './helpers/browser.ts';
import { filledPath } from './helpers/fixtures.ts';
import { aUser, partnerBrowser, password, signedIn } from './helpers/people.ts';
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

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join(';');

test('every page, error pages included, forbids framing, caching and foreign scripts', async (t) => {
  const browser = await partnerBrowser(portal, partnerId);
  for (const path of ['/home', '/account', '/nothing', '/admin']) {
    const { headers } = await browser.open(path);
    t.is(headers.get('content-security-policy'), policy, path);
    t.is(headers.get('x-frame-options'), 'DENY', path);
    t.is(headers.get('x-content-type-options'), 'nosniff', path);
    t.is(headers.get('referrer-policy'), 'same-origin', path);
    t.is(headers.get('cache-control'), 'no-store', path);
    t.is(headers.get('x-powered-by'), null, path);
    t.regex(headers.get('x-request-id') ?? '', /^req_/, path);
  }
});

test('assets are named by their hash, cached for ever, and compressed', async (t) => {
  const { html } = await new Browser(portal).open('/sign-in');
  const paths = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(
    ([, path]) => path ?? '',
  );
  t.is(paths.length, 7);
  for (const path of paths) {
    t.regex(path, /^\/assets\/[a-z0-9-]+\.[0-9a-f]{16}\.(css|js|svg|ttf)$/);
    const response = await fetch(portal.url + path, { headers: { 'accept-encoding': 'br' } });
    t.is(response.status, 200);
    t.is(response.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    t.is(response.headers.get('content-encoding'), 'br');
    t.is(response.headers.get('vary'), 'Accept-Encoding');
    t.is(response.headers.getSetCookie().length, 0);
    t.is(response.headers.get('x-content-type-options'), 'nosniff');
    const text = await response.text();
    for (const encoding of ['gzip', 'identity']) {
      const same = await fetch(portal.url + path, { headers: { 'accept-encoding': encoding } });
      t.is(same.headers.get('content-encoding') ?? 'identity', encoding);
      t.is(await same.text(), text);
    }
  }
  for (const path of ['/assets/portal.0000000000000000.css', '/assets/../server.ts', '/assets/']) {
    t.is((await new Browser(portal).ask('GET', path)).status, 404, path);
  }
});

test('the log has a line for each request, without tokens, email addresses or passwords', async (t) => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) });
  const logging = await startPortal(service, { log });
  t.teardown(() => logging.stop());
  const user = await aUser(logging, { partnerId });
  const owner = { partnerId, mark: 'Mark' };
  const byToken = logging.table.filter(({ path }) => path.includes(':token'));
  const tokens: string[] = [];
  for (const route of byToken) {
    const path = await filledPath(logging, route, owner);
    tokens.push(path.split('/')[route.path.split('/').indexOf(':token')] ?? '');
    await new Browser(logging).ask(route.method, path);
  }
  const browser = new Browser(logging);
  await browser.open('/sign-in');
  await browser.submit('/sign-in', { email: user.email ?? '', password });
  const text = lines.join('');
  t.true(byToken.length >= 4);
  t.true(tokens.every((token) => token.length >= 20));
  t.regex(text, /"route":"\/sign-in\/link\/:token"/);
  t.regex(text, new RegExp(`"actorId":"${user._id}"`));
  for (const secret of [...tokens, user.email ?? '', password, ...browser.cookies.values()]) {
    t.false(text.includes(secret));
  }
});

test('an error page says what happened, with the request id and a link onwards', async (t) => {
  const { config } = service;
  const browser = await partnerBrowser(portal, partnerId);
  const missing = await browser.open('/nothing');
  t.is(missing.status, 404);
  t.regex(textOf(missing.html), /Page not found .* Go to the start page Request req_/);
  t.regex(textOf(missing.html), /Corner Shop/, 'the user is still signed in');
  const wrongMethod = await browser.ask('DELETE', '/home');
  t.is(wrongMethod.status, 405);
  const huge = await browser.post('/account/password', { newPassword: 'x'.repeat(70_000) });
  t.is(huge.status, 413);
  const json = await browser.ask('POST', '/account/password', {
    body: '{}',
    headers: { 'content-type': 'application/json' },
  });
  t.is(json.status, 415);

  const limited = await startPortal(service, {
    config: { ...config, http: { ...config.http, addressRateLimitPerMinute: 1 } },
  });
  t.teardown(() => limited.stop());
  await new Browser(limited).open('/sign-in');
  const { status, headers, html } = await new Browser(limited).open('/sign-in');
  t.is(status, 429);
  t.truthy(headers.get('retry-after'));
  t.regex(textOf(html), /Too many requests/);
});

test('an internal error reveals no details; a temporary one says so', async (t) => {
  for (const [error, expected, says] of [
    [new Error('a secret of ours'), 500, /our fault/],
    [new ServiceError('UNAVAILABLE', 'x'), 503, /Try again in a few seconds/],
  ] as const) {
    const failing = await startPortal(service, {}, {}, (routes) => {
      routes.of('public').page('/fails', async () => {
        throw error;
      });
    });
    t.teardown(() => failing.stop());
    const { status, html } = await new Browser(failing).open('/fails');
    t.is(status, expected);
    t.regex(textOf(html), says);
    t.notRegex(html, /a secret of ours/);
  }
});

test('a partial request that fails replaces the whole page', async (t) => {
  const headers = { 'hx-request': 'true' };
  const signedOut = await new Browser(portal).ask('GET', '/team', { headers });
  t.is(signedOut.headers.get('hx-redirect'), '/sign-in?to=%2Fteam');
  const browser = await signedIn(portal, await aUser(portal, { partnerId, role: 'viewer' }));
  const refused = await browser.ask('GET', '/audit-log', { headers });
  t.is(refused.status, 403);
  t.is(refused.headers.get('hx-retarget'), 'body');
});

test('the portal reports whether it is alive and ready', async (t) => {
  for (const path of ['/healthz', '/readyz']) {
    t.is((await fetch(portal.url + path)).status, 200, path);
  }
});
