import test, { type ExecutionContext } from 'ava';
import type { AuditRunDoc } from '../../models/schemas/audit.ts';
import { system } from '../../operations/actor.ts';
import { execute } from '../../operations/execute.ts';
import { correctTopUp, withdraw } from '../../operations/funding.ts';
import { recordPayment, reversePayment, voidInvoice } from '../../operations/invoices.ts';
import { type AuditDatabase, openAuditDatabase } from './helpers/audit-database.ts';

let database: AuditDatabase;
test.before(async () => {
  database = await openAuditDatabase();
});
test.after.always(() => database?.close());

const faultsOf = ({ checks }: AuditRunDoc, partnerId: string) =>
  checks.flatMap(({ name, culprits }) =>
    culprits.filter((one) => one.includes(partnerId)).map((one) => `${name}: ${one}`),
  );

function assertFound(t: ExecutionContext, faults: readonly string[], ...names: string[]): void {
  const isFound = faults.some((fault) => names.every((name) => fault.includes(name)));
  t.true(isFound, `${names.join(', ')} in ${JSON.stringify(faults, null, 1)}`);
}

const deps = () => ({ models: database.models, commit: database.commit, now: Date.now });
const by = system('test');

/** A partner from whose funding money went out, and that paid one invoice and had another voided. */
async function paidPartner() {
  const partner = database.partner();
  const { partnerId } = partner;
  const topUp = await partner.topUp(10_000, 'LIVE', 'wire in');
  const out = { partnerId, currency: 'USD' };
  await execute(deps(), withdraw, by, { ...out, amountCents: 700, externalReference: 'out' });
  const { _id: transactionId } = topUp;
  const correction = { transactionId, amountCents: 300, externalReference: 'back' };
  await execute(deps(), correctTopUp, by, { ...out, ...correction });
  await partner.subscribe();
  const counted = await partner.purchase(1_500);
  const first = await partner.bill();
  await partner.move(counted, 'REFUND');
  const second = await partner.bill();
  const payment = { ...out, invoiceId: second._id, paidOn: '2026-01-02' };
  await execute(deps(), recordPayment, by, { ...payment, amountCents: 100, reference: 'wire 1' });
  return { partner, partnerId, transactionId, first, second, payment };
}

test('money that went out, payments and credit notes are clean', async (t) => {
  const { partner, partnerId, first, second, payment } = await paidPartner();
  const left = second.totalCents - 100;
  const rest = { ...payment, amountCents: left, reference: 'wire 1b' };
  await execute(deps(), recordPayment, by, rest);
  const { invoiceId, reference } = { ...rest };
  const reversal = { partnerId, invoiceId, reference, reason: 'it did not arrive' };
  await execute(deps(), reversePayment, by, reversal);
  await execute(deps(), recordPayment, by, { ...rest, reference: 'wire 1c' });
  const { faults, summary } = await partner.audit();
  t.is(faults, 0, summary);
  const reason = 'a mistake';
  const voided = execute(deps(), voidInvoice, by, { partnerId, invoiceId: first._id, reason });
  await t.throwsAsync(voided, { code: 'CONFLICT', message: /Void that one first/ });
});

test('an invoice that was voided after its credit was used elsewhere is clean', async (t) => {
  const partner = database.partner();
  const { partnerId } = partner;
  await partner.topUp(10_000);
  await partner.subscribe();
  const [returned, kept] = [await partner.purchase(1_200), await partner.purchase(300)];
  const first = await partner.bill();
  await partner.move(returned, 'REFUND');
  const second = await partner.bill();
  for (const { _id: invoiceId } of [second, first]) {
    await execute(deps(), voidInvoice, by, { partnerId, invoiceId, reason: 'a mistake' });
    t.deepEqual(faultsOf(await partner.audit(), partnerId), []);
  }
  await partner.move(kept, 'REFUND');
  t.deepEqual(faultsOf(await partner.audit(), partnerId), []);
  const { creditCents } = await database.models.subscriptions.findOne({ partnerId }).orFail();
  t.is(creditCents, 0);
});

test('a correction that names no top-up, or takes back more than it, is found and named', async (t) => {
  const { partner, partnerId } = await paidPartner();
  const back = [
    { account: 'funding', unit: 'CENTS' as const, amount: -1 },
    { account: 'cash', unit: 'CENTS' as const, amount: 1 },
  ];
  const forged = await partner.forge({ reference: 'correct:x', kind: 'CORRECTION' }, back);
  const check = 'ledger: each correction names its top-up';
  assertFound(t, faultsOf(await partner.audit(), partnerId), check, forged._id, 'no top-up');
  const { _id } = await partner.topUp(1, 'LIVE', 'a cent');
  await database.models.ledger.updateOne(
    { reference: 'correct:back', partnerId },
    { $set: { reverses: _id } },
  );
  const faults = faultsOf(await partner.audit(), partnerId);
  assertFound(t, faults, check, 'correct:back', 'is no top-up before it');
  assertFound(t, faults, 'no entry is forged or changed', 'correct:back');
});

test('payments and credit notes that the ledger does not have are found and named', async (t) => {
  const { partner, partnerId, first, second } = await paidPartner();
  const { invoices } = database.models;
  const of = (_id: string) => ({ partnerId, _id });
  const found = async () => faultsOf(await partner.audit(), partnerId);
  const check = 'invoices: each bills what was counted, and is in the ledger';
  await invoices.updateOne(of(second._id), { $set: { paidCents: 101 } });
  assertFound(t, await found(), check, second.number, 'its payments are 100, what is paid is 101');
  await invoices.updateOne(of(second._id), { $set: { paidCents: 0, payments: [] } });
  assertFound(t, await found(), check, second.number, 'the ledger has the payments payment:inv_');
  const creditNote = { number: `${first.number}-C`, reason: '', issuedAt: new Date() };
  await invoices.updateOne(of(first._id), { $set: { status: 'VOID', creditNote } });
  assertFound(t, await found(), check, first.number, `and should take ${first.totalCents}`);
});

test('money that went out without an operation is found and named', async (t) => {
  const { partner, partnerId } = await paidPartner();
  await database.models.auditEntries.updateMany({ partnerId }, { $set: { status: 'FAILED' } });
  const faults = faultsOf(await partner.audit(), partnerId);
  const check = 'ledger: what operators moved is in the audit log';
  for (const reference of ['withdraw:out', 'correct:back', 'payment:inv_']) {
    assertFound(t, faults, check, reference);
  }
});

test('an operation whose money did not move is found and named', async (t) => {
  const partner = database.partner();
  const { partnerId } = partner;
  await partner.topUp(1);
  const details = { reference: 'lost', amountCents: 5 };
  await partner.operation('partner.withdraw', partnerId, details);
  await partner.operation('partner.correct-top-up', partnerId, details);
  await partner.operation('invoice.record-payment', 'inv_1', details);
  await partner.operation('invoice.void', 'inv_1', { amountCents: 5 });
  const faults = faultsOf(await partner.audit(), partnerId);
  const check = 'operators: the ledger has everything they moved';
  for (const reference of [
    'withdraw:lost',
    'correct:lost',
    'payment:inv_1:lost',
    'creditNote:inv_1',
  ]) {
    assertFound(t, faults, check, reference, 'missing');
  }
});
