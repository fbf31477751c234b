import test from 'ava';
import fc from 'fast-check';
import {
  badge,
  code,
  codeBlock,
  emptyState,
  externalLink,
  facts,
  notice,
  section,
  table,
} from '../../portal/html/components.ts';
import {
  checkbox,
  confirm,
  field,
  form,
  hidden,
  select,
  textArea,
} from '../../portal/html/form.ts';
import { day, exactTime, minuteText, moneyText, time } from '../../portal/html/format.ts';
import { html } from '../../portal/html/html.ts';
import { pager } from '../../portal/html/pager.ts';
import { inZone } from '../../portal/html/shown-zone.ts';
import { type Service, startService } from '../helpers/service.ts';
import { unescaped } from './helpers/browser.ts';
import { aUser, operatorBrowser, signedIn } from './helpers/people.ts';
import { portalOf, type SomePortal } from './helpers/portal.ts';

let service: Service;
let portal: SomePortal;
test.before(async () => {
  service = await startService();
  portal = await portalOf(service);
});
test.after.always(async () => {
  await service?.stop();
});

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
    ...[codeBlock(evil, evil), emptyState(evil, evil), facts([[evil, evil]]), externalLink(evil)],
    pager({ path: '/x', query: { q: evil } }, evil),
    table({
      caption: evil,
      rows: [evil],
      empty: html``,
      columns: [{ heading: evil, cell: (row) => row }],
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
