import test from 'ava';
import { modes } from '../../domain/mode.ts';
import { withMode } from '../../portal/components/mode-switch.ts';
import type { Route } from '../../portal/routing/route.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { Browser } from './helpers/browser.ts';
import { filledPath, isPage, type Owner } from './helpers/fixtures.ts';
import { operatorBrowser, partnerBrowser } from './helpers/people.ts';
import { startPortal, type TestPortal } from './helpers/portal.ts';
import { tradingOwner } from './helpers/trading-owner.ts';

/** How many times all pages are read while they still change. */
const maxRounds = 20;
/** Pages with something new on each request: a secret, an order id, what was just read, proofs of a log that grows. */
const alwaysNew = [
  '/second-factor/enroll',
  '/console',
  '/audit-log',
  '/rewards/:rewardId/receipt.json',
];

let service: OwnService;
let portal: TestPortal;
let own: Owner;
let browser: Browser;
test.before(async (t) => {
  t.timeout(10 * 60_000);
  // Its own service: every partner sees all plans, and operators see everything, other files' hostile text included.
  service = await startOwnService();
  // Fixed, because pages show how long ago something was.
  const nowMs = Date.now();
  portal = await startPortal(service, { now: () => nowMs });
  own = await tradingOwner(service, portal, 'Ownmark');
  browser = await partnerBrowser(portal, own.partnerId);
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

/** The paths of these routes, in both modes, with the partner's own ids. */
async function pathsOf(routes: readonly Route[]): Promise<string[]> {
  const paths: string[] = [];
  for (const route of routes) paths.push(await filledPath(portal, route, own));
  return paths.flatMap((path) => modes.map((mode) => withMode(path, mode, '&')));
}

type Pages = Record<string, string>;

async function pagesAt(paths: readonly string[]): Promise<Pages> {
  const pages: Pages = {};
  for (const path of paths) {
    const { status, headers, html } = await browser.ask('GET', path);
    // Each form to add funding has a reference of its own.
    const shown = html.replace(/name="reference" value="\w+"/g, '');
    pages[path] = `${status} ${headers.get('location') ?? ''}\n${shown}`;
  }
  return pages;
}

const differing = (one: Pages, other: Pages): string[] =>
  Object.keys(one).filter((path) => one[path] !== other[path]);

/** The pages, once background work no longer changes them. */
async function settledPages(paths: readonly string[]): Promise<Pages> {
  let before = await pagesAt(paths);
  let changing: string[] = [];
  for (let round = 0; round < maxRounds; round++) {
    const after = await pagesAt(paths);
    changing = differing(before, after);
    if (changing.length === 0) return after;
    before = after;
  }
  throw new Error(`these pages keep changing: ${changing.join(', ')}`);
}

/** The ids of all documents of a partner. */
async function idsOf(partnerId: string): Promise<string[]> {
  const all = Object.values(portal.deps.models.connection.models);
  const rows = await Promise.all(
    all.map(({ collection }) => collection.distinct('_id', { partnerId })),
  );
  // Numbers, such as places in the log of receipts, could be anything on a page.
  return [partnerId, ...rows.flat().filter((id) => typeof id === 'string')];
}

test.serial('no page has what the policy blocks: inline scripts, styles or handlers', async (t) => {
  const browsers = { operator: await operatorBrowser(portal), partner: browser, user: browser };
  for (const route of portal.table.filter(isPage)) {
    const reader = route.audience === 'public' ? new Browser(portal) : browsers[route.audience];
    const { html, status } = await reader.open(await filledPath(portal, route, own));
    t.true(status < 500, route.path);
    t.notRegex(
      html,
      /<style|\sstyle=|\son\w+=|javascript:|hx-on|<script(?![^>]*\ssrc="\/assets\/)/i,
    );
    t.notRegex(
      html,
      /(?:\ssrc=|<link[^>]*\shref=)"(?:https?:)?\/\//i,
      `${route.path} loads something from another site`,
    );
    t.regex(html, /<h1>/, route.path);
    t.regex(html, /<title>[^<]+<\/title>/, route.path);
  }
});

test.serial('another partner’s data shows on no page of a partner, and changes none', async (t) => {
  t.timeout(10 * 60_000);
  const pages = portal.table.filter(
    ({ method, audience }) => method === 'GET' && ['partner', 'user'].includes(audience),
  );
  const isNew = ({ path }: Route) => alwaysNew.includes(path);
  const same = await pathsOf(pages.filter((page) => !isNew(page)));
  const fresh = await pathsOf(pages.filter(isNew));
  const before = await settledPages(same);
  const shownIds = (await idsOf(own.partnerId)).filter((id) =>
    Object.values(before).some((page) => page.includes(id)),
  );
  t.true(shownIds.length > 50, 'the pages show the partner’s data');

  const { planVersions } = portal.deps.models;
  const plans = await planVersions.distinct('_id');
  const others = await tradingOwner(service, portal, 'Othersmark');
  // The pages would show the new plans to every partner.
  await planVersions.deleteMany({ _id: { $nin: plans } });
  const theirs = await idsOf(others.partnerId);
  const after = await pagesAt([...same, ...fresh]);
  for (const [path, page] of Object.entries(after)) {
    t.false(page.includes(others.mark), path);
    t.deepEqual(
      theirs.filter((id) => page.includes(id)),
      [],
      path,
    );
  }
  t.deepEqual(differing(before, after), []);
});
