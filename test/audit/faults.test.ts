import test, { type ExecutionContext } from 'ava';
import { type Checkpoint, createCheckpoints } from '../../audit/checkpoints.ts';
import type { LoggedCheckpoint } from '../../audit/index.ts';
import { summaryOf } from '../../audit/report.ts';
import { runAudit } from '../../audit/run.ts';
import { type Mode, modes } from '../../domain/mode.ts';
import { claimPostings, releasePostings, reservationPostings } from '../../domain/postings.ts';
import { createCommit } from '../../models/commit.ts';
import type { AuditEntryDoc, AuditRunDoc } from '../../models/schemas/audit.ts';
import type { InvoiceDoc } from '../../models/schemas/billing.ts';
import type { EntryDoc } from '../../models/schemas/entries.ts';
import type { AnyCollection } from '../../models/schemas/index.ts';
import type { ReconciliationRunDoc } from '../../models/schemas/processes.ts';
import type { OperatorActor } from '../../operations/actor.ts';
import { execute } from '../../operations/execute.ts';
import { noteApprovalsOff } from '../../operations/note-approvals-off.ts';
import { createFirstOperator } from '../../operations/operators.ts';
import { createPartner, partnerDefaults } from '../../operations/partners.ts';
import { topUp } from '../../operations/wallets.ts';
import { newId } from '../../platform/ids.ts';
import { createSealer } from '../../platform/sealing.ts';
import { readApprovalsOff } from '../../views/approvals.ts';
import { asOperator, operate } from '../helpers/operate.ts';
import { patienceMs } from '../helpers/patience.ts';
import { signLog } from '../helpers/sign-log.ts';
import { silentMessenger } from '../helpers/silent-messenger.ts';
import {
  type AuditDatabase,
  openAuditDatabase,
  type TestPartner,
} from './helpers/audit-database.ts';

let database: AuditDatabase;

const failed = ({ checks }: AuditRunDoc) => checks.filter(({ faults }) => faults > 0);

/** Asserts that a check found something and named all of it. */
function assertFound(
  t: ExecutionContext,
  run: AuditRunDoc,
  check: string,
  ...names: string[]
): void {
  const culprits = failed(run).find(({ name }) => name === check)?.culprits ?? [];
  const named = culprits.some((culprit) => names.every((name) => culprit.includes(name)));
  t.true(
    named,
    `${check} should name ${names.join(', ')}: ${JSON.stringify(failed(run), null, 1)}`,
  );
}

/** Creates rewards of a partner that have made every move. */
async function makeEveryMove(partner: TestPartner, mode: Mode): Promise<void> {
  await partner.topUp(1_000, mode);
  const buy = () => partner.purchase(100, mode);
  await buy();
  await partner.move(await buy(), 'CLAIM');
  await partner.move(await buy(), 'EXPIRE');
  await partner.move(await buy(), 'CORRECT', 'CLAIM', 'REFUND', 'UPHOLD');
  await partner.move(await buy(), 'CANCEL');
  await partner.move(await partner.purchase(100, mode, 14), 'PART', 'MATURE', 'CLAIM');
  await partner.move(await partner.purchase(100, mode, 14), 'REFUND', 'REINSTATE');
  await partner.move(await buy(), 'REFUND');
  await partner.move(await buy(), 'CLAIM', 'REFUND');
  await partner.move(await buy(), 'CLAIM', 'REFUND', 'DISMISS');
  await partner.move(await buy(), 'CLAIM', 'REFUND', 'UPHOLD');
  await partner.move(await partner.purchase(0, mode), 'CLAIM', 'REFUND', 'UPHOLD');
  // The funds are used up: these wait, and are cancelled, funded later, or wait still.
  await buy();
  const [cancelled, funded] = [await partner.purchase(900, mode), await buy()];
  await partner.move(cancelled, 'PART', 'REFUND');
  await partner.topUp(400, mode);
  await partner.move(funded, 'CLAIM');
  await partner.purchase(5_000, mode);
}

/** Creates rewards of which parts came back in every state. */
async function refundParts(partner: TestPartner, mode: Mode): Promise<void> {
  await partner.topUp(500, mode);
  const buy = () => partner.purchase(100, mode);
  await partner.move(await buy(), 'PART', 'PART', 'CLAIM', 'PART', 'PART', 'UPHOLD');
  await partner.move(await buy(), 'PART', 'CLAIM', 'PART', 'UPHOLD', 'PART', 'DISMISS', 'REFUND');
  await partner.move(await buy(), 'PART', 'EXPIRE', 'PART');
  const life = ['PART', 'REFUND', 'REINSTATE', 'PART'] as const;
  await partner.move(await buy(), ...life, ...life, 'CLAIM', 'PART', 'UPHOLD', 'REFUND', 'UPHOLD');
  await partner.move(await buy(), 'CLAIM', 'PART', 'UPHOLD', 'REFUND', 'UPHOLD', 'REFUND');
}

/**
 * Bills two periods: the first for 500 points above the allowance, of which 200 are given back after it was
 * closed, so the second invoice has a credit for them.
 */
async function billedTwice(partner: TestPartner) {
  await partner.topUp(7_000);
  await partner.subscribe();
  const counted = await partner.purchase(1_300);
  const givenBack = await partner.purchase(200);
  const first = await partner.bill();
  await partner.move(givenBack, 'REFUND');
  const second = await partner.bill();
  return { counted, givenBack, first, second };
}

const spring = { name: 'Spring', totalPoints: 500, monthPoints: null, month: '2026-03' };

test('a ledger of mixed moves is clean, and so is the next audit of it', async (t) => {
  const partner = database.partner();
  const spender = database.partner();
  for (const mode of modes) {
    await makeEveryMove(partner, mode);
    await refundParts(spender, mode);
  }
  await spender.topUp(1_000);
  await spender.move(await spender.purchase(20, 'TEST', 0, spring), 'CLAIM', 'PART', 'UPHOLD');
  const spent = await spender.move(await spender.purchase(300), 'CLAIM');
  await spender.redeem(spent, 200);
  await spender.hold(spent, 30, 'CAPTURE');
  await spender.hold(spent, 60, 'CAPTURE');
  await spender.hold(spent, 10, 'RELEASE');
  await spender.hold(spent, 5, 'CAPTURE', 'REVERSE');
  await spender.move(spent, 'PART', 'UPHOLD', 'REFUND', 'UPHOLD');
  await spender.hold(await spender.move(await spender.purchase(300), 'CLAIM'), 10);
  await spender.letPointsEnd('TEST');
  const tried = await spender.move(await spender.purchase(50, 'TEST'), 'CLAIM');
  await spender.hold(tried, 20, 'CAPTURE');
  await billedTwice(spender);
  const { models, customerHashKey } = database;
  const sealer = createSealer([{ id: 'test', key: customerHashKey }]);
  await signLog({ models, sealer, config: { customerHashKey } });
  for (const round of [1, 2]) {
    for (const one of [partner, spender]) {
      const run = await one.audit();
      t.deepEqual(failed(run), [], `round ${round}`);
      t.is(run.faults, 0);
      t.regex(run.summary, /^Clean/);
    }
  }
  const { checks } = await partner.audit();
  const { checks: others } = await spender.audit();
  t.true(checks.length >= 15);
  for (const { name, lookedAt } of checks.filter(({ name }) => !name.startsWith('operators'))) {
    const also = others.find((one) => one.name === name)?.lookedAt ?? 0;
    t.true(lookedAt + also > 0, name);
  }
  await partner.topUp(5);
  t.is((await partner.audit()).faults, 0);
});

test('a move without its entry is missing it', async (t) => {
  const partner = database.partner();
  await partner.topUp(10_000);
  const { rewardId } = await partner.purchase(100);
  const at = new Date();
  await database.models.rewards.updateOne(
    { _id: rewardId },
    {
      $set: { state: 'AVAILABLE' },
      $push: { moves: { move: 'CLAIM', at, state: 'AVAILABLE' } },
    },
  );
  const name = 'rewards: the entries of each match its moves';
  assertFound(t, await partner.audit(), name, rewardId, 'claim is missing');
});

test('a claim during a hold, and a hold that is not its purchase’s, are found', async (t) => {
  const partner = database.partner();
  await partner.topUp(200);
  const held = await partner.purchase(100, 'LIVE', 14);
  const claimed = await partner.move(await partner.purchase(100, 'LIVE', 14), 'MATURE', 'CLAIM');
  t.deepEqual(failed(await partner.audit()), []);
  const later = new Date(Date.now() + 60_000);
  const { rewards } = database.models;
  await rewards.updateOne({ _id: held.rewardId }, { claimableFrom: later });
  await rewards.updateOne({ _id: claimed.rewardId }, { claimableFrom: later });
  const run = await partner.audit();
  assertFound(t, run, 'purchases: one reward each', held.rewardId, 'has another hold');
  const name = 'rewards: the entries of each match its moves';
  assertFound(t, run, name, claimed.rewardId, 'its hold ended before it could');
});

test('a decision that does not fit the policy in force is found', async (t) => {
  const { models } = database;
  const partner = database.partner();
  const { partnerId } = partner;
  await partner.topUp(300);
  const [left, second] = [await partner.purchase(100), await partner.purchase(100)];
  await partner.move(left, 'CLAIM', 'REFUND');
  await partner.move(second, 'CLAIM', 'REFUND');
  const policy = await partner.policy();
  await partner.upholdByPolicy(left, policy);
  t.deepEqual(failed(await partner.audit()), []);
  const name = 'reviews: what a policy decided fits it';
  const found = async (change: object, ...names: string[]) => {
    const { review } = await models.rewards.findOne({ partnerId, _id: left.rewardId }).orFail();
    const before = await models.reviews
      .findOne({ partnerId, _id: review?.reviewId ?? '' })
      .orFail();
    await models.reviews.updateOne({ partnerId, _id: before._id }, change);
    assertFound(t, await partner.audit(), name, left.rewardId, ...names);
    await models.reviews.replaceOne({ partnerId, _id: before._id }, before);
  };
  await found({ $set: { 'policy.conditions.0.value': 99 } }, 'does not meet its HAS_POINTS');
  await found({ $set: { 'policy.conditions.1.value': 1 } }, 'is about another amount');
  await found({ $set: { 'policy.conditions.1.limit': 9_999 } }, 'was not judged by its MAX_CENTS');
  await found({ $set: { 'policy.upholdsAt': new Date(Date.now() + 60_000) } }, 'before its time');
  await found({ $set: { openedAt: new Date(0) } }, 'while it was not in force');
  await found({ $unset: { policy: 1 } }, 'no review that was left to it');
});

test('a contact that nobody corrected is found', async (t) => {
  const partner = database.partner();
  await partner.topUp(100);
  const { rewardId, customerId } = await partner.move(await partner.purchase(100), 'CORRECT');
  t.deepEqual(failed(await partner.audit()), []);
  await database.models.rewards.updateOne({ _id: rewardId }, { customerId: `${customerId}_` });
  const name = 'purchases: one reward each';
  assertFound(
    t,
    await partner.audit(),
    name,
    `nobody corrected the contact of its reward ${rewardId}`,
  );
});

test('a move without its webhook event, and an event without a move, are found and named', async (t) => {
  const { models } = database;
  const partner = database.partner();
  const { partnerId } = partner;
  await models.webhookEndpoints.create({
    _id: newId('webhookEndpoint'),
    partnerId,
    mode: 'TEST',
    slot: 0,
    eventTypes: ['*'],
    url: 'https://shop.example/',
    secrets: [],
    status: 'ACTIVE',
    createdAt: new Date(0),
    updatedAt: new Date(0),
  });
  await makeEveryMove(partner, 'TEST');
  // LIVE has no endpoint, so its moves have no events.
  await partner.purchase(100);
  t.true((await models.webhookDeliveries.countDocuments({ partnerId })) > 10);
  t.deepEqual(failed(await partner.audit()), []);

  const name = 'webhooks: each move has its event, and each event its move';
  const lost = await models.webhookDeliveries
    .findOneAndDelete({ partnerId, type: 'reward.claimed' })
    .orFail();
  assertFound(
    t,
    await partner.audit(),
    name,
    lost.rewardId ?? '',
    'has no delivery of reward.claimed',
  );
  await models.webhookDeliveries.create(lost);
  const invented = { ...lost, _id: newId('webhookDelivery'), type: 'reward.expired' };
  await models.webhookDeliveries.create(invented);
  assertFound(
    t,
    await partner.audit(),
    name,
    lost.rewardId ?? '',
    'reward.expired',
    'never happened',
  );
});

test('a TEST wallet without test funding is clean, before and after the first is added', async (t) => {
  const partner = database.partner();
  const open = await partner.purchase(100, 'TEST');
  await partner.move(await partner.purchase(100, 'TEST'), 'CLAIM', 'REFUND', 'UPHOLD');
  await partner.move(await partner.purchase(100, 'TEST'), 'EXPIRE');
  t.deepEqual(failed(await partner.audit()), []);
  await partner.topUp(100, 'TEST');
  await partner.purchase(100, 'TEST');
  await partner.move(open, 'REFUND');
  t.deepEqual(failed(await partner.audit()), []);
});

test('a reward that cash pays for is found and named, in LIVE and once there is test funding', async (t) => {
  const partner = database.partner();
  for (const [mode, check] of [
    ['LIVE', 'ledger: the funding pays for every reward'],
    ['TEST', 'TEST ledger: the funding pays for every reward, once there is any'],
  ] as const) {
    await partner.topUp(100, mode);
    const { rewardId } = await partner.purchase(50, mode);
    const { _id } = await partner.append(
      `reserve:${rewardId}:2`,
      'RESERVE',
      reservationPostings('cash', { liabilityCents: 50, points: 50, customerId: 'cus_1' }),
      { mode, rewardId },
    );
    assertFound(t, await partner.audit(), check, _id, rewardId);
  }
});

test('a tampered amount is found and named', async (t) => {
  const partner = database.partner();
  const { reference } = await partner.topUp(500);
  await partner.topUp(100);
  const { _id } = await partner.tamper(reference, (postings) => {
    for (const posting of postings) if (posting.account === 'funding') posting.amount += 1;
  });
  const run = await partner.audit();
  assertFound(t, run, 'ledger: no entry is forged or changed', _id, 'number 1');
  assertFound(t, run, 'ledger: balances equal the sum of their entries', _id, 'funding is 500');
  assertFound(t, run, 'ledger: every transaction balances', _id, '1 cents');
});

test('a tampered balance is found and named', async (t) => {
  const partner = database.partner();
  const { reference } = await partner.topUp(500);
  await partner.topUp(100);
  const { _id } = await partner.tamper(reference, (postings) => {
    for (const posting of postings) posting.balanceAfter += 1;
  });
  const run = await partner.audit();
  assertFound(t, run, 'ledger: balances equal the sum of their entries', _id, 'cash is');
  assertFound(t, run, 'ledger: no entry is forged or changed', _id, 'number 1');
});

test('an entry whose hash was replaced, or that lacks a field, is found and named', async (t) => {
  const partner = database.partner();
  await partner.topUp(1);
  const { _id, hash } = await partner.topUp(2);
  const next = await partner.topUp(3);
  const { ledger } = database.models;
  await ledger.updateOne({ _id }, { $set: { hash: 'forged' } });
  const run = await partner.audit();
  assertFound(t, run, 'ledger: no entry is forged or changed', _id, 'number 2');
  assertFound(t, run, 'ledger: chains are unbroken', next._id, 'not bound to the one before it');
  await ledger.updateOne({ _id }, { $set: { hash } });
  t.is((await partner.audit()).faults, 0);
  await (ledger.collection as AnyCollection).updateOne({ _id }, { $unset: { at: 1 } });
  assertFound(t, await partner.audit(), 'ledger: no entry is forged or changed', _id);
});

test('a changed balance of a wallet or a customer is found and named', async (t) => {
  const check = 'ledger: wallets and customers hold what the entries leave';
  const { wallets, customerBalances } = database.models;
  const partner = database.partner();
  const { partnerId } = partner;
  await partner.topUp(500);
  await partner.topUp(500, 'TEST');
  const { customerId } = await partner.move(await partner.purchase(100), 'CLAIM');
  t.is((await partner.audit()).faults, 0);

  for (const [mode, name] of [
    ['LIVE', check],
    ['TEST', 'TEST ledger: wallets and customers hold what the entries leave'],
  ] as const) {
    await wallets.updateOne({ partnerId, mode }, { $inc: { 'balances.funding': 7 } });
    assertFound(t, await partner.audit(), name, `wallet ${mode}`, 'in funding');
    await wallets.updateOne({ partnerId, mode }, { $inc: { 'balances.funding': -7 } });
  }
  await wallets.updateOne({ partnerId, mode: 'LIVE' }, { $set: { 'balances.cellar': 0 } });
  assertFound(t, await partner.audit(), check, 'no entry is about cellar');
  await wallets.updateOne({ partnerId, mode: 'LIVE' }, { $unset: { 'balances.cellar': 1 } });

  for (const field of ['points', 'payableCents']) {
    await customerBalances.updateOne({ partnerId, customerId }, { $inc: { [field]: 1 } });
    assertFound(
      t,
      await partner.audit(),
      check,
      customerId,
      'the entries say 100 points, 100 cents',
    );
    await customerBalances.updateOne({ partnerId, customerId }, { $inc: { [field]: -1 } });
  }
  t.is((await partner.audit()).faults, 0);
  const invented = { partnerId, mode: 'LIVE', customerId: 'cus_invented' } as const;
  await customerBalances.create({ _id: 'invented', ...invented, payableCents: 1, points: 1 });
  assertFound(t, await partner.audit(), check, 'cus_invented', 'the entries say 0 points, 0 cents');
  await customerBalances.deleteMany({ partnerId });
  assertFound(t, await partner.audit(), check, customerId, 'holds 0 points, 0 cents');
});

test('a deleted wallet, or one that lags behind its entries, is found and named', async (t) => {
  const check = 'ledger: wallets and customers hold what the entries leave';
  const { wallets } = database.models;
  const partner = database.partner();
  const { partnerId } = partner;
  const { hash } = await partner.topUp(500);
  await partner.topUp(100);
  await wallets.updateOne({ partnerId, mode: 'LIVE' }, { $set: { seq: 1, hash } });
  assertFound(t, await partner.audit(), check, 'it is at number 1, its entries at 2');
  await wallets.deleteOne({ partnerId, mode: 'LIVE' });
  assertFound(t, await partner.audit(), check, 'wallet LIVE', 'it does not exist');
});

test('a reward that lets the others pass and does not wait is found and named', async (t) => {
  const partner = database.partner();
  const { partnerId } = partner;
  for (const mode of modes) await partner.topUp(10, mode);
  t.is((await partner.audit()).faults, 0);
  for (const [mode, name] of [
    ['LIVE', 'ledger: what lets the others pass waits for funds'],
    ['TEST', 'TEST ledger: what lets the others pass waits for funds'],
  ] as const) {
    const passed = { passed: ['PNR_funded'] };
    await database.models.wallets.updateOne({ partnerId, mode }, { $set: passed });
    assertFound(t, await partner.audit(), name, `wallet ${mode}`, '1 that let the others pass do');
  }
});

test('an entry moved to another time, reward or kind is found and named', async (t) => {
  const partner = database.partner();
  const changed: string[] = [];
  for (const change of [{ at: new Date(0) }, { rewardId: 'PNR_other' }, { kind: 'GIFT' }]) {
    const { _id } = await partner.topUp(500);
    await database.models.ledger.updateOne({ _id }, { $set: change });
    changed.push(_id);
  }
  const run = await partner.audit();
  for (const _id of changed) assertFound(t, run, 'ledger: no entry is forged or changed', _id);
});

test('a deleted entry in the middle is found, with its place', async (t) => {
  const partner = database.partner();
  await partner.topUp(1);
  const { _id } = await partner.topUp(2);
  const next = await partner.topUp(3);
  await database.models.ledger.deleteOne({ _id });
  const run = await partner.audit();
  assertFound(t, run, 'ledger: chains are unbroken', next._id, 'number 3: it follows number 1');
  assertFound(t, run, 'ledger: balances equal the sum of their entries', next._id, 'funding');
  assertFound(t, run, 'operators: the ledger has everything they moved', 'it is missing');
  t.is(failed(run).length, 3);
});

test('deleted first entries are found, with their places', async (t) => {
  const partner = database.partner();
  const first = [await partner.topUp(1), await partner.topUp(2)].map(({ _id }) => _id);
  const next = await partner.topUp(3);
  await database.models.ledger.deleteMany({ _id: { $in: first } });
  assertFound(
    t,
    await partner.audit(),
    'ledger: chains are unbroken',
    next._id,
    'number 3: it follows number 0',
  );
});

test('a deleted newest entry is found by the wallet, and by what an earlier audit saw', async (t) => {
  const check = 'ledger: what earlier audits saw is still there';
  const partner = database.partner();
  await partner.topUp(1);
  const newest = await partner.topUp(2);
  t.is((await partner.audit()).faults, 0);
  await database.models.ledger.deleteOne({ _id: newest._id });
  const held = 'ledger: wallets and customers hold what the entries leave';
  assertFound(t, await partner.audit(), held, 'it is at number 2, its entries at 1');
  await database.models.ledger.create(newest);
  t.is((await partner.audit()).faults, 0);

  // Even if the wallet is changed to hide it.
  await partner.hide(newest);
  const run = await partner.audit();
  assertFound(t, run, check, partner.partnerId, 'wallet LIVE, number 2');
  t.false(failed(run).some(({ name }) => name === held));
  await partner.topUp(7);
  await partner.topUp(8);
  for (const _round of [1, 2]) {
    assertFound(t, await partner.audit(), check, 'number 2', 'missing or different');
  }
});

test('a checkpoint changed to hide a deletion is found by every later audit', async (t) => {
  const check = 'ledger: what earlier audits saw is still there';
  const partner = database.partner();
  const { partnerId } = partner;
  await partner.topUp(1);
  const { seq, hash } = await partner.topUp(2);
  const newest = await partner.topUp(3);
  t.is((await partner.audit()).faults, 0);
  await partner.hide(newest);
  const hidden = { partnerId, mode: 'LIVE' as const };
  await database.models.auditCheckpoints.updateOne(hidden, { $set: { seq, hash } });
  const named = ['wallet LIVE', 'no audit wrote this checkpoint'];
  for (const _round of [1, 2]) assertFound(t, await partner.audit(), check, ...named);
  const checkpoints: AnyCollection = database.models.auditCheckpoints.collection;
  await checkpoints.updateOne(hidden, { $set: { seenAt: 'never' } });
  assertFound(t, await partner.audit(), check, ...named);
});

test('an audit without anywhere to write checkpoints to keeps none', async (t) => {
  const partner = database.partner();
  await partner.topUp(1);
  const { models, hashKey, customerHashKey } = database;
  const checkpoints = createCheckpoints(customerHashKey);
  const options = { partnerId: partner.partnerId, patienceMs: 0 };
  t.is((await runAudit({ models, hashKey, checkpoints }, options)).faults, 0);
  const ofPartner = { partnerId: partner.partnerId };
  t.is(await models.auditCheckpoints.countDocuments(ofPartner), 0);
  await partner.audit();
  t.true((await models.auditCheckpoints.countDocuments(ofPartner)) > 0);
});

test('a wallet whose every entry was deleted is found', async (t) => {
  const partner = database.partner();
  await partner.topUp(1);
  await partner.audit();
  await database.models.ledger.deleteMany({ partnerId: partner.partnerId });
  const run = await partner.audit();
  assertFound(t, run, 'ledger: what earlier audits saw is still there', 'number 1');
});

test('a reward reveals its deleted newest reservation, claim, release or clawback', async (t) => {
  const check = 'rewards: the entries of each match its moves';
  for (const [moves, word] of [
    [[], 'reserve'],
    [['CLAIM'], 'claim'],
    [['EXPIRE'], 'release'],
    [['REFUND'], 'release'],
    [['CLAIM', 'REFUND', 'UPHOLD'], 'clawback'],
  ] as const) {
    for (const mode of word === 'reserve' ? (['LIVE'] as const) : modes) {
      const partner = database.partner();
      await partner.topUp(1_000, mode);
      const { rewardId } = await partner.move(await partner.purchase(10, mode), ...moves);
      await partner.hide(await partner.entry(`${word}:${rewardId}`, mode), mode);
      assertFound(t, await partner.audit(), check, rewardId, `${word}`, 'missing');
    }
  }
});

test('a reward reveals the deleted entry of a part that came back', async (t) => {
  const check = 'rewards: the entries of each match its moves';
  for (const [moves, place] of [
    [['PART'], 2],
    [['CLAIM', 'PART', 'UPHOLD'], 4],
  ] as const) {
    for (const mode of modes) {
      const partner = database.partner();
      await partner.topUp(1_000, mode);
      const { rewardId } = await partner.move(await partner.purchase(10, mode), ...moves);
      await partner.hide(await partner.entry(`reduce:${rewardId}:${place}`, mode), mode);
      const run = await partner.audit();
      assertFound(t, run, check, rewardId, `reduce is missing for move ${place}`);
    }
  }
});

test('a reward whose refunds are not what its moves say is found', async (t) => {
  const partner = database.partner();
  await partner.topUp(1_000);
  const { rewardId } = await partner.move(await partner.purchase(10), 'PART');
  await database.models.rewards.updateOne({ _id: rewardId }, { $set: { refundedCents: 99 } });
  const check = 'rewards: the entries of each match its moves';
  assertFound(t, await partner.audit(), check, rewardId, 'its refunds are 100, and not 99');
});

test('a forged entry with a plausible hash is found and named', async (t) => {
  const partner = database.partner();
  await partner.topUp(500);
  const forged = await partner.forge({ reference: 'topUp:forged', kind: 'FUND' }, [
    { account: 'cash', unit: 'CENTS', amount: -1_000 },
    { account: 'funding', unit: 'CENTS', amount: 1_000 },
  ]);
  const run = await partner.audit();
  assertFound(t, run, 'ledger: no entry is forged or changed', forged._id, 'number 2');
  assertFound(t, run, 'ledger: what operators moved is in the audit log', forged._id);
  t.is(failed(run).length, 2);
  await partner.hide(forged);
  t.is((await partner.audit()).faults, 0, 'removing it again is no fault');
});

test('a duplicate release is found and named', async (t) => {
  const partner = database.partner();
  await partner.topUp(1_000);
  await partner.purchase(100);
  const reward = await partner.move(await partner.purchase(100), 'EXPIRE');
  const { rewardId } = reward;
  const again = await partner.append(
    `release:${rewardId}:again`,
    'RELEASE',
    releasePostings('funding', reward),
    { rewardId },
  );
  const run = await partner.audit();
  assertFound(t, run, 'ledger: reward entries move what the reward is worth', again._id, rewardId);
});

test('a reward both paid out and released is found and named', async (t) => {
  const partner = database.partner();
  await partner.topUp(1_000);
  await partner.purchase(100);
  const reward = await partner.move(await partner.purchase(100), 'CLAIM');
  const { rewardId } = reward;
  await partner.append(`release:${rewardId}`, 'RELEASE', releasePostings('funding', reward), {
    rewardId,
  });
  assertFound(
    t,
    await partner.audit(),
    'rewards: the entries of each match its moves',
    rewardId,
    'release should not be there',
  );
});

test('a payout above the reward’s worth is found and named', async (t) => {
  const partner = database.partner();
  await partner.topUp(1_000);
  await partner.purchase(100);
  const reward = await partner.purchase(100);
  const { rewardId } = reward;
  const more = { ...reward, liabilityCents: 150 };
  const { _id } = await partner.append(`claim:${rewardId}`, 'CLAIM', claimPostings(more), {
    rewardId,
  });
  const run = await partner.audit();
  assertFound(t, run, 'ledger: reward entries move what the reward is worth', _id, rewardId, '150');
});

test('an entry of a TEST reward in the ledger is found and named', async (t) => {
  const partner = database.partner();
  await partner.topUp(1_000);
  const reward = await partner.purchase(100, 'TEST');
  const { rewardId } = reward;
  const { _id } = await partner.append(
    `reserve:${rewardId}`,
    'RESERVE',
    reservationPostings('funding', reward),
    {
      rewardId,
    },
  );
  assertFound(t, await partner.audit(), 'ledger: nothing TEST', _id, rewardId);
});

test('an account that no wallet has, and one that only LIVE has in TEST, are found and named', async (t) => {
  const partner = database.partner();
  const account = 'granted';
  const inLedger = await partner.append('topUp:test', 'FUND', [
    { account: 'cash', unit: 'CENTS', amount: -5 },
    { account, unit: 'CENTS', amount: 5 },
  ]);
  const live: [string, string] = ['planReceivable', 'revenue'];
  const inTest = await partner.append(
    'invoice:inv_1',
    'INVOICE',
    live.map((name, side) => ({ account: name, unit: 'CENTS', amount: side ? 5 : -5 })),
    { mode: 'TEST' },
  );
  const run = await partner.audit();
  assertFound(t, run, 'ledger: nothing TEST', inLedger._id, account);
  assertFound(t, run, 'TEST ledger: nothing LIVE', inTest._id, 'account planReceivable');
});

test('an entry of a reward that does not exist is found and named', async (t) => {
  const partner = database.partner();
  await partner.topUp(1_000);
  const rewardId = newId('reward');
  const owed = { liabilityCents: 5, points: 5, customerId: 'cus_none' };
  const { _id } = await partner.append(
    `reserve:${rewardId}`,
    'RESERVE',
    reservationPostings('funding', owed),
    {
      rewardId,
    },
  );
  const run = await partner.audit();
  assertFound(
    t,
    run,
    'ledger: reward entries move what the reward is worth',
    _id,
    'does not exist',
  );
});

test('a reward without its purchase is found and named', async (t) => {
  const partner = database.partner();
  const { rewardId, purchaseEventId } = await partner.purchase(100);
  await database.models.orderEvents.deleteOne({ _id: purchaseEventId });
  assertFound(t, await partner.audit(), 'rewards: one purchase each', rewardId, purchaseEventId);
});

test('a purchase without its reward is found and named', async (t) => {
  const partner = database.partner();
  const { rewardId, purchaseEventId } = await partner.purchase(100, 'TEST');
  await database.models.rewards.deleteOne({ _id: rewardId });
  assertFound(t, await partner.audit(), 'purchases: one reward each', rewardId, purchaseEventId);
});

test('a changed worth of a reward is found and named', async (t) => {
  const partner = database.partner();
  await partner.topUp(1_000);
  const { rewardId, purchaseEventId } = await partner.purchase(100);
  await database.models.rewards.updateOne(
    { _id: rewardId },
    { $set: { points: 900, liabilityCents: 900 } },
  );
  const run = await partner.audit();
  assertFound(t, run, 'purchases: one reward each', rewardId, purchaseEventId);
  assertFound(t, run, 'ledger: reward entries move what the reward is worth', rewardId, '900');
});

test('a changed state of a reward is found and named', async (t) => {
  const partner = database.partner();
  const { rewardId } = await partner.purchase(100, 'TEST');
  await database.models.rewards.updateOne({ _id: rewardId }, { $set: { state: 'AVAILABLE' } });
  const run = await partner.audit();
  const check = 'rewards: the entries of each match its moves';
  assertFound(t, run, check, rewardId, 'FUNDED', 'AVAILABLE');
  const totals = 'totals: every reward counts once, in its wallet and state';
  assertFound(t, run, totals, 'FUNDED: the wallet says 1 rewards', 'the rewards 0 rewards');
});

test('changed totals of rewards are found and named', async (t) => {
  const check = 'totals: every reward counts once, in its wallet and state';
  const partner = database.partner();
  const { partnerId } = partner;
  await partner.purchase(100, 'TEST');
  const { wallets } = database.models;
  await wallets.updateOne({ partnerId }, { $inc: { 'rewards.USD.FUNDED.points': 1 } });
  const found = 'the wallet says 1 rewards, 101 points, 100 cents';
  assertFound(t, await partner.audit(), check, found, 'the rewards 1 rewards, 100 points');
  await wallets.updateOne({ partnerId }, { $set: { rewards: {} } });
  assertFound(t, await partner.audit(), check, 'the wallet says 0 rewards');
});

test('a changed count of a budget, and a reward that counts in another, are found and named', async (t) => {
  const check = 'budgets: each count is what its purchases earned and kept';
  const partner = database.partner();
  const { partnerId } = partner;
  const { ruleBudgets, rewards } = database.models;
  const kept = await partner.purchase(100, 'TEST', 0, spring);
  await partner.move(await partner.purchase(40, 'TEST', 0, spring), 'REFUND');
  await partner.move(await partner.purchase(7, 'TEST', 0, spring), 'CANCEL');
  t.deepEqual(failed(await partner.audit()), []);
  const _id = `${partnerId}/TEST/Spring`;
  await ruleBudgets.updateOne({ _id }, { $inc: { points: 1, 'months.2026-03': 2 } });
  const run = await partner.audit();
  assertFound(t, run, check, _id, 'it says 108 points, its purchases 107');
  assertFound(t, run, check, 'month 2026-03: it says 109 points, its purchases 107');
  await rewards.updateOne({ _id: kept.rewardId }, { $unset: { budget: 1 } });
  assertFound(t, await partner.audit(), 'purchases: one reward each', 'another budget');
});

test('a balance below zero is found and named, even if it recovered', async (t) => {
  const partner = database.partner();
  await partner.topUp(100);
  const forged = await partner.forge(
    { reference: 'invoice:forged', kind: 'INVOICE' },
    [
      { account: 'funding', unit: 'CENTS', amount: -101 },
      { account: 'cash', unit: 'CENTS', amount: 101 },
    ],
    { withKey: true },
  );
  await partner.topUp(1_000);
  const run = await partner.audit();
  assertFound(t, run, 'ledger: nobody’s account is below zero', forged._id, '-1 in funding');
  assertFound(t, run, 'ledger: every invoice in it was issued', forged._id);
  t.is(failed(run).length, 2);
});

test('a transaction that does not balance is found and named, even with a valid key', async (t) => {
  const partner = database.partner();
  const forged = await partner.forge(
    { reference: 'topUp:one-sided', kind: 'FUND' },
    [{ account: 'funding', unit: 'CENTS', amount: 5 }],
    { withKey: true },
  );
  const run = await partner.audit();
  assertFound(t, run, 'ledger: every transaction balances', forged._id, 'sums to 5 cents');
});

test('an operator’s move that is missing in the ledger is found and named', async (t) => {
  const check = 'operators: the ledger has everything they moved';
  const partner = database.partner();
  const { partnerId } = partner;
  const amountCents = 100;
  await partner.operation('partner.top-up', partnerId, { reference: 'wire-1', amountCents });
  const granted = { reference: 'grant-1', amountCents };
  await partner.operation('test-funding.add', partnerId, granted);
  await partner.operation('customer.redeem', 'cus_1', { reference: 'till-1', points: 100 });
  const run = await partner.audit();
  for (const reference of ['topUp:wire-1', 'topUp:grant-1', 'redeem:till-1']) {
    assertFound(t, run, check, reference, 'missing');
  }
});

test('an operator’s move that is in the ledger is clean; another amount is found and named', async (t) => {
  const partner = database.partner();
  const { partnerId } = partner;
  const live = await partner.topUp(100, 'LIVE', 'wire-1');
  const granted = await partner.topUp(100, 'TEST', 'wire-1');
  t.is((await partner.audit()).faults, 0);
  const reference = 'wire-1';
  await partner.operation('partner.top-up', partnerId, { reference, amountCents: 101 });
  await partner.operation('test-funding.add', partnerId, {
    reference,
    amountCents: 102,
  });
  const run = await partner.audit();
  const check = 'operators: the ledger has everything they moved';
  assertFound(t, run, check, live._id, '100 instead of 101');
  assertFound(t, run, check, granted._id, '100 instead of 102');
});

test('a move that only operators can make, without an operation, is found and named', async (t) => {
  const partner = database.partner();
  const made = await partner.topUp(1_000, 'LIVE', 'wire-1');
  const granted = await partner.topUp(1_000, 'TEST', 'wire-1');
  const bought = await partner.move(await partner.purchase(100), 'CLAIM');
  await partner.redeem(bought, 40);
  const { rewardId } = await partner.move(bought, 'REFUND', 'UPHOLD');
  t.deepEqual(failed(await partner.audit()), []);

  const { partnerId } = partner;
  const failedOperation = { status: 'FAILED' } as const;
  await database.models.auditEntries.updateMany({ partnerId }, { $set: failedOperation });
  const run = await partner.audit();
  const ofLedger = 'ledger: what operators moved is in the audit log';
  assertFound(t, run, ofLedger, made._id, 'topUp:wire-1');
  assertFound(t, run, ofLedger, 'redeem:');
  assertFound(t, run, ofLedger, `clawback:${rewardId}`);
  assertFound(t, run, 'TEST ledger: what operators moved is in the audit log', granted._id);
  t.deepEqual(
    failed(run).map(({ faults }) => faults),
    [3, 1],
  );
});

test('a redemption without its entries, and entries without their redemption, are found and named', async (t) => {
  const partner = database.partner();
  await partner.topUp(1_000);
  const bought = await partner.move(await partner.purchase(300), 'CLAIM');
  const ids = [
    await partner.hold(bought, 10),
    await partner.hold(bought, 20, 'CAPTURE'),
    await partner.hold(bought, 30),
    await partner.hold(bought, 40, 'CAPTURE', { points: 3 }, { points: 4 }),
    await partner.hold(bought, 50, 'CAPTURE', { points: 5 }, 'REVERSE'),
  ];
  const [released, captured, lost, partly, back] = ids as [string, string, string, string, string];
  t.deepEqual(failed(await partner.audit()), []);
  const { redemptions } = database.models;
  await redemptions.updateOne({ _id: released }, { $set: { status: 'RELEASED' } });
  await redemptions.updateOne({ _id: captured }, { $set: { points: 19 } });
  await redemptions.deleteOne({ _id: lost });
  await redemptions.updateOne({ _id: partly }, { $pop: { moves: 1 } });
  await redemptions.updateOne({ _id: back }, { $set: { status: 'CAPTURED' } });
  const run = await partner.audit();
  const check = 'redemptions: each has its entries, and no other';
  assertFound(t, run, check, released, `unhold:${released} is missing`);
  assertFound(t, run, check, captured, `hold:${captured}`, 'instead of');
  assertFound(t, run, check, partly, `reverse:${partly}:2 should not be there`);
  assertFound(t, run, check, back, `reverse:${back}:2 should not be there`);
  assertFound(t, run, 'ledger: every redemption in it was made', `hold:${lost}`);
});

test('an operation with another amount or another partner does not account for a move', async (t) => {
  const partner = database.partner();
  const { partnerId } = partner;
  const made = await partner.topUp(1_000, 'LIVE', 'wire-1');
  const check = 'ledger: what operators moved is in the audit log';
  for (const change of [{ 'details.amountCents': 999 }, { partnerId: 'prt_other' }]) {
    await database.models.auditEntries.updateMany({ partnerId }, { $set: change });
    assertFound(t, await partner.audit(), check, made._id);
  }
});

test('an abandoned operation is found and named, unless it took effect', async (t) => {
  const partner = database.partner();
  const { partnerId } = partner;
  const left = { status: 'INTENDED', completedAt: null } as const;
  const longAgo = new Date(Date.now() - 3_600_000);
  await partner.topUp(1_000, 'LIVE', 'wire-1');
  await database.models.auditEntries.updateMany({ partnerId }, { $set: { ...left, at: longAgo } });
  const lost = { reference: 'wire-2', amountCents: 5 };
  await partner.operation('partner.top-up', partnerId, lost, left);
  const { rewardId } = await partner.purchase(10, 'TEST');
  const cancellation = {
    operatorId: 'opr_1',
    cancelledAt: longAgo.toISOString(),
    sealedReason: 'sealed',
  };
  await database.models.rewards.updateOne({ partnerId, _id: rewardId }, { $set: { cancellation } });
  await partner.operation('reward.cancel', rewardId, {}, { ...left, at: longAgo });
  const claimed = await partner.move(await partner.purchase(10, 'TEST'), 'CLAIM');
  await partner.operation('test-clock.claim', claimed.rewardId, {}, { ...left, at: longAgo });
  t.is((await partner.audit()).faults, 0);

  const changes = { ...left, at: longAgo };
  const topUp = await partner.operation('partner.top-up', partnerId, lost, changes);
  const made = await partner.operation('credential.create', 'key_1', {}, changes);
  const expired = await partner.operation('test-clock.expire', claimed.rewardId, {}, changes);
  const run = await partner.audit();
  const check = 'operators: no operation is left unfinished';
  assertFound(t, run, check, topUp._id, 'opr_1', 'partner.top-up');
  assertFound(t, run, check, made._id, 'credential.create');
  assertFound(t, run, check, expired._id, 'test-clock.expire');
  t.is(run.faults, 3);
});

test('billed periods are clean, and their figures match those computed by hand', async (t) => {
  const partner = database.partner();
  const { first, second } = await billedTwice(partner);
  const amounts = (invoice: InvoiceDoc) => invoice.lines.map((one) => one.amountCents);
  t.deepEqual([amounts(first), first.totalCents], [[1_000, 500], 1_500]);
  t.deepEqual([amounts(second), second.totalCents], [[1_000, -200], 800]);
  t.deepEqual(failed(await partner.audit()), []);
});

test('changed usage of a period or a day is found and named', async (t) => {
  const check = 'usage: periods and days count every funded LIVE reward once';
  const { usagePeriods } = database.models;
  const partner = database.partner();
  const { partnerId } = partner;
  const { counted } = await billedTwice(partner);
  const { countedIn } = await database.models.rewards.findById(counted.rewardId).orFail();
  const { periodId = '', day = '' } = countedIn ?? {};
  await usagePeriods.updateOne({ _id: periodId }, { $inc: { points: 1 } });
  assertFound(t, await partner.audit(), check, periodId, 'it says 1301 points, its rewards 1300 ');
  await usagePeriods.updateOne({ _id: periodId }, { $inc: { points: -1 } });
  await usagePeriods.updateOne({ _id: periodId }, { $inc: { [`days.${day}.points`]: 1 } });
  assertFound(t, await partner.audit(), check, day, 'it says 1301 points and 1300 cents');
  const wrong = { [`days.${day}.points`]: -1, [`days.${day}.cents`]: 1 };
  await usagePeriods.updateOne({ _id: periodId }, { $inc: wrong });
  assertFound(t, await partner.audit(), check, day, '1301 cents');
  await usagePeriods.updateOne({ _id: periodId }, { $unset: { days: 1 } });
  assertFound(t, await partner.audit(), check, day, 'it says 0 points');
  await usagePeriods.deleteMany({ partnerId });
  assertFound(t, await partner.audit(), check, periodId, 'it says 0 points, its rewards 1300');
});

test('a reward that is counted wrongly is found and named', async (t) => {
  const check = 'usage: periods and days count every funded LIVE reward once';
  const { rewards } = database.models;
  const partner = database.partner();
  await partner.topUp(100);
  const funded = await partner.purchase(100);
  const waiting = await partner.purchase(100);
  const tested = await partner.purchase(100, 'TEST');
  const { countedIn } = await rewards.findById(funded.rewardId).orFail();
  t.is((await partner.audit()).faults, 0);
  for (const [{ rewardId }, wrong, right] of [
    [funded, null, countedIn],
    [waiting, countedIn, null],
    [tested, countedIn, null],
  ] as const) {
    await rewards.updateOne({ _id: rewardId }, { $set: { countedIn: wrong } });
    assertFound(t, await partner.audit(), check, rewardId, 'is counted wrongly');
    await rewards.updateOne({ _id: rewardId }, { $set: { countedIn: right } });
  }
  t.is((await partner.audit()).faults, 0);
});

test('a credit that differs from the saved overage is found and named', async (t) => {
  const check = 'invoices: every credit was saved, and is used once';
  const { subscriptions, invoices } = database.models;
  const partner = database.partner();
  const { partnerId } = partner;
  const { first } = await billedTwice(partner);
  await subscriptions.updateOne({ partnerId }, { $inc: { creditCents: 1 } });
  assertFound(t, await partner.audit(), check, 'it has 1 cents of credit, and should have 0');
  await subscriptions.updateOne({ partnerId }, { $inc: { creditCents: -1 } });
  await invoices.updateOne(
    { _id: first._id },
    { $set: { 'terms.overageRateMicrosPerPoint': 20_000 } },
  );
  const run = await partner.audit();
  assertFound(t, run, check, 'it has 0 cents of credit');
  const bills = 'invoices: each bills what was counted, and is in the ledger';
  assertFound(t, run, bills, first.number, 'OVERAGE is 500, and should be 600');
});

test('an invoice that was changed, deleted or is missing in the ledger is found and named', async (t) => {
  const check = 'invoices: each bills what was counted, and is in the ledger';
  const partner = database.partner();
  const { first, second } = await billedTwice(partner);
  const { invoices, usagePeriods } = database.models;
  const { _id } = first;
  await invoices.updateOne({ _id }, { $set: { totalCents: 1 } });
  assertFound(t, await partner.audit(), check, first.number, 'its lines are 1500, its total is 1');
  await invoices.updateOne({ _id }, { $set: { totalCents: 1_400, 'lines.1.amountCents': 400 } });
  const run = await partner.audit();
  assertFound(t, run, check, first.number, 'the ledger has', '1500', 'should have', '1400');
  const { totalCents, lines } = first;
  await invoices.updateOne({ _id }, { $set: { totalCents, lines } });
  await invoices.updateOne({ _id }, { $set: { 'terms.priceCents': 900 } });
  assertFound(t, await partner.audit(), check, first.number, 'PLAN is 1000, and should be 900');
  await invoices.updateOne({ _id }, { $set: { 'terms.priceCents': 1_000 } });
  t.is((await partner.audit()).faults, 0);

  const period = { partnerId: partner.partnerId, billedOn: { $ne: null } };
  await usagePeriods.updateMany(period, { $set: { billedOn: null } });
  assertFound(t, await partner.audit(), check, first.number, 'is not billed');
  await partner.hide(await partner.entry(`invoice:${second._id}`));
  assertFound(t, await partner.audit(), check, second.number, 'the ledger has nothing');
  await invoices.deleteOne({ _id });
  const after = await partner.audit();
  assertFound(t, after, 'ledger: every invoice in it was issued', _id, 'does not exist');
  const credits = 'invoices: every credit was saved, and is used once';
  assertFound(t, after, credits, 'it has 0 cents of credit, and should have -200');
});

test('a discrepancy that is gone a moment later is not reported', async (t) => {
  const partner = database.partner();
  const { rewardId } = await partner.purchase(0);
  const { rewards } = database.models;
  const reward = await rewards.findById(rewardId).orFail();
  await rewards.deleteOne({ _id: rewardId });
  let arriving: Promise<unknown> | undefined;
  const run = await partner.audit({
    patienceMs: 60_000,
    onProgress(what) {
      if (what.endsWith('looking again')) arriving ??= rewards.create(reward);
    },
  });
  t.truthy(arriving, 'the audit checks again');
  await arriving;
  t.deepEqual(
    failed(run).filter(({ name }) => !name.startsWith('totals')),
    [],
  );
});

test('at most twenty findings of a check are named, and all are counted', async (t) => {
  const partner = database.partner();
  const rewardIds: string[] = [];
  for (let made = 0; made < 25; made++) rewardIds.push((await partner.purchase(0)).rewardId);
  await database.models.rewards.deleteMany({ _id: { $in: rewardIds } });
  const [check] = failed(await partner.audit());
  t.is(check?.faults, 25);
  t.is(check?.culprits.length, 20);
  t.regex(summaryOf(check ? [check] : []), /^25 FAULTS\. purchases: one reward each \(25\): /);
});

test('a wallet with more entries than a page is read to its first one', async (t) => {
  const partner = database.partner();
  const made: EntryDoc[] = [];
  while (made.length < 260) {
    made.push(...(await Promise.all(Array.from({ length: 20 }, (_, n) => partner.topUp(n + 1)))));
  }
  const run = await partner.audit();
  t.is(run.faults, 0);
  const walked = run.checks.find(({ name }) => name === 'ledger: chains are unbroken');
  t.is(walked?.lookedAt, 260);
  const third = made.find(({ seq }) => seq === 3);
  await database.models.ledger.deleteOne({ _id: third?._id ?? '' });
  assertFound(
    t,
    await partner.audit(),
    'ledger: chains are unbroken',
    'number 4: it follows number 2',
  );
});

const check = 'log: each of its checkpoints is in the database';

/** The checkpoints of a partner that audits have logged so far. */
const loggedOf = ({ partnerId }: TestPartner): Checkpoint[] =>
  database.logged.filter((one) => one.partnerId === partnerId);

async function* asLog(checkpoints: readonly Checkpoint[]): AsyncGenerator<LoggedCheckpoint> {
  for (const [index, checkpoint] of checkpoints.entries()) yield { line: index + 1, checkpoint };
}

/** Audits a partner against a log of checkpoints. @returns the log's check */
async function auditAgainst(partner: TestPartner, checkpoints: readonly Checkpoint[]) {
  const { checks } = await partner.audit({ logged: asLog(checkpoints) });
  const row = checks.find(({ name }) => name === check);
  return { lookedAt: row?.lookedAt, faults: row?.faults, culprits: row?.culprits.join('\n') ?? '' };
}

async function auditedTwice(): Promise<TestPartner> {
  const partner = database.partner();
  await partner.topUp(1);
  await partner.audit();
  await partner.topUp(2);
  await partner.audit();
  return partner;
}

test('each audit logs its checkpoints, and a later one finds all of them', async (t) => {
  const partner = await auditedTwice();
  const lines = loggedOf(partner);
  t.deepEqual(
    lines.map(({ seq }) => seq),
    [1, 2],
  );
  t.deepEqual(await auditAgainst(partner, lines), {
    lookedAt: lines.length,
    faults: 0,
    culprits: '',
  });
  t.deepEqual(loggedOf(partner), lines, 'unchanged wallets are not logged again');
});

test('an older database in place of a newer one is found, although it is consistent', async (t) => {
  const partner = database.partner();
  const { partnerId } = partner;
  await partner.topUp(1);
  await partner.audit();
  const { ledger, wallets, auditCheckpoints } = database.models;
  const backup = {
    entries: await ledger.find({ partnerId }),
    wallets: await wallets.find({ partnerId }),
    checkpoints: await auditCheckpoints.find({ partnerId }),
  };
  await partner.topUp(2);
  await partner.audit();
  const lines = loggedOf(partner);
  await ledger.deleteMany({ partnerId });
  await ledger.insertMany(backup.entries);
  await wallets.deleteMany({ partnerId });
  await wallets.insertMany(backup.wallets);
  await auditCheckpoints.deleteMany({ partnerId });
  await auditCheckpoints.insertMany(backup.checkpoints);
  // Within the database, only the second top-up's audit entry reveals it.
  const { checks } = await partner.audit();
  const anchors = checks.find(({ name }) =>
    name.endsWith('what earlier audits saw is still there'),
  );
  t.is(anchors?.faults, 0);
  const behind = await auditAgainst(partner, lines);
  t.is(behind.faults, 1);
  t.regex(behind.culprits, /number 2: the database has an older checkpoint, number 1/);

  // Continuing from the older state does not hide it.
  await partner.topUp(3);
  await partner.topUp(4);
  await partner.audit();
  const rewritten = await auditAgainst(partner, lines);
  t.is(rewritten.faults, 1);
  t.regex(rewritten.culprits, /number 2: its entry is missing or different/);
});

test('a removed, replaced or changed checkpoint line is found and named', async (t) => {
  const partner = await auditedTwice();
  const { partnerId } = partner;
  const { auditCheckpoints } = database.models;
  const lines = loggedOf(partner);
  const ofFunding = { partnerId, mode: 'LIVE' as const };
  const kept = await auditCheckpoints.findOne(ofFunding).orFail();
  await auditCheckpoints.updateOne(ofFunding, { $set: { hash: 'another' } });
  const changed = await auditAgainst(partner, lines);
  t.regex(changed.culprits, /number 2: the database has another checkpoint/);
  await auditCheckpoints.updateOne(ofFunding, { $set: { hash: kept.hash } });

  const forged = lines.map((one) => (one.seq === 2 ? { ...one, seq: 1 } : one));
  t.regex((await auditAgainst(partner, forged)).culprits, /no audit wrote this line/);
  const broken = [{ mode: 'LIVE', partnerId } as unknown as Checkpoint];
  t.regex((await auditAgainst(partner, broken)).culprits, /line 1, .*: no audit wrote this line/);

  await database.models.ledger.deleteMany({ partnerId });
  await auditCheckpoints.deleteMany({ partnerId });
  const gone = await auditAgainst(partner, lines);
  t.is(gone.faults, lines.length);
  t.regex(gone.culprits, /the database has no checkpoint of this wallet/);
});

test('one partner’s ledger is compared only with that partner’s lines', async (t) => {
  const [partner, other] = [await auditedTwice(), await auditedTwice()];
  await database.models.auditCheckpoints.deleteMany({ partnerId: other.partnerId });
  const { lookedAt, faults } = await auditAgainst(partner, [
    ...loggedOf(other),
    ...loggedOf(partner),
  ]);
  t.is(faults, 0);
  t.is(lookedAt, loggedOf(partner).length);
});

async function round(changes: Partial<ReconciliationRunDoc>): Promise<void> {
  const at = new Date();
  await database.models.reconciliationRuns.create({
    _id: newId('reconciliationRun'),
    startedAt: at,
    endedAt: at,
    lookedAt: 0,
    startedAgain: 0,
    failed: 0,
    rewardIds: [],
    summary: 'as it was found',
    ...changes,
  });
}

/** The audit's checks of open rewards. */
async function openRewardChecks() {
  const { checks } = await database.audit();
  return checks
    .filter(({ name }) => name.startsWith('open rewards'))
    .map(({ lookedAt, faults, culprits }) => ({ lookedAt, faults, culprits }));
}

// Alone, before there are partners, since it audits all of them.
test.serial(
  'the audit counts restarted workflows, and names the round that failed to restart one',
  async (t) => {
    const nothing = { lookedAt: 0, faults: 0, culprits: [] };
    t.deepEqual(await openRewardChecks(), [nothing, nothing]);
    await round({ lookedAt: 7, startedAgain: 2 });
    await round({ lookedAt: 9, startedAgain: 3 });
    t.deepEqual(await openRewardChecks(), [
      { ...nothing, lookedAt: 9 },
      { ...nothing, lookedAt: 5 },
    ]);
    await round({
      lookedAt: 8,
      failed: 4,
      summary: '4 workflows could not be started. First: PNR_1.',
    });
    const [running, restarted] = await openRewardChecks();
    t.like(running, { lookedAt: 8, faults: 1 });
    t.regex(
      running?.culprits[0] ?? '',
      /^rcr_\w+: 4 workflows could not be started\. First: PNR_1\.$/,
    );
    t.is(restarted?.lookedAt, 0, 'rounds that the previous audit counted are not counted again');
  },
);

const name = 'operators: two permitted people took part in every approval';
const dayMs = 24 * 3_600_000;
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs);

test.before(async () => {
  database = await openAuditDatabase();
});

test.after.always(async () => {
  await database?.close();
});

/** Creates an operator, ten days ago. */
async function anOperator(role: OperatorActor['role'] = 'admin'): Promise<string> {
  const { models } = database;
  const fields = { name: role, role };
  const { operator: admin } = await operate({ models, now: Date.now }, createFirstOperator, fields);
  await models.operators.updateOne({ _id: admin._id }, { $set: { createdAt: daysAgo(10) } });
  return admin._id;
}

/** A new partner's top-up of two days ago, with its proposal and approval. */
async function approvedTopUp(proposedBy: string, approvedBy: string, decidedBy = approvedBy) {
  const { models } = database;
  const partner = database.partner();
  const { partnerId } = partner;
  const at = daysAgo(2);
  await partner.topUp(1_000, 'LIVE', 'wire-1');
  const entry = { actorId: proposedBy, approvedBy, at, completedAt: at };
  await models.auditEntries.updateOne({ partnerId, action: 'partner.top-up' }, { $set: entry });
  await models.proposals.create({
    _id: newId('proposal'),
    action: 'partner.top-up',
    partnerId,
    targetId: partnerId,
    customerId: null,
    details: {},
    sealedArguments: 'sealed',
    shown: {},
    shownHash: 'hash',
    sameAs: 'same',
    status: 'APPROVED',
    proposedBy,
    proposedAt: at,
    expiresAt: at,
    decidedBy,
    decidedAt: at,
    reason: null,
    carriedOutAt: at,
  });
  const { _id } = await models.auditEntries
    .findOne({ partnerId, action: 'partner.top-up' })
    .orFail();
  /** Audits the partner. @returns the result of the check under test */
  const found = async () => {
    const { checks, alone } = await partner.audit();
    const check = checks.find((one) => one.name === name);
    return { culprits: check?.culprits, lookedAt: check?.lookedAt, alone };
  };
  return { entryId: _id, found };
}

test('two people who were operators at the time are fine, whatever happened to them since', async (t) => {
  const { models } = database;
  const [one, two] = [await anOperator('finance'), await anOperator()];
  const { found } = await approvedTopUp(one, two);
  t.deepEqual(await found(), { culprits: [], lookedAt: 1, alone: null });
  await models.operators.updateOne({ _id: one }, { $set: { revokedAt: daysAgo(1) } });
  await models.operators.updateOne({ _id: two }, { $set: { role: 'viewer' } });
  await models.auditEntries.create({
    _id: newId('audit'),
    actorId: one,
    approvedBy: null,
    requestId: 'req_1',
    once: null,
    action: 'operator.change-role',
    partnerId: null,
    targetId: two,
    status: 'DONE',
    details: { from: 'admin', to: 'viewer' },
    at: daysAgo(1),
    completedAt: daysAgo(1),
  });
  t.deepEqual((await found()).culprits, []);
});

test('the same person twice, or one revoked, demoted, not yet there or unknown, is found and named', async (t) => {
  const { models } = database;
  const right = await anOperator();
  const revoked = await anOperator();
  await models.operators.updateOne({ _id: revoked }, { $set: { revokedAt: daysAgo(3) } });
  const demoted = await anOperator();
  await models.operators.updateOne({ _id: demoted }, { $set: { role: 'viewer' } });
  await models.auditEntries.create({
    _id: newId('audit'),
    actorId: right,
    approvedBy: null,
    requestId: 'req_1',
    once: null,
    action: 'operator.change-role',
    partnerId: null,
    targetId: demoted,
    status: 'DONE',
    details: { from: 'admin', to: 'viewer' },
    at: daysAgo(4),
    completedAt: daysAgo(4),
  });
  const later = await anOperator();
  await models.operators.updateOne({ _id: later }, { $set: { createdAt: daysAgo(1) } });
  const support = await anOperator('support');
  const cases: [string, string, string, RegExp][] = [
    [right, right, right, /approved what they proposed/],
    [right, revoked, revoked, /was revoked before/],
    [revoked, right, right, /was revoked before/],
    [right, demoted, demoted, /was viewer, who may not do it/],
    [right, support, support, /was support, who may not do it/],
    [right, later, later, /was not an operator yet/],
    [right, 'opr_nobody', 'opr_nobody', /opr_nobody is not an operator/],
    [right, support, revoked, /no proposal of .* was approved by/],
  ];
  for (const [proposedBy, approvedBy, decidedBy, what] of cases) {
    const { entryId, found } = await approvedTopUp(proposedBy, approvedBy, decidedBy);
    const { culprits } = await found();
    t.is(culprits?.length, 1, what.source);
    t.regex(culprits?.[0] ?? '', what);
    t.true(culprits?.[0]?.includes(entryId));
  }
});

/** An audit entry of an operator, of some days ago. */
async function anEntry(entry: Partial<AuditEntryDoc> & { action: string }, days: number) {
  const at = daysAgo(days);
  await database.models.auditEntries.create({
    _id: newId('audit'),
    actorId: 'opr_1',
    approvedBy: null,
    requestId: 'req_1',
    once: null,
    partnerId: null,
    targetId: null,
    status: 'DONE',
    details: {},
    at,
    completedAt: at,
    ...entry,
  });
}

test('two people of whom one had let in the other are found, and so is what was refused before', async (t) => {
  const { models } = database;
  const [one, two, third] = [await anOperator(), await anOperator(), await anOperator()];
  const created = { action: 'operator.create', details: { role: 'admin' }, targetId: two };
  await anEntry({ ...created, actorId: third, approvedBy: one }, 5);
  const { entryId, found } = await approvedTopUp(one, two);
  t.regex((await found()).culprits?.[0] ?? '', new RegExp(`${one} had let in`));
  const fourth = await anOperator();
  await anEntry({ action: 'operator.confirm', actorId: fourth, targetId: two }, 4);
  t.deepEqual((await found()).culprits, [], 'a fourth had confirmed them');

  const { partnerId, targetId } = await models.auditEntries.findById(entryId).orFail();
  const later = daysAgo(1);
  await models.auditEntries.updateOne({ _id: entryId }, { $set: { at: later } });
  const refusal = { action: 'partner.top-up', actorId: one, approvedBy: two, partnerId, targetId };
  await anEntry({ ...refusal, status: 'FAILED' }, 1.5);
  t.regex((await found()).culprits?.[0] ?? '', /it was refused once, and carried out later/);
});

test('what one operator did to a LIVE partner that takes two is found', async (t) => {
  const { models } = database;
  const partner = database.partner();
  const { partnerId } = partner;
  await partner.topUp(1_000, 'LIVE', 'wire-1');
  const goLive = { state: 'LIVE' as const, requestedAt: null, reviewerId: 'opr_1', reason: null };
  await models.partners.deleteOne({ _id: partnerId });
  await models.partners.create({
    ...partnerDefaults,
    _id: partnerId,
    name: 'Shop',
    goLive: { ...goLive, decidedAt: daysAgo(9) },
    createdAt: daysAgo(20),
  });
  await anEntry({ action: 'partner.create', partnerId, details: { name: 'Shop' } }, 20);
  const update = { action: 'partner.update', partnerId };
  await anEntry({ ...update, details: { name: 'Shop', taxId: 'GB 1' } }, 8);
  await anEntry({ ...update, details: { status: 'SUSPENDED' } }, 7);
  const faulty = async () => {
    const { checks } = await partner.audit();
    const name = 'operators: what takes two was not done by one';
    return checks.find((one) => one.name === name)?.culprits ?? [];
  };
  t.deepEqual(await faulty(), []);
  await anEntry({ ...update, details: { name: 'Another' } }, 6);
  await anEntry({ ...update, details: { redemptions: { pointsPerUnit: 1 } } }, 5.5);
  await anEntry({ ...update, details: { status: 'ACTIVE' } }, 5);
  await anEntry({ action: 'partner.invite', partnerId, details: { role: 'developer' } }, 4);
  await anEntry({ action: 'integration.update', partnerId, approvedBy: 'opr_2' }, 3);
  await anEntry({ action: 'user.reset-second-factor', partnerId }, 2);
  await models.credentials.create({
    _id: 'key_endless',
    partnerId,
    integrationId: 'int_1',
    mode: 'LIVE',
    apiKey: 'pk_live_endless',
    scopes: ['events:read'],
    secrets: [{ secretId: 'sec_1', sealed: 'v1', createdAt: daysAgo(1) }],
    createdAt: daysAgo(1),
  });
  const culprits = await faulty();
  t.is(culprits.length, 6, culprits.join());
  t.regex(culprits[0] ?? '', /changed name alone/);
  t.regex(culprits[1] ?? '', /changed redemptions alone/);
  t.regex(culprits[2] ?? '', /lifted a suspension alone/);
  t.regex(culprits[3] ?? '', /invited a developer of a LIVE partner alone/);
  t.regex(culprits[5] ?? '', /key_endless: .* has no end/);
  t.regex(culprits[4] ?? '', /reset the second factor of an owner of a LIVE partner alone/);
});

test('operations done alone while approvals were off are no fault, and are reported for ever', async (t) => {
  const off = await openAuditDatabase();
  t.teardown(() => off.close());
  const { models, hashKey, customerHashKey } = off;
  const limits = { redemptionCents: 100, reviewCents: 100 };
  const depsWith = (isOn: boolean) => ({
    models,
    commit: createCommit({ patienceMs, models, hashKey, now: Date.now }),
    now: Date.now,
    sealer: {} as never,
    messenger: silentMessenger,
    config: { customerHashKey, approvals: { ...limits, isOn } } as never,
  });
  const { _id: partnerId } = await operate(depsWith(false), createPartner, { name: 'Shop' });
  await noteApprovalsOff(depsWith(false));
  t.is(await readApprovalsOff(models), null, 'nothing is reported while no partner is LIVE');
  await models.partners.updateOne({ _id: partnerId }, { $set: { 'goLive.state': 'LIVE' } });
  await noteApprovalsOff(depsWith(true));
  t.is(await readApprovalsOff(models), null, 'nothing is reported while approvals are on');
  await noteApprovalsOff(depsWith(false));
  await noteApprovalsOff(depsWith(false));
  t.is((await readApprovalsOff(models))?.operations, 0);
  t.is(await models.auditEntries.countDocuments({ action: 'approvals.off' }), 1);
  const day = { at: daysAgo(3) };
  await models.auditEntries.updateOne({ action: 'approvals.off' }, { $set: day });

  const ann = { name: 'Ann', role: 'admin' as const };
  const { operator: admin } = await operate({ models, now: Date.now }, createFirstOperator, ann);
  const wire = { partnerId, currency: 'USD', amountCents: 500, externalReference: 'wire 1' };
  await execute(depsWith(false), topUp, asOperator(admin._id), wire);
  const entry = await models.auditEntries.findOne({ partnerId });
  t.like(entry, { action: 'partner.top-up', isAlone: true, approvedBy: null });

  const run = await off.audit();
  t.is(run.faults, 0, run.summary);
  t.is(run.alone?.operations, 1);
  t.true((run.alone?.from.getTime() ?? 0) < daysAgo(2).getTime());
  t.regex(
    run.summary,
    /^Clean.*Approvals were off between [\d-]+ and [\d-]+: 1 operation that needs two operators was carried out by one\./,
  );
  t.is((await readApprovalsOff(models))?.operations, 1);
});
