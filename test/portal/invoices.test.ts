import test from 'ava';
import { invoiceIdOf } from '../../models/billing/invoices.ts';
import { updatePartner } from '../../operations/partners.ts';
import { newId } from '../../platform/ids.ts';
import { issuedInvoice } from '../helpers/issued-invoice.ts';
import { operate } from '../helpers/operate.ts';
import { textInPdf } from '../helpers/pdf.ts';
import { type Service, startService } from '../helpers/service.ts';
import { type Browser, textOf } from './helpers/browser.ts';
import { operatorBrowser, partnerBrowser } from './helpers/people.ts';
import { configOf, startPortal, type TestPortal } from './helpers/portal.ts';

let service: Service;
let portal: TestPortal;
test.before(async () => {
  service = await startService();
  const config = configOf(service, {
    INVOICE_ISSUER_NAME: 'Rewards GmbH',
    INVOICE_ISSUER_ADDRESS: 'Example Street 1 | 10115 Berlin | Germany',
    INVOICE_ISSUER_TAX_ID: 'DE123456789',
    INVOICE_VAT: 'DE 19',
    INVOICE_PAYMENT_DETAILS: 'IBAN DE02 1203 | BIC BYLADEM1001',
  });
  portal = await startPortal(service, { config });
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

const issuedAt = new Date('2036-04-01T00:00:00Z');

async function anInvoice(partnerId: string): Promise<string> {
  const subscriptionId = newId('subscription');
  const { _id } = await issuedInvoice(portal.deps, {
    _id: invoiceIdOf(subscriptionId, 'a period', issuedAt.getTime()),
    partnerId,
    subscriptionId,
    planVersionId: newId('planVersion'),
    currency: 'USD',
    kind: 'PERIOD',
    changeId: null,
    issuedAt,
    terms: null,
    periodStart: new Date('2036-03-01T00:00:00Z'),
    periodEnd: issuedAt,
    lines: [{ kind: 'PLAN', description: 'Large, version 1', amountCents: 4_000 }],
  });
  return _id;
}

/** A partner with a legal name, a billing address and a tax number, and its invoice. */
async function aBilledPartner() {
  const { partnerId } = await service.partner({ partner: { name: 'Corner Shop' } });
  await operate(portal.deps, updatePartner, {
    partnerId,
    legalName: 'Corner Shop Ltd',
    country: 'IE',
    taxId: 'IE1234567X',
    billingAddress: ' 2 High Road \r\n\r\nDublin ',
  });
  return { partnerId, invoiceId: await anInvoice(partnerId) };
}

async function downloaded(browser: Browser, path: string) {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const response = await fetch(browser.url + path, { headers: { cookie } });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

const parties =
  /From Rewards GmbH Example Street 1 10115 Berlin Germany Tax number: DE123456789 Billed to Corner Shop Ltd 2 High Road Dublin Ireland Tax number: IE1234567X/;

test('a viewer downloads the PDF of an invoice at once, the same bytes each time; it matches the page', async (t) => {
  const { partnerId, invoiceId } = await aBilledPartner();
  const browser = await partnerBrowser(portal, partnerId, 'viewer');
  const path = `/invoices/${invoiceId}`;
  const shown = await browser.open(path);
  t.true(shown.html.includes(`href="${path}/invoice.pdf"`));
  const { response, bytes } = await downloaded(browser, `${path}/invoice.pdf`);
  t.is(response.headers.get('content-type'), 'application/pdf');
  t.is(response.headers.get('content-disposition'), 'attachment; filename="invoice-2036-0001.pdf"');
  const printed = await textInPdf(bytes);
  for (const words of [textOf(shown.html), printed]) {
    t.regex(words, parties);
    t.regex(words, /Issued 1 Apr 2036 Due 15 Apr 2036/);
    t.regex(words, /Large, version 1 \$40\.00/);
    t.regex(words, /VAT, reverse charge: the recipient owes the tax \$0\.00/);
    t.regex(words, /Payment IBAN DE02 1203 BIC BYLADEM1001 Reference: PE-[0-9A-Z]{8}-1/);
  }
  const again = await downloaded(browser, `${path}/invoice.pdf`);
  t.deepEqual(again.bytes, bytes);
  t.is(await service.models.jobs.countDocuments({ partnerId }), 0);
});

test('an invoice stays the same when the partner’s name and address change', async (t) => {
  const { partnerId, invoiceId } = await aBilledPartner();
  await operate(portal.deps, updatePartner, {
    partnerId,
    legalName: 'Other Ltd',
    billingAddress: '9 Low Road',
    taxId: null,
  });
  const browser = await partnerBrowser(portal, partnerId);
  t.regex(textOf((await browser.open(`/invoices/${invoiceId}`)).html), parties);
  const next = await anInvoice(partnerId);
  const words = textOf((await browser.open(`/invoices/${next}`)).html);
  t.regex(words, /Billed to Other Ltd 9 Low Road Ireland Total/);
});

test('an invoice says what of its total is VAT, on its page and in its PDF', async (t) => {
  const { partnerId } = await service.partner({ partner: { name: 'Corner Shop', country: 'DE' } });
  const path = `/invoices/${await anInvoice(partnerId)}`;
  const browser = await partnerBrowser(portal, partnerId, 'viewer');
  const page = textOf((await browser.open(path)).html);
  const { bytes } = await downloaded(browser, `${path}/invoice.pdf`);
  for (const words of [page, await textInPdf(bytes)]) {
    t.regex(words, /Includes 19% VAT \$6\.39 Total.* \$40\.00/);
  }
});

test('an older invoice without stored parties shows the partner as it is now, and no issuer', async (t) => {
  const { partnerId, invoiceId } = await aBilledPartner();
  await service.models.invoices.collection.updateOne(
    { partnerId, _id: invoiceId },
    { $unset: { issuer: '', billedTo: '' } },
  );
  await operate(portal.deps, updatePartner, { partnerId, legalName: 'Other Ltd' });
  const browser = await partnerBrowser(portal, partnerId);
  const words = textOf((await browser.open(`/invoices/${invoiceId}`)).html);
  t.regex(words, /Billed to Other Ltd 2 High Road Dublin Ireland/);
  t.notRegex(words, /From Rewards/);
});

test('an operator finds an invoice and its PDF through the subscription', async (t) => {
  const { partnerId, invoiceId } = await aBilledPartner();
  const browser = await operatorBrowser(portal, 'viewer');
  const path = `/admin/partners/${partnerId}/invoices/${invoiceId}`;
  const list = await browser.open(`/admin/partners/${partnerId}/subscription`);
  t.true(list.html.includes(`href="${path}"`));
  t.notRegex(textOf(list.html), /No issuer is configured/);
  t.regex(textOf((await browser.open(path)).html), parties);
  const { bytes } = await downloaded(browser, `${path}/invoice.pdf`);
  t.regex(await textInPdf(bytes), parties);
  const another = await service.partner();
  const elsewhere = `/admin/partners/${another.partnerId}/invoices/${invoiceId}`;
  t.is((await browser.open(elsewhere)).status, 404);
});

test('an owner enters billing address and tax number, even for a LIVE partner', async (t) => {
  const { partnerId } = await service.partner();
  await operate(portal.deps, updatePartner, {
    partnerId,
    legalName: 'Corner Shop Ltd',
    website: 'https://shop.example',
    contactEmail: 'owner@shop.example',
    supportEmail: 'help@shop.example',
    timeZone: 'America/Chicago',
  });
  const browser = await partnerBrowser(portal, partnerId);
  await browser.open('/profile');
  const nine = Array.from({ length: 9 }, (_, at) => `line ${at}`).join('\n');
  const refused = await browser.submit('/profile/edit', { billingAddress: nine });
  t.regex(textOf(refused.html), /At most 8 lines\./);
  const saved = await browser.submit('/profile/edit', {
    billingAddress: '2 High Road\r\nDublin',
    taxId: 'IE1',
  });
  t.regex(textOf(saved.html), /Billing address 2 High Road Dublin Tax number IE1/);
});
