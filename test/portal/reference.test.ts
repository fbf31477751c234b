import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { parse } from 'yaml';
import { otherErrors, partnerErrors } from '../../domain/error-codes.ts';
import { webhookEventTypes } from '../../domain/webhooks.ts';
import { partnersPart } from '../../http/partner-reference.ts';
import { referenceDocument } from '../../reference/document.ts';
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

const installation = {
  apiUrl: 'https://api.example',
  portalUrl: 'https://portal.example',
  brand: 'Partner',
};
const asViewer = async () =>
  await partnerBrowser(portal, (await service.partner()).partnerId, 'viewer');

test('the partners’ part contains their paths and events as in the contract, and everything they refer to', (t) => {
  const text = partnersPart(installation);
  const [whole, part] = [JSON.parse(JSON.stringify(referenceDocument())), parse(text)];
  const theirs = Object.keys(whole.paths).filter((path) =>
    /^\/(?:(?:api\/v1\/partner|\.well-known)\/|(?:events|rewards)$|webhooks\/endpoints)/.test(path),
  );
  t.deepEqual(Object.keys(part.paths), theirs);
  t.deepEqual(part.servers, [{ url: 'https://api.example' }]);
  for (const path of theirs) {
    const { servers, ...item } = part.paths[path];
    const { servers: others, ...wholeItem } = whole.paths[path];
    t.deepEqual(item, wholeItem, path);
    t.deepEqual(servers, others && [{ url: 'https://portal.example' }], path);
  }
  t.deepEqual(part.webhooks, whole.webhooks);
  for (const [, section = '', name = ''] of text.matchAll(/#\/components\/(\w+)\/(\w+)/g)) {
    t.truthy(part.components[section]?.[name], `${section}/${name}`);
  }
  delete part.components.schemas.ErrorCode;
  for (const [section, entries] of Object.entries<object>(part.components)) {
    for (const [name, entry] of Object.entries(entries)) {
      t.deepEqual(entry, whole.components[section][name], `${section}/${name}`);
    }
  }
});

test('the partners’ part has the headers as the installation names them', (t) => {
  const text = partnersPart({ ...installation, brand: 'Acme' });
  t.true(text.includes('X-Acme-Signature') && !text.includes('X-Partner-'));
});

test('the partners’ part names only what partners have', (t) => {
  const text = partnersPart(installation);
  const part = parse(text);
  t.notRegex(text, /\/admin\/|ADMIN_(?!REVIEW)/);
  t.notRegex(text, /MongoDB|Temporal/, 'the reference does not mention the implementation');
  const published = text.replaceAll('/.well-known/jwks.json', '');
  t.notRegex(published, /\w\.(md|ts|json|ya?ml)\b/, 'partners do not have the repository');
  const { ErrorCode: code } = part.components.schemas;
  const responses = Object.values<object>(part.components.responses) as { 'x-codes': string[] }[];
  const returned = responses.flatMap((one) => one['x-codes']);
  // A path's wrong method is no operation.
  t.deepEqual([...code.enum].sort(), [...new Set([...returned, 'METHOD_NOT_ALLOWED'])].sort());
  const values = new Set([...text.matchAll(/\b[A-Z][A-Z_]{2,}\b/g)].map(([value]) => value));
  const known = new Set([...code.enum, ...valuesOf(part)]);
  for (const [, name = ''] of text.matchAll(/`([A-Z][A-Z_]{2,})`/g)) t.true(known.has(name), name);
  for (const other of Object.keys(otherErrors))
    t.false(values.has(other) && !known.has(other), other);
  for (const [, name = ''] of text.matchAll(/the schema `(\w+)`/g)) {
    t.truthy(part.components.schemas[name], name);
  }
});

/** The values of all enumerations and constants of a document, and its methods. */
function valuesOf(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return ['GET', 'POST'];
  const own =
    'enum' in node ? (node.enum as string[]) : 'const' in node ? [String(node.const)] : [];
  return [...own, ...Object.values(node).flatMap(valuesOf)];
}

test('every link to the reference, and within it, leads to something', async (t) => {
  const { html } = await (await asViewer()).open('/reference');
  const ids = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  const within = [...html.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
  const folder = new URL('../../portal/', import.meta.url);
  const from = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [
      ...readFileSync(new URL(file, folder), 'utf8').matchAll(/\/reference#([\w-]+)/g),
    ])
    .map(([, id]) => id);
  t.true(from.includes('webhooks') && from.includes('signing'));
  for (const id of [...within, ...from]) t.true(ids.has(id), id);
  for (const event of webhookEventTypes) t.true(html.includes(`>${event}</a>`), event);
  for (const code of Object.keys(partnerErrors)) t.true(html.includes(code), code);
  t.true(html.includes('<code>data.claimExpiresAt</code>'));
  t.true(html.includes('<code>reward.refunds[].status</code>'));
});

test('the reference is a page like the others: its policy allows no inline style and no foreign file', async (t) => {
  const viewer = await asViewer();
  const reference = await viewer.open('/reference');
  for (const path of ['/reference', '/reference/openapi.yaml', '/quickstarts']) {
    const policy = (await viewer.open(path)).headers.get('content-security-policy') ?? '';
    t.false(policy.includes('unsafe'), path);
  }
  t.regex(reference.html, /href="\/assets\/reference\.[0-9a-f]{16}\.css"/);
  t.false(/(src|href)="(https?:)?\/\//.test(reference.html));
});

test('the reference links to the document, and to the console for those who may use it', async (t) => {
  const { partnerId } = await service.partner();
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  const { html } = await developer.open('/reference');
  t.true(html.includes('href="/reference/openapi.yaml"'));
  t.true(html.includes('href="/console?type=purchase"'));
  t.true(html.includes('href="/console?type=refund"'));
  t.false((await (await asViewer()).open('/reference')).html.includes('href="/console'));
  const document = await developer.open('/reference/openapi.yaml');
  t.is(document.headers.get('content-type'), 'application/yaml');
  t.is(parse(document.html).servers[0].url, service.config.portal.apiUrl);
});

test('the search shows the parts of the reference that contain all words, also without scripts', async (t) => {
  const viewer = await asViewer();
  const shownAt = async (path: string) => {
    const { html } = await viewer.open(path);
    const shown = [...html.matchAll(/<article class="card" id="([^"]+)"( hidden)?>/g)];
    const listed = [...html.matchAll(/<li( hidden)?><a href="#([^"]+)"/g)];
    const ids = shown.filter(([, , hidden]) => hidden === undefined).map(([, id]) => id);
    const inContents = listed.filter(([, hidden]) => hidden === undefined).map(([, , id]) => id);
    t.deepEqual(ids, inContents, path);
    return ids;
  };
  const all = await shownAt('/reference');
  t.true(all.includes('signing') && all.includes('reportPurchase') && all.includes('onTestPing'));
  t.deepEqual(await shownAt('/reference?q=signing+xylophone'), []);
  const found = await shownAt('/reference?q=SUBTOTALCENTS+quote');
  t.true(found.includes('quotePurchase') && found.length < all.length);
  const { html } = await viewer.open('/reference?q=a%22%3Eb');
  t.true(html.includes('value="a&quot;&gt;b"'));
});

test('the command is one file to download, with its hash beside it, that runs as it is', async (t) => {
  const { html } = await (await asViewer()).open('/quickstarts');
  t.true(html.includes('href="/partner-events.mjs"'));
  const response = await fetch(`${portal.url}/partner-events.mjs`);
  t.is(response.status, 200);
  const file = Buffer.from(await response.arrayBuffer());
  t.true(html.includes(`>${createHash('sha256').update(file).digest('hex')}<`));
  const folder = await mkdtemp(join(tmpdir(), 'command-'));
  t.teardown(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'partner-events.mjs'), file);
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, ['partner-events.mjs', ...args], { cwd: folder });
  t.regex((await run('--help')).stdout, /Usage: partner-events/);
  t.regex((await run('logs', '--help')).stdout, /node partner-events\.mjs logs --order A1/);
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
