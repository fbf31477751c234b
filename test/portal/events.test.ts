import { randomInt, randomUUID } from 'node:crypto';
import test from 'ava';
import { parse } from 'csv-parse/sync';
import { reviewIdOf } from '../../domain/review.ts';
import type { LoggedRequest } from '../../models/schemas/requests.ts';
import type { RewardDoc } from '../../models/schemas/rewards.ts';
import { eraseUpTo, redeem } from '../../operations/customers.ts';
import { decideReview } from '../../operations/reviews.ts';
import { newId } from '../../platform/ids.ts';
import { scopeOf } from '../../views/partner-scope.ts';
import { readRewardTotals } from '../../views/rewards.ts';
import { claimTokenOf } from '../helpers/claim-token.ts';
import { eventually } from '../helpers/eventually.ts';
import { operate } from '../helpers/operate.ts';
import { aPurchase, type PartnerBackend } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { type Town, townOf } from '../helpers/town.ts';
import { Browser, textOf, unescaped } from './helpers/browser.ts';
import { finishedJobPage } from './helpers/finished-job-page.ts';
import { fixtures } from './helpers/fixtures.ts';
import { anOperator, operatorBrowser, partnerBrowser, signedIn } from './helpers/people.ts';
import { portalOf, type SomePortal } from './helpers/portal.ts';
import { storeReview } from './helpers/stored.ts';

let service: Service;
let portal: SomePortal;
let town: Town;

/** The visible text of the log's rows. */
const rowsIn = (html: string): string[] =>
  [...(/<tbody>(.*?)<\/tbody>/s.exec(html)?.[1] ?? '').matchAll(/<tr>(.*?)<\/tr>/gs)].map(
    ([, row = '']) => textOf(row).trim(),
  );

/** The target of the link with this text. */
const linkIn = (html: string, text: string): string | undefined => {
  const [, href] = new RegExp(`<a href="([^"]*)"[^>]*>${text}</a>`).exec(html) ?? [];
  return href === undefined ? undefined : unescaped(href);
};

async function ordersOn(browser: Browser, path: string): Promise<string[]> {
  const { html, status } = await browser.open(path);
  return status === 200
    ? rowsIn(html).map((row) => /\border-[\w-]+/.exec(row)?.[0] ?? 'none')
    : [`${status}`];
}

/** Stores rows of the log, one per hour, the oldest first. */
async function requests(
  { partnerId, integrationId, credentialId }: PartnerBackend,
  rows: readonly Partial<LoggedRequest>[],
): Promise<void> {
  const start = Date.parse('2026-03-01T10:00:00Z');
  await service.models.requestLog.create(
    rows.map((changes, index): Partial<LoggedRequest> => {
      const receivedAt = new Date(start + index * 3_600_000);
      return {
        _id: newId('loggedRequest', receivedAt.getTime()),
        partnerId,
        integrationId,
        credentialId,
        mode: 'TEST',
        type: 'PURCHASE',
        requestId: newId('request', receivedAt.getTime()),
        method: 'POST',
        path: '/api/v1/partner/purchases',
        status: 401,
        code: 'INVALID_SIGNATURE',
        externalOrderId: `order-${index}`,
        receivedAt,
        ...changes,
      };
    }),
  );
}

test('the log contains every request, accepted or refused, with the number that a row stands for', async (t) => {
  const backend = await service.partner();
  const { body } = await backend.purchase(aPurchase({ externalOrderId: 'order-good' }));
  await requests(backend, [{ count: 12, minute: new Date('2026-03-01T10:00:00Z') }]);
  const developer = await partnerBrowser(portal, backend.partnerId, 'developer');
  const { html } = await developer.open('/events?mode=TEST');
  const rows = rowsIn(html);
  t.is(rows.length, 2);
  t.regex(
    rows[0] ?? '',
    /^order-good (To claim|Accepted) Purchase \$49\.90 499 .* UTC$/,
    'the reward may not exist yet when the response is sent',
  );
  t.regex(
    rows[1] ?? '',
    /^order-0 Refused The signature does not match the request\. Purchase – – 1 Mar 2026, 10:00:00 UTC × 12$/,
  );
  t.true(html.includes(`href="/orders/${body.reward.id}?mode=TEST"`));
  const [, path = ''] = /href="(\/requests\/\w+)\?/.exec(html) ?? [];
  // Another refusal is counted in the same row, which now shows the newer request ID.
  await service.models.requestLog.updateOne(
    { partnerId: backend.partnerId, code: 'INVALID_SIGNATURE' },
    { $inc: { count: 1 }, $set: { requestId: newId('request') } },
  );
  const refused = await developer.open(path);
  t.regex(textOf(refused.html), /This row represents 13 similar requests in the minute from 1 Mar/);
  t.true(refused.html.includes('href="/doctor?mode=TEST"'));
});

test('a row shows the order, its points, and the reward’s state', async (t) => {
  const partner = await town.partner('TEST');
  const { externalOrderId } = await town.buy(partner, { externalOrderId: 'order-back' });
  await partner.refund({ externalOrderId });
  await service.carriedOut(partner);
  const viewer = await partnerBrowser(portal, partner.partnerId, 'viewer');
  const { html } = await viewer.open('/events?mode=TEST');
  const [refund = '', purchase = ''] = rowsIn(html);
  t.regex(refund, /^order-back Cancelled Refund -\$49\.90 -499 /);
  t.regex(purchase, /^order-back Cancelled Purchase \$49\.90 499 /);
  const home = textOf((await viewer.open('/home?mode=TEST')).html);
  t.regex(home, /order-back Refund -\$49\.90 -499 .* order-back Purchase \$49\.90 499 /);
  const csvOf = async (path: string): Promise<Record<string, string>[]> =>
    parse((await viewer.ask('GET', path)).html, { bom: true, columns: true });
  const [refunded, bought] = await csvOf('/events.csv?mode=TEST');
  t.like(refunded, { amount: '-49.90', currency: 'USD', points: '-499', state: 'Cancelled' });
  t.like(bought, { amount: '49.90', currency: 'USD', points: '499', state: 'Cancelled' });
  const [order] = await csvOf('/orders.csv?mode=TEST');
  t.like(order, {
    amount: '49.90',
    refunded: '49.90',
    pointsNow: '0',
    state: 'Cancelled',
    cost: '',
  });
});

test('in TEST, nothing is said to be reserved without test funding, or sent to the customer', async (t) => {
  const backend = await service.partner();
  const { body } = await backend.purchase();
  const viewer = await partnerBrowser(portal, backend.partnerId, 'viewer');
  const order = async () => textOf((await viewer.open(`/orders/${body.reward.id}`)).html);
  await eventually(async () => (await order()).includes('The claim link was sent'), 'it was sent');
  const text = await order();
  t.regex(
    text,
    /sent, by email, in TEST to the shop’s verified contact, if it has one, and not to the customer/,
  );
  t.regex(text, /Cost \$4\.99 Not reserved: no test funding was added yet/);
});

test('common date ranges are links that keep the other filters', async (t) => {
  const { partnerId } = await service.partner();
  const viewer = await partnerBrowser(portal, partnerId, 'viewer');
  const today = new Date().toISOString().slice(0, 10);
  for (const list of ['/events', '/orders']) {
    const filter = list === '/events' ? 'type=REFUND' : 'status=EXPIRED';
    const { html } = await viewer.open(`${list}?mode=TEST&${filter}&from=2026-01-01`);
    const path = linkIn(html, '7 days') ?? '';
    t.true(path.startsWith(`${list}?`), list);
    const asked = new URLSearchParams(path.split('?')[1]);
    t.true(path.includes(filter));
    t.is(asked.get('mode'), 'TEST');
    t.true([today, new Date().toISOString().slice(0, 10)].includes(asked.get('to') ?? ''));
    const shown = await viewer.open(path);
    t.regex(shown.html, /class="preset is-shown" aria-current="true">7 days</);
    t.false((linkIn(shown.html, 'Any day') ?? 'from=').includes('from='));
  }
});

test('each filter narrows the log, alone and combined, and stays in the form', async (t) => {
  const backend = await service.partner();
  await requests(backend, [
    { mode: 'LIVE', code: 'RATE_LIMITED', status: 429 },
    { type: 'REFUND' },
    { code: 'RATE_LIMITED', status: 429 },
    {
      receivedAt: new Date('2026-03-05T00:00:00Z'),
      _id: newId('loggedRequest', Date.UTC(2026, 2, 5)),
    },
  ]);
  const owner = await partnerBrowser(portal, backend.partnerId);
  for (const [query, orders] of [
    ['', ['order-0']],
    ['?mode=TEST', ['order-3', 'order-2', 'order-1']],
    ['?mode=LIVE', ['order-0']],
    ['?mode=TEST&type=REFUND', ['order-1']],
    ['?code=RATE_LIMITED&mode=LIVE', ['order-0']],
    ['?code=RATE_LIMITED&mode=TEST', ['order-2']],
    ['?mode=TEST&order=order-1', ['order-1']],
    ['?mode=TEST&from=2026-03-02', ['order-3']],
    ['?to=2026-03-01&mode=&type=&code=', ['order-0']],
    ['?mode=TEST&from=2026-03-05&to=2026-03-05', ['order-3']],
  ] as const) {
    t.deepEqual(await ordersOn(owner, `/events${query}`), [...orders], query);
  }
  const { html } = await owner.open('/events?mode=LIVE&from=2026-03-01');
  t.regex(html, /name="from" type="date" value="2026-03-01"/);
  t.is(linkIn(html, 'Download as CSV'), '/events.csv?mode=LIVE&from=2026-03-01');
  t.regex(textOf((await owner.open('/events?order=none')).html), /No results/);
});

test('an invalid filter is not found', async (t) => {
  const { partnerId } = await service.partner();
  const owner = await partnerBrowser(portal, partnerId);
  for (const query of [
    'mode=OTHER',
    'type[$ne]=PURCHASE&type=x',
    'code=%24ne',
    'from=2026-02-30',
    'to=tomorrow',
    'older=evt_01234567890123456789012345',
    'older=iev_01234567890123456789012345&newer=iev_01234567890123456789012345',
    'order=a&order=b',
  ]) {
    for (const path of ['/events', '/events.csv']) {
      t.is((await owner.ask('GET', `${path}?${query}`)).status, 404, `${path}?${query}`);
    }
  }
});

test('pages link to older and newer requests, and keep the filter', async (t) => {
  const backend = await service.partner();
  await requests(
    backend,
    Array.from({ length: 120 }, (_, index) => ({ mode: index % 2 === 0 ? 'LIVE' : 'TEST' })),
  );
  const owner = await partnerBrowser(portal, backend.partnerId);
  const evens = Array.from({ length: 60 }, (_, index) => `order-${118 - 2 * index}`);
  const first = await owner.open('/events?mode=LIVE');
  t.deepEqual(await ordersOn(owner, '/events?mode=LIVE'), evens.slice(0, 25));
  t.is(linkIn(first.html, 'Newer'), undefined);
  const second = linkIn(first.html, 'Older') ?? '';
  t.deepEqual(await ordersOn(owner, second), evens.slice(25, 50));
  const third = linkIn(owner.shown?.html ?? '', 'Older') ?? '';
  t.deepEqual(await ordersOn(owner, third), evens.slice(50));
  t.is(linkIn(owner.shown?.html ?? '', 'Older'), undefined);
  t.deepEqual(
    await ordersOn(owner, linkIn(owner.shown?.html ?? '', 'Newer') ?? ''),
    evens.slice(25, 50),
  );
  t.is(linkIn(owner.shown?.html ?? '', 'Newest'), '/events?mode=LIVE');
});

test('the CSV matches the filters, and no text is a spreadsheet formula', async (t) => {
  const backend = await service.partner();
  await requests(backend, [
    { externalOrderId: '=HYPERLINK("https://evil.example")' },
    { externalOrderId: 'a "quoted", one' },
    { mode: 'LIVE', externalOrderId: 'another mode' },
  ]);
  const viewer = await partnerBrowser(portal, backend.partnerId, 'viewer');
  const { headers, html: text, status } = await viewer.ask('GET', '/events.csv?mode=TEST');
  t.is(status, 200);
  t.is(headers.get('content-type'), 'text/csv; charset=utf-8');
  t.is(headers.get('content-disposition'), 'attachment; filename="events.csv"');
  const rows: Record<string, string>[] = parse(text, { bom: true, columns: true });
  t.deepEqual(
    rows.map(({ externalOrderId }) => externalOrderId),
    ['a "quoted", one', '\'=HYPERLINK("https://evil.example")'],
  );
});

test('hostile order and refund ids show as text everywhere', async (t) => {
  const backend = await service.partner();
  const name = `"><script>alert(1)</script><img src=x onerror=alert(1)>'&`;
  const { body } = await backend.purchase(aPurchase({ externalOrderId: name }));
  t.true(body.success);
  const refund = await backend.refund({ externalOrderId: name, externalRefundId: `R${name}` });
  t.true(refund.body.success);
  await backend.purchase(aPurchase({ externalOrderId: name }));
  const owner = await partnerBrowser(portal, backend.partnerId);
  const query = encodeURIComponent(name);
  for (const path of [
    '/events?mode=TEST',
    `/events?mode=TEST&order=${query}`,
    `/find?q=${query}`,
    `/find?q=${query}none`,
    `/events/${body.eventId}`,
    `/events/${refund.body.eventId}`,
  ]) {
    const { html, status } = await owner.open(path);
    t.is(status, 200, path);
    t.false(/<script>alert|<img src=x/.test(html), path);
    t.true(html.includes('&lt;script&gt;alert(1)'), path);
  }
});

test('an order shows its history, its next step and the calculation of its points, without personal data', async (t) => {
  const partner = await town.partner('LIVE');
  const bought = await town.funded(partner, {
    customer: { email: 'anna.smith@example.com', phone: '+1 202 555 0199' },
    metadata: { note: 'for Anna Smith' },
  });
  await town.claim(bought);
  const refund = await town.refund(bought, 'return-1');
  await town.onceState(bought, 'IN_REVIEW');
  const viewer = await partnerBrowser(portal, partner.partnerId, 'viewer');

  const { html } = await viewer.open(`/orders/${bought.rewardId}`);
  const text = textOf(html);
  t.regex(
    text,
    /Waiting for an operator .*What happens next The customer had claimed the reward before/,
  );
  t.regex(text, /Why 499 points .*10 points for every \$1\.00.*499 points.*= \$4\.99/);
  t.regex(text, /Cost 499 × \$0\.01, rounded up to the cent \$4\.99/);
  t.regex(text, /The purchase was received.*Reserved for a reward.*The customer claimed.*return-1/);
  // The customer may claim before what sent the link has noted it.
  t.regex(text, /Reserved for a reward.*The claim link was sent, by email/);
  t.true(html.includes(`href="/rewards/${bought.rewardId}/receipt.json"`));
  t.true(text.includes('a•••@e•••.com'));
  t.regex(text, /"note": "string"/);
  t.notRegex(html, /anna|smith|555\D?0199/i);
  for (const id of [bought.eventId, bought.rewardId, bought.externalOrderId]) {
    t.true(html.includes(`data-copy="${id}"`), id);
  }
  const { integrationId, credentialId, key } = partner;
  const { arithmetic } = await service.rewardOf(bought.rewardId);
  const { name } = await service.models.integrations.findById(integrationId).orFail();
  for (const [path, id, named] of [
    ['rules', arithmetic.ruleId, '10 points for every $1.00'],
    ['integrations', integrationId, name],
    ['keys', credentialId, `${key.slice(0, 14)}…`],
  ]) {
    t.true(html.includes(`<a href="/${path}/${id}">${named}</a>`), path);
    t.true(html.includes(`data-copy="${id}"`), path);
  }
  t.regex(text, /Refunds .*return-1 \$49\.90/);
  for (const eventId of [bought.eventId, refund.body.eventId]) {
    t.true(html.includes(`id="${eventId}"`), 'its request and response are on the page');
    t.is((await viewer.open(`/events/${eventId}`)).path, `/orders/${bought.rewardId}`);
  }
});

test('an order whose customer was erased says so, and shows the rest', async (t) => {
  const partner = await town.partner('TEST');
  const bought = await town.funded(partner);
  await service.models.orderEvents.updateMany(
    { partnerId: partner.partnerId },
    { $set: { sealed: null, erasedAt: new Date() } },
  );
  const owner = await partnerBrowser(portal, partner.partnerId);
  const { html, status } = await owner.open(`/events/${bought.eventId}`);
  t.is(status, 200);
  t.regex(textOf(html), /The customer was erased/);
  t.true(html.includes(bought.externalOrderId));
});

test('a purchase whose workflow has not started has its page already', async (t) => {
  const partner = await service.partner();
  const owner = await partnerBrowser(portal, partner.partnerId);
  const { body } = await partner.purchase();
  await service.allStarted(partner);
  await service.rewardOf(body.reward.id);
  // As before its workflow’s first step.
  await service.models.rewards.deleteOne({ _id: body.reward.id });
  const { html, status } = await owner.open(`/events/${body.eventId}`);
  t.is(status, 200);
  t.true(html.includes('c•••@e•••.com'));
});

test('a single result opens at once, by any of its ids', async (t) => {
  const partner = await town.partner('TEST');
  const idempotencyKey = randomUUID();
  const { body, headers } = await partner.purchase(aPurchase({ externalOrderId: 'order-one' }), {
    idempotencyKey,
  });
  await service.allStarted(partner);
  await service.rewardOf(body.reward.id);
  const owner = await partnerBrowser(portal, partner.partnerId);
  const page = `/orders/${body.reward.id}`;
  for (const name of [
    'order-one',
    ' order-one ',
    body.eventId,
    idempotencyKey,
    headers.get('x-request-id') ?? '',
  ]) {
    const found = await owner.open(`/find?q=${encodeURIComponent(name)}`);
    t.is(found.path, page, name);
  }
  t.is((await owner.open(`/find?q=${body.reward.id}`)).path, page);
  t.is((await owner.open(`/find?q=${partner.key}`)).path, `/keys/${partner.credentialId}`);
});

test('several results are listed, and no result is explained', async (t) => {
  const partner = await town.partner('TEST');
  const bought = await town.buy(partner, { externalOrderId: 'order-twice' });
  const other = await partner.withAnotherCredential(service.models, service.sealer, {
    mode: 'TEST',
    integrationId: newId('integration'),
  });
  const again = await town.buy(other, { externalOrderId: 'order-twice' });
  const owner = await partnerBrowser(portal, partner.partnerId);
  const { html, path } = await owner.open('/find?q=order-twice');
  t.is(path, '/find?q=order-twice');
  for (const { rewardId } of [bought, again]) {
    t.true(html.includes(`href="/orders/${rewardId}"`));
  }
  t.regex(textOf((await owner.open('/find?q=order-thrice')).html), /No results for “order-thrice/);
  t.is((await owner.open('/find')).status, 200);
  const stranger = await partnerBrowser(portal, (await service.partner()).partnerId);
  t.regex(textOf((await stranger.open('/find?q=order-twice')).html), /No results for/);
});

test('a refused request is in the log within a second, with its meaning', async (t) => {
  const backend = await service.partner();
  const owner = await partnerBrowser(portal, backend.partnerId);
  await backend.changed({ secret: 'sk_wrong' }).purchase();
  const row = await eventually(
    () => service.models.requestLog.findOne({ partnerId: backend.partnerId }),
    'the refusal is in the log',
  );
  const { html } = await owner.open(`/requests/${row.requestId}`);
  const text = textOf(html);
  t.regex(text, /Refused What it means The signature does not match/);
  t.true(text.indexOf('INVALID_SIGNATURE') > text.indexOf('Status 401'), 'the code is a detail');
});

test('a refused request is found by its order and its key, and its page says what was wrong where', async (t) => {
  const backend = await service.partner();
  const { externalOrderId, ...purchase } = aPurchase();
  const idempotencyKey = randomUUID();
  const wrong = { ...purchase, externalOrderId, order: { subtotalCents: 'much', currency: 'USD' } };
  const { status } = await backend.purchase(wrong as never, { idempotencyKey });
  t.is(status, 400);
  await eventually(
    async () => (await service.models.requestLog.countDocuments({ externalOrderId })) > 0,
    'the refusal is in the log',
  );
  const viewer = await partnerBrowser(portal, backend.partnerId, 'viewer');
  for (const typed of [externalOrderId, idempotencyKey]) {
    const { path, html } = await viewer.open(`/find?q=${encodeURIComponent(typed)}`);
    t.regex(path, /^\/requests\/req_/, typed);
    t.regex(textOf(html), /order\.subtotalCents must be a number/);
  }
  const listed = await viewer.open(
    `/events?mode=TEST&order=${encodeURIComponent(externalOrderId)}`,
  );
  t.regex(rowsIn(listed.html)[0] ?? '', /Refused A field is missing, unknown or not valid\./);
  const stranger = await partnerBrowser(portal, (await service.partner()).partnerId);
  t.is((await stranger.open(`/find?q=${idempotencyKey}`)).path, `/find?q=${idempotencyKey}`);
});

test('a customer who cannot receive text messages is mentioned on the order’s page', async (t) => {
  const partner = await service.partner();
  const { body } = await partner.purchase(aPurchase({ customer: { phone: '+442079460000' } }));
  await eventually(
    async () => (await service.rewardOf(body.reward.id)).undelivered !== undefined,
    'the reward records that the message was not delivered',
  );
  const viewer = await partnerBrowser(portal, partner.partnerId, 'viewer');
  const { html } = await viewer.open(`/events/${body.eventId}`);
  t.regex(
    textOf(html),
    /The customer did not get the text message: the phone number cannot receive text messages/,
  );
});

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
  t.true(csv.includes('"funding","MONEY","USD",1.23,1,1.23,'));

  const jobId = path.slice('/admin/exports/'.length);
  const entries = await service.models.auditEntries.find({ targetId: jobId }).sort({ _id: 1 });
  t.like(entries[0], {
    action: 'export.start',
    status: 'DONE',
    partnerId,
    details: { list: 'LEDGER', filter: { mode: 'LIVE', partnerId } },
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
  t.true(reviews.csv.includes(',499,4.99,"USD","OPEN",'));

  const audit = await exported(ada, 'audit', `partner=${partnerId}&status=DONE`);
  t.regex(audit.csv, /"export\.start","DONE","opr_\w+","An support"/);
  t.notRegex(audit.csv, /"INTENDED"|"FAILED"/);
  t.regex(audit.text, /State Done Partner Exported Ltd/);
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
      mode: 'LIVE',
      seq: at.getTime(),
      reference: mark,
      at,
      kind: mark,
      rewardId: null,
      postings: [{ account: mark, unit: 'CENTS', amount: 0, balanceAfter: 0 }],
      previousHash: '',
      hash: 'h',
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

test.before(async () => {
  service = await startService();
  portal = await portalOf(service);
  town = townOf(service);
});

test.after.always(async () => {
  await service?.stop();
});

/** Stores rewards, one per day from 1 March on, the oldest first. */
async function stored(partnerId: string, rows: readonly Partial<RewardDoc>[]): Promise<void> {
  const made = rows.map((changes, index): RewardDoc => {
    const at = new Date(Date.UTC(2026, 2, 1 + index, 12));
    const _id = newId('reward', at.getTime());
    return {
      _id,
      partnerId,
      integrationId: newId('integration'),
      mode: 'LIVE' as const,
      purchaseEventId: newId('event'),
      externalOrderId: `order-${index}`,
      workflowId: _id,
      due: null,
      customerId: `cus_${'a'.repeat(32)}`,
      claimTokenHash: _id,
      currency: 'USD',
      points: 100,
      liabilityCents: 150,
      arithmetic: {} as never,
      state: 'AVAILABLE',
      claimExpiresAt: at,
      review: null,
      cancellation: null,
      version: 2,
      moves: [],
      customerDay: null,
      claimWindow: 'P30D',
      countedIn: null,
      fundingNotice: null,
      refundedCents: 0,
      afterReview: null,
      createdAt: at,
      updatedAt: at,
      ...changes,
    };
  });
  for (const mode of ['LIVE', 'TEST'] as const) {
    await service.commit({
      partnerId,
      wallet: { mode, partnerId },
      rewardIds: made.map(({ _id }) => _id),
      decide(draft) {
        for (const reward of made) {
          if (reward.mode === mode) draft.setReward(reward);
        }
      },
    });
  }
}

async function ordersOnOfRewards(browser: Browser, path: string): Promise<string[]> {
  const { html, status } = await browser.open(path);
  return status === 200
    ? [...html.matchAll(/>(order-\d+)</g)].map(([, order = '']) => order)
    : [`${status}`];
}

test('rewards are listed, filtered, totalled, paged and downloaded as CSV', async (t) => {
  const { partnerId } = await service.partner();
  const other = await service.partner();
  const expired = { state: 'EXPIRED', points: 7 } as const;
  await stored(partnerId, [
    { mode: 'TEST', points: 5_555 },
    expired,
    { externalOrderId: 'order-1', customerId: `cus_${'b'.repeat(32)}` },
    {},
  ]);
  await stored(other.partnerId, [{}, {}]);
  const viewer = await partnerBrowser(portal, partnerId, 'viewer');
  for (const [query, orders] of [
    ['mode=LIVE', ['order-3', 'order-1', 'order-1']],
    ['', ['order-3', 'order-1', 'order-1']],
    ['mode=TEST', ['order-0']],
    ['mode=LIVE&status=EXPIRED', ['order-1']],
    ['mode=LIVE&order=order-1', ['order-1', 'order-1']],
    ['mode=LIVE&order=order-1&status=AVAILABLE', ['order-1']],
    [`mode=LIVE&customer=cus_${'b'.repeat(32)}`, ['order-1']],
    ['mode=LIVE&from=2026-03-03&to=2026-03-03', ['order-1']],
    ['mode=LIVE&from=2026-03-04', ['order-3']],
    ['mode=LIVE&from=0001-01-01&to=0903-01-07', []],
    ['mode=LIVE&to=2026-03-01', []],
    ['mode=OTHER', ['404']],
    ['from=2026-02-30', ['404']],
    ['customer=somebody@example.com', []],
    ['status[$ne]=EXPIRED&status=x', ['404']],
  ] as const) {
    t.deepEqual(await ordersOnOfRewards(viewer, `/orders?${query}`), [...orders], query);
  }
  const { html } = await viewer.open('/orders?mode=LIVE');
  const text = textOf(html);
  t.regex(text, /Claimed 2 200 \$3\.00/);
  t.regex(text, /Expired 1 7 \$1\.50/);
  t.regex(text, /3 orders in total/);
  const csv = await viewer.ask('GET', '/orders.csv?mode=LIVE&status=AVAILABLE');
  t.is(csv.headers.get('content-disposition'), 'attachment; filename="orders.csv"');
  const rows: Record<string, string>[] = parse(csv.html, { bom: true, columns: true });
  t.deepEqual(
    rows.map(({ externalOrderId, pointsNow, cost }) => [externalOrderId, pointsNow, cost]),
    [
      ['order-3', '100', '1.50'],
      ['order-1', '100', '1.50'],
    ],
  );

  const busy = await service.partner();
  await stored(
    busy.partnerId,
    Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? {} : expired)),
  );
  const owner = await partnerBrowser(portal, busy.partnerId);
  const newest = Array.from({ length: 30 }, (_, index) => `order-${29 - index}`);
  const first = await owner.open('/orders?mode=LIVE');
  t.deepEqual(await ordersOnOfRewards(owner, '/orders?mode=LIVE'), newest.slice(0, 25));
  const [, older = ''] = /href="([^"]*)" rel="next"/.exec(first.html) ?? [];
  t.deepEqual(await ordersOnOfRewards(owner, older.replaceAll('&amp;', '&')), newest.slice(25));
});

test('a partner’s totals stand on the wallet, and those of some days are summed', async (t) => {
  const { partnerId } = await service.partner();
  await stored(partnerId, [{}, {}, {}, { state: 'EXPIRED' }]);
  const { models } = service;
  const scope = scopeOf({ _id: partnerId });
  const totalsOf = (filter: object, from: object = models) =>
    readRewardTotals({ models: from } as never, scope, { mode: 'LIVE', ...filter });
  const onWallet = { ...models, rewards: undefined };
  const available = { state: 'AVAILABLE', currency: 'USD' };
  const expired = { state: 'EXPIRED', currency: 'USD', rewards: 1, points: 100, cents: 150 };
  t.deepEqual(await totalsOf({}, onWallet), [
    { ...available, rewards: 3, points: 300, cents: 450 },
    expired,
  ] as never);
  t.deepEqual(await totalsOf({ status: 'EXPIRED' }, onWallet), [expired] as never);
  t.deepEqual(await totalsOf({ fromDay: '2026-03-02', toDay: '2026-03-03' }), [
    { ...available, rewards: 2, points: 200, cents: 300 },
  ] as never);
});

test('a customer is found by email or phone, which is in no URL, and only by their own partner', async (t) => {
  const backend = await service.partner({ mode: 'LIVE', fundingCents: 10_000 });
  const stranger = await service.partner();
  const email = `${newId('partner').toLowerCase()}@example.com`;
  const phone = `+4915${randomInt(100_000_000, 1_000_000_000)}`;
  const { body } = await backend.purchase({ ...aPurchase(), customer: { email, phone } });
  const { customerId } = await eventually(
    () => service.models.rewards.findById(body.reward.id),
    'the reward is created',
  );
  const viewer = await partnerBrowser(portal, backend.partnerId, 'viewer');
  await viewer.open('/customers');
  const nobody = await viewer.submit('/customers', { contact: 'nobody@example.com' });
  t.is(nobody.status, 422);
  t.regex(textOf(nobody.html), /None of your customers has this email or phone/);
  const found = await viewer.submit('/customers', { contact: ` ${email.toUpperCase()} ` });
  t.is(found.path, `/customers/${customerId}`);
  await viewer.open('/customers');
  t.is((await viewer.submit('/customers', { contact: phone })).path, found.path);
  const text = textOf(found.html);
  t.regex(text, /p•••@e•••\.com, .* At a glance/);
  for (const contact of [email, phone]) t.false(found.html.includes(contact), 'it is masked');
  t.regex(text, /LIVE points 0 /);
  t.true(found.html.includes(`/orders/${body.reward.id}`));
  t.regex(text, /They lost the message with their points\. Their newest order sends it again/);
  t.regex(text, /They want their data erased\. Send us their customer ID/);
  const erasure = { partnerId: backend.partnerId, customerId, reference: 'request 42' };
  await eraseUpTo({ models: service.models, now: Date.now }, erasure, new Date());
  const erased = textOf((await viewer.open(`/customers/${customerId}`)).html);
  t.regex(erased, /Erased customer .*nothing can be sent to them\. Whoever gives the same email/);
  t.notRegex(erased, /They want their data erased/);
  await viewer.open('/customers');
  t.is((await viewer.submit('/customers', { contact: email })).path, `/customers/${customerId}`);
  const other = await partnerBrowser(portal, stranger.partnerId);
  t.is((await other.ask('GET', `/customers/${customerId}`)).status, 404);
  await other.open('/customers');
  t.is((await other.submit('/customers', { contact: email })).status, 422);
});

test('an order that is over has no points and costs what its customer had spent', async (t) => {
  const rich = await service.partner({ mode: 'LIVE', fundingCents: 10_000 });
  const viewer = await partnerBrowser(portal, rich.partnerId, 'viewer');
  const operator = await operatorBrowser(portal, 'viewer');
  const headlines = async (rewardId: string) => {
    const pages = await Promise.all([
      viewer.open(`/orders/${rewardId}`),
      operator.open(`/admin/rewards/${rewardId}`),
    ]);
    return pages.map(({ html }) => textOf(html));
  };
  const cancelled = await town.funded(rich);
  await rich.refund({ externalOrderId: cancelled.externalOrderId });
  for (const text of await headlines(cancelled.rewardId)) {
    t.regex(text, /Points 0 499 until it was cancelled Cost \$0\.00 Not charged/);
  }
  const { deps } = portal;
  const review = await town.reviewed(rich, {
    async meanwhile(rewardId) {
      const { customerId } = await service.rewardOf(rewardId);
      await operate(deps, redeem, { customerId, points: 100, reference: 'receipt 1' });
    },
  });
  const refund = { reviewId: review._id, decision: 'UPHOLD' as const };
  await operate(deps, decideReview, { ...refund, reasonCode: 'GOODS_RETURNED' });
  for (const text of await headlines(review.rewardId)) {
    t.regex(text, /Points 0 499 until it was cancelled Cost \$1\.00 Spent by the customer before/);
  }
  for (const [browser, path] of [
    [viewer, '/orders?mode=LIVE'],
    [operator, `/admin/rewards?partner=${rich.partnerId}`],
  ] as const) {
    const { html } = await browser.open(path);
    const rows = rowsIn(html.slice(html.lastIndexOf('<tbody>')));
    t.is(rows.length, 2, 'a row for each order');
    for (const row of rows) t.regex(row, /Cancelled \$49\.90 0 – /);
  }
});

test('a TEST reward that was let expire early expired then, and not on a day to come', async (t) => {
  const backend = await service.partner();
  const { body } = await backend.purchase();
  const rewardId: string = body.reward.id;
  const owner = await partnerBrowser(portal, backend.partnerId);
  await eventually(
    async () => (await service.models.rewards.findById(rewardId))?.state === 'FUNDED',
    'it can be claimed',
  );
  await owner.open(`/orders/${rewardId}`);
  await owner.submit(`/orders/${rewardId}/expire`);
  t.regex(
    textOf((await owner.open(`/orders/${rewardId}`)).html),
    /Points 0 499 until it expired Cost \$0\.00 Not charged/,
  );
  const today = new Date().getUTCDate();
  const claimToken = await claimTokenOf(service, body.eventId);
  const { html } = await new Browser(portal, { accept: 'text/html' }).open(`/claim/${claimToken}`);
  t.regex(textOf(html), new RegExp(`had to be claimed by (${today}|${today - 1}|1) `));
});
