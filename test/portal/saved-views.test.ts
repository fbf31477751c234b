import test from 'ava';
import { maxSavedViews } from '../../domain/saved-views.ts';
import { type Service, startService } from '../helpers/service.ts';
import { type Browser, textOf, unescaped } from './helpers/browser.ts';
import { aUser, operatorBrowser, partnerBrowser, signedIn } from './helpers/people.ts';
import { portalOf, type SomePortal } from './helpers/portal.ts';

let service: Service;
let portal: SomePortal;
test.before(async () => {
  service = await startService();
  portal = await portalOf(service);
});
test.after.always(() => service?.stop());

/** Saves a list's filters as a view, through the link above the list. */
async function save(browser: Browser, path: string, name: string) {
  const { html } = await browser.open(path);
  const link = unescaped(/href="(\/saved-views\/[^"]*\/new\?[^"]*)"/.exec(html)?.[1] ?? '');
  const { path: form } = await browser.open(link);
  return await browser.submit(form.replace(/\?.*/, ''), { name });
}

/** The saved views shown above a list, with their paths. */
const viewsIn = (html: string): [name: string, path: string][] => {
  const [, nav = ''] = /aria-label="Saved views">(.*?)<\/nav>/s.exec(html) ?? [];
  return [...nav.matchAll(/<a href="([^"]*)"[^>]*>([^<]*)<\/a>/g)]
    .filter(([, path = '']) => !path.startsWith('/saved-views'))
    .map(([, path = '', name = '']) => [name, unescaped(path)]);
};

test('each list’s filters are saved under a name, shown above it, and restored', async (t) => {
  const { partnerId } = await service.partner();
  const [user, ada] = await Promise.all([
    partnerBrowser(portal, partnerId, 'viewer'),
    operatorBrowser(portal, 'viewer'),
  ]);
  for (const [browser, path, filters] of [
    [user, '/events', 'mode=TEST&type=PURCHASE&from=2026-01-01&to=2026-01-31'],
    [user, '/rewards', 'mode=TEST&status=PENDING&order=A+1'],
    [ada, '/admin/reviews', `state=DECIDED&partner=${partnerId}`],
    [ada, '/admin/ledger', 'book=TEST&account=funding&to=2026-01-31'],
    [ada, '/admin/audit', 'status=FAILED&actor=system'],
  ] as const) {
    const saved = await save(browser, `${path}?${filters}`, 'Mine of <b>January</b>');
    t.is(saved.path, `${path}?${filters}`);
    t.regex(textOf(saved.html), /View saved/);
    t.false(saved.html.includes('<b>January'), path);
    const { html } = await browser.open(path);
    t.deepEqual(viewsIn(html), [['Mine of &lt;b&gt;January&lt;/b&gt;', `${path}?${filters}`]]);
  }
  const colleague = await partnerBrowser(portal, partnerId, 'viewer');
  t.deepEqual(viewsIn((await colleague.open('/events')).html), []);
});

test('only its owner renames and deletes a view', async (t) => {
  const { partnerId } = await service.partner();
  const user = await aUser(portal, { partnerId });
  const browser = await signedIn(portal, user);
  await save(browser, '/events?type=REFUND', 'Refunds');
  await save(browser, '/events?type=PURCHASE', 'Purchases');
  const stored = await service.models.users.findById(user._id);
  const id = stored?.savedViews?.events?.[0]?.id ?? '';
  const path = `/saved-views/events/${id}`;
  const edit = `/saved-views/events/edit?view=${id}`;
  await browser.open(edit);
  const taken = await browser.submit(`${path}/rename`, { name: 'Purchases' });
  t.is(taken.status, 409);
  t.regex(textOf(taken.html), /Another view of this list is called “Purchases”/);
  const same = await browser.submit(`${path}/rename`, { name: 'Refunds' });
  t.is(same.path, '/saved-views/events');
  await browser.open(edit);
  await browser.submit(`${path}/rename`, { name: 'Came back' });
  const names = async () => viewsIn((await browser.open('/events')).html).map(([name]) => name);
  t.deepEqual(await names(), ['Came back', 'Purchases']);
  const stranger = await partnerBrowser(portal, partnerId);
  await stranger.open('/account');
  t.is((await stranger.post(`${path}/rename`, { name: 'Stolen' })).status, 404);
  await stranger.open('/account');
  t.is((await stranger.post(`${path}/delete`)).status, 404);
  t.is((await stranger.open(edit)).path, '/saved-views/events');
  await browser.open(edit);
  await browser.submit(`${path}/delete`);
  t.deepEqual(await names(), ['Purchases']);
  t.is((await browser.open(edit)).path, '/saved-views/events');
});

test('a list has at most twenty views per user, even if saved concurrently', async (t) => {
  const { partnerId } = await service.partner();
  const user = await aUser(portal, { partnerId });
  const browser = await signedIn(portal, user);
  await browser.open('/saved-views/events/new?type=REFUND');
  const form = browser.shown?.html ?? '';
  const csrf = /name="csrf" value="([^"]+)"/.exec(form)?.[1] ?? '';
  const answers = await Promise.all(
    Array.from({ length: maxSavedViews + 5 }, async (_, place) => {
      const fields = { csrf, name: `view ${place}`, type: 'REFUND' };
      return (await browser.post('/saved-views/events/new', fields)).status;
    }),
  );
  t.is(answers.filter((status) => status === 303).length, maxSavedViews);
  t.is(answers.filter((status) => status === 409).length, 5);
  const stored = await service.models.users.findById(user._id);
  t.is(stored?.savedViews?.events?.length, maxSavedViews);
  await browser.open('/saved-views/rewards/new');
  t.is((await browser.submit('/saved-views/rewards/new', { name: 'one' })).status, 200);
});

test('a view stores only filters that the list’s page accepts', async (t) => {
  const { partnerId } = await service.partner();
  const user = await aUser(portal, { partnerId });
  const browser = await signedIn(portal, user);
  const path = '/saved-views/events/new';
  for (const query of ['type=NONE', 'from=2026-02-30', `order=${'a'.repeat(300)}`]) {
    t.is((await browser.ask('GET', `${path}?${query}`)).status, 404, query);
    await browser.open(path);
    const fields = { name: 'a view', ...Object.fromEntries(new URLSearchParams(query)) };
    t.true([404, 422].includes((await browser.post(path, fields)).status), query);
  }
  for (const field of ['url', 'path', 'cursor', 'older', '__proto__', 'javascript:alert(1)']) {
    await browser.open(path);
    const sent = await browser.post(path, { name: `by ${field}`, [field]: 'https://evil.example' });
    t.true(sent.status >= 400, field);
  }
  await browser.open(path);
  await browser.post(path, { name: 'of another list', status: 'PENDING', type: 'REFUND' });
  const stored = await service.models.users.findById(user._id);
  t.deepEqual(
    stored?.savedViews?.events?.map(({ name, filters }) => [name, filters]),
    [['of another list', { type: 'REFUND' }]],
  );
  t.is((await browser.ask('GET', '/saved-views/audit')).status, 404);
  t.is((await browser.ask('GET', '/saved-views/other')).status, 404);
  await browser.open('/account');
  t.is((await browser.post('/saved-views/audit/new', { name: 'mine' })).status, 404);
});
