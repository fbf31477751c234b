import test, { type ExecutionContext } from 'ava';
import { may, type Permission, type Role, roles } from '../../domain/operators.ts';
import {
  type PartnerPermission,
  type PartnerRole,
  partnerMay,
  partnerRoles,
} from '../../domain/partners.ts';
import type { UserDoc } from '../../models/schemas/people.ts';
import { createPageFinder } from '../../portal/middleware/may-open.ts';
import { operatorNav, partnerNav } from '../../portal/nav.ts';
import { type ParamKind, paramKinds } from '../../portal/routing/params.ts';
import type { Route } from '../../portal/routing/route.ts';
import { csrfTokenOf } from '../../portal/session/sign-in.ts';
import { everythingOf } from '../helpers/everything-of.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { Browser, type Shown, textOf } from './helpers/browser.ts';
import {
  exampleOf,
  filledPath,
  fixtures,
  type Owner,
  plausible,
  routeName,
  unchangedPath,
} from './helpers/fixtures.ts';
import {
  anOperator,
  aUser,
  operatorBrowser,
  partnerBrowser,
  password,
  signedIn,
} from './helpers/people.ts';
import { startPortal, type TestPortal } from './helpers/portal.ts';

/** A browser, with the CSRF token of its session. */
interface Visitor {
  browser: Browser;
  csrf: string;
  /** Whose examples it requests. */
  owner: Owner;
}

type Visitors = Record<'partner' | 'operator', Visitor>;

let service: OwnService;
let portal: TestPortal;
let pageAt: ReturnType<typeof createPageFinder>;
/** A partner with an example of every kind, which no test changes. */
let own: Owner;
/** Its users, by role. */
let team: Record<PartnerRole, Visitor>;
/** Its owner and an operator, who have entered the second factor. */
let strong: Visitors;
/** The same, who have not. */
let weak: Visitors;
/** Everything stored for it. */
let stored: unknown[];
test.before(async () => {
  // The forms of an admin change what all share, such as the key that receipts are signed with.
  service = await startOwnService();
  portal = await startPortal(service);
  pageAt = createPageFinder(portal.table);
  own = await anOwner('Ownmark');
  const { partnerId } = own;
  team = {} as typeof team;
  for (const role of partnerRoles) {
    team[role] = visitor(await partnerBrowser(portal, partnerId, role), own);
  }
  strong = { partner: team.owner, operator: visitor(await operatorBrowser(portal), own) };
  const [user, admin] = [await aUser(portal, { partnerId }), await anOperator(portal)];
  weak = {
    partner: visitor(await signedIn(portal, user, { isStrong: false }), own),
    operator: visitor(await signedIn(portal, admin, { isStrong: false }), own),
  };
  for (const kind of allKinds) await exampleOf(portal, kind, own);
  stored = await stateOf(own.partnerId);
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

const allKinds = Object.keys(fixtures) as ParamKind[];

const visitor = (browser: Browser, owner: Owner): Visitor => ({
  browser,
  csrf: csrfTokenOf(browser.cookies.get('session') ?? ''),
  owner,
});

const visitorOf = ({ audience }: Route, { partner, operator }: Visitors): Visitor =>
  audience === 'operator' ? operator : partner;

async function anOwner(mark: string): Promise<Owner> {
  const { partnerId } = await service.partner({ partner: { name: `${mark} Ltd` } });
  return { partnerId, mark };
}

const routesOf = (audience: Route['audience']) =>
  portal.table.filter((route) => route.audience === audience);

/** Requests a route once. A form is sent with its CSRF token and these fields. */
async function requestRoute(
  { browser, csrf }: Omit<Visitor, 'owner'>,
  route: Route,
  path: string,
  fields: Record<string, string> = {},
): Promise<Shown> {
  if (route.method === 'GET') return await browser.ask('GET', path);
  return await browser.send(route, path, { csrf, ...fields });
}

const opened = new Map<Route, Promise<Shown>>();

/** A page as an owner or an admin sees it. It is requested once, since no test changes what it shows. */
function pageOf(route: Route): Promise<Shown> {
  const { browser } = visitorOf(route, strong);
  const page =
    opened.get(route) ?? unchangedPath(portal, route, own).then((path) => browser.ask('GET', path));
  opened.set(route, page);
  return page;
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
  for (const kind of allKinds) t.regex(await exampleOf(portal, kind, own), /\S/, kind);
});

test('every menu entry links to a page', (t) => {
  for (const [audience, nav] of [
    ['partner', partnerNav],
    ['operator', operatorNav],
  ] as const) {
    for (const { path } of nav.flatMap(({ tabs }) => tabs)) {
      const page = portal.table.find((one) => one.method === 'GET' && one.path === path);
      t.true(page?.audience === audience || page?.audience === 'user', path);
    }
  }
});

test.serial(
  'no page says its title or its tab twice, as a heading or on the way to it',
  async (t) => {
    const wordsIn = (html: string, tag: RegExp) =>
      [...html.matchAll(tag)].map(([, inside = '']) => textOf(inside).trim());
    const found: string[] = [];
    for (const route of portal.table) {
      if (route.method !== 'GET' || /\.\w+$/.test(route.path)) continue;
      if (route.audience === 'public') continue;
      const { status, html } = await pageOf(route);
      if (status !== 200) continue;
      const [, main = ''] = /<main[^>]*>([\s\S]*)<\/main>/.exec(html) ?? [];
      const titles = [
        ...wordsIn(main, /<h1[^>]*>([\s\S]*?)<\/h1>/g),
        ...wordsIn(main, /class="tab-link"[^>]*aria-current="page"[^>]*>([\s\S]*?)<\/a>/g),
      ];
      const [, crumbs = ''] = /<nav class="crumbs"[^>]*>([\s\S]*?)<\/nav>/.exec(main) ?? [];
      const others = [
        ...wordsIn(main, /<h2[^>]*>([\s\S]*?)<\/h2>/g),
        ...wordsIn(crumbs, /<li[^>]*>([\s\S]*?)<\/li>/g),
      ];
      const twice = others.filter((one) => titles.includes(one));
      found.push(...twice.map((title) => `${routeName(route)}: ${title}`));
    }
    t.deepEqual(found, []);
  },
);

for (const role of partnerRoles) {
  // Before an admin retires the key: then there is no receipt until the next signing.
  test.serial(
    `${role} gets every partners’ page that the table allows, and 403 from every other`,
    async (t) => {
      const changed = await anOwner(`${role} mark`);
      const sender = visitor(await partnerBrowser(portal, changed.partnerId, role), changed);
      for (const route of routesOf('partner')) {
        const isAllowed = partnerMay(role, route.permission as PartnerPermission);
        const asking = isAllowed && route.method === 'POST' ? sender : team[role];
        await checkAccess(t, asking, route, { isAllowed, role });
      }
    },
  );
}

/** Approving takes the permission of what was proposed as well: that of the example. */
const exampleProposed: Permission = 'partner.top-up';
const isApproval = (route: Route): boolean =>
  routeName(route) === 'POST /admin/approvals/:proposalId/approve';

for (const role of roles) {
  test(`${role} gets every operators’ page that the table allows, and 403 from every other`, async (t) => {
    const browser = await operatorBrowser(portal, role);
    const sender = visitor(browser, await anOwner(`${role} mark`));
    const reader = role === 'admin' ? strong.operator : visitor(browser, own);
    for (const route of routesOf('operator')) {
      const isAllowed =
        may(role, route.permission as Permission) &&
        (!isApproval(route) || may(role, exampleProposed));
      const asking = isAllowed && route.method === 'POST' ? sender : reader;
      await checkAccess(t, asking, route, { isAllowed, role });
    }
  });
}

test('an owner gets no page for operators, and an admin none for partners', async (t) => {
  for (const route of routesOf('operator')) {
    await checkAccess(t, strong.partner, route, { isAllowed: false, role: 'owner' });
  }
  for (const route of routesOf('partner')) {
    await checkAccess(t, strong.operator, route, { isAllowed: false, role: 'admin' });
  }
});

async function checkAccess(
  t: ExecutionContext,
  visitor: Visitor,
  route: Route,
  { isAllowed, role }: { isAllowed: boolean; role: Role | PartnerRole },
): Promise<void> {
  const { status, html } = await respond();
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

  async function respond(): Promise<Shown> {
    if (!isAllowed) {
      return await requestRoute(visitor, route, await unchangedPath(portal, route, visitor.owner));
    }
    if (route.method === 'GET' && visitor === visitorOf(route, strong)) return await pageOf(route);
    return await requestRoute(visitor, route, await filledPath(portal, route, visitor.owner));
  }
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
    const signedOut = { browser: new Browser(portal), csrf: '' };
    const { status, headers, html } = await requestRoute(signedOut, route, path);
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
  const examples: { route: Route; path: string }[] = [];
  for (const route of [...withIds, ...ownUserRoutes()]) {
    examples.push({ route, path: await unchangedPath(portal, route, others) });
  }
  const before = await stateOf(others.partnerId);
  for (const { route, path } of examples) {
    const { status, html } = await requestRoute(strong.partner, route, path, filledIn(route));
    t.is(status, 404, `${routeName(route)} with another partner’s id`);
    t.false(html.includes(others.mark), routeName(route));
  }
  t.deepEqual(await stateOf(others.partnerId), before);
});

test('every example of a partner’s data changes the stored data', async (t) => {
  const examined = await anOwner('Examplemark');
  const ofPartners = routesOf('partner').flatMap(({ params }) => Object.values(params));
  let before = await stateOf(examined.partnerId);
  for (const kind of new Set(ofPartners)) {
    await fixtures[kind](portal, examined);
    const after = await stateOf(examined.partnerId);
    t.notDeepEqual(before, after, kind);
    before = after;
  }
});

/** Routes with ids that belong to one user, so nobody else finds them. */
const ownUserRoutes = () =>
  routesOf('user').filter(({ params }) =>
    Object.values(params).some((kind) => ['session', 'passkey', 'accessToken'].includes(kind)),
  );

/** Plausible values for a route's form. */
const filledIn = ({ fields }: Route): Record<string, string> =>
  Object.fromEntries(Object.entries(plausible).filter(([name]) => fields.includes(name)));

/** Every attempt adds an audit entry, the log of receipts grows for all partners, and expired rate limits are deleted. */
const changingModels = ['LedgerLeaf', 'AuditEntry', 'RateLimit'];

/** Everything stored for a partner, except those. */
async function stateOf(partnerId: string): Promise<unknown[]> {
  const { models } = portal.deps;
  const users = await models.users.find({ partnerId }, { _id: 1 });
  const userIds = users.map(({ _id }) => _id);
  return [
    // Any request can update when a session was last used, and the form that it keeps during the second
    // factor.
    await models.sessions
      .find(
        { userId: { $in: userIds } },
        { lastUsedAt: 0, expiresAt: 0, deletableAt: 0, keptForm: 0 },
      )
      .sort({ _id: 1 }),
    await models.signInLinks.find({ userId: { $in: userIds } }).sort({ _id: 1 }),
    await models.partners.find({ _id: partnerId }),
    await everythingOf(models, partnerId, changingModels),
  ];
}

/** Whether a key is seen for the first time. What routes have in common is tried in full only then. */
function firstOfEach(): (key: string) => boolean {
  const seen = new Set<string>();
  return (key) => seen.size < seen.add(key).size;
}

test('a form with a missing or foreign token is refused and changes nothing', async (t) => {
  const foreign = weak.partner.csrf;
  t.regex(foreign, /^[\w-]{43}$/);
  const wrong = ['', foreign, `${foreign.slice(0, -1)}é`];
  const withToken = portal.table.filter((one) => one.method === 'POST' && !one.secretInPath);
  const isFirst = firstOfEach();
  for (const [nth, route] of withToken.entries()) {
    const path = await unchangedPath(portal, route, own);
    const tried = isFirst(`${route.takesFile}`) ? wrong : [wrong[nth % wrong.length] ?? ''];
    for (const csrf of tried) {
      const fields = { ...filledIn(route), csrf };
      const { status } = await requestRoute(visitorOf(route, strong), route, path, fields);
      t.is(status, 403, `${routeName(route)} with ${csrf || 'no token'}`);
    }
  }
  t.deepEqual(await stateOf(own.partnerId), stored);
});

test('only claim links’ forms have no token: knowing the link is enough to send them', (t) => {
  const without = portal.table.filter((one) => one.method === 'POST' && one.secretInPath);
  t.deepEqual(without.map(routeName), [
    'POST /claim/:token',
    'POST /claim/:token/points',
    'POST /points/:token/claim/:rewardId',
  ]);
});

test('a form from another site is refused, whatever it contains', async (t) => {
  const foreign: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: portal.url },
  ];
  const isFirst = firstOfEach();
  for (const [nth, route] of portal.table.filter(({ method }) => method === 'POST').entries()) {
    if (endsSession(route)) continue;
    const { browser, csrf } = visitorOf(route, strong);
    const path = await unchangedPath(portal, route, own);
    const tried = isFirst(`${route.takesFile}`) ? foreign : [foreign[nth % foreign.length] ?? {}];
    for (const headers of tried) {
      const { status } = await browser.send(route, path, { ...filledIn(route), csrf }, headers);
      t.is(status, 403, `${routeName(route)} ${JSON.stringify(headers)}`);
    }
  }
});

test('actions that need the second factor ask for it, and do nothing without', async (t) => {
  const guarded = portal.table.filter(({ secondFactor }) => secondFactor);
  t.true(guarded.length >= 40, `${guarded.length}`);
  for (const route of guarded) {
    const path = await unchangedPath(portal, route, own);
    const visitor = visitorOf(route, weak);
    const { status, headers } = await requestRoute(visitor, route, path, filledIn(route));
    t.is(status, 303, routeName(route));
    t.regex(headers.get('location') ?? '', /^\/second-factor\?to=/, routeName(route));
  }
  t.deepEqual(await stateOf(own.partnerId), stored);
});

test('the mode of a record decides who may change it, whatever the address and the form say', async (t) => {
  const ofLive = portal.table.filter(({ mode }) => mode === 'LIVE');
  t.true(ofLive.length >= 18, `${ofLive.length}`);
  for (const route of ofLive) {
    const [path = ''] = (await unchangedPath(portal, route, own)).split('?');
    const isOfRecord = Object.keys(route.params).length > 0;
    for (const query of isOfRecord ? ['', '?mode=TEST', '?mode=LIVE'] : ['', '?mode=LIVE']) {
      const fields = { ...filledIn(route), mode: 'TEST' };
      const asked = `${routeName(route)} at ${path}${query}`;
      for (const role of ['developer', 'viewer'] as const) {
        const { status } = await requestRoute(team[role], route, path + query, fields);
        t.is(status, 403, `${role}: ${asked}`);
      }
      const { headers } = await requestRoute(weak.partner, route, path + query, fields);
      t.regex(headers.get('location') ?? '', /^\/second-factor\?to=/, asked);
    }
    for (const query of ['?mode=BOTH', '?mode=TEST&mode=LIVE']) {
      if (isOfRecord) continue;
      const { status } = await requestRoute(strong.partner, route, path + query, filledIn(route));
      t.is(status, 404, `${routeName(route)} at ${path}${query}`);
    }
  }
  t.deepEqual(await stateOf(own.partnerId), stored);
});

/** Routes whose forms change something for somebody who is signed in. */
const keeping = () =>
  portal.table.filter(
    ({ method, audience, path, mode, permission }) =>
      method === 'POST' &&
      audience !== 'public' &&
      mode !== 'TEST' &&
      !path.startsWith('/second-factor') &&
      // These change whose session it is.
      !['/sign-out', '/leave-view', '/carry-on'].includes(path) &&
      permission !== 'partner.view-as',
  );

/** What a redirect to sign in, or to give the second factor, says about the form: its name, or its page. */
const namedIn = ({ headers }: Shown): string | undefined =>
  /form%3D([\w-]{43})$/.exec(headers.get('location') ?? '')?.[1];

for (const [what, then] of [
  ['a session that has ended', { expiresAt: new Date(0) }],
  ['a second factor that is due', { secondFactorAt: new Date(Date.now() - 16 * 60_000) }],
] as const) {
  test(`${what} keeps the form of every route, which is then carried out`, async (t) => {
    const { sessions } = portal.deps.models;
    const operator = await anOperator(portal);
    const strong = { expiresAt: new Date(Date.now() + 3_600_000), secondFactorAt: new Date() };
    let kept = 0;
    for (const route of keeping()) {
      // What one form changes, such as the funding, would keep the example of the next from being made.
      const changed = await anOwner(`${what} mark`);
      const user =
        route.audience === 'operator'
          ? operator
          : await aUser(portal, { partnerId: changed.partnerId });
      const { visitor, userId } = await sender(user, changed);
      const path = await filledPath(portal, route, changed);
      await sessions.updateOne({ userId }, { $set: { ...strong, ...then } });
      const first = await requestRoute(visitor, route, path, filledIn(route));
      await sessions.updateOne({ userId }, { $set: strong });
      const to = first.headers.get('location') ?? '';
      const name = namedIn(first);
      const asked = `${routeName(route)}: ${first.status} ${to}`;
      if ('expiresAt' in then) t.regex(to, /^\/sign-in/, asked);
      t.not(first.status, 403, asked);
      // A file cannot be kept, and its form is shown again.
      if ('expiresAt' in then && !route.takesFile) t.truthy(name, asked);
      if (name === undefined) continue;
      kept += 1;
      const second = await visitor.browser.post('/carry-on', { csrf: visitor.csrf, form: name });
      const done = `${asked}, then ${second.status} ${second.headers.get('location')}`;
      t.not(second.status, 403, done);
      t.false(second.html.includes('There is no page at this address'), done);
      t.notRegex(second.headers.get('location') ?? '', /^\/(second-factor|sign-in|carry-on)/, done);
      t.is((await sessions.findOne({ userId }).orFail()).keptForm, null, done);
    }
    t.true(kept >= 40, `${kept}`);
  });
}

/** Somebody with one session. */
async function sender(user: UserDoc, owner: Owner) {
  await portal.deps.models.sessions.deleteMany({ userId: user._id });
  return { visitor: visitor(await signedIn(portal, user), owner), userId: user._id };
}

test('only who sent a form carries it out after signing in again', async (t) => {
  const { sessions, users } = portal.deps.models;
  const { partnerId } = await anOwner('Sender mark');
  const [user, other] = [await aUser(portal, { partnerId }), await aUser(portal, { partnerId })];
  const zoneOf = async ({ _id }: UserDoc) => (await users.findById(_id).orFail()).timeZone ?? null;
  const sendLate = async (timeZone: string) => {
    const browser = await signedIn(portal, user);
    await browser.open('/account');
    await sessions.updateMany({ userId: user._id }, { $set: { expiresAt: new Date(0) } });
    const sent = await browser.post('/account/time-zone', { timeZone }, { referer: browser.url });
    const shown = await browser.follow(sent);
    t.regex(textOf(shown.html), /Sign in, and what you sent is carried out/);
    return browser;
  };
  const theirs = await sendLate('Europe/Berlin');
  await theirs.submit('/sign-in', { email: other.email ?? '', password });
  t.is(await zoneOf(user), null);
  t.is(await zoneOf(other), null);

  const own = await sendLate('Europe/Vienna');
  t.is((await own.submit('/sign-in', { email: user.email ?? '', password: 'wrong' })).status, 422);
  t.is(await zoneOf(user), null);
  const after = await own.submit('/sign-in', { email: user.email ?? '', password });
  t.is(after.path, '/account');
  t.is(await zoneOf(user), 'Europe/Vienna');
});

test('a session that somebody ended keeps no form', async (t) => {
  const { sessions } = portal.deps.models;
  const { partnerId } = await anOwner('Ended mark');
  const user = await aUser(portal, { partnerId });
  const browser = await signedIn(portal, user);
  await browser.open('/team');
  await sessions.deleteMany({ userId: user._id });
  const sent = await browser.post('/team/invite', { email: 'x@shop.example', role: 'viewer' });
  t.is(sent.headers.get('location'), '/sign-in');
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
  const isFirst = firstOfEach();
  const withIds = portal.table.filter(({ params }) => Object.keys(params).length > 0);
  for (const [nth, route] of withIds.entries()) {
    const kinds = Object.values(route.params);
    const isWellFormed = (id: string) => kinds.every((kind) => paramKinds[kind].test(id));
    const tried = new Set([hostile[nth % hostile.length] ?? '']);
    // An id of the wrong format is refused before any handler, by every route alike.
    if (isFirst(`${kinds}`)) for (const id of hostile.filter(isWellFormed)) tried.add(id);
    for (const id of tried) {
      const path = route.path.replace(/:\w+/g, id);
      const { status, html } = await requestRoute(visitorOf(route, strong), route, path);
      t.true(status === 404 || status === 400, `${routeName(route)} ${id}: ${status}`);
      t.false(html.includes('<script>alert'), routeName(route));
    }
  }
});
