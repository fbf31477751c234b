import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { parse } from 'csv-parse/sync';
import { readOrderColumns, readOrderRow } from '../../domain/orders.ts';
import { findJobs, maxFileBytes } from '../../jobs/index.ts';
import { createIntegration } from '../../operations/integrations.ts';
import { newId } from '../../platform/ids.ts';
import { eventually } from '../helpers/eventually.ts';
import { operate } from '../helpers/operate.ts';
import { aPurchase } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { type Browser, csrfIn, formsIn, textOf } from './helpers/browser.ts';
import { finishedJobPage } from './helpers/finished-job-page.ts';
import { partnerBrowser } from './helpers/people.ts';
import { startPortal, type TestPortal } from './helpers/portal.ts';

let service: Service;
let portal: TestPortal;
test.before(async () => {
  service = await startService();
  portal = await startPortal(service);
});
test.after.always(async () => {
  agent.destroy();
  await portal?.stop();
  await service?.stop();
});

const formPath = '/reconciliation/new?mode=TEST';
type Bytes = string | Uint8Array<ArrayBuffer>;

/** A developer who has opened the form. */
async function openForm() {
  const partner = await service.partner();
  const { partnerId, integrationId } = partner;
  const browser = await partnerBrowser(portal, partnerId, 'developer');
  await browser.open(formPath);
  const upload = (bytes: Bytes, fields: Record<string, string> = {}, name = 'orders.csv') =>
    browser.upload(formPath, { integrationId, ...fields }, { name, bytes });
  return { partner, partnerId, integrationId, browser, upload };
}

/** Stores a comparison of three orders without starting it. A page that finds it stalled starts it. */
async function storeComparison(
  { partnerId, integrationId }: { partnerId: string; integrationId: string },
  heartbeatAt: Date,
): Promise<string> {
  const _id = newId('job');
  await service.models.jobs.create({
    _id,
    partnerId,
    mode: 'TEST',
    kind: 'ORDER_COMPARISON',
    status: 'QUEUED',
    isOpen: true,
    input: {
      integrationId: integrationId,
      rows: 3,
      range: null,
      between: null,
      hasRefunds: false,
      unknownStatuses: [],
      unknownRows: 0,
      fileHash: null,
    },
    progress: { done: 0, total: 3, of: 'ROWS' },
    result: null,
    problem: null,
    requestedBy: 'usr_1',
    createdAt: new Date(),
    heartbeatAt,
    expiresAt: new Date(Date.now() + 3_600_000),
  });
  return _id;
}

test('a comparison in progress is shown, and a second one refused', async (t) => {
  const { integrationId, partnerId, browser, upload } = await openForm();
  const inAnHour = new Date(Date.now() + 3_600_000);
  const jobId = await storeComparison({ partnerId, integrationId }, inAnHour);
  const { html } = await browser.open(`/reconciliation/${jobId}`);
  t.regex(html, /<progress value="0" max="3"/);
  t.regex(html, /<div id="job" hx-get="[^"]+" hx-trigger="every 500ms"/);
  t.regex(textOf(html), /3 orders of a file, compared with what web shop reported in TEST/);
  t.regex(textOf((await browser.open('/reconciliation?mode=TEST')).html), /web shop 3 Queued –/);
  t.regex(textOf((await browser.open(formPath)).html), /A comparison is in progress/);
  t.is((await upload(`${head}A,1\n`)).status, 409);
  const operation = { partnerId, action: 'order-comparison.start' } as const;
  const entries = await service.models.auditEntries.find(operation);
  t.like(entries, [{ status: 'FAILED', targetId: null }]);
});

test('a file is compared, and its discrepancies listed and downloaded as CSV', async (t) => {
  const { partner, integrationId, partnerId, browser, upload } = await openForm();
  const today = () => new Date().toISOString().slice(0, 10);
  const fromDay = today();
  const { body } = await partner.purchase(aPurchase({ externalOrderId: '=1+1' }));
  await partner.purchase(aPurchase({ externalOrderId: 'unlisted' }));
  const uploaded = 'externalOrderId;subtotal\n=1+1;1,00\n@never;1\n@never;1\n';
  const { status, headers } = await upload(uploaded, { fromDay, toDay: today() });
  t.is(status, 303);
  const [path = ''] = (headers.get('location') ?? '').split('?');
  const { html } = await finishedJobPage(browser, path);
  t.false(html.includes('hx-trigger'), 'the page no longer polls');
  const words = textOf(html);
  t.regex(
    words,
    /Identical 0 of 3 rows Missing 1 .* Not in the file 1 .* Duplicate 1 .* Mismatched 1/,
  );
  t.regex(words, /2 =1\+1 subtotal: 1\.00 in the file, 49\.90 reported/);
  t.true(html.includes(`href="/events/${body.eventId}?mode=TEST"`));
  t.regex(words, /3 @never was never reported/);
  t.regex(words, /4 @never is already in row 3/);
  const list = textOf((await browser.open('/reconciliation?mode=TEST')).html);
  t.regex(list, /web shop 3 Done 4/);
  t.regex(list, /Days compared 1 of 30 .* 4 differences/);

  const csv = await browser.open(`${path}/faults.csv`);
  t.regex(csv.headers.get('content-disposition') ?? '', /attachment/);
  t.deepEqual(
    parse(csv.html, { bom: true }).map(([kind, order, row]) => [kind, order, row]),
    [
      ['fault', 'externalOrderId', 'row'],
      ['MISMATCHED', "'=1+1", '2'],
      ['MISSING', "'@never", '3'],
      ['DUPLICATE', "'@never", '4'],
      ['NOT_IN_FILE', 'unlisted', ''],
    ],
  );
  const started = { partnerId, action: 'order-comparison.start' } as const;
  const operation = await service.models.auditEntries.findOne(started);
  t.like(operation, { status: 'DONE', targetId: path.split('/').at(-1) });
  t.like(operation?.details, { mode: 'TEST', integrationId, rows: 3 });
});

test('the sample file can be read', async (t) => {
  const { browser } = await openForm();
  const { html, headers } = await browser.open('/reconciliation/sample.csv');
  t.regex(headers.get('content-type') ?? '', /^text\/csv/);
  const [header = [], ...rows] = parse(html, {});
  const columns = readOrderColumns(header);
  t.is(rows.map((cells, index) => readOrderRow(columns, cells, index + 2, 'USD')).length, 3);
});

const head = 'externalOrderId,subtotal\n';
const refused: [title: string, bytes: () => Bytes, status: number, words: RegExp][] = [
  [
    'that is not UTF-8',
    () => Buffer.from(`${head}A1,1\nbücher,1\n`, 'latin1'),
    400,
    /Row 3: the text is not UTF-8\. Save the file as "CSV UTF-8"/,
  ],
  [
    'with markup for an amount',
    () => `${head}A1,<img src=x onerror=alert(1)>\n`,
    400,
    /Row 2: subtotal must be an amount in USD such as 49\.90, up to 1,000,000, without thousands separators, not "<img src=x/,
  ],
  [
    'that is too large',
    () => head + `A,1${' '.repeat(996)}\n`.repeat(1 + maxFileBytes / 1_000),
    413,
    /The file is larger than 20 MiB\. Upload it in parts\./,
  ],
];

for (const [title, bytes, status, words] of refused) {
  test(`a file ${title} is refused, with the mistake and its place`, async (t) => {
    const { partnerId, upload } = await openForm();
    const shown = await upload(bytes());
    t.is(shown.status, status);
    t.regex(textOf(shown.html), words);
    t.false(shown.html.includes('<img'));
    await leavesNothing(t, partnerId);
  });
}

async function leavesNothing(t: ExecutionContext, partnerId: string): Promise<void> {
  t.is(await service.models.jobs.countDocuments({ partnerId }), 0);
  t.is(await service.models.jobRows.countDocuments({ partnerId }), 0);
}

test('an incomplete form is shown again, with the input', async (t) => {
  const { partnerId, browser, upload } = await openForm();
  const noFile = await upload('', {}, '');
  t.is(noFile.status, 422);
  t.regex(textOf(noFile.html), /Choose a file\./);
  const several = await upload('', { fromDay: 'x', orderColumn: 'x'.repeat(101) }, '');
  for (const name of ['file', 'fromDay', 'orderColumn']) {
    t.true(several.html.includes(`id="${name}-error"`), name);
  }
  const oneDay = await upload(`${head}A,1\n`, { fromDay: '2026-03-01' });
  t.is(oneDay.status, 422);
  t.regex(textOf(oneDay.html), /Enter both a first and a last day/);
  t.is(
    formsIn(oneDay.html).find(({ address }) => address === formPath)?.values.fromDay,
    '2026-03-01',
  );
  const noDay = await upload(`${head}A,1\n`, { fromDay: '2026-02-30', toDay: '2026-03-01' });
  t.regex(textOf(noDay.html), /Enter a day\./);
  const strange = await upload(`${head}A,1\n`, { integrationId: newId('integration') });
  t.is(strange.status, 400);
  await leavesNothing(t, partnerId);
  t.is((await browser.post(formPath, {})).status, 415, 'a form that is not multipart is refused');
});

test('the column names of a shop’s export are entered in the form, and remembered for its integration', async (t) => {
  const { partner, partnerId, integrationId, browser, upload } = await openForm();
  const other = await operate(portal.deps, createIntegration, { partnerId, name: 'till' });
  await partner.purchase(aPurchase({ externalOrderId: '#1001' }));
  const columns = { orderColumn: 'Name', amountColumn: 'Total', refundColumn: 'Financial Status' };
  const csv = 'Name,Subtotal,Total,Financial Status\n#1001,1.00,49.90,paid\n#1001,,,\n';
  const wrong = await upload(csv, { ...columns, amountColumn: 'Grand total' });
  t.is(wrong.status, 400);
  t.regex(textOf(wrong.html), /there is no column Grand total\. The columns are "Name, Subtotal,/);
  t.is(valuesOf(wrong.html).orderColumn, 'Name', 'the input stays in the form');

  const { headers } = await upload(csv, columns);
  const { html } = await finishedJobPage(browser, headers.get('location') ?? '');
  t.regex(textOf(html), /Identical 1 of 1 row Missing 0/);
  t.like(valuesOf((await browser.open(formPath)).html), {
    integrationId,
    ...columns,
    currencyColumn: '',
    dateColumn: '',
    amountUnit: 'UNITS',
  });
  const ofOther = await browser.open(`${formPath}&integrationId=${other._id}`);
  t.like(valuesOf(ofOther.html), { integrationId: other._id, orderColumn: '', amountColumn: '' });
  t.is((await browser.open(`${formPath}&integrationId=${newId('integration')}`)).status, 200);

  const inCents = { ...columns, amountUnit: 'CENTS', amountColumn: 'Cents' };
  t.is((await upload('Name,Cents,Financial Status\n#1001,4990,paid\n', inCents)).status, 303);
  t.like(valuesOf((await browser.open(formPath)).html), inCents);
});

const valuesOf = (html: string) =>
  formsIn(html).find(({ address }) => address === formPath)?.values ?? {};

test('a viewer sees comparisons, and is offered nothing beyond their permissions', async (t) => {
  const { partnerId, browser, upload } = await openForm();
  const { headers } = await upload(`${head}A,1\n`);
  const path = headers.get('location') ?? '';
  await finishedJobPage(browser, path);
  const viewer = await partnerBrowser(portal, partnerId, 'viewer');
  t.is((await viewer.open(path)).status, 200);
  const { html } = await viewer.open('/reconciliation?mode=TEST');
  t.true(html.includes(`href="${path}"`));
  t.false(html.includes('/reconciliation/new'));
});

test('viewing a comparison whose start was lost starts it', async (t) => {
  const { partnerId, integrationId, browser } = await openForm();
  const aMinuteAgo = new Date(Date.now() - 60_000);
  const jobId = await storeComparison({ partnerId, integrationId }, aMinuteAgo);
  const { html } = await finishedJobPage(browser, `/reconciliation/${jobId}`);
  t.regex(textOf(html), /This failed\. The file is no longer stored\. Upload it again\./);
});

const agent = new Agent({ keepAlive: true });

/** Starts an upload over a raw connection: the test writes the body, and decides whether it ends. */
function startUpload(browser: Browser, contentType = 'multipart/form-data; boundary=b') {
  const { cookies } = browser;
  const sent: ClientRequest = request(browser.url + formPath, {
    method: 'POST',
    // Keeps the connection open, as a browser does.
    agent,
    headers: { 'content-type': contentType, cookie: `session=${cookies.get('session')}` },
  });
  const answer = new Promise<{ status: number; words: string }>((resolve, reject) => {
    sent.once('error', reject);
    sent.once('response', async (response: IncomingMessage) => {
      resolve({ status: response.statusCode ?? 0, words: textOf(await text(response)) });
    });
  });
  return { sent, answer };
}

const part = (disposition: string, value: string): string =>
  `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${value}`;
const fieldPart = (name: string, value: string): string => part(`name="${name}"`, `${value}\r\n`);
const filePart = (value: string): string => part('name="file"; filename="a.csv"', value);

const formParts = ({ shown }: Browser, integrationId: string): string =>
  fieldPart('csrf', csrfIn(shown?.html ?? '')) + fieldPart('integrationId', integrationId);

test('an invalid form token, or invalid first rows, are refused before the rest arrives', async (t) => {
  const { partnerId, integrationId, browser } = await openForm();
  const early = startUpload(browser);
  early.sent.write(fieldPart('csrf', 'wrong') + filePart(head));
  t.is((await early.answer).status, 403);
  // A token after the file is too late.
  const late = startUpload(browser);
  late.sent.write(filePart(`${head}A,1\r\n`));
  t.is((await late.answer).status, 403);
  const faulty = startUpload(browser);
  faulty.sent.write(
    `${formParts(browser, integrationId)}${filePart(`${head}${'A,much\n'.repeat(20)}${'A,1\n'.repeat(20_000)}`)}`,
  );
  const { status, words } = await faulty.answer;
  t.is(status, 400);
  t.regex(words, /Row 2: subtotal must be an amount/);
  for (const { sent } of [early, late, faulty]) sent.destroy();
  await leavesNothing(t, partnerId);
});

test('an endless part in place of the file is refused before it ends', async (t) => {
  const { partnerId, integrationId, browser } = await openForm();
  const nameless = part('name="file"; filename=""', 'A,1\n'.repeat(100_000));
  for (const endless of [
    nameless,
    fieldPart('integrationId', 'A'.repeat(400_000)),
    'A,1\n'.repeat(100_000),
  ]) {
    const { sent, answer } = startUpload(browser);
    sent.write(formParts(browser, integrationId) + endless);
    const { status, words } = await answer;
    t.is(status, 400);
    t.regex(words, /The form arrived incomplete/);
    sent.destroy();
  }
  await leavesNothing(t, partnerId);
});

test('an upload that breaks off leaves nothing', async (t) => {
  const { partnerId, integrationId, browser } = await openForm();
  const { sent, answer } = startUpload(browser);
  sent.write(`${formParts(browser, integrationId)}${filePart(head + 'A,1\n'.repeat(30_000))}`);
  const { auditEntries, jobRows } = service.models;
  await eventually(() => jobRows.exists({ partnerId }), 'some rows are stored');
  sent.destroy();
  await t.throwsAsync(answer);
  const ofUpload = { partnerId, action: 'order-comparison.start' } as const;
  await eventually(
    () => auditEntries.exists({ ...ofUpload, status: 'FAILED' }),
    'the audit entry says that it failed',
  );
  await leavesNothing(t, partnerId);
});

test('a foreign form is refused', async (t) => {
  const { partnerId, integrationId, browser } = await openForm();
  const good = formParts(browser, integrationId);
  const file = filePart(`${head}A,1\r\n`);
  const wrong = [
    `${good}${Array.from({ length: 21 }, (_, n) => fieldPart(`f${n}`, '')).join('')}${file}--b--\r\n`,
    `${good}${fieldPart('note', 'x'.repeat(2_000))}${file}--b--\r\n`,
    `${good}${fieldPart('__proto__', 'x')}${file}--b--\r\n`,
    'no form at all',
  ];
  for (const body of wrong) {
    const { sent, answer } = startUpload(browser);
    sent.end(body);
    t.is((await answer).status, 400, body.slice(0, 200));
  }
  const { sent, answer } = startUpload(browser, 'multipart/form-data');
  sent.end(good);
  t.is((await answer).status, 400, 'a form without a boundary is refused');
  await leavesNothing(t, partnerId);
});

test('a client that keeps sending after a refusal is disconnected', async (t) => {
  const { browser } = await openForm();
  const { sent, answer } = startUpload(browser);
  sent.on('error', () => undefined);
  const cut = new Promise<void>((resolve) => sent.once('close', () => resolve()));
  sent.write(fieldPart('csrf', 'wrong') + filePart(head));
  t.is((await answer).status, 403);
  const chunk = Buffer.alloc(1024 * 1024);
  let mebibytes = 0;
  for (; !sent.destroyed && mebibytes < 400; mebibytes++) {
    await Promise.race([cut, new Promise((resolve) => sent.write(chunk, resolve))]);
  }
  t.true(mebibytes > 50, 'a browser that finishes its upload soon is not disconnected');
  t.true(mebibytes < 300, `${mebibytes} MiB were accepted`);
});

test('a user can upload a limited number of files in 15 minutes', async (t) => {
  const limits = { address: 100_000, uploads: 2 };
  const strict = await startPortal(service, {}, limits);
  t.teardown(strict.stop);
  const { partnerId, integrationId } = await service.partner();
  const browser = await partnerBrowser(strict, partnerId, 'developer');
  await browser.open(formPath);
  const upload = () =>
    browser.upload(formPath, { integrationId }, { name: 'orders.csv', bytes: `${head}A,much\n` });
  t.is((await upload()).status, 400);
  t.is((await upload()).status, 400);
  const { status, html } = await upload();
  t.is(status, 429);
  t.regex(textOf(html), /Try again in 15 min, or put more orders into one file/);
  await leavesNothing(t, partnerId);
});

test('a partner has one running comparison, and sees no other partner’s', async (t) => {
  const { partnerId, upload } = await openForm();
  const { headers } = await upload(`${head}A,1\n`);
  const other = await openForm();
  const [path = ''] = (headers.get('location') ?? '').split('?');
  t.is((await other.browser.open(path)).status, 404);
  t.is((await other.browser.open(`${path}/faults.csv`)).status, 404);
  t.false((await other.browser.open('/reconciliation?mode=TEST')).html.includes('job_'));
  t.is((await findJobs(service.models, partnerId, 'ORDER_COMPARISON', 5)).length, 1);
});
