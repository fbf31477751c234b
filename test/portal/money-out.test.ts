import test from 'ava';
import { invoiceIdOf } from '../../models/billing/invoices.ts';
import { recordPayment, reversePayment, voidInvoice } from '../../operations/invoices.ts';
import { newId } from '../../platform/ids.ts';
import { issuedInvoice } from '../helpers/issued-invoice.ts';
import { topUpAsOperator } from '../helpers/ledger-operations.ts';
import { operate } from '../helpers/operate.ts';
import { type Service, startService } from '../helpers/service.ts';
import { textOf } from './helpers/browser.ts';
import { finishedJobPage } from './helpers/finished-job-page.ts';
import { operatorBrowser, partnerBrowser } from './helpers/people.ts';
import { configOf, startPortal, type TestPortal } from './helpers/portal.ts';

let service: Service;
let portal: TestPortal;
test.before(async () => {
  service = await startService();
  portal = await startPortal(service, {
    config: configOf(service, {
      FOUR_EYES: 'on',
      INVOICE_ISSUER_NAME: 'Rewards GmbH',
      INVOICE_PAYMENT_DETAILS: 'IBAN DE02 1203 | BIC BYLADEM1001',
      PAYMENT_REFERENCE_PREFIX: 'RW',
    }),
  });
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

async function funded() {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  await topUpAsOperator(portal.deps, { mode: 'LIVE', partnerId }, 10_000, 'wire in');
  return partnerId;
}

async function anInvoice(partnerId: string): Promise<string> {
  const issuedAt = new Date();
  const subscriptionId = newId('subscription');
  const { _id } = await issuedInvoice(portal.deps, {
    ...{ partnerId, subscriptionId, planVersionId: newId('planVersion'), currency: 'USD' },
    ...{ kind: 'PRORATION', changeId: 'chg_1', terms: null, issuedAt },
    ...{ periodStart: issuedAt, periodEnd: issuedAt },
    _id: invoiceIdOf(subscriptionId, 'upgrade', issuedAt.getTime()),
    lines: [{ kind: 'PRORATION', description: 'Upgrade', amountCents: 4_000 }],
  });
  return _id;
}

test('a decided proposal shows what was then, and one that failed why, and is proposed again', async (t) => {
  const partnerId = await funded();
  const [fay, bob] = await Promise.all([
    operatorBrowser(portal, 'finance'),
    operatorBrowser(portal, 'admin'),
  ]);
  const propose = async (amount: string, reference: string) => {
    await fay.open(path);
    return (await fay.submit(path, { amount, reference })).path;
  };
  const approve = async (proposal: string) => {
    await bob.open(proposal);
    return await bob.submit(`${proposal}/approve`, {});
  };
  const shown = async (proposal: string) => textOf((await fay.open(proposal)).html);
  const path = `/admin/partners/${partnerId}/withdraw`;
  const [first, second] = [await propose('25', 'out 1'), await propose('80', 'out 2')];
  t.regex(await shown(second), /LIVE funding \$100\.00 \$20\.00/);
  await approve(first);
  t.regex(await shown(first), /LIVE funding \$100\.00 \$75\.00/);
  t.regex(textOf((await approve(second)).html), /Only \$75\.00 is available/);
  await topUpAsOperator(portal.deps, { mode: 'LIVE', partnerId }, 1_000, 'wire in 2');
  t.regex(await shown(first), /LIVE funding \$100\.00 \$75\.00/, 'as it was, not as it is');
  const failed = await shown(second);
  t.regex(
    failed,
    /Could not be carried out\. Only \$75\.00 is available: .* LIVE funding \$75\.00/,
  );
  t.notRegex(failed, /Expired|Reason /);
  t.regex(textOf((await fay.open('/admin/approvals?status=FAILED')).html), /out 2/);

  await fay.open(second);
  const again = await fay.submit(`${second}/propose-again`, {});
  t.regex(textOf(again.html), /Only \$85\.00|Proposed\./);
  const proposals = await service.models.proposals.find({ partnerId }).sort({ _id: 1 });
  t.deepEqual(
    proposals.map(({ status }) => status),
    ['APPROVED', 'FAILED', 'PROPOSED'],
  );
  t.is((await fay.post(`${first}/propose-again`, {})).status, 409);
});

test('money goes out by two operators in the console, and is on the partner’s statement', async (t) => {
  const partnerId = await funded();
  const [fay, bob] = await Promise.all([
    operatorBrowser(portal, 'finance'),
    operatorBrowser(portal, 'admin'),
  ]);
  const approve = async (path: string) => {
    await bob.open(path);
    return await bob.submit(`${path}/approve`, {});
  };
  const path = `/admin/partners/${partnerId}/withdraw`;
  t.regex(
    textOf((await fay.open(path)).html),
    /needs two operators.*Available \$100\.00|Available \$100\.00.*needs two operators/,
  );
  const proposed = await fay.submit(path, { amount: '25', reference: 'wire out' });
  t.regex(textOf(proposed.html), /Pay \$25\.00 of the unused funding back to .*“wire out”/);
  await approve(proposed.path);

  const { _id } = await service.models.ledger.findOne({ partnerId, kind: 'TOP_UP' }).orFail();
  const correcting = `/admin/ledger/${_id}/correct`;
  t.true((await fay.open(`/admin/ledger/${_id}`)).html.includes(correcting));
  await fay.open(correcting);
  const correction = await fay.submit(correcting, { amount: '70', reference: 'mistyped' });
  t.regex(textOf(correction.html), /Take back \$70\.00 of .* top-up of \$100\.00 \(wire in\)/);
  await approve(correction.path);

  const viewer = await partnerBrowser(portal, partnerId, 'viewer');
  const statement = textOf((await viewer.open('/funding/statement')).html);
  t.regex(statement, /Opening balance \$0\.00 .*Top-up wire in \+\$100\.00 \$100\.00/);
  t.regex(
    statement,
    /Paid back to you wire out -\$25\.00 \$75\.00 .*Correction of a top-up mistyped -\$70\.00 \$5\.00 .*Closing balance \$5\.00/,
  );
  const pdf = await viewer.submit('/funding/statement/pdf', {});
  const { html } = await finishedJobPage(viewer, pdf.path);
  t.true(html.includes(`${pdf.path}/statement.pdf`));
  t.regex(
    textOf((await fay.open(`/admin/partners/${partnerId}/statement`)).html),
    /Closing balance \$5\.00/,
  );
});

test('how to pay stands on a page of its own and on the invoice, with the reference of each', async (t) => {
  const partnerId = await funded();
  const invoiceId = await anInvoice(partnerId);
  const owner = await partnerBrowser(portal, partnerId);
  const reference = `RW-${partnerId.slice(-8)}`;
  const funding = textOf((await owner.open('/funding/how-to-pay')).html);
  t.regex(funding, new RegExp(`IBAN DE02 1203 BIC BYLADEM1001 .*${reference}`));
  const invoice = textOf((await owner.open(`/invoices/${invoiceId}`)).html);
  t.regex(invoice, new RegExp(`Payment IBAN DE02 1203 BIC BYLADEM1001 Reference: ${reference}-1`));
  t.regex(invoice, /State Due Paid \$0\.00 Left to pay \$40\.00/);
  t.is((await owner.open(`/invoices/${invoiceId}/credit-note`)).status, 404);
});

test('payments and credit notes are proposed in the console and shown to the partner', async (t) => {
  const partnerId = await funded();
  const [invoiceId, other] = [await anInvoice(partnerId), await anInvoice(partnerId)];
  const fay = await operatorBrowser(portal, 'finance');
  const path = `/admin/partners/${partnerId}/invoices/${invoiceId}`;
  await fay.open(`${path}/payment`);
  const paidOn = new Date().toISOString().slice(0, 10);
  const payment = { amount: '15', paidOn, reference: 'wire 9' };
  t.regex(
    textOf((await fay.submit(`${path}/payment`, payment)).html),
    new RegExp(
      `Record a payment of \\$15\\.00 on ${paidOn} for .* invoice \\d{4}-0001 of \\$40\\.00`,
    ),
  );
  await fay.open(`${path}/void`);
  t.regex(
    textOf((await fay.submit(`${path}/void`, { reason: 'A mistake.' })).html),
    /Void .* invoice \d{4}-0001 of \$40\.00 by a credit note/,
  );
  const paid = { amountCents: 1_500, currency: 'USD', paidOn, reference: 'wire 9' };
  await operate(portal.deps, recordPayment, { partnerId, invoiceId, ...paid });
  await operate(portal.deps, voidInvoice, { partnerId, invoiceId: other, reason: 'A mistake.' });
  await fay.open(`${path}/reverse`);
  const reversal = { reference: 'wire 9', reason: 'It did not arrive.' };
  t.regex(
    textOf((await fay.submit(`${path}/reverse`, reversal)).html),
    /Reverse the payment “wire 9” of \$15\.00 for .* invoice \d{4}-0001/,
  );

  const owner = await partnerBrowser(portal, partnerId);
  const shown = textOf((await owner.open(`/invoices/${invoiceId}`)).html);
  t.regex(shown, /State Partially paid Paid \$15\.00 Left to pay \$25\.00/);
  t.regex(shown, /wire 9 \$15\.00/);
  t.regex(textOf((await owner.open('/invoices')).html), /Void .*Partially paid/);
  await operate(portal.deps, reversePayment, { partnerId, invoiceId, ...reversal });
  const due = textOf((await owner.open(`/invoices/${invoiceId}`)).html);
  t.regex(due, /Paid \$0\.00 Left to pay \$40\.00/);
  t.regex(due, /wire 9 \$15\.00 .*It did not arrive\./);
  const note = textOf((await owner.open(`/invoices/${other}/credit-note`)).html);
  t.regex(note, /Credit note \d{4}-0002-C .*For invoice \d{4}-0002.*Reason A mistake\..*-\$40\.00/);
});
