import test from 'ava';
import type { Route } from '../../portal/routing/route.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { profileScans } from '../helpers/scans.ts';
import { Browser, csrfIn, formsIn, unescaped } from './helpers/browser.ts';
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

/** Forms that end the session, or with which an operator becomes a partner's viewer. */
const endSession = ['POST /sign-out', 'POST /admin/partners/:partnerId/view'];

const readers = new Map<string, Promise<Browser>>();

/** A browser of the route's audience. Shared if possible, because a team has at most a hundred users. */
async function readerOf(route: Route): Promise<Browser> {
  const { audience } = route;
  if (audience === 'public') return new Browser(portal);
  const key = endSession.includes(routeName(route)) ? routeName(route) : audience;
  const made =
    readers.get(key) ??
    (audience === 'operator' ? operatorBrowser(portal) : partnerBrowser(portal, owner.partnerId));
  readers.set(key, made);
  return await made;
}

const tokens = new Map<Browser, string>();

/** The CSRF token of a browser's session. */
async function tokenOf(reader: Browser, { audience }: Route): Promise<string> {
  const path = audience === 'public' ? '/sign-in' : '/account';
  const token = tokens.get(reader) ?? csrfIn((await reader.open(path)).html);
  tokens.set(reader, token);
  return token;
}

test.serial('form input is shown again as text', async (t) => {
  for (const route of routesOf('POST')) {
    const reader = await readerOf(route);
    const csrf = await tokenOf(reader, route);
    const fields = Object.fromEntries(route.fields.map((name) => [name, hostileText]));
    const path = await filledPath(portal, route, owner);
    const { status, html, headers } = await reader.send(route, path, { csrf, ...fields });
    t.true(status < 500 && status !== 403, `${routeName(route)}: ${status}`);
    if (headers.get('location') === '/sign-in') t.is(route.path, '/sign-out');
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

test.serial('hostile text, stored or in a URL, is escaped on every page', async (t) => {
  let [shown, asked] = [0, 0];
  for (const route of routesOf('GET')) {
    const reader = await readerOf(route);
    const path = await filledPath(portal, route, owner);
    const { status, html } = await reader.open(path);
    t.true(status < 500 && status !== 403, `${routeName(route)}: ${status}`);
    t.false(hasInjectedMarkup(html), routeName(route));
    if (html.includes('&lt;img src=x onerror=alert(1)&gt;')) shown += 1;
    const own = parametersOf(html, path);
    // The page's own parameters one by one: if it refuses one, it ignores the others.
    for (const names of [[...commonParameters, hostileText], ...own.map((name) => [name])]) {
      const query = new URLSearchParams(names.map((name): [string, string] => [name, hostileText]));
      const page = await reader.open(`${path}?${query}`);
      t.true(page.status < 500, `${routeName(route)} ${names}: ${page.status}`);
      t.false(hasInjectedMarkup(page.html), `${routeName(route)} ${names}`);
    }
    asked += own.length;
  }
  t.true(shown > 100, `only ${shown} pages show the hostile text`);
  t.true(asked >= 40, `only ${asked} parameters were found in links and forms`);
});

test.serial('no page and no form scans a whole collection', async (t) => {
  t.deepEqual(await scans(), []);
});
