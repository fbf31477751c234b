import test from 'ava';
import { walletBalances } from '../../models/ledger/index.ts';
import type { OperatorActor } from '../../operations/actor.ts';
import { correctTopUp, withdraw } from '../../operations/funding.ts';
import { recordPayment, reversePayment, voidInvoice } from '../../operations/invoices.ts';
import { createPlanVersion, publishPlanVersion } from '../../operations/plans.ts';
import { changePlan, subscribe } from '../../operations/subscriptions.ts';
import { smallPlan } from '../helpers/billing.ts';
import { topUpAsOperator } from '../helpers/ledger-operations.ts';
import { operate } from '../helpers/operate.ts';
import { openWorkplace, type Workplace } from './helpers/workplace.ts';

let work: Workplace;
let ada: OperatorActor;
let bob: OperatorActor;
test.before(async () => {
  work = await openWorkplace();
  [ada, bob] = await Promise.all([work.operator('finance'), work.operator('finance')]);
});
test.after.always(() => work?.close());

const conflict = (message: RegExp) => ({ code: 'CONFLICT', message });

async function funded(amountCents = 5_000) {
  const { partnerId } = await work.partner({ mode: 'LIVE' });
  const wallet = { mode: 'LIVE', partnerId } as const;
  await topUpAsOperator(work.deps, wallet, amountCents, 'wire in');
  const topUp = await work.models.ledger
    .findOne({ partnerId, reference: 'topUp:wire in' })
    .orFail();
  const fundingOf = async () => (await walletBalances(work.models, wallet)).fundingCents;
  return { partnerId, transactionId: topUp._id, fundingOf };
}

const outgoing = { currency: 'USD', externalReference: 'wire out' };
const entriesOf = (partnerId: string) => work.models.ledger.find({ partnerId }).sort({ seq: 1 });

test('a withdrawal takes two operators, and what is available when it is approved', async (t) => {
  const { partnerId, fundingOf } = await funded();
  const all = { partnerId, amountCents: 5_000, ...outgoing };
  const proposal = await work.propose(withdraw, ada, all);
  t.is(await fundingOf(), 5_000);
  await t.throwsAsync(work.approve(ada, proposal), { code: 'FORBIDDEN' });
  const other = { ...all, amountCents: 1, externalReference: 'wire out 2' };
  await work.approve(bob, await work.propose(withdraw, ada, other));
  await t.throwsAsync(work.approve(bob, proposal), conflict(/Only \$49\.99 is available/));
  t.like(await work.models.proposals.findById(proposal._id), {
    status: 'FAILED',
    reason: 'Only $49.99 is available: the rest is reserved for rewards or owed to customers.',
    fundingCents: 4_999,
  });
  const [failed] = await work.models.auditEntries.find({ partnerId, status: 'FAILED' });
  t.like(failed, {
    action: 'partner.withdraw',
    approvedBy: bob.id,
    details: { reference: 'wire out', code: 'CONFLICT' },
  });
  t.is(await fundingOf(), 4_999);
  const { done } = await work.approve(
    ada,
    await work.propose(withdraw, bob, { ...all, amountCents: 4_999, externalReference: 'rest' }),
  );
  t.like(done?.outcome, { isNew: true, entry: { kind: 'WITHDRAWAL', reference: 'withdraw:rest' } });
  t.is(await fundingOf(), 0);
});

test('nobody is asked to approve what cannot be carried out', async (t) => {
  const { partnerId, transactionId } = await funded();
  const money = { partnerId, amountCents: 5_001, ...outgoing };
  const tooMuch = conflict(/Only \$50\.00 is available/);
  await t.throwsAsync(work.propose(withdraw, ada, money), tooMuch);
  const correction = { ...money, transactionId };
  await t.throwsAsync(
    work.propose(correctTopUp, ada, correction),
    conflict(/The top-up was \$50\.00/),
  );
  t.is(await work.models.proposals.countDocuments({ partnerId }), 0);

  await operate(work.deps, correctTopUp, { ...correction, amountCents: 1_000 });
  const again = { ...correction, amountCents: 1, externalReference: 'again' };
  await t.throwsAsync(work.propose(correctTopUp, ada, again), conflict(/already corrected/));
  const left = { ...money, amountCents: 4_001, externalReference: 'all of it' };
  await t.throwsAsync(work.propose(withdraw, ada, left), conflict(/Only \$40\.00 is available/));
  await t.notThrowsAsync(work.propose(withdraw, ada, { ...left, amountCents: 4_000 }));
});

test('a withdrawal moves money once per reference, also if nothing is available any more', async (t) => {
  const { partnerId, fundingOf } = await funded();
  const money = { partnerId, amountCents: 5_000, ...outgoing };
  const made = await Promise.all([1, 2, 3].map(() => operate(work.deps, withdraw, money)));
  t.is(made.filter(({ isNew }) => isNew).length, 1);
  t.is(await fundingOf(), 0);
  const other = operate(work.deps, withdraw, { ...money, amountCents: 1 });
  await t.throwsAsync(other, conflict(/used for another withdrawal \(txn_\w+, \$50\.00\)/));
  await t.throwsAsync(operate(work.deps, withdraw, { ...money, currency: 'EUR' }));
});

test('a correction names its top-up, once, and leaves it as it is', async (t) => {
  const { partnerId, transactionId, fundingOf } = await funded();
  const money = { partnerId, transactionId, amountCents: 4_500, ...outgoing };
  await t.throwsAsync(
    operate(work.deps, correctTopUp, { ...money, amountCents: 5_001 }),
    conflict(/The top-up was \$50\.00/),
  );
  const proposal = await work.propose(correctTopUp, ada, money);
  t.like(proposal.shown, { topUpReference: 'topUp:wire in', topUpCents: 5_000 });
  const before = await entriesOf(partnerId);
  await work.approve(bob, proposal);
  t.is(await fundingOf(), 500);
  const [topUp, correction] = await entriesOf(partnerId);
  t.deepEqual(topUp, before[0]);
  t.like(correction, {
    kind: 'CORRECTION',
    reference: 'correct:wire out',
    reverses: transactionId,
  });
  t.false((await operate(work.deps, correctTopUp, money)).isNew);
  const again = { ...money, amountCents: 1, externalReference: 'again' };
  await t.throwsAsync(
    operate(work.deps, correctTopUp, again),
    conflict(/already corrected, by txn_/),
  );
  const unknown = { ...money, transactionId: correction?._id ?? '' };
  await t.throwsAsync(operate(work.deps, correctTopUp, unknown), { code: 'NOT_FOUND' });
  t.is(await fundingOf(), 500);
});

test('a correction takes back only what is available', async (t) => {
  const { partnerId, transactionId, fundingOf } = await funded();
  await operate(work.deps, withdraw, { partnerId, amountCents: 4_000, ...outgoing });
  const money = { partnerId, transactionId, amountCents: 1_001, ...outgoing };
  await t.throwsAsync(
    operate(work.deps, correctTopUp, money),
    conflict(/Only \$10\.00 is available/),
  );
  await operate(work.deps, correctTopUp, { ...money, amountCents: 1_000 });
  t.is(await fundingOf(), 0);
});

let plans = 0;

/** A partner with an invoice of 10.00, for an upgrade. */
async function invoiced() {
  const { partnerId } = await funded();
  const published = async (monthlyPriceCents: number) => {
    plans += 1;
    const fields = { ...smallPlan, planCode: `plan-${plans}`, monthlyPriceCents };
    const { _id: planVersionId } = await operate(work.deps, createPlanVersion, fields);
    return (await operate(work.deps, publishPlanVersion, { planVersionId }))._id;
  };
  const planVersionId = await published(0);
  await operate(work.deps, subscribe, { partnerId, planVersionId, interval: 'MONTH' });
  await operate(work.deps, changePlan, { partnerId, planVersionId: await published(100_000) });
  const invoice = await work.models.invoices.findOne({ partnerId }).orFail();
  return { partnerId, invoiceId: invoice._id, invoice };
}

const today = () => new Date(work.deps.now()).toISOString().slice(0, 10);

test('a payment takes two operators, and is the invoice’s once per reference', async (t) => {
  const { partnerId, invoiceId, invoice } = await invoiced();
  const bank = { amountCents: 400, currency: 'USD', paidOn: today(), reference: 'wire 7' };
  const payment = { partnerId, invoiceId, ...bank };
  await work.approve(bob, await work.propose(recordPayment, ada, payment));
  const paid = await operate(work.deps, recordPayment, payment);
  t.is(paid.paidCents, 400);
  t.like(paid, { payments: [{ reference: 'wire 7', amountCents: 400, paidOn: today() }] });
  const tooMuch = { ...payment, amountCents: invoice.totalCents, reference: 'wire 8' };
  await t.throwsAsync(work.propose(recordPayment, ada, tooMuch), conflict(/is left to pay/));
  await t.throwsAsync(operate(work.deps, recordPayment, { ...payment, currency: 'EUR' }), {
    code: 'VALIDATION_FAILED',
    message: /currency must be USD/,
  });
  for (const paidOn of ['2999-01-01', '1999-12-31', '2026-02-30', 'today']) {
    const wrong = { ...payment, paidOn };
    await t.throwsAsync(work.propose(recordPayment, ada, wrong), { code: 'VALIDATION_FAILED' });
  }
});

test('a payment that did not arrive is reversed by two operators, once, and is due again', async (t) => {
  const { partnerId, invoiceId, invoice } = await invoiced();
  const bank = { currency: 'USD', paidOn: today(), reference: 'wire 7' };
  const amountCents = invoice.totalCents;
  await operate(work.deps, recordPayment, { partnerId, invoiceId, amountCents, ...bank });
  const input = { partnerId, invoiceId, reference: 'wire 7', reason: 'The bank returned it.' };
  const proposal = await work.propose(reversePayment, ada, input);
  await t.throwsAsync(work.approve(ada, proposal), { code: 'FORBIDDEN' });
  await work.approve(bob, proposal);
  const again = await operate(work.deps, reversePayment, input);
  t.like(again, { paidCents: 0, reversals: [{ reference: 'wire 7', amountCents }] });
  const [paid, reversed] = (await entriesOf(partnerId)).slice(-2);
  t.is(reversed?.reference, `reversal:${invoiceId}:wire 7`);
  t.is(reversed?.reverses, paid?._id);
  await t.throwsAsync(operate(work.deps, reversePayment, { ...input, reference: 'wire 8' }), {
    code: 'NOT_FOUND',
  });
  await operate(work.deps, voidInvoice, { partnerId, invoiceId, reason: 'A mistake.' });
});

test('concurrent payments never exceed the invoice', async (t) => {
  const { partnerId, invoiceId, invoice } = await invoiced();
  const half = Math.ceil(invoice.totalCents / 2);
  const all = await Promise.allSettled(
    [1, 2, 3].map((nth) =>
      operate(work.deps, recordPayment, {
        ...{ partnerId, invoiceId, amountCents: half, currency: 'USD' },
        ...{ paidOn: today(), reference: `wire ${nth}` },
      }),
    ),
  );
  const stored = await work.models.invoices.findOne({ partnerId, _id: invoiceId }).orFail();
  const made = all.filter(({ status }) => status === 'fulfilled').length;
  t.is(stored.paidCents, made * half);
  t.true(stored.paidCents <= stored.totalCents);
});

test('an unpaid invoice is voided by two operators, with a credit note', async (t) => {
  const { partnerId, invoiceId, invoice } = await invoiced();
  const input = { partnerId, invoiceId, reason: 'The plan was a mistake.' };
  await work.approve(bob, await work.propose(voidInvoice, ada, input));
  const voided = await work.models.invoices.findOne({ partnerId, _id: invoiceId }).orFail();
  t.like(voided, {
    status: 'VOID',
    creditNote: { number: `${invoice.number}-C`, reason: input.reason },
  });
  const entry = await work.models.ledger.findOne({
    partnerId,
    reference: `creditNote:${invoiceId}`,
  });
  t.is(entry?.kind, 'CREDIT_NOTE');
  const late = { amountCents: 1, currency: 'USD', paidOn: today(), reference: 'late' };
  await t.throwsAsync(
    operate(work.deps, recordPayment, { partnerId, invoiceId, ...late }),
    conflict(/is void/),
  );
  await t.throwsAsync(operate(work.deps, voidInvoice, { ...input, partnerId: 'prt_nobody' }), {
    code: 'NOT_FOUND',
  });
});

test('nobody is asked to approve that a paid invoice is voided', async (t) => {
  const { partnerId, invoiceId } = await invoiced();
  const bank = { amountCents: 400, currency: 'USD', paidOn: today(), reference: 'wire 7' };
  await operate(work.deps, recordPayment, { partnerId, invoiceId, ...bank });
  const input = { partnerId, invoiceId, reason: 'The plan was a mistake.' };
  await t.throwsAsync(work.propose(voidInvoice, ada, input), conflict(/paid/));
  t.is(await work.models.proposals.countDocuments({ partnerId }), 0);
});
