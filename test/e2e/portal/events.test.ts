import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { invoiceIdOf } from '../../../models/billing/invoices.ts';
import { newId } from '../../../platform/ids.ts';
import { issuedInvoice } from '../../helpers/issued-invoice.ts';
import { aPurchase } from '../../helpers/partner-backend.ts';
import { partnerBrowser } from '../../portal/helpers/people.ts';
import { type Stage, startStage } from './helpers/stage.ts';

let stage: Stage;
test.before(async () => {
  stage = await startStage();
});
test.after.always(() => stage?.stop());

const sessionOf = async (partnerId: string) =>
  (await partnerBrowser(stage.portal, partnerId)).cookies.get('session');

test('a filter updates its part of the page, and the address', async (t) => {
  const backend = await stage.service.partner();
  await backend.purchase(aPurchase({ externalOrderId: 'order-kept' }));
  await backend.purchase(aPurchase({ externalOrderId: 'order-other' }));
  const visitor = await stage.visitor({ session: await sessionOf(backend.partnerId) });
  await visitor.open('/events?mode=TEST');
  const { page } = visitor;
  await page.evaluate('window.isSamePage = true');
  await page.getByLabel('Order', { exact: true }).fill('order-kept');
  await page.keyboard.press('Enter');
  await page.locator('#list', { hasNotText: 'order-other' }).waitFor();
  await page.waitForURL('**/events?*order=order-kept*');
  t.is(await page.locator('#list tbody tr').count(), 1);
  t.true(await page.evaluate('window.isSamePage'));
  t.regex(visitor.path, /^\/events\?.*order=order-kept/);
  t.is(
    await page.getByText('Download as CSV').getAttribute('href'),
    '/events.csv?mode=TEST&order=order-kept',
  );
  t.is(await page.getByLabel('Order', { exact: true }).inputValue(), 'order-kept');
  await visitor.open(visitor.path);
  t.is(await page.locator('#list tbody tr').count(), 1);
  t.deepEqual(visitor.problems, []);
});

/** An invoice of a period that ends on 1 April 2036. */
async function anInvoice(partnerId: string): Promise<string> {
  const issuedAt = new Date('2036-04-01T00:00:00Z');
  const subscriptionId = newId('subscription');
  const { _id } = await issuedInvoice(stage.service, {
    _id: invoiceIdOf(subscriptionId, 'printed', issuedAt.getTime()),
    partnerId,
    subscriptionId,
    planVersionId: newId('planVersion'),
    currency: 'USD',
    kind: 'PERIOD',
    changeId: null,
    issuedAt,
    periodStart: issuedAt,
    periodEnd: issuedAt,
    terms: {
      priceCents: 4_000,
      includedPoints: 9_000,
      overageRateMicrosPerPoint: 4_000,
      currency: 'USD',
    },
    lines: [
      { kind: 'PLAN', description: 'Large, a month', amountCents: 4_000 },
      { kind: 'OVERAGE', description: '1,500 points over the allowance', amountCents: 600 },
      { kind: 'CREDIT', description: 'Credit for points given back', amountCents: -400 },
    ],
  });
  return _id;
}

test('an invoice prints on one sheet', async (t) => {
  const { partnerId } = await stage.service.partner();
  const invoiceId = await anInvoice(partnerId);
  const visitor = await stage.visitor({ session: await sessionOf(partnerId), colorScheme: 'dark' });
  await visitor.open(`/invoices/${invoiceId}`);
  const sheets = await visitor.page.pdf({ format: 'A4' });
  t.is([...sheets.toString('latin1').matchAll(/\/Type\s*\/Page\b/g)].length, 1);
  await visitor.page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  t.false(await visitor.page.getByRole('navigation').first().isVisible());
  t.false(await visitor.page.getByRole('link', { name: 'Download PDF' }).isVisible());
  t.deepEqual(visitor.problems, []);
});

test('the PDF of an invoice is downloaded at once', async (t) => {
  const { partnerId } = await stage.service.partner();
  const invoiceId = await anInvoice(partnerId);
  const visitor = await stage.visitor({ session: await sessionOf(partnerId) });
  const { page } = visitor;
  await visitor.open(`/invoices/${invoiceId}`);
  const link = page.getByRole('link', { name: 'Download PDF' });
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  t.is(download.suggestedFilename(), 'invoice-2036-0001.pdf');
  t.regex((await buffer(await download.createReadStream())).toString('latin1'), /^%PDF-/);
  t.deepEqual(visitor.problems, []);
});
