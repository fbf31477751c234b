import test from 'ava';
import type { Route } from '../../portal/routing/route.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { profileScans } from '../helpers/scans.ts';
import { Browser, formsIn, unescaped } from './helpers/browser.ts';
import { filledPath, isPage, type Owner, routeName } from './helpers/fixtures.ts';
import { hasInjectedMarkup, hostileOwner, hostileText } from './helpers/hostile.ts';
import { operatorBrowser, partnerBrowser } from './helpers/people.ts';
import { startPortal, type TestPortal } from './helpers/portal.ts';

let service: OwnService;
let portal: TestPortal;
let owner: Owner;
let scans: () => Promise<string[]>;
test.before(async () => {
  service = await startOwnService();
  scans = await profileScans(service.models);
  portal = await startPortal(service);
  owner = await hostileOwner(service, portal);
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

const routesOf = (method: Route['method']) =>
  portal.table.filter((route) => route.method === method && (method === 'POST' || isPage(route)));

const readers = new Map<Route['audience'], Promise<Browser>>();

/** A browser of the route's audience. Shared, because a team has at most a hundred users. */
async function readerOf({ audience }: Route): Promise<Browser> {
  if (audience === 'public') return new Browser(portal);
  const made =
    readers.get(audience) ??
    (audience === 'operator' ? operatorBrowser(portal) : partnerBrowser(portal, owner.partnerId));
  readers.set(audience, made);
  return await made;
}

test.serial('text entered by a partner or its customers is escaped on every page', async (t) => {
  let shown = 0;
  for (const route of routesOf('GET')) {
    const reader = await readerOf(route);
    const { status, html } = await reader.open(await filledPath(portal, route, owner));
    t.true(status < 500, routeName(route));
    t.false(hasInjectedMarkup(html), routeName(route));
    if (html.includes('&lt;img src=x onerror=alert(1)&gt;')) shown += 1;
  }
  t.true(shown >= 6, 'the pages show the hostile text');
});

test.serial('form input is shown again as text', async (t) => {
  for (const route of routesOf('POST')) {
    const reader = await readerOf(route);
    await reader.open(route.audience === 'public' ? '/sign-in' : '/account');
    const fields = Object.fromEntries(route.fields.map((name) => [name, hostileText]));
    const path = await filledPath(portal, route, owner);
    const { status, html } = await reader.send(route, path, fields);
    t.true(status < 500, `${routeName(route)}: ${status}`);
    t.false(hasInjectedMarkup(html), routeName(route));
  }
});

/** Query parameters that pages read even if no link or form on them has them. */
const commonParameters = [
  'to',
  'q',
  'cursor',
  'limit',
  'mode',
  'type',
  'code',
  'status',
  'order',
  'from',
];

/** The query parameters in a page's links and forms to itself. */
function parametersOf(html: string, path: string): string[] {
  const ofForms = formsIn(html)
    .filter(({ action }) => action === path)
    .flatMap(({ names }) => names);
  const ofLinks = [...html.matchAll(/href="([^"?]*)\?([^"#]*)"/g)]
    .filter(([, to]) => to === '' || to === path)
    .flatMap(([, , query = '']) => [...new URLSearchParams(unescaped(query)).keys()]);
  return [...new Set([...ofForms, ...ofLinks])].filter((name) => name !== 'csrf');
}

test.serial('text in a URL is escaped on its page', async (t) => {
  let asked = 0;
  for (const route of routesOf('GET')) {
    const reader = await readerOf(route);
    const path = await filledPath(portal, route, owner);
    const { html } = await reader.open(path);
    const own = parametersOf(html, path);
    // The page's own parameters one by one: if it refuses one, it ignores the others.
    for (const names of [[...commonParameters, hostileText], ...own.map((name) => [name])]) {
      const query = new URLSearchParams(names.map((name): [string, string] => [name, hostileText]));
      const shown = await reader.open(`${path}?${query}`);
      t.true(shown.status < 500, `${routeName(route)} ${names}: ${shown.status}`);
      t.false(hasInjectedMarkup(shown.html), `${routeName(route)} ${names}`);
    }
    asked += own.length;
  }
  t.true(asked >= 40, `only ${asked} parameters were found in links and forms`);
});

test.serial('no page and no form scans a whole collection', async (t) => {
  t.deepEqual(await scans(), []);
});
