import test from 'ava';
import { mongo } from 'mongoose';
import { maxIntegrations } from '../../domain/partners.ts';
import { customerHoldings, walletBalances } from '../../models/ledger/index.ts';
import type { OperatorActor, UserActor } from '../../operations/actor.ts';
import { type OperatorRedemption, redeem } from '../../operations/customers.ts';
import { createRule } from '../../operations/earning-rules.ts';
import { execute } from '../../operations/execute.ts';
import { createIntegration } from '../../operations/integrations.ts';
import { createPartner, updatePartner } from '../../operations/partners.ts';
import { addTestFunding, maxTestFundingCents, topUp } from '../../operations/wallets.ts';
import { newId } from '../../platform/ids.ts';
import { operate } from '../helpers/operate.ts';
import { openWorkplace, type Workplace } from './helpers/workplace.ts';

let work: Workplace;
let ada: OperatorActor;
let fay: OperatorActor;
test.before(async () => {
  work = await openWorkplace({ FOUR_EYES: 'off' });
  [ada, fay] = await Promise.all([work.operator(), work.operator('finance')]);
});
test.after.always(() => work?.close());

const conflict = (message?: RegExp) => ({ code: 'CONFLICT', ...(message && { message }) });
const invalid = (message: RegExp) => ({ code: 'VALIDATION_FAILED', message });

const livePartner = async () => (await work.partner({ mode: 'LIVE' })).partnerId;
const fundingOf = async (partnerId: string) =>
  (await walletBalances(work.models, { mode: 'LIVE', partnerId })).fundingCents;
const entriesOf = (partnerId: string) => work.models.auditEntries.find({ partnerId });

async function pay(
  partnerId: string,
  { amountCents = 5_000 as unknown, externalReference = 'wire 1' as unknown } = {},
) {
  const money = { partnerId, amountCents, currency: 'USD', externalReference };
  const executed = await execute(work.deps, topUp, fay, money);
  if (!executed.isDone) throw new Error('the operation should not need approval');
  return executed.outcome;
}

test('a top-up adds to the LIVE funding once per external reference', async (t) => {
  const partnerId = await livePartner();
  const made = await pay(partnerId);
  t.true(made.isNew);
  t.like(made.entry, { kind: 'TOP_UP', reference: 'topUp:wire 1', partnerId });
  t.is(await fundingOf(partnerId), 5_000);
  t.deepEqual(await pay(partnerId), { ...made, isNew: false });
  await t.throwsAsync(
    pay(partnerId, { amountCents: 5_001 }),
    conflict(/used for another top-up \(txn_\w+, \$50\.00\)/),
  );
  await pay(partnerId, { amountCents: 1, externalReference: 'wire 2' });
  t.is(await fundingOf(partnerId), 5_001);
});

test('concurrent equal top-ups add the money once, and leave one audit entry', async (t) => {
  const partnerId = await livePartner();
  const all = await Promise.all(Array.from({ length: 20 }, () => pay(partnerId)));
  t.is(all.filter(({ isNew }) => isNew).length, 1);
  t.is(await fundingOf(partnerId), 5_000);
  const [entry, ...others] = await entriesOf(partnerId);
  t.deepEqual(others, []);
  t.like(entry, {
    action: 'partner.top-up',
    status: 'DONE',
    targetId: partnerId,
    partnerId,
    details: { reference: 'wire 1', amountCents: 5_000 },
  });
  await work.models.auditEntries.deleteOne({ _id: entry?._id ?? '' });
  await pay(partnerId);
  t.is((await entriesOf(partnerId)).length, 1, 'a repeat writes the entry that a crash prevented');
});

test('a top-up that another unique key refuses is not taken for one that was made', async (t) => {
  const partnerId = await livePartner();
  const refusal = new mongo.MongoServerError({ message: 'E11000 duplicate key', code: 11_000 });
  const refused = { ...work.deps, commit: () => Promise.reject(refusal) };
  const money = { partnerId, amountCents: 5_000, currency: 'USD', externalReference: 'wire 1' };
  t.is(await t.throwsAsync(execute(refused, topUp, fay, money)), refusal);
  t.is(await fundingOf(partnerId), 0);
});

test('a top-up interrupted by a crash leaves its intent, and a repeat completes it', async (t) => {
  const partnerId = await livePartner();
  const commit = () => Promise.reject(new Error('the process dies here'));
  const broken = { ...work.deps, commit };
  const money = { partnerId, amountCents: 5_000, currency: 'USD', externalReference: 'wire 1' };
  await t.throwsAsync(execute(broken, topUp, fay, money), { message: 'the process dies here' });
  const [intent, ...others] = await entriesOf(partnerId);
  t.deepEqual(others, []);
  t.like(intent, { action: 'partner.top-up', status: 'INTENDED', completedAt: null });
  await pay(partnerId);
  const entries = await entriesOf(partnerId);
  t.is(entries.length, 1);
  t.like(entries[0], { _id: intent?._id, status: 'DONE' });
  t.truthy(entries[0]?.completedAt);
});

test('an invalid amount or reference is refused and named, and changes nothing', async (t) => {
  const partnerId = await livePartner();
  for (const amountCents of [0, -1, 1.5, '100', null, 100_000_000_001]) {
    await t.throwsAsync(pay(partnerId, { amountCents }), invalid(/amountCents/));
  }
  for (const externalReference of ['', ' ', 'a\nb', 'x'.repeat(161), 7, null]) {
    await t.throwsAsync(pay(partnerId, { externalReference }), invalid(/externalReference/));
  }
  await t.throwsAsync(pay('prt_nobody'), { code: 'NOT_FOUND' });
  t.is(await work.models.ledger.countDocuments({ partnerId }), 0);
});

test('test funding is the partner’s, is in no LIVE ledger, and is limited for partners', async (t) => {
  const { deps, models } = work;
  const { partnerId } = await work.partner();
  const wallet = { mode: 'TEST', partnerId } as const;
  const money = { amountCents: 1_000, externalReference: 'play money' };
  const grant = (of: string) => execute(deps, addTestFunding, ada, { ...money, partnerId: of });
  const stored = async () => await walletBalances(models, wallet);
  t.true((await stored()).isUnlimited);
  t.true((await grant(partnerId)).isNew);
  t.false((await grant(partnerId)).isNew);
  t.like(await stored(), { isUnlimited: false, fundingCents: 1_000 });
  t.is(await fundingOf(partnerId), 0);
  t.is(await models.ledger.countDocuments({ partnerId, mode: 'LIVE' }), 0);
  const [entry] = await entriesOf(partnerId);
  t.like(entry, { action: 'test-funding.add', targetId: partnerId });
  await t.throwsAsync(grant('prt_nobody'), { code: 'NOT_FOUND' });

  const common = { requestId: 'req_test', factor: null, partnerId } as const;
  const user: UserActor = { kind: 'user', id: 'usr_1', role: 'developer', ...common };
  const own = (amountCents: number) =>
    execute(deps, addTestFunding, user, { partnerId, amountCents, externalReference: 'own' });
  const limit = conflict(/at most \$10,000,000\.00 of available/);
  await t.throwsAsync(own(maxTestFundingCents - 999), limit);
  await own(maxTestFundingCents - 1_000);
  t.is((await stored()).fundingCents, maxTestFundingCents);
});

test('concurrent test funding never exceeds the limit of a partner, nor do its integrations', async (t) => {
  const { deps, models } = work;
  const { partnerId } = await work.partner();
  const common = { requestId: 'req_test', factor: null, partnerId } as const;
  const user: UserActor = { kind: 'user', id: 'usr_1', role: 'developer', ...common };
  const amountCents = maxTestFundingCents - 100;
  await Promise.allSettled(
    Array.from({ length: 8 }, (_, at) =>
      execute(deps, addTestFunding, user, {
        partnerId,
        amountCents,
        externalReference: `own ${at}`,
      }),
    ),
  );
  const wallet = { mode: 'TEST', partnerId } as const;
  t.is((await walletBalances(models, wallet)).fundingCents, amountCents);

  const held = await models.integrations.countDocuments({ partnerId });
  const createdAt = new Date();
  await models.integrations.create(
    Array.from({ length: maxIntegrations - 1 - held }, () => ({
      _id: newId('integration'),
      partnerId,
      name: 'one of many',
      delivery: 'SERVICE' as const,
      createdAt,
    })),
  );
  const all = await Promise.allSettled(
    Array.from({ length: 6 }, (_, at) =>
      execute(deps, createIntegration, user, { partnerId, name: `last ${at}` }),
    ),
  );
  t.is(all.filter(({ status }) => status === 'fulfilled').length, 1);
  t.is(await models.integrations.countDocuments({ partnerId }), maxIntegrations);
});

/** A LIVE partner's customer with 499 points worth 4.99. */
async function aCustomer() {
  const { partnerId } = await work.partner({ mode: 'LIVE', fundingCents: 10_000 });
  const { customerId } = await work.town.claimed({ partnerId, mode: 'LIVE' });
  const spend = async (redemption: Omit<OperatorRedemption, 'customerId'>) => {
    const executed = await execute(work.deps, redeem, fay, { customerId, ...redemption });
    if (!executed.isDone) throw new Error('the operation should not need approval');
    return executed.outcome;
  };
  const holds = () => customerHoldings(work.models, { partnerId, customerId });
  return { partnerId, customerId, spend, holds };
}

test('points that a customer spends take their share of the amount owed', async (t) => {
  const { partnerId, customerId, spend, holds } = await aCustomer();
  t.like(await holds(), { points: 499, owedCents: 499 });
  const voucher = { points: 300, reference: 'voucher 7' };
  const made = await spend(voucher);
  t.true(made.isNew);
  t.like(await holds(), { points: 199, owedCents: 199 });
  const redemption = { action: 'customer.redeem', targetId: customerId };
  const entry = await work.models.auditEntries.findOne(redemption);
  t.like(entry, { status: 'DONE', partnerId, details: voucher });
  t.deepEqual(await spend(voucher), { ...made, isNew: false });
  await t.throwsAsync(spend({ ...voucher, points: 1 }), conflict(/another redemption/));
  await t.throwsAsync(
    spend({ points: 200, reference: 'voucher 8' }),
    conflict(/can spend 199 points/),
  );
  await operate(work.deps, updatePartner, { partnerId, status: 'SUSPENDED' });
  await t.throwsAsync(spend({ points: 1, reference: 'voucher 9' }), { code: 'PARTNER_SUSPENDED' });
  t.like(await holds(), { points: 199, owedCents: 199 });
});

test('concurrent redemptions spend each point once', async (t) => {
  const { spend, holds } = await aCustomer();
  const all = await Promise.allSettled(
    Array.from({ length: 10 }, (_, at) => spend({ points: 100, reference: `v${at}` })),
  );
  t.is(all.filter(({ status }) => status === 'fulfilled').length, 4);
  t.like(await holds(), { points: 99, owedCents: 99 });
});

test('a customer only in TEST has no balance to spend', async (t) => {
  const { partnerId } = await work.partner();
  const { reward } = await work.town.reviewed({ partnerId, mode: 'TEST' });
  for (const customerId of [reward.customerId, 'cus_nobody']) {
    await t.throwsAsync(
      execute(work.deps, redeem, fay, { customerId, points: 1, reference: 'r' }),
      { code: 'NOT_FOUND' },
    );
  }
});

test('rules of both modes use the currency of the partner’s funds, which is fixed once used', async (t) => {
  const { deps } = work;
  const change = (partnerId: string, currency: string) =>
    operate(deps, updatePartner, { partnerId, currency });
  const { _id: partnerId } = await operate(deps, createPartner, { name: 'Shop', currency: 'EUR' });
  const rule = { partnerId, kind: 'FIXED', points: 1 } as const;
  const usd = { ...rule, currency: 'USD' };
  for (const mode of ['LIVE', 'TEST'] as const) {
    await t.throwsAsync(operate(deps, createRule, { ...usd, mode }), invalid(/must be EUR/));
  }
  await change(partnerId, 'GBP');
  await operate(deps, createRule, { ...rule, mode: 'LIVE', currency: 'GBP' });
  await t.throwsAsync(change(partnerId, 'USD'), conflict(/currency cannot change/));
  t.is((await change(partnerId, 'GBP')).currency, 'GBP');

  const paid = await livePartner();
  await pay(paid);
  await t.throwsAsync(change(paid, 'EUR'), conflict(/currency cannot change/));
});
