import test from 'ava';
import fc from 'fast-check';
import { newId } from '../../platform/ids.ts';
import {
  badge,
  code,
  codeBlock,
  definitions,
  emptyState,
  externalLink,
  notice,
  section,
  table,
} from '../../portal/components/components.ts';
import {
  checkbox,
  confirm,
  field,
  form,
  hidden,
  select,
  textArea,
} from '../../portal/components/form.ts';
import {
  day,
  exactTime,
  html,
  inZone,
  minuteText,
  moneyText,
  type Part,
  plural,
  time,
} from '../../portal/components/format.ts';
import { keepMode } from '../../portal/components/mode-switch.ts';
import { pager } from '../../portal/components/paging.ts';
import { moneyField } from '../../portal/forms/fields.ts';
import { presetsAt } from '../../portal/lists/list.ts';
import { safePath } from '../../portal/routing/safe-path.ts';
import { pageLocalizerOf } from '../../portal/words/customer-localizer.ts';
import { readIdNames } from '../../views/names.ts';
import { aPurchase } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { formsIn, textOf, unescaped } from './helpers/browser.ts';
import { anOperator, aUser, operatorBrowser, partnerBrowser, signedIn } from './helpers/people.ts';
import { portalOf, type SomePortal } from './helpers/portal.ts';

let service: Service;
let portal: SomePortal;

const evil = `"><img src=x onerror=alert(1)><script>alert('x')</script>' onfocus='a' & \``;

test('anything put into a template is escaped, and survives unchanged', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const made = `${html`<p title="${text}">${[text, [text]]}</p>`}`;
      const [, inside = ''] = /^<p title="[^"<>]*">([^<>]*)<\/p>$/.exec(made) ?? [];
      t.is(unescaped(inside), text + text);
    }),
  );
});

test('no component turns text into markup', (t) => {
  const ctx = { state: { csrf: 'token' } };
  const filled = { values: { a: evil }, errors: { a: evil, '': evil } };
  const options = { name: 'a', label: evil, hint: evil, filled, placeholder: evil };
  const made = [
    ...[badge(evil), badge('LIVE', evil), notice('bad', evil), section(evil, evil), code(evil)],
    ...[
      codeBlock(evil, evil),
      emptyState(evil, evil),
      definitions([[evil, evil]]),
      externalLink(evil),
    ],
    pager({ path: '/x', query: { q: evil } }, evil),
    table({
      caption: evil,
      rows: [evil],
      empty: html``,
      columns: { [evil]: (row) => row },
    }),
    form(ctx, { action: evil, submit: evil, filled }, evil),
    confirm(ctx, { ask: evil, question: evil, action: evil, submit: evil }),
    ...[field(options), textArea(options), checkbox(options), hidden(evil, evil)],
    select({ ...options, choices: [{ value: evil, text: evil }] }),
  ];
  for (const one of made) {
    t.notRegex(`${one}`, /<img|<script|onerror=alert\(1\)>/, `${one}`);
    for (const [, value = ''] of `${one}`.matchAll(/="([^"]*)"/g)) t.notRegex(value, /[<>]/);
  }
});

for (const address of ['javascript:alert(1)', 'data:text/html,x', '//evil.example', 'vbscript:x']) {
  test(`${address} is not a link`, (t) => {
    t.notRegex(`${externalLink(address)}`, /<a /);
  });
}

test('a password is never shown again', (t) => {
  const filled = { values: { newPassword: 'a secret of mine' }, errors: {} };
  const made = field({ name: 'newPassword', label: 'x', type: 'password', filled });
  t.notRegex(`${made}`, /a secret of mine/);
});

test('amounts and times are formatted the same everywhere', (t) => {
  t.is(moneyText(123_456, 'USD'), '$1,234.56');
  t.is(moneyText(-5, 'EUR'), '-€0.05');
  t.is(moneyText(100, 'nonsense'), '1.00 nonsense');
  t.is(
    `${time(new Date('2026-01-02T03:04:05Z'))}`,
    '<time datetime="2026-01-02T03:04:05.000Z" title="2026-01-02T03:04:05.000Z">2 Jan 2026, 03:04 UTC</time>',
  );
});

test('times use the reader’s zone and name it; days are UTC for everybody', (t) => {
  const at = new Date('2026-07-01T22:30:05Z');
  const head = '<time datetime="2026-07-01T22:30:05.000Z" title="2026-07-01T22:30:05.000Z">';
  for (const [zone, minute, second] of [
    ['UTC', '1 Jul 2026, 22:30 UTC', '1 Jul 2026, 22:30:05 UTC'],
    ['Europe/Berlin', '2 Jul 2026, 00:30 CEST', '2 Jul 2026, 00:30:05 CEST'],
    ['Asia/Kathmandu', '2 Jul 2026, 04:15 GMT+5:45', '2 Jul 2026, 04:15:05 GMT+5:45'],
  ] as const) {
    inZone(zone, () => {
      t.is(`${time(at)}`, `${head}${minute}</time>`);
      t.is(`${exactTime(at)}`, `${head}${second}</time>`);
      t.is(minuteText(at), minute);
      t.is(`${day(at)}`, '<time datetime="2026-07-01">1 Jul 2026</time>');
    });
  }
});

test('names of a partner or its users run as a script on no page', async (t) => {
  const { partnerId } = await service.partner({
    partner: { name: evil, legalName: evil, website: 'javascript:alert(1)', contactEmail: evil },
  });
  await portal.deps.models.integrations.updateMany({ partnerId }, { $set: { name: evil } });
  const user = await aUser(portal, { partnerId, name: evil });
  const owner = await signedIn(portal, user);
  owner.headers['user-agent'] = evil.replaceAll('\n', ' ');
  const admin = await operatorBrowser(portal);
  for (const [browser, path] of [
    ...['/home', '/team', `/team/users/${user._id}`, '/account'].map(
      (one) => [owner, one] as const,
    ),
    ...['/admin', `/admin/partners/${partnerId}`].map((one) => [admin, one] as const),
  ]) {
    const { status, html: page } = await browser.open(path);
    t.is(status, 200, path);
    t.notRegex(page, /<img src=x|<script>|href="javascript:/, path);
  }
});

test('operators read the names behind ids, or the id if unknown', async (t) => {
  const name = `Named ${newId('partner')}`;
  const shop = await service.partner({ mode: 'LIVE', fundingCents: 1_000, partner: { name } });
  const { partnerId, integrationId, credentialId, key } = shop;
  const purchase = aPurchase();
  const { body } = await shop.purchase(purchase);
  const { _id: rewardId, customerId } = await service.rewardOf(body.reward.id);
  const user = await anOperator(portal);
  const unknown = newId('integration');
  const names = await readIdNames(service, [
    ...[partnerId, integrationId, credentialId, rewardId, user.operatorId, user._id],
    ...[customerId, unknown, null, undefined, partnerId],
  ]);
  const integration = await service.models.integrations.findById(integrationId).orFail();
  t.deepEqual(
    [partnerId, integrationId, credentialId, rewardId].map((id) => names.get(id)),
    [name, integration.name, `${key.slice(0, 14)}…`, purchase.externalOrderId],
  );
  t.is(names.get(user._id), user.name);
  t.false(names.has(customerId));
  t.false(names.has(unknown));

  await service.allStarted(shop);
  const ada = await signedIn(portal, user);
  const reads = async (path: string) => textOf((await ada.open(path)).html);
  t.true(
    (await reads(`/admin/events/${body.eventId}`)).includes(`Integration ${integration.name}`),
  );
  t.true((await reads(`/admin/rewards/${rewardId}`)).includes(integration.name));
  t.true((await reads(`/admin/ledger?partner=${partnerId}`)).includes(purchase.externalOrderId));
  t.regex(await reads('/admin/requests'), /Any day Today 7 days/);
});

const said = /TEST Nothing here is real/;
/** The links and forms to pages that do not keep TEST selected. */
const linksWithoutTest = (html: string): string[] =>
  [...html.matchAll(/(?:href|action|hx-get)="(\/[^"]*)"/g)]
    .map(([, path = '']) => path)
    .filter((path) => !path.startsWith('/assets/') && !/[?;&]mode=TEST\b/.test(path));

test('TEST stays selected through links, lists and forms, and each page says so', async (t) => {
  const shop = await service.partner();
  const { body } = await shop.purchase(aPurchase({ externalOrderId: 'tested' }));
  const owner = await partnerBrowser(portal, shop.partnerId);
  const live = await owner.open('/home');
  t.notRegex(textOf(live.html), said);
  t.regex(live.html, /<a href="\/home\?mode=TEST" class="is-test" ?>TEST<\/a>/);

  for (const path of ['/home', '/events', '/orders', '/keys', '/rules', '/webhooks', '/team']) {
    const { html, status } = await owner.open(`${path}?mode=TEST`);
    t.is(status, 200, path);
    t.regex(textOf(html), said, path);
    const searches = formsIn(html).filter(({ names }) => !names.includes('csrf'));
    t.true(
      searches.every(({ values }) => values.mode === 'TEST'),
      'search forms send the mode as a field',
    );
    const known = [`${path}?mode=LIVE`, ...searches.map(({ action }) => action)];
    t.deepEqual(
      linksWithoutTest(html).filter((one) => !known.includes(one)),
      [],
      path,
    );
  }
  t.regex(textOf((await owner.open('/events?mode=TEST')).html), / tested [\w ]+ Purchase /);
  t.notRegex(textOf((await owner.open('/events')).html), / tested [\w ]+ Purchase /);

  await owner.open('/integrations/new?mode=TEST');
  const { path } = await owner.submit('/integrations/new', { name: 'Till', withKey: '' });
  t.regex(path, /^\/integrations\/int_\w+\?mode=TEST$/);

  const event = await owner.open(`/events/${body.eventId}`);
  t.regex(textOf(event.html), said, 'a link in an email has no mode, so the event’s applies');
  t.regex(
    event.html,
    /<a href="\/orders\?mode=LIVE" class="is-live" ?>/,
    'the event does not exist in LIVE, so the switch links to the list',
  );
  t.deepEqual(
    linksWithoutTest(event.html).filter((one) => one !== '/orders?mode=LIVE'),
    [],
  );

  const funding = textOf((await owner.open('/funding?mode=TEST')).html);
  t.regex(funding, /This page shows LIVE only/);
  t.notRegex(funding, said);
  for (const list of ['/home', '/keys', '/rules', '/webhooks', '/doctor']) {
    t.is((await owner.open(`${list}?mode=OTHER`)).status, 404, list);
  }
});

test('the mode is added only to URLs, once, before a fragment', (t) => {
  const kept = (html: string) => keepMode(html, 'TEST');
  t.is(
    kept('<a href="/a">href=&quot;/a&quot;</a>'),
    '<a href="/a?mode=TEST">href=&quot;/a&quot;</a>',
  );
  t.is(kept('<a href="/a?b=c#d">'), '<a href="/a?b=c&amp;mode=TEST#d">');
  for (const other of [
    '/a?mode=LIVE',
    '/a?b=c&amp;mode=LIVE',
    '/assets/portal.css',
    '#d',
    'https://a',
  ]) {
    t.is(kept(`<a href="${other}">`), `<a href="${other}">`);
  }
  t.is(
    kept('<form method="get" action="/a" hx-get="/a">'),
    '<form method="get" action="/a" hx-get="/a"><input type="hidden" name="mode" value="TEST">',
  );
});

test.before(async () => {
  service = await startService();
  portal = await portalOf(service);
});

test.after.always(async () => {
  await service?.stop();
});

/** Gives a user a second factor, so that the account page shows when it was set up: at 22:30 UTC. */
async function enrollFactor(userId: string) {
  const enrolledAt = new Date('2026-07-01T22:30:00Z');
  const factor = { sealedSecret: '', enrolledAt, lastStep: 0, recoveryCodeHashes: [] };
  await service.models.users.updateOne({ _id: userId }, { $set: { secondFactor: factor } });
}

test('users see times in their chosen zone', async (t) => {
  const { partnerId } = await service.partner();
  const [anna, bob] = [await aUser(portal, { partnerId }), await aUser(portal, { partnerId })];
  const [annas, bobs] = [await signedIn(portal, anna), await signedIn(portal, bob)];
  await Promise.all([enrollFactor(anna._id), enrollFactor(bob._id)]);
  const shown = await annas.open('/account');
  t.regex(textOf(shown.html), /since 1 Jul 2026, 22:30 UTC/);
  const saved = await annas.submit('/account/time-zone', { timeZone: 'Europe/Berlin' });
  t.regex(textOf(saved.html), /Times are now shown in Europe\/Berlin\./);
  t.regex(textOf(saved.html), /since 2 Jul 2026, 00:30 CEST/);
  t.regex(saved.html, /title="2026-07-01T22:30:00\.000Z"/);
  t.regex(saved.html, /<option value="Europe\/Berlin" selected>/);
  t.regex(textOf((await bobs.open('/account')).html), /since 1 Jul 2026, 22:30 UTC/);
  const back = await annas.submit('/account/time-zone', { timeZone: 'UTC' });
  t.regex(textOf(back.html), /since 1 Jul 2026, 22:30 UTC/);
  const chosen = { targetId: anna._id, action: 'own-time-zone.choose' };
  const entries = await service.models.auditEntries.find(chosen).sort({ _id: 1 });
  t.deepEqual(
    entries.map(({ details }) => details),
    [{ timeZone: 'Europe/Berlin' }, { timeZone: 'UTC' }],
  );
});

test('the next step shows its time in the reader’s zone', async (t) => {
  const backend = await service.partner();
  const { body } = await backend.purchase();
  await service.carriedOut(backend);
  await service.models.rewards.updateOne(
    { _id: body.reward.id },
    { $set: { claimExpiresAt: new Date('2036-07-01T22:30:00Z') } },
  );
  const reader = await signedIn(portal, await aUser(portal, { partnerId: backend.partnerId }));
  const next = async () => textOf((await reader.open(`/events/${body.eventId}`)).html);
  t.regex(await next(), /claim it until 1 Jul 2036, 22:30 UTC\. Then it expires/);
  await reader.open('/account');
  await reader.submit('/account/time-zone', { timeZone: 'Europe/Berlin' });
  t.regex(await next(), /claim it until 2 Jul 2036, 00:30 CEST\. Then it expires/);
});

test('an operator can choose a zone too; an invalid one is refused', async (t) => {
  const operator = await anOperator(portal);
  const browser = await signedIn(portal, operator);
  await enrollFactor(operator._id);
  await browser.open('/account');
  const refused = await browser.submit('/account/time-zone', { timeZone: 'Mars/Olympus' });
  t.is(refused.status, 422);
  t.regex(textOf(refused.html), /Choose a time zone\./);
  const saved = await browser.submit('/account/time-zone', { timeZone: 'Asia/Kathmandu' });
  t.regex(textOf(saved.html), /since 2 Jul 2026, 04:15 GMT\+5:45/);
});

const rangesAt = (iso: string) => Object.fromEntries(presetsAt(Date.parse(iso)));

test('date ranges include today, and a month starts on its first day', (t) => {
  t.deepEqual(rangesAt('2026-03-01T00:00:00Z'), {
    'Any day': {},
    Today: { from: '2026-03-01', to: '2026-03-01' },
    '7 days': { from: '2026-02-23', to: '2026-03-01' },
    '30 days': { from: '2026-01-31', to: '2026-03-01' },
    'This month': { from: '2026-03-01', to: '2026-03-01' },
    'Last month': { from: '2026-02-01', to: '2026-02-28' },
  });
});

test('the month before January is in the previous year', (t) => {
  t.deepEqual(rangesAt('2027-01-31T23:59:59Z')['Last month'], {
    from: '2026-12-01',
    to: '2026-12-31',
  });
});

const cents = moneyField('cents', { max: 100_000_000 });
const micros = moneyField('micros');

test('an amount of a form is in minor units, or in micros, and within its bounds', (t) => {
  t.is(cents.validate(' 1.234,56 ').value, 123_456);
  t.is(micros.validate('0.012345').value, 12_345);
  for (const text of ['-1', 'ten', '0.005', '49.9051', '1000000.01']) {
    const [problem] = cents.validate(text).error?.details ?? [];
    t.is(
      problem?.message,
      'Enter an amount from 0 to 1,000,000 with at most 2 decimals, such as 49.90.',
      text,
    );
  }
  t.is(
    cents.validate('1.005').error?.message,
    'This can be read as 1,005 or as 1.005. Write 1005 or 1.005.',
  );
});

for (const path of ['/', '/home', '/team/users/usr_1?a=b&c=%2F', '/second-factor?to=/account']) {
  test(`${path} is on our site`, (t) => {
    t.is(safePath(path), path);
  });
}

for (const foreign of [
  ...['https://evil.example', '//evil.example', '/\\evil.example', '\\\\evil.example'],
  ...['/\t/evil.example', '/\n/evil.example', ' /home', 'javascript:alert(1)', 'home', ''],
  ...['/..//evil.example', '/./\\/evil.example', '/home\r\nSet-Cookie: a=b', '/a\\b', '///x'],
  ...['/%0d%0a/..//x', `/${'a'.repeat(1_000)}`, undefined, ['/home'], { path: '/home' }],
]) {
  test(`${JSON.stringify(foreign)} leads to no other site`, (t) => {
    const path = safePath(foreign, '/start');
    t.is(new URL(path, 'https://ours.example').origin, 'https://ours.example');
    t.notRegex(path, /^\/[/\\]|[\r\n]/);
    if (typeof foreign !== 'string' || !foreign.startsWith('/%')) t.is(path, '/start');
  });
}

test('any requested path keeps the browser on our site', (t) => {
  const nasty = fc.string({
    unit: fc.constantFrom('/', '\\', '.', ':', '@', '\t', '\n', '%2f', '%5c', 'e', '?', '#', ' '),
  });
  fc.assert(
    fc.property(nasty, (text) => {
      for (const asked of [text, `/${text}`]) {
        const { origin } = new URL(safePath(asked), 'https://ours.example');
        t.is(origin, 'https://ours.example');
      }
    }),
  );
});

test('a value is escaped anywhere in a message, and a tag is what the caller provides', (t) => {
  const evil = '<script>alert(1)</script>';
  const { say } = pageLocalizerOf('en', 'UTC');
  t.is(
    `${html`${say('open.thanks', { merchant: evil })}`}`,
    'Thank you for shopping at &lt;script&gt;alert(1)&lt;/script&gt;.',
  );
  const mail = (parts: readonly Part[]) => html`<strong>${parts}</strong>`;
  t.is(
    `${html`${say('email', { merchant: evil, mail })}`}`,
    'Questions? <strong>Email &lt;script&gt;alert(1)&lt;/script&gt;</strong>',
  );
  t.throws(() => say('email', { merchant: evil }));
});

test('counts have plural forms', (t) => {
  t.is(plural(1, 'point', 'points'), '1 point');
  t.is(plural(12_345, 'point', 'points'), '12,345 points');
});
