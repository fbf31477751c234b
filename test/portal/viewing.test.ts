import test from 'ava';
import type { Role } from '../../domain/operators.ts';
import { type PartnerPermission, partnerMay } from '../../domain/partners.ts';
import { viewingMs } from '../../models/identity/viewing.ts';
import type { Route } from '../../portal/routing/route.ts';
import { everythingOf } from '../helpers/everything-of.ts';
import { type Service, startService } from '../helpers/service.ts';
import { type Browser, textOf } from './helpers/browser.ts';
import {
  filledPath,
  isPage,
  type Owner,
  plausible,
  routeName,
  unchangedPath,
} from './helpers/fixtures.ts';
import { anOperator, operatorBrowser, partnerBrowser, signedIn } from './helpers/people.ts';
import { startPortal, type TestPortal } from './helpers/portal.ts';

let service: Service;
let portal: TestPortal;
test.before(async () => {
  service = await startService();
  portal = await startPortal(service);
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

const partnerRoutes = (method: Route['method']) =>
  portal.table.filter((one) => one.audience === 'partner' && one.method === method);

async function anOwner(mark: string): Promise<Owner> {
  const { partnerId } = await service.partner({ partner: { name: `${mark} Ltd` } });
  return { partnerId, mark };
}

/** An operator who starts viewing a partner's portal. */
async function viewing(partnerId: string, role: Role = 'support') {
  const user = await anOperator(portal, role);
  const browser = await signedIn(portal, user);
  const path = `/admin/partners/${partnerId}/view`;
  await browser.open(path);
  const before = browser.cookies.get('session');
  const shown = await browser.submit(path, { reason: 'they called' });
  return { browser, shown, user, before };
}

const entriesOf = (partnerId: string, action: string) =>
  service.models.auditEntries.find({ partnerId, action }).sort({ _id: 1 });

const banner = /You are viewing the portal of .* as a viewer\. Read-only, until/;
const isViewing = ({ html }: { html: string }) => banner.test(textOf(html));

test('every page of a partner’s portal names the partner and the way out, and shows what a viewer sees', async (t) => {
  const owner = await anOwner('Walked');
  const { browser, shown } = await viewing(owner.partnerId);
  t.is(shown.path, '/home');
  for (const route of partnerRoutes('GET')) {
    const path = await filledPath(portal, route, owner);
    const { status, html, headers } = await browser.ask('GET', path);
    if (!partnerMay('viewer', route.permission as PartnerPermission)) t.is(status, 403, path);
    else t.true(status === 200 || status === 303, `${routeName(route)}: ${status}`);
    if (status === 303 || !/^text\/html/.test(headers.get('content-type') ?? '')) continue;
    // The email preview is a frame in a page that has the banner.
    if (route.path === '/branding/email.html') continue;
    t.true(isPage(route), path);
    t.true(isViewing({ html }), `${routeName(route)} has no banner`);
    t.true(html.includes('action="/leave-view') || html.includes('href="/home'), path);
    t.notRegex(html, /Walked@customers\.example/, path);
  }
});

test('any request but a read is refused, and changes nothing', async (t) => {
  const owner = await anOwner('Held');
  const { browser } = await viewing(owner.partnerId, 'admin');
  const examples = [];
  for (const route of portal.table.filter(({ method }) => method === 'POST')) {
    if (['/leave-view', '/sign-out'].includes(route.path)) continue;
    examples.push({ route, path: await unchangedPath(portal, route, owner) });
  }
  t.true(examples.length > 100);
  const stateOf = () => everythingOf(service.models, owner.partnerId, ['RateLimit', 'LedgerLeaf']);
  await browser.open('/home');
  const csrf = /name="csrf" value="([^"]+)"/.exec(browser.shown?.html ?? '')?.[1] ?? '';
  const before = await stateOf();
  for (const { route, path } of examples) {
    const fields = Object.entries(plausible).filter(([name]) => route.fields.includes(name));
    const sent = await browser.send(route, path, { ...Object.fromEntries(fields), csrf });
    t.is(sent.status, 403, routeName(route));
  }
  for (const method of ['PUT', 'PATCH', 'DELETE']) {
    t.is((await browser.ask(method, '/profile')).status, 403, method);
  }
  t.deepEqual(await stateOf(), before);
});

test('viewing uses another cookie, closes the operators’ pages and the account, and ends with its button', async (t) => {
  const { partnerId } = await anOwner('Left');
  const { browser, user, before } = await viewing(partnerId);
  t.not(browser.cookies.get('session'), before);
  const stolen = await operatorBrowser(portal, 'viewer');
  stolen.cookies.set('session', before ?? '');
  t.is((await stolen.ask('GET', '/home')).headers.get('location'), '/sign-in?to=%2Fhome');
  for (const path of ['/admin', `/admin/partners/${partnerId}`, '/account', '/revealed']) {
    const shut = await browser.ask('GET', path);
    t.is(shut.status, 403, path);
    t.true(isViewing(shut), path);
  }
  const bare = await browser.post('/leave-view', { csrf: '' });
  t.is(bare.status, 403);
  const foreign = await browser.post('/leave-view', {}, { origin: 'https://evil.example' });
  t.is(foreign.status, 403);
  await browser.open('/home');
  const left = await browser.submit('/leave-view');
  t.is(left.path, `/admin/partners/${partnerId}`);
  t.regex(textOf(left.html), /You stopped viewing the partner’s portal/);
  t.false(isViewing(left));

  const [begun] = await entriesOf(partnerId, 'partner.view-as');
  t.like(begun, { actorId: user.operatorId, status: 'DONE', details: { reason: 'they called' } });
  t.true(
    Date.parse(String(begun?.details.endsAt)) - (begun?.at.getTime() ?? 0) <= viewingMs + 1_000,
  );
  const ended = await entriesOf(partnerId, 'partner.view-as-end');
  t.is(ended.length, 1);
  t.like(ended[0], { actorId: user.operatorId, details: { end: 'LEFT' } });
});

test('reading a customer’s page or downloading a list leaves an audit entry of the operator', async (t) => {
  const owner = await anOwner('Looked');
  const { browser, user } = await viewing(owner.partnerId);
  const route = partnerRoutes('GET').find(({ path }) => path === '/customers/:customerId');
  t.is((await browser.ask('GET', await filledPath(portal, route ?? t.fail(), owner))).status, 200);
  t.is((await browser.ask('GET', '/orders.csv')).status, 200);
  const [taken] = await entriesOf(owner.partnerId, 'export.read');
  t.like(taken, { actorId: user.operatorId, details: { file: '/orders.csv' } });
  const [read] = await entriesOf(owner.partnerId, 'customer.read');
  t.like(read, { actorId: user.operatorId, status: 'DONE' });
});

test('signing out ends the view too', async (t) => {
  const { partnerId } = await anOwner('Gone');
  const { browser } = await viewing(partnerId);
  await browser.submit('/sign-out');
  t.is((await browser.ask('GET', '/home')).status, 303);
  const [ended] = await entriesOf(partnerId, 'partner.view-as-end');
  t.like(ended, { details: { end: 'SIGNED_OUT' } });
});

test('a view ends with the operator’s role, and at once with their revocation', async (t) => {
  const { partnerId } = await anOwner('Withdrawn');
  const lowered = await viewing(partnerId);
  const { operatorId } = lowered.user;
  await service.models.operators.updateOne(
    { _id: operatorId ?? '' },
    { $set: { role: 'finance' } },
  );
  const over = await lowered.browser.open('/home');
  t.is(over.path, `/admin/partners/${partnerId}`);
  t.regex(textOf(over.html), /Viewing has ended: your role no longer allows it/);
  const [ended] = await entriesOf(partnerId, 'partner.view-as-end');
  t.like(ended, { actorId: operatorId, details: { end: 'NOT_PERMITTED' } });

  const revoked = await viewing(partnerId);
  await service.models.operators.updateOne(
    { _id: revoked.user.operatorId ?? '' },
    { $set: { revokedAt: new Date() } },
  );
  t.regex((await revoked.browser.ask('GET', '/home')).headers.get('location') ?? '', /^\/sign-in/);
});

test('viewing requires the permission, the second factor and a reason', async (t) => {
  const { partnerId } = await anOwner('Shut');
  const path = `/admin/partners/${partnerId}/view`;
  for (const role of ['viewer', 'finance'] as const) {
    const browser = await operatorBrowser(portal, role);
    t.is((await browser.ask('GET', path)).status, 403, role);
    await browser.open(`/admin/partners/${partnerId}`);
    t.is((await browser.post(path, { reason: 'I want to' })).status, 403, role);
  }
  const weak: Browser = await signedIn(portal, await anOperator(portal, 'support'), {
    isStrong: false,
  });
  t.regex((await weak.ask('GET', path)).headers.get('location') ?? '', /^\/second-factor/);
  const ada = await operatorBrowser(portal, 'support');
  await ada.open(path);
  const silent = await ada.submit(path, { reason: '' });
  t.is(silent.status, 422);
  const owner = await partnerBrowser(portal, partnerId);
  t.is((await owner.ask('GET', path)).status, 403);
  t.deepEqual(await entriesOf(partnerId, 'partner.view-as'), []);
});

test.serial('a view ends after half an hour, and refuses later requests', async (t) => {
  const { partnerId } = await anOwner('Late');
  const { browser } = await viewing(partnerId, 'admin');
  portal.setClockOffsetMs(viewingMs - 60_000);
  t.true(isViewing(await browser.open('/home')));
  portal.setClockOffsetMs(viewingMs + 1_000);
  const late = await browser.post(`/admin/partners/${partnerId}/suspend`);
  t.is(late.status, 303);
  t.is((await service.models.partners.findById(partnerId))?.status, 'ACTIVE');
  const shown = await browser.open('/admin');
  t.regex(textOf(shown.html), /Viewing has ended: it has expired/);
  portal.setClockOffsetMs(0);
  const ended = await entriesOf(partnerId, 'partner.view-as-end');
  t.is(ended.length, 1);
  t.like(ended[0], { details: { end: 'TIME_IS_UP' } });
});
