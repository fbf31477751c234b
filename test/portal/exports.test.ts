import test from 'ava';
import { newId, reviewIdOf } from '../../platform/ids.ts';
import { aPurchase } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { type Browser, textOf, unescaped } from './helpers/browser.ts';
import { finishedJobPage } from './helpers/finished-job-page.ts';
import { fixtures } from './helpers/fixtures.ts';
import { anOperator, operatorBrowser, signedIn } from './helpers/people.ts';
import { portalOf, type SomePortal } from './helpers/portal.ts';
import { storeReview } from './helpers/stored.ts';

let service: Service;
let portal: SomePortal;
test.before(async () => {
  service = await startService();
  portal = await portalOf(service);
});
test.after.always(() => service?.stop());

/** Starts the export of a list, waits until it is done, and downloads the file. */
async function exported(
  browser: Browser,
  list: 'reviews' | 'rewards' | 'ledger' | 'audit',
  query: string,
) {
  await browser.open(`/admin/${list}?${query}`);
  const { path } = await browser.submit(`/admin/${list}/export`);
  const page = await finishedJobPage(browser, path);
  const { html: csv, headers } = await browser.ask('GET', `${path}/export.csv`);
  return { path, text: textOf(page.html), csv, headers };
}

const linksTo = (html: string, text: string): string => {
  const [, link = ''] = new RegExp(`<a href="([^"]*)"[^>]*>${text}</a>`).exec(html) ?? [];
  return unescaped(link);
};

test('a worker exports a ledger posting by posting, without formulas in partners’ texts', async (t) => {
  const partner = { name: '=HYPERLINK("evil")' };
  const { partnerId } = await service.partner({ mode: 'LIVE', fundingCents: 123, partner });
  const viewer = await operatorBrowser(portal, 'viewer');
  const { path, text, csv, headers } = await exported(viewer, 'ledger', `partner=${partnerId}`);
  t.regex(text, /Ready 2 rows\. Download CSV/);
  t.is(headers.get('content-type'), 'text/csv; charset=utf-8');
  t.is(headers.get('content-disposition'), 'attachment; filename="ledger.csv"');
  const [head = '', ...rows] = csv.trim().split('\r\n');
  t.regex(head, /"at","transactionId","kind","partnerId","partner"/);
  t.is(rows.length, 2);
  for (const row of rows) t.true(row.includes(`"'=HYPERLINK(""evil"")"`), row);
  t.true(csv.includes('"funding","CENTS","USD",123,1,123,'));

  const jobId = path.slice('/admin/exports/'.length);
  const entries = await service.models.auditEntries.find({ targetId: jobId }).sort({ _id: 1 });
  t.like(entries[0], {
    action: 'export.start',
    status: 'DONE',
    partnerId,
    details: { list: 'LEDGER', filter: { book: 'LIVE', partnerId } },
  });
  t.like(entries[1], { action: 'export.read', details: { list: 'LEDGER', rows: 2 } });
  t.regex(textOf((await viewer.open('/admin/exports')).html), /Ledger .* Done 2/);
});

test('reviews and the audit log are exported as filtered', async (t) => {
  const { partnerId } = await service.partner({ partner: { name: 'Exported Ltd' } });
  const { review } = await storeReview(portal, { partnerId, mark: '@sum' });
  await storeReview(portal, { partnerId, mark: 'other' }, { status: 'DECIDED' });
  const ada = await operatorBrowser(portal, 'support');
  const reviews = await exported(ada, 'reviews', `partner=${partnerId}&state=OPEN`);
  t.is(reviews.csv.trim().split('\r\n').length, 2);
  t.true(reviews.csv.includes(`"${review._id}","${partnerId}","Exported Ltd","TEST","'@sum-`));
  t.true(reviews.csv.includes(',499,499,"USD","OPEN",'));

  const audit = await exported(ada, 'audit', `partner=${partnerId}&status=DONE`);
  t.regex(audit.csv, /"export\.start","DONE","opr_\w+","An support"/);
  t.notRegex(audit.csv, /"INTENDED"|"FAILED"/);
  t.regex(audit.text, /Partner Exported Ltd State Done/);
});

test('rewards are exported by days and filters; an order id is in no audit entry', async (t) => {
  const { models } = service;
  const shop = await service.partner({ partner: { name: 'Rewarding Ltd' } });
  const { partnerId } = shop;
  const { body } = await shop.purchase(aPurchase());
  const reward = await service.rewardOf(body.reward.id);
  const { _id, ...rest } = reward;
  const before = newId('reward', Date.parse('2026-01-31T12:00:00Z'));
  await models.rewards.create({
    ...rest,
    _id: before,
    externalOrderId: 'bob@shop.example',
    purchaseEventId: newId('event'),
    workflowId: 'purchase/before',
  });
  const ada = await operatorBrowser(portal, 'support');
  const { html } = await ada.open(`/admin/rewards?partner=${partnerId}&to=2026-01-31`);
  t.true(html.includes(before));
  t.false(html.includes(_id));
  t.true((await ada.open(linksTo(html, 'Any day'))).html.includes(_id));
  const query = `partner=${partnerId}&to=2026-01-31&order=bob@shop.example`;
  const { path, csv, text } = await exported(ada, 'rewards', query);
  const rows = csv.trim().split('\r\n').slice(1);
  t.is(rows.length, 1);
  t.true(rows[0]?.includes(`"${before}","${partnerId}","Rewarding Ltd","TEST"`), rows[0]);
  t.regex(text, /Order bob@shop\.example/);
  const targetId = path.slice('/admin/exports/'.length);
  const entries = await models.auditEntries.find({ targetId });
  t.true(entries.length > 0);
  t.false(JSON.stringify(entries).includes('bob@'));
});

test('another operator can download an export under their own name; an unfinished one has no file', async (t) => {
  const owner = { partnerId: newId('partner'), mark: 'Taken' };
  const jobId = await fixtures.export(portal, owner);
  const bob = await operatorBrowser(portal, 'finance');
  const { html } = await bob.ask('GET', `/admin/exports/${jobId}/export.csv`);
  t.true(html.includes('"Taken"'));
  const read = await service.models.auditEntries.findOne({
    action: 'export.read',
    targetId: jobId,
  });
  t.true(read?.actorId.startsWith('opr_'));
  await service.models.jobs.updateOne({ _id: jobId }, { $set: { result: null } });
  t.is((await bob.ask('GET', `/admin/exports/${jobId}/export.csv`)).status, 404);
});

test('an operator has one export at a time', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE', fundingCents: 1 });
  const bob = await operatorBrowser(portal, 'viewer');
  await bob.open(`/admin/ledger?partner=${partnerId}`);
  const { path } = await bob.submit('/admin/ledger/export');
  const _id = path.slice('/admin/exports/'.length);
  await finishedJobPage(bob, path);
  await service.models.jobs.updateOne({ _id }, { $set: { isOpen: true, status: 'QUEUED' } });
  await bob.open(`/admin/ledger?partner=${partnerId}`);
  const refused = await bob.submit('/admin/ledger/export');
  t.is(refused.status, 409);
  t.regex(textOf(refused.html), /Another export of yours is being created/);
});

test('the operators’ lists show the chosen days, keep them in the URL, and export only them', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const { models } = service;
  const idsOn = (iso: string) => new Date(`${iso}T12:00:00Z`);
  const marks = { '2026-01-31': 'january', '2026-02-10': 'february' };
  for (const [iso, mark] of Object.entries(marks)) {
    const at = idsOn(iso);
    const made = await storeReview(portal, { partnerId, mark });
    const { _id, ...review } = made.review;
    await models.reviews.deleteOne({ _id });
    const refundEventId = newId('event', at.getTime());
    await models.reviews.create({ ...review, _id: reviewIdOf(refundEventId), refundEventId });
    await models.auditEntries.create({
      _id: newId('audit', at.getTime()),
      partnerId,
      actorId: 'system',
      action: `in.${mark}`,
      targetId: null,
      details: {},
      status: 'DONE',
      requestId: newId('request'),
      at,
    });
    await models.ledger.create({
      _id: newId('transaction', at.getTime()),
      partnerId,
      reference: mark,
      at,
      kind: mark,
      rewardId: null,
      postings: [{ account: mark, unit: 'CENTS', amount: 0, seq: 1, balanceAfter: 0, hash: 'h' }],
    });
  }
  const ada = await operatorBrowser(portal, 'support');
  for (const list of ['reviews', 'audit', 'ledger'] as const) {
    const path = `/admin/${list}?partner=${partnerId}&from=2026-02-01&to=2026-02-28`;
    const { html } = await ada.open(path);
    t.regex(html, /february/i, list);
    t.notRegex(html, /january/i, list);
    if (list !== 'reviews') t.regex(html, /10 Feb 2026, 12:00:00 /, list);
    t.regex(html, /name="from" type="date" value="2026-02-01"/, list);
    const all = await ada.open(linksTo(html, 'Any day'));
    t.true(/january/i.test(all.html) && /february/i.test(all.html), list);
    t.true(all.path.includes(`partner=${partnerId}`), list);
  }
  const { csv } = await exported(ada, 'audit', `partner=${partnerId}&to=2026-01-31`);
  t.deepEqual(
    csv
      .trim()
      .split('\r\n')
      .slice(1)
      .map((row) => row.split(',')[2]),
    ['"in.january"'],
  );
  t.is((await ada.ask('GET', '/admin/audit?from=2026-02-30')).status, 404);
});

test('an email typed into an id filter appears only on the page: not in an audit entry, job or view', async (t) => {
  const { models } = service;
  const user = await anOperator(portal);
  const ada = await signedIn(portal, user);
  for (const [list, filter, id] of [
    ['rewards', 'customer', `cus_${'a'.repeat(32)}`],
    ['ledger', 'reward', newId('reward')],
    ['ledger', 'account', 'funding'],
    ['audit', 'actor', newId('operator')],
    ['audit', 'target', newId('partner')],
  ] as const) {
    for (const typed of ['bob@shop.example', '+49 171 2345678', '491712345678']) {
      const query = `${filter}=${encodeURIComponent(typed)}`;
      const { status, html } = await ada.open(`/admin/${list}?${query}`);
      t.is(status, 200);
      t.true(textOf(html).includes(`“${typed}”`), `${list}: ${filter}`);
      t.notRegex(html, /<tbody>|\/admin\/\w+\/export"/, `${list}: ${filter}`);
      t.is((await ada.post(`/admin/${list}/export`, { [filter]: typed })).status, 400);
    }
    t.notRegex((await ada.open(`/admin/${list}?${filter}=${id}`)).html, /notice-warn/);
  }
  const { html } = await ada.open('/admin/rewards?customer=bob@shop.example');
  t.true(html.includes('href="/admin/find-customer"'));
  const { operatorId } = user;
  t.truthy(operatorId);
  const ids = { $in: [operatorId, user._id] };
  const stored = JSON.stringify([
    await models.auditEntries.find({ actorId: ids }),
    await models.users.findById(user._id),
    await models.jobs.find({ requestedBy: ids }),
  ]);
  t.notRegex(stored, /bob@|49 ?171 ?2345678/);
});
