import { readFileSync } from 'node:fs';
import test from 'ava';
import { parse } from 'yaml';
import { operationsOf, partnersPart } from '../../http/partner-reference.ts';
import { type Service, startService } from '../helpers/service.ts';
import { unescaped } from './helpers/browser.ts';
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

const contract = readFileSync(new URL('../../api/openapi.yaml', import.meta.url), 'utf8');
const asViewer = async () =>
  await partnerBrowser(portal, (await service.partner()).partnerId, 'viewer');

test('the partners’ part contains their paths as in the contract, and everything they refer to', (t) => {
  const text = partnersPart(contract, 'https://api.example');
  const [whole, part] = [parse(contract), parse(text)];
  const theirs = Object.keys(whole.paths).filter((path) => path.startsWith('/api/v1/partner/'));
  t.deepEqual(Object.keys(part.paths), theirs);
  t.deepEqual(part.servers, [{ url: 'https://api.example' }]);
  t.false(text.includes('/admin/v1'));
  t.notRegex(text, /MongoDB|Temporal/, 'the reference does not mention the implementation');
  for (const path of theirs) t.deepEqual(part.paths[path], whole.paths[path], path);
  for (const [, section = '', name = ''] of text.matchAll(/#\/components\/(\w+)\/(\w+)/g)) {
    t.truthy(part.components[section]?.[name], `${section}/${name}`);
  }
  for (const [section, entries] of Object.entries<object>(part.components)) {
    for (const [name, entry] of Object.entries(entries)) {
      t.deepEqual(entry, whole.components[section][name], `${section}/${name}`);
    }
  }
  t.deepEqual(
    operationsOf(text).map(({ operationId }) => operationId),
    Object.values<object>(part.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    ),
  );
});

test('only the reference may use inline styles; no page may run foreign scripts', async (t) => {
  const viewer = await asViewer();
  const reference = await viewer.open('/reference');
  const policy = reference.headers.get('content-security-policy') ?? '';
  t.regex(policy, /style-src 'self' 'unsafe-inline'/);
  t.regex(policy, /script-src 'self';/);
  t.false(/unsafe-eval|https?:|worker-src/.test(policy));
  for (const path of ['/home', '/quickstarts', '/reference/openapi.yaml']) {
    const other = (await viewer.open(path)).headers.get('content-security-policy') ?? '';
    t.false(other.includes('unsafe'), path);
  }
  t.regex(reference.html, /<script src="\/assets\/redoc\.[0-9a-f]{16}\.js" defer>/);
  t.false(/(src|href)="(https?:)?\/\//.test(reference.html));
});

test('the reference links to the document, which needs no JavaScript, and to the console', async (t) => {
  const { partnerId } = await service.partner();
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  const { html } = await developer.open('/reference');
  t.regex(html, /<noscript>.*href="\/reference\/openapi\.yaml"/s);
  t.true(html.includes('href="/console?type=purchase"'));
  t.true(html.includes('href="/console?type=refund"'));
  t.false((await (await asViewer()).open('/reference')).html.includes('href="/console'));
  const document = await developer.open('/reference/openapi.yaml');
  t.is(document.headers.get('content-type'), 'application/yaml');
  t.is(parse(document.html).servers[0].url, service.config.portal.apiUrl);
});

test('every quick start is shown as in the SDK, with the command to run it', async (t) => {
  const viewer = await asViewer();
  const { html } = await viewer.open('/quickstarts');
  const tabs = [...html.matchAll(/href="(\/quickstarts\?language=\w+)"/g)].map(([, to = '']) => to);
  t.is(tabs.length, 6);
  for (const to of tabs) {
    const shown = unescaped((await viewer.open(to)).html);
    const [, file = ''] = /<h2>([\w.]+)<\/h2>/.exec(shown.replace('<h2>Run it</h2>', '')) ?? [];
    const text = readFileSync(
      new URL(`../../clients/quickstarts/${file}`, import.meta.url),
      'utf8',
    );
    t.true(shown.includes(text), to);
  }
  t.is((await viewer.open('/quickstarts?language=cobol')).status, 404);
});

test('a quick start’s purchase is in the partner’s currency', async (t) => {
  const { partnerId } = await service.partner({ partner: { currency: 'EUR' } });
  const viewer = await partnerBrowser(portal, partnerId, 'viewer');
  for (const [language, order] of [
    ['curl', String.raw`{\"subtotalCents\":4990,\"currency\":\"EUR\"}`],
    ['typescript', "{ subtotalCents: 4990, currency: 'EUR' }"],
    ['python', '{"subtotalCents": 4990, "currency": "EUR"}'],
    ['php', "['subtotalCents' => 4990, 'currency' => 'EUR']"],
    ['go', '{"subtotalCents": 4990, "currency": "EUR"}'],
    ['java', '{"subtotalCents":4990,"currency":"EUR"}'],
  ] as const) {
    const { html } = await viewer.open(`/quickstarts?language=${language}`);
    t.true(unescaped(html).includes(order), language);
  }
});
