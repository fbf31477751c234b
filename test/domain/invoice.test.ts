import test from 'ava';
import { Draft, readOf } from '../../domain/draft.ts';
import type { Terms } from '../../domain/facts.ts';
import {
  type Invoice,
  nextReminderAt,
  owedCentsOf,
  paymentReferenceOf,
  paymentStatusAt,
} from '../../domain/invoice.ts';
import {
  issueCreditNote,
  oweInvoice,
  recordInvoicePayment,
  recordPaymentReversal,
  remind,
} from '../../domain/invoice-facts.ts';
import type { Subscription } from '../../domain/subscription.ts';
import { Stored } from '../helpers/read.ts';

const partnerId = 'prt_1';
const [start, end] = ['2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'];
const dueAt = new Date('2026-03-15T09:00:00.000Z');
const terms = {
  priceCents: 1_000,
  includedPoints: 100,
  overageRateMicrosPerPoint: 10_000,
  currency: 'USD',
};

const invoice: Invoice = {
  _id: 'inv_1',
  partnerId,
  subscriptionId: 'sub_1',
  planVersionId: 'pln_1',
  kind: 'PERIOD',
  changeId: null,
  seq: 1,
  number: '2026-0001',
  currency: 'USD',
  periodStart: new Date(start),
  periodEnd: new Date(end),
  terms,
  lines: [
    { kind: 'PLAN', description: '', amountCents: 1_000 },
    { kind: 'OVERAGE', description: '', amountCents: 50 },
    { kind: 'CREDIT', description: '', amountCents: -30 },
  ],
  totalCents: 1_020,
  paymentReference: 'PE-1-1',
  status: 'ISSUED',
  payments: [],
  paidCents: 0,
  reversals: [],
  creditNote: null,
  issuedAt: new Date(end),
  dueAt,
  reminders: 0,
  remindAt: nextReminderAt({ dueAt }, 0),
};

const at = (text: string): Terms => ({
  at: new Date(text),
  lowBalanceThresholdCents: 0,
  subscription: null,
});
const now = at('2026-03-10T00:00:00.000Z');

/** An invoice that is owed, its period, and what the subscription has saved since. */
function draftWith(changes: Partial<Invoice> = {}, { points = 150, creditCents = 0 } = {}): Draft {
  const subscription = { _id: 'sub_1', partnerId, creditCents } as Subscription;
  const periodId = `sub_1/${start}`;
  const period = {
    _id: periodId,
    partnerId,
    subscriptionId: 'sub_1',
    start,
    points,
    billedOn: terms,
  };
  const one = { ...invoice, ...changes };
  const read = readOf({
    partnerId,
    wallet: {
      ...{ _id: partnerId, partnerId, mode: 'LIVE', balances: {}, seq: 0, hash: '' },
      ...{ rewards: {}, version: 0, due: null },
    },
    periods: new Map([[periodId, period]]),
    subscriptions: new Map([['sub_1', subscription]]),
    invoices: new Stored([['inv_1', one]]),
    lastInvoice: 1,
  });
  const draft = new Draft(read);
  oweInvoice(draft, one, now);
  return draft;
}

const payment = (amountCents: number, reference = 'wire 1') => ({
  reference,
  amountCents,
  paidOn: '2026-03-09',
});
const pay = (draft: Draft, amountCents: number, reference = 'wire 1') =>
  recordInvoicePayment(draft, 'inv_1', payment(amountCents, reference), now);
const conflict = (message: RegExp) => ({ code: 'CONFLICT', message });

for (const [what, changes, expected] of [
  ['is due', {}, 'DUE'],
  ['is paid in part', { paidCents: 1 }, 'PARTIALLY_PAID'],
  ['is paid', { paidCents: 1_020 }, 'PAID'],
  ['has nothing to pay', { totalCents: 0 }, 'PAID'],
  ['is due today', { dueAt: new Date('2026-03-10T00:00:00.000Z') }, 'DUE'],
  ['was due yesterday', { dueAt: new Date('2026-03-09T23:59:59.999Z') }, 'OVERDUE'],
  ['was due, paid in part', { paidCents: 1, dueAt: new Date('2026-03-01') }, 'OVERDUE'],
  ['was due, and is paid', { paidCents: 1_020, dueAt: new Date('2026-03-01') }, 'PAID'],
  ['is void', { status: 'VOID', dueAt: new Date('2026-03-01') }, 'VOID'],
] as const) {
  test(`an invoice that ${what} is ${expected}`, (t) => {
    t.is(paymentStatusAt({ ...invoice, ...changes }, now.at), expected);
  });
}

test('payments add up until nothing is left, and each is an entry', (t) => {
  const draft = draftWith();
  t.like(pay(draft, 20), { paidCents: 20, remindAt: invoice.remindAt });
  const paid = pay(draft, 1_000, 'wire 2');
  t.like(paid, {
    paidCents: 1_020,
    remindAt: null,
    payments: [payment(20), payment(1_000, 'wire 2')],
  });
  t.is(owedCentsOf(paid), 0);
  t.deepEqual(draft.wallet?.balances, { planReceivable: 0, revenue: 1_020, planCash: -1_020 });
  t.deepEqual(
    draft.entries.map(({ kind, reference }) => [kind, reference]),
    [
      ['INVOICE', 'invoice:inv_1'],
      ['PAYMENT', 'payment:inv_1:wire 1'],
      ['PAYMENT', 'payment:inv_1:wire 2'],
    ],
  );
  const statuses = draft.webhooks.map(({ type, data }) => [type, data.paymentStatus]);
  t.deepEqual(statuses, [
    ['invoice.payment_recorded', 'PARTIALLY_PAID'],
    ['invoice.payment_recorded', 'PAID'],
  ]);
});

test('a payment is recorded once, and never more than is left', (t) => {
  const draft = draftWith();
  const paid = pay(draft, 1_000);
  t.is(pay(draft, 1_000), paid);
  t.throws(
    () => pay(draft, 20),
    conflict(/already a payment of this invoice: \$10\.00 on 2026-03-09/),
  );
  t.throws(() => pay(draft, 21, 'wire 2'), conflict(/Only \$0\.20 is left/));
  t.throws(() => recordInvoicePayment(draft, 'inv_2', payment(1), now), { code: 'NOT_FOUND' });
  const voided = draftWith({ status: 'VOID' });
  t.throws(() => pay(voided, 1), conflict(/is void: nothing is due/));
});

test('a payment that did not arrive is reversed once, named by the entry, and is due again', (t) => {
  const draft = draftWith();
  pay(draft, 20);
  t.is(pay(draft, 1_000, 'wire 2').remindAt, null);
  const by = { reference: 'wire 2', reason: 'the bank returned it', entryId: 'txn_2' };
  const due = recordPaymentReversal(draft, 'inv_1', by, now);
  const { entryId: _, ...reversal } = by;
  t.like(due, { paidCents: 20, remindAt: nextReminderAt(invoice, invoice.reminders) });
  t.deepEqual(due.reversals, [{ ...reversal, amountCents: 1_000, reversedAt: now.at }]);
  t.is(due.payments.length, 2, 'the payment stays');
  t.is(recordPaymentReversal(draft, 'inv_1', by, now), due);
  t.deepEqual(draft.wallet?.balances, { planReceivable: -1_000, revenue: 1_020, planCash: -20 });
  t.like(draft.entries.at(-1), {
    kind: 'PAYMENT_REVERSAL',
    reference: 'reversal:inv_1:wire 2',
    reverses: 'txn_2',
  });
  t.like(draft.webhooks.at(-1), {
    type: 'invoice.payment_reversed',
    data: { amountCents: 1_000, leftCents: 1_000, paymentStatus: 'PARTIALLY_PAID' },
  });
  t.throws(() => pay(draft, 1_000, 'wire 2'), conflict(/was reversed/));
  t.is(pay(draft, 1_000, 'wire 3').paidCents, 1_020);
  t.throws(() => recordPaymentReversal(draft, 'inv_1', { ...by, reference: 'wire 9' }, now), {
    code: 'NOT_FOUND',
  });
});

test('a credit note takes the whole invoice back, and gives back the credit that it used', (t) => {
  const draft = draftWith({}, { creditCents: 5 });
  const voided = issueCreditNote(draft, 'inv_1', 'a mistake', now);
  const creditNote = { number: '2026-0001-C', reason: 'a mistake', issuedAt: now.at };
  t.like(voided, { status: 'VOID', creditNote, remindAt: null, totalCents: 1_020 });
  t.is(draft.subscriptions.get('sub_1')?.creditCents, 35);
  t.deepEqual(draft.wallet?.balances, { planReceivable: 0, revenue: 0 });
  t.is(issueCreditNote(draft, 'inv_1', 'again', now), voided);
  t.is(draft.entries.length, 2);
  t.is(draft.webhooks.at(-1)?.type, 'invoice.voided');
});

test('what points of a voided period had saved is no credit any more', (t) => {
  // Twenty points were given back since: 0.20 was credited.
  const draft = draftWith({}, { points: 130, creditCents: 20 });
  issueCreditNote(draft, 'inv_1', 'a mistake', now);
  t.is(draft.subscriptions.get('sub_1')?.creditCents, 30);
  const billedOn = { ...terms, priceCents: 0, overageRateMicrosPerPoint: 0 };
  t.like(draft.periods.get(`sub_1/${start}`), { points: 130, billedOn });
  const used = draftWith({ lines: invoice.lines.slice(0, 2) }, { points: 130, creditCents: 0 });
  t.throws(() => issueCreditNote(used, 'inv_1', 'a mistake', now), conflict(/Void that one first/));
});

test('an invoice that was paid, or on which nothing is owed, is not voided', (t) => {
  const draft = draftWith();
  pay(draft, 1);
  t.throws(
    () => issueCreditNote(draft, 'inv_1', 'why', now),
    conflict(/0\.01 .* was paid, so it stands/),
  );
  const free = draftWith({ totalCents: 0, lines: [] });
  t.throws(() => issueCreditNote(free, 'inv_1', 'why', now), conflict(/Nothing is owed/));
});

test('the partner is reminded on the day after the due date, and 7 and 21 days later', (t) => {
  const draft = draftWith();
  const reminded = (text: string) => remind(draft, 'inv_1', at(text));
  t.false(reminded('2026-03-15T23:59:59.999Z'));
  t.true(reminded('2026-03-16T00:00:00.000Z'));
  t.false(reminded('2026-03-22T23:00:00.000Z'));
  t.true(reminded('2026-03-23T01:00:00.000Z'));
  t.true(reminded('2026-04-06T01:00:00.000Z'));
  t.false(reminded('2027-01-01T00:00:00.000Z'));
  const data = draft.webhooks.map((one) => [one.type, one.data.reminder, one.data.isLastReminder]);
  t.deepEqual(data, [
    ['invoice.overdue', 1, false],
    ['invoice.overdue', 2, false],
    ['invoice.overdue', 3, true],
  ]);
});

test('a late reminder is followed by the next a week later, not at once', (t) => {
  const draft = draftWith();
  t.true(remind(draft, 'inv_1', at('2026-05-01T00:00:00.000Z')));
  t.false(remind(draft, 'inv_1', at('2026-05-07T00:00:00.000Z')));
  t.true(remind(draft, 'inv_1', at('2026-05-08T00:00:00.000Z')));
});

test('nobody is reminded of what is paid or void', (t) => {
  const late = at('2026-05-01T00:00:00.000Z');
  const paid = draftWith();
  pay(paid, 1_020);
  t.false(remind(paid, 'inv_1', late));
  const voided = draftWith();
  issueCreditNote(voided, 'inv_1', 'a mistake', now);
  t.false(remind(voided, 'inv_1', late));
});

test('a payment reference is the installation’s prefix, the partner, and the invoice', (t) => {
  const id = 'prt_01K7ZQ8Y5N3T6W9X2V7K3QX9F2';
  t.is(paymentReferenceOf('PE', id), 'PE-7K3QX9F2');
  t.is(paymentReferenceOf('PE', id, 12), 'PE-7K3QX9F2-12');
});
