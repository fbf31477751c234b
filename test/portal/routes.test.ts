import test, { type ExecutionContext } from 'ava';
import { may, type Permission, type Role, roles } from '../../domain/operator-roles.ts';
import {
  type PartnerPermission,
  type PartnerRole,
  partnerMay,
  partnerRoles,
} from '../../domain/partner-roles.ts';
import { pagesOf } from '../../portal/middleware/may-open.ts';
import { operatorNav, partnerNav } from '../../portal/nav.ts';
import type { Route } from '../../portal/routing/route.ts';
import { everythingOf } from '../helpers/counted-meanwhile.ts';
import { type Service, startService } from '../helpers/service.ts';
import { Browser, csrfIn, type Shown } from './helpers/browser.ts';
import {
  filledPath,
  fixtures,
  type Owner,
  plausible,
  routeName,
  unchangedPath,
} from './helpers/fixtures.ts';
import { anOperator, aUser, operatorBrowser, partnerBrowser, signedIn } from './helpers/people.ts';
import { startPortal, type TestPortal } from './helpers/portal.ts';

let service: Service;
let portal: TestPortal;
let own: Owner;
let forbidden: Owner;
let pageAt: ReturnType<typeof pagesOf>;
test.before(async () => {
  service = await startService();
  portal = await startPortal(service);
  pageAt = pagesOf(portal.table);
  own = await anOwner('Ownmark');
  forbidden = await anOwner('Refusedmark');
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

async function anOwner(mark: string): Promise<Owner> {
  const { partnerId } = await service.partner({ partner: { name: `${mark} Ltd` } });
  return { partnerId, mark };
}

const routesOf = (audience: Route['audience']) =>
  portal.table.filter((route) => route.audience === audience);

/** Requests a route once. A form is sent with its CSRF token and no fields. */
async function requestRoute(browser: Browser, route: Route, path: string): Promise<Shown> {
  if (route.method === 'GET') return await browser.ask('GET', path);
  if (csrfIn(browser.shown?.html ?? '') === '') await browser.open('/account');
  return await browser.send(route, path);
}

/** Signing out would end the session that the other requests use. */
const endsSession = ({ path }: Route): boolean => path === '/sign-out';

test('the route table has pages for every audience', (t) => {
  t.true(routesOf('public').length >= 6);
  t.true(routesOf('user').length >= 6);
  t.true(routesOf('partner').length >= 6);
  t.true(routesOf('operator').length >= 3);
  t.deepEqual(new Set(portal.table.map(routeName)).size, portal.table.length);
});

test('every kind of parameter has an example', async (t) => {
  for (const [kind, make] of Object.entries(fixtures)) {
    t.regex(await make(portal, own), /\S/, kind);
  }
});

test('every menu entry links to a page', (t) => {
  for (const [audience, nav] of [
    ['partner', partnerNav],
    ['operator', operatorNav],
  ] as const) {
    for (const { path } of nav.flatMap(({ entries }) => entries)) {
      const page = portal.table.find((one) => one.method === 'GET' && one.path === path);
      t.is(page?.audience, audience, path);
    }
  }
});

for (const role of partnerRoles) {
  test(`${role} gets every partners’ page that the table allows, and 403 from every other`, async (t) => {
    const owner = await anOwner(`${role} mark`);
    const browser = await partnerBrowser(portal, owner.partnerId, role);
    for (const route of routesOf('partner')) {
      const isAllowed = partnerMay(role, route.permission as PartnerPermission);
      await checkAccess(t, browser, route, { owner, isAllowed, role });
    }
  });
}

for (const role of roles) {
  test(`${role} gets every operators’ page that the table allows, and 403 from every other`, async (t) => {
    const owner = await anOwner(`${role} mark`);
    const browser = await operatorBrowser(portal, role);
    for (const route of routesOf('operator')) {
      const isAllowed = may(role, route.permission as Permission);
      await checkAccess(t, browser, route, { owner, isAllowed, role });
    }
  });
}

test('an owner gets no page for operators, and an admin none for partners', async (t) => {
  const asOwner = { owner: own, isAllowed: false, role: 'owner' } as const;
  const asAdmin = { ...asOwner, role: 'admin' } as const;
  const [partner, operator] = await Promise.all([
    partnerBrowser(portal, own.partnerId, asOwner.role),
    operatorBrowser(portal, asAdmin.role),
  ]);
  for (const route of routesOf('operator')) await checkAccess(t, partner, route, asOwner);
  for (const route of routesOf('partner')) await checkAccess(t, operator, route, asAdmin);
});

async function checkAccess(
  t: ExecutionContext,
  browser: Browser,
  route: Route,
  { owner, isAllowed, role }: { owner: Owner; isAllowed: boolean; role: Role | PartnerRole },
): Promise<void> {
  const path = isAllowed
    ? await filledPath(portal, route, owner)
    : await unchangedPath(portal, route, forbidden);
  const { status, html } = await requestRoute(browser, route, path);
  const asked = `${role}: ${routeName(route)}: ${status}`;
  t.deepEqual(
    linksIn(html).filter((link) => !isOpen(role, link)),
    [],
    `${asked} has links that the role may not open`,
  );
  t.true(status < 500, asked);
  if (!isAllowed) t.is(status, 403, asked);
  else if (route.method === 'GET') t.true(status === 200 || status === 303, asked);
  else t.false([403, 404].includes(status), asked);
}

/** The page's links within the portal. */
const linksIn = (html: string): string[] =>
  [...html.matchAll(/<a [^>]*?href="(\/[^"]*)"/g)].map(([, link = '']) => link);

/** Whether this role may open the page that a link refers to. */
function isOpen(role: Role | PartnerRole, link: string): boolean {
  const { audience, permission } = pageAt(link) ?? {};
  if (audience === 'partner')
    return partnerMay(role as PartnerRole, permission as PartnerPermission);
  if (audience === 'operator') return may(role as Role, permission as Permission);
  return audience !== undefined;
}

test('a signed-out visitor is asked to sign in, and then sent to the requested page', async (t) => {
  for (const route of portal.table.filter(({ audience }) => audience !== 'public')) {
    const path = await unchangedPath(portal, route, own);
    const browser = new Browser(portal);
    const { status, headers, html } =
      route.method === 'GET' ? await browser.ask('GET', path) : await browser.send(route, path);
    t.is(status, 303, routeName(route));
    const back = route.method === 'GET' && path !== '/' ? `?to=${encodeURIComponent(path)}` : '';
    t.is(headers.get('location'), `/sign-in${back}`, routeName(route));
    t.false(html.includes(own.mark), routeName(route));
  }
});

test('another partner’s ids are not found, and nothing of theirs is shown', async (t) => {
  const withIds = routesOf('partner').filter(({ params }) => Object.keys(params).length > 0);
  t.true(withIds.length >= 3);
  const others = await anOwner('Othersmark');
  const browser = await partnerBrowser(portal, own.partnerId);
  const examples = await pathsOf([...withIds, ...ownUserRoutes()], others);
  const before = await stateOf(others.partnerId);
  for (const { route, path } of examples) {
    const { status, html } =
      route.method === 'GET'
        ? await browser.ask('GET', path)
        : await sendFilled(browser, route, path);
    t.is(status, 404, `${routeName(route)} with another partner’s id`);
    t.false(html.includes(others.mark), routeName(route));
  }
  t.deepEqual(await stateOf(others.partnerId), before);
});

test('every example of a partner’s data changes the stored data', async (t) => {
  const examined = await anOwner('Examplemark');
  const kinds = routesOf('partner').flatMap(({ params }) => Object.values(params));
  let before = await stateOf(examined.partnerId);
  for (const kind of new Set(kinds)) {
    await fixtures[kind](portal, examined);
    const after = await stateOf(examined.partnerId);
    t.notDeepEqual(before, after, kind);
    before = after;
  }
});

/** A path for each route, with examples that no request may change. */
async function pathsOf(routes: Route[], owner: Owner): Promise<{ route: Route; path: string }[]> {
  const examples = [];
  for (const route of routes) {
    examples.push({ route, path: await unchangedPath(portal, route, owner) });
  }
  return examples;
}

/** Routes with ids that belong to one user, so nobody else finds them. */
const ownUserRoutes = () =>
  routesOf('user').filter(({ params }) =>
    Object.values(params).some((kind) => ['session', 'accessToken', 'savedView'].includes(kind)),
  );

/** Sends the form of a route, filled in with plausible values. */
async function sendFilled(browser: Browser, route: Route, path: string): Promise<Shown> {
  await browser.open('/account');
  return await browser.send(route, path, filledIn(route));
}

const filledIn = ({ fields }: Route): Record<string, string> =>
  Object.fromEntries(Object.entries(plausible).filter(([name]) => fields.includes(name)));

/** Every attempt adds an audit entry, and the database deletes expired rate limits by itself. */
const changingModels = ['AuditEntry', 'RateLimit'];

/** Everything stored for a partner, except those. */
async function stateOf(partnerId: string): Promise<unknown[]> {
  const { models } = portal.deps;
  const users = await models.users.find({ partnerId }, { _id: 1 }).lean();
  const userIds = users.map(({ _id }) => _id);
  return [
    // Any request can update when a session was last used, and the form that it keeps during the second
    // factor.
    await models.sessions
      .find({ userId: { $in: userIds } }, { lastUsedAt: 0, expiresAt: 0, keptForm: 0 })
      .sort({ _id: 1 })
      .lean(),
    await models.signInLinks
      .find({ userId: { $in: userIds } })
      .sort({ _id: 1 })
      .lean(),
    await models.partners.find({ _id: partnerId }).lean(),
    await everythingOf(models, partnerId, changingModels),
  ];
}

/** Whether a key is seen for the first time. What routes have in common is tried in full only then. */
function firstOfEach(): (key: string) => boolean {
  const seen = new Set<string>();
  return (key) => seen.size < seen.add(key).size;
}

test('a form with a missing or foreign token is refused and changes nothing', async (t) => {
  const held = await anOwner('Heldmark');
  const stranger = await partnerBrowser(portal, own.partnerId);
  await stranger.open('/account');
  const foreign = /name="csrf" value="([^"]+)"/.exec(stranger.shown?.html ?? '')?.[1] ?? '';
  t.regex(foreign, /^[\w-]{43}$/);
  const [operator, partner] = await Promise.all([
    operatorBrowser(portal),
    partnerBrowser(portal, held.partnerId),
  ]);
  const withToken = portal.table.filter((one) => one.method === 'POST' && !one.secretInPath);
  const examples = await pathsOf(withToken, held);
  const before = await stateOf(held.partnerId);
  const isFirst = firstOfEach();
  for (const { route, path } of examples) {
    const browser = route.audience === 'operator' ? operator : partner;
    const misspelt = isFirst(`${route.takesFile}`) ? [`${foreign.slice(0, -1)}é`] : [];
    for (const csrf of ['', foreign, ...misspelt]) {
      const { status } = await browser.send(route, path, { ...filledIn(route), csrf });
      t.is(status, 403, `${routeName(route)} with ${csrf || 'no token'}`);
    }
  }
  t.deepEqual(await stateOf(held.partnerId), before);
});

test('only claim links’ forms have no token: knowing the link is enough to send them', (t) => {
  const without = portal.table.filter((one) => one.method === 'POST' && one.secretInPath);
  t.deepEqual(without.map(routeName), ['POST /claim/:token', 'POST /claim/:token/points']);
});

test('a form from another site is refused, whatever it contains', async (t) => {
  const [operator, partner] = await Promise.all([
    operatorBrowser(portal),
    partnerBrowser(portal, own.partnerId),
  ]);
  const foreign: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: portal.url },
  ];
  const isFirst = firstOfEach();
  for (const [nth, route] of portal.table.filter(({ method }) => method === 'POST').entries()) {
    if (endsSession(route)) continue;
    const browser = route.audience === 'operator' ? operator : partner;
    await browser.open('/account');
    const path = await unchangedPath(portal, route, own);
    const tried = isFirst(`${route.takesFile}`) ? foreign : [foreign[nth % foreign.length] ?? {}];
    for (const headers of tried) {
      const { status } = await browser.send(route, path, filledIn(route), headers);
      t.is(status, 403, `${routeName(route)} ${JSON.stringify(headers)}`);
    }
  }
});

test('actions that need the second factor ask for it, and do nothing without', async (t) => {
  const careful = await anOwner('Carefulmark');
  const weak = { isStrong: false };
  const [operator, partner] = [
    await signedIn(portal, await anOperator(portal), weak),
    await signedIn(portal, await aUser(portal, { partnerId: careful.partnerId }), weak),
  ];
  const guarded = portal.table.filter(({ secondFactor }) => secondFactor);
  t.true(guarded.length >= 40, `${guarded.length}`);
  const examples = await pathsOf(guarded, careful);
  const before = await stateOf(careful.partnerId);
  for (const { route, path } of examples) {
    const browser = route.audience === 'operator' ? operator : partner;
    const { status, headers } =
      route.method === 'GET'
        ? await browser.ask('GET', path)
        : await sendFilled(browser, route, path);
    t.is(status, 303, routeName(route));
    t.regex(headers.get('location') ?? '', /^\/second-factor\?to=/, routeName(route));
  }
  t.deepEqual(await stateOf(careful.partnerId), before);
});

const hostile = [
  '..%2f..%2fetc',
  '%00',
  '%7B%22%24gt%22%3A%22%22%7D',
  '[$ne]',
  '<script>alert(1)<%2Fscript>',
  '__proto__',
  'a'.repeat(2_000),
  'prt_00000000000000000000000000',
  '%F0%9F%92%A9',
  '%E0%A4%A',
];

test('anything in place of an id gets a response, and never 500', async (t) => {
  const [operator, partner] = await Promise.all([
    operatorBrowser(portal),
    partnerBrowser(portal, own.partnerId),
  ]);
  const isFirst = firstOfEach();
  const withIds = portal.table.filter(({ params }) => Object.keys(params).length > 0);
  for (const [nth, route] of withIds.entries()) {
    const browser = route.audience === 'operator' ? operator : partner;
    const kinds = Object.values(route.params);
    const tried = isFirst(`${kinds}`) ? hostile : [hostile[nth % hostile.length] ?? ''];
    for (const id of tried) {
      const path = route.path.replace(/:\w+/g, id);
      const { status, html } = await requestRoute(browser, route, path);
      t.true(status === 404 || status === 400, `${routeName(route)} ${id}: ${status}`);
      t.false(html.includes('<script>alert'), routeName(route));
    }
  }
});
