import test from 'ava';
import { keepMode } from '../../portal/components/mode-switch.ts';
import { aPurchase } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { formsIn, textOf } from './helpers/browser.ts';
import { partnerBrowser } from './helpers/people.ts';
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

  for (const path of ['/home', '/events', '/rewards', '/keys', '/rules', '/webhooks', '/team']) {
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
  t.regex(textOf((await owner.open('/events?mode=TEST')).html), / Purchase tested .* 201 /);
  t.notRegex(textOf((await owner.open('/events')).html), / Purchase tested .* 201 /);

  await owner.open('/integrations/new?mode=TEST');
  const { path } = await owner.submit('/integrations/new', { name: 'Till', withKey: '' });
  t.regex(path, /^\/integrations\/int_\w+\?mode=TEST$/);

  const event = await owner.open(`/events/${body.eventId}`);
  t.regex(textOf(event.html), said, 'a link in an email has no mode, so the event’s applies');
  t.regex(
    event.html,
    /<a href="\/events\?mode=LIVE" class="is-live" ?>/,
    'the event does not exist in LIVE, so the switch links to the list',
  );
  t.deepEqual(
    linksWithoutTest(event.html).filter((one) => one !== '/events?mode=LIVE'),
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
