import { readFile } from 'node:fs/promises';
import test, { type ExecutionContext } from 'ava';
import { parse } from 'csv-parse/sync';
import type { OrderEventDoc } from '../../../models/schemas/events.ts';
import type { JobDoc } from '../../../models/schemas/jobs.ts';
import { createRule } from '../../../operations/earning-rules.ts';
import { createIntegration } from '../../../operations/integrations.ts';
import { eventually } from '../../helpers/eventually.ts';
import { operate } from '../../helpers/operate.ts';
import { aPurchase } from '../../helpers/partner-backend.ts';
import { anOrderEvent } from '../../helpers/signed-requests.ts';
import { partnerBrowser } from '../../portal/helpers/people.ts';
import { axe, sidewaysScroll } from './helpers/checks.ts';
import { type Stage, startStage } from './helpers/stage.ts';
import { narrow, type Visitor, wide } from './helpers/visitor.ts';

let stage: Stage;
test.before(async () => {
  stage = await startStage();
});
test.after.always(() => stage?.stop());

async function developerOf(partnerId: string): Promise<Visitor> {
  const { cookies } = await partnerBrowser(stage.portal, partnerId, 'developer');
  return await stage.visitor({ session: cookies.get('session') });
}

/** Checks the open page on narrow and wide screens, light and dark. */
async function checkPage(t: ExecutionContext, { page, problems }: Visitor, what: string) {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [narrow, wide]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      t.is(await sidewaysScroll(page), null, `${what}, ${width} px`);
      t.deepEqual(await axe(page), [], `${what}, ${colorScheme}, ${width} px`);
    }
  }
  t.deepEqual(problems, [], what);
}

const rows = 100_000;
const batch = 10_000;
/** The discrepancies, by row. */
const faultOfRow = new Map([
  [2, 'MISSING'],
  [500, 'MISMATCHED'],
  [40_001, 'DUPLICATE'],
  [70_000, 'MISSING'],
  [99_999, 'MISMATCHED'],
  [100_001, 'MISSING'],
]);

/** Stores the reported orders as the job reads them. @returns the shop's export as CSV */
async function storeOrders(partnerId: string, integrationId: string): Promise<string> {
  const { orderEvents } = stage.service.models;
  const lines = ['externalOrderId,subtotalCents,customer'];
  for (let from = 2; from < rows + 2; from += batch) {
    const events: OrderEventDoc[] = [];
    for (let row = from; row < from + batch; row++) {
      const fault = faultOfRow.get(row);
      const order = `order-${fault === 'DUPLICATE' ? row - 1 : row}`;
      lines.push(`${order},${fault === 'MISMATCHED' ? 1 : row},"Müller, ${row}"`);
      if (fault === 'MISSING' || fault === 'DUPLICATE') continue;
      const purchase = { currency: 'USD', arithmetic: { subtotalCents: row } };
      events.push(
        anOrderEvent({
          partnerId,
          integrationId,
          mode: 'LIVE',
          externalOrderId: order,
          purchase: purchase as OrderEventDoc['purchase'],
        }),
      );
    }
    await orderEvents.collection.insertMany(events, { ordered: false });
  }
  return lines.join('\r\n');
}

/**
 * Blocks a partner's jobs when they first report partial progress.
 * @returns a function that lets them continue
 */
function pauseHalfway(t: ExecutionContext, partnerId: string): () => void {
  const { promise: resumed, resolve: resume } = Promise.withResolvers<void>();
  const collection = stage.service.models.jobs.collection as unknown as Record<'updateOne', Update>;
  const { updateOne } = collection;
  collection.updateOne = async (...given) => {
    const result = await updateOne.apply(collection, given);
    const [of, { $set }] = given;
    const { progress } = $set ?? {};
    if (of.partnerId === partnerId && progress && progress.done < progress.total) await resumed;
    return result;
  };
  t.teardown(() => {
    resume();
    collection.updateOne = updateOne;
  });
  return resume;
}

type Update = (of: Partial<JobDoc>, change: { $set?: Partial<JobDoc> }) => Promise<unknown>;

/** Records every value of the progress bar on the page, however briefly it is shown. */
const watchProgress = `(() => {
  window.seen = new Set();
  const note = () => {
    const bar = document.querySelector('#job progress');
    if (bar) window.seen.add(bar.value + ' of ' + bar.max);
  };
  note();
  new MutationObserver(note).observe(document.body, { childList: true, subtree: true });
})()`;

test('comparing 100,000 orders shows the progress, then each discrepancy by its row', async (t) => {
  t.timeout(10 * 60_000);
  const { partnerId, integrationId } = await stage.service.partner();
  const buffer = Buffer.from(await storeOrders(partnerId, integrationId));
  const visitor = await developerOf(partnerId);
  const { page } = visitor;
  await visitor.open('/events');
  await visitor.follow('Compare with your orders');
  await checkPage(t, visitor, 'no comparison yet');
  await visitor.follow('Compare a file');
  await checkPage(t, visitor, 'the form');
  await page
    .getByLabel('CSV file')
    .setInputFiles({ name: 'orders.csv', mimeType: 'text/csv', buffer });
  const resume = pauseHalfway(t, partnerId);
  await visitor.press('Compare');
  await page.evaluate(watchProgress);
  await eventually(async () => {
    const seen: string[] = await page.evaluate('[...window.seen]');
    return seen.some((one) => !one.startsWith('0 of') && one !== `${rows} of ${rows}`);
  }, 'the progress bar moves');
  resume();
  await page.getByRole('link', { name: 'Download all as CSV' }).waitFor({ timeout: 120_000 });

  const words = await visitor.text();
  t.regex(words, /Identical 99,994 of 100,000 rows Missing 3 .* Duplicate 1 .* Mismatched 2/);
  for (const [row, fault] of faultOfRow) {
    const order = `order-${fault === 'DUPLICATE' ? row - 1 : row}`;
    t.true(words.includes(`${row.toLocaleString('en-US')} ${order} `), `${row}: ${fault}`);
  }
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download all as CSV' }).click(),
  ]);
  const csv = parse<Record<string, string>>(await readFile(await download.path()), {
    columns: true,
    bom: true,
  });
  t.deepEqual(new Map(csv.map(({ row, fault }) => [Number(row), fault ?? ''])), faultOfRow);
  await checkPage(t, visitor, 'the discrepancies');
  await visitor.follow('Order comparison');
  t.regex(await visitor.text(), /web shop 100,000 Done 6/);
  await checkPage(t, visitor, 'a comparison in the list');
});

test('the column names of a shop’s export are entered once for each integration', async (t) => {
  const partner = await stage.service.partner();
  const { partnerId } = partner;
  await operate(stage.portal.deps, createIntegration, { partnerId, name: 'till' });
  await partner.purchase(aPurchase({ externalOrderId: '#1001' }));
  const visitor = await developerOf(partnerId);
  const { page } = visitor;
  const csv = 'Name,Total,Created at\n#1001,49.90,2026-01-31 09:30:00 +0100\n#1001,,\n';
  const field = (label: string) => page.getByLabel(label, { exact: true });
  await visitor.open('/reconciliation/new?mode=TEST');
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(
    ({ searchParams }) => searchParams.has('integrationId'),
    (route) => released.then(() => route.continue()),
  );
  await field('Reported by').selectOption({ label: 'web shop' });
  const isDisabled = () => field('Order ID').isDisabled();
  await eventually(isDisabled, 'the fields are disabled until the column names are loaded');
  release();
  await visitor.fill({ 'Order ID': 'Name', Amount: 'Total', 'Date of the order': 'Created at' });
  await page
    .getByLabel('CSV file')
    .setInputFiles({ name: 'orders.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  await checkPage(t, visitor, 'the form with columns');
  await visitor.press('Compare');
  // Jobs of other tests may occupy both of the worker's slots.
  await page.getByText('Every order in the file was reported').waitFor({ timeout: 300_000 });
  await visitor.open('/reconciliation/new?mode=TEST');
  t.is(await field('Order ID').inputValue(), 'Name');
  const orderColumnIs = (name: string) =>
    eventually(
      async () => (await field('Order ID').inputValue()) === name,
      `the order column is “${name}”`,
    );
  await field('Reported by').selectOption({ label: 'till' });
  await orderColumnIs('');
  await field('Reported by').selectOption({ label: 'web shop' });
  await orderColumnIs('Name');
  t.deepEqual(visitor.problems, []);
});

test('an unreadable file is refused on the form’s page, with the row', async (t) => {
  const { partnerId } = await stage.service.partner();
  const visitor = await developerOf(partnerId);
  const upload = async (text: string) => {
    await visitor.open('/reconciliation/new');
    await visitor.page.getByLabel('CSV file').setInputFiles({
      name: 'orders.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`externalOrderId,subtotal\n${text}`),
    });
    await visitor.press('Compare');
  };
  await upload('A1,1\nA2,<b>many</b>\n');
  t.regex(await visitor.text(), /Row 3: subtotal must be an amount in USD such as 49\.90/);
  // The browser sends the whole file before it shows the response.
  await upload(`A1,1${' '.repeat(995)}\n`.repeat(25_000));
  t.regex(await visitor.text(), /The file is larger than 20 MiB\. Upload it in parts\./);
  visitor.problems.splice(0, 2).forEach((one) => {
    t.regex(one, /status of (400|413)/);
  });
  await checkPage(t, visitor, 'a refused file');
});

test('a back-test’s figures match a table computed by hand', async (t) => {
  const partner = await stage.service.partner();
  const { partnerId } = partner;
  /** Active: 10 points per 1.00. Draft: 25 per 2.00, from 20.00, at most 600. A point is worth a cent. */
  const byHand = [
    { order: 'small', subtotalCents: 1_999, active: 199, draft: 0 },
    { order: 'usual', subtotalCents: 4_990, active: 499, draft: 600 },
    { order: 'just', subtotalCents: 2_000, active: 200, draft: 250 },
    { order: 'large', subtotalCents: 25_000, active: 2_500, draft: 600 },
  ];
  for (const { order, subtotalCents } of byHand) {
    const { status } = await partner.purchase(
      aPurchase({ externalOrderId: order, order: { subtotalCents } }),
    );
    t.is(status, 201);
  }
  const { _id } = await operate(stage.portal.deps, createRule, {
    partnerId,
    mode: 'TEST',
    currency: 'USD',
    kind: 'PER_AMOUNT',
    points: 25,
    unitCents: 200,
    minimumOrderCents: 2_000,
    capPerOrderPoints: 600,
  });
  const visitor = await developerOf(partnerId);
  const { page } = visitor;
  await visitor.open(`/rules/${_id}`);
  await page.getByLabel('Purchases').selectOption('TEST');
  await checkPage(t, visitor, 'a draft');
  await visitor.press('Start back-test');
  await page.getByText('Orders with the largest differences').first().waitFor();

  const dollars = (cents: number) => `$${(cents / 100).toFixed(2)}`;
  const points = (count: number) => count.toLocaleString('en-US');
  const sum = (side: 'active' | 'draft') => byHand.reduce((all, one) => all + one[side], 0);
  const [active, draft] = [sum('active'), sum('draft')];
  t.deepEqual([active, draft], [3_398, 1_450]);
  const words = await visitor.text();
  for (const said of [
    `The active rule ${dollars(active)} ${points(active)} points`,
    `This draft ${dollars(draft)} ${points(draft)} points`,
    `Difference in cost −${dollars(active - draft)} −${points(active - draft)} points; different for 4 of 4 orders`,
  ]) {
    t.true(words.includes(said), `${said} in ${words}`);
  }
  const lines: string[] = await page.evaluate(
    `[...document.querySelectorAll('tbody tr')].map((one) => one.innerText.replace(/\\s+/g, ' '))`,
  );
  const most = byHand.toSorted(
    (a, b) => Math.abs(b.draft - b.active) - Math.abs(a.draft - a.active),
  );
  t.deepEqual(
    lines.map((line) => line.replace(/ \d+ \w+ \d{4} /, ' ')),
    most.map((one) => {
      const by = one.draft - one.active;
      const sign = by > 0 ? '+' : '−';
      return [
        `${one.order} ${dollars(one.subtotalCents)} ${dollars(one.active)} ${points(one.active)} points`,
        `${dollars(one.draft)} ${points(one.draft)} points`,
        `${sign}${dollars(Math.abs(by))} ${sign}${points(Math.abs(by))} points`,
      ].join(' ');
    }),
  );
  await checkPage(t, visitor, 'a back-test');
  await visitor.follow('large');
  t.regex(await visitor.text(), /Order large .* 2,500/);
  await visitor.open('/rules?mode=TEST');
  await checkPage(t, visitor, 'rules with a back-test');
});
