import test, { type ExecutionContext } from 'ava';
import { type Mode, modes } from '../../../domain/mode.ts';
import { claim, liveAccounts, release, reserve } from '../../../domain/postings.ts';
import { createCheckpoints } from '../../../models/audit/checkpoints.ts';
import { summaryOf } from '../../../models/audit/report.ts';
import { runAudit } from '../../../models/audit/run.ts';
import type { AuditRunDoc } from '../../../models/schemas/audit.ts';
import type { InvoiceDoc } from '../../../models/schemas/billing.ts';
import type { EntryDoc } from '../../../models/schemas/entries.ts';
import type { AnyCollection } from '../../../models/schemas/index.ts';
import { announce } from '../../../models/webhooks/announce.ts';
import { factsOfMoves } from '../../../models/webhooks/move-facts.ts';
import { newId } from '../../../platform/ids.ts';
import {
  type AuditDatabase,
  openAuditDatabase,
  type TestPartner,
} from './helpers/audit-database.ts';

let database: AuditDatabase;
test.before(async () => {
  database = await openAuditDatabase();
});
test.after.always(() => database?.close());

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
  await partner.topUp(10_000, mode);
  const buy = () => partner.purchase(100, mode);
  await buy();
  await partner.move(await buy(), 'RUN_SHORT');
  await partner.move(await buy(), 'FUND');
  await partner.move(await buy(), 'RUN_SHORT', 'FUND', 'CLAIM');
  await partner.move(await buy(), 'FUND', 'EXPIRE');
  await partner.move(await buy(), 'RUN_SHORT', 'REFUND');
  await partner.move(await buy(), 'FUND', 'REFUND');
  await partner.move(await buy(), 'FUND', 'CLAIM', 'REFUND');
  await partner.move(await buy(), 'FUND', 'CLAIM', 'REFUND', 'DISMISS');
  await partner.move(await buy(), 'FUND', 'CLAIM', 'REFUND', 'UPHOLD');
  await partner.move(await partner.purchase(0, mode), 'FUND', 'CLAIM', 'REFUND', 'UPHOLD');
}

/**
 * Bills two periods: the first for 500 points above the allowance, of which 200 are given back after it was
 * closed, so the second invoice has a credit for them.
 */
async function billedTwice(partner: TestPartner) {
  await partner.topUp(2_000);
  await partner.subscribe();
  const counted = await partner.move(await partner.purchase(1_300), 'FUND');
  const givenBack = await partner.move(await partner.purchase(200), 'FUND');
  const first = await partner.bill();
  await partner.move(givenBack, 'REFUND');
  const second = await partner.bill();
  return { counted, givenBack, first, second };
}

test('a ledger of mixed moves is clean, and so is the next audit of it', async (t) => {
  const partner = database.partner();
  for (const mode of modes) await makeEveryMove(partner, mode);
  const spent = await partner.move(await partner.purchase(300), 'FUND', 'CLAIM');
  await partner.redeem(spent, 200);
  await partner.move(spent, 'REFUND', 'UPHOLD');
  await billedTwice(partner);
  for (const round of [1, 2]) {
    const run = await partner.audit();
    t.deepEqual(failed(run), [], `round ${round}`);
    t.is(run.faults, 0);
    t.regex(run.summary, /^Clean/);
  }
  const { checks } = await partner.audit();
  t.true(checks.length >= 15);
  for (const { name, lookedAt } of checks.filter(({ name }) => !name.startsWith('operators'))) {
    t.true(lookedAt > 0, name);
  }
  await partner.topUp(5);
  t.is((await partner.audit()).faults, 0);
});

test('the consequences of a marked reward’s last move are pending; without the mark they are missing', async (t) => {
  const partner = database.partner();
  await partner.topUp(10_000);
  const { rewardId } = await partner.move(await partner.purchase(100), 'FUND');
  const { rewards } = database.models;
  const at = new Date();
  await rewards.updateOne(
    { _id: rewardId },
    {
      $set: { status: 'AVAILABLE', customerStatus: 'CLAIMED', pendingSince: at },
      $push: { moves: { move: 'CLAIM', at, status: 'AVAILABLE' } },
    },
  );
  const name = 'rewards: the entries of each match its moves';
  const run = await partner.audit();
  t.is(run.faults, 0, run.summary);
  t.like(
    run.checks.find((one) => one.name === name),
    { waiting: 1, waitingSince: at },
  );
  await rewards.updateOne({ _id: rewardId }, { $unset: { pendingSince: 1 } });
  assertFound(t, await partner.audit(), name, rewardId, 'claim is missing');
});

test('a move without its webhook event, and an event without a move, are found and named', async (t) => {
  const { models } = database;
  const partner = database.partner();
  await makeEveryMove(partner, 'TEST');
  // LIVE has no endpoint, so its moves have no events.
  await partner.move(await partner.purchase(100), 'RUN_SHORT');
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
  const rewards = await models.rewards.find({ partnerId, mode: 'TEST' });
  await announce(
    models,
    rewards.flatMap((reward) => factsOfMoves(reward, 0)),
  );
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

test('a first move without its event waits for its workflow, and is reported missing after an hour', async (t) => {
  const { models } = database;
  const partner = database.partner();
  const { partnerId } = partner;
  const rewardId = await partner.purchase(100, 'TEST');
  await partner.move(rewardId, 'FUND');
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
  const [reward] = await models.rewards.find({ partnerId });
  await announce(models, reward ? factsOfMoves(reward, 0) : []);
  await models.rewards.updateOne({ partnerId }, { carriedOut: 0, $unset: { pendingSince: 1 } });
  t.deepEqual(failed(await partner.audit()), []);
  const { deletedCount } = await models.webhookDeliveries.deleteOne({
    partnerId,
    type: 'reward.funded',
  });
  t.is(deletedCount, 1);

  const name = 'webhooks: each move has its event, and each event its move';
  const young = await partner.audit();
  t.like(
    young.checks.find((one) => one.name === name),
    { waiting: 1, faults: 0 },
  );
  const longAgo = new Date(Date.now() - 2 * 3_600_000);
  await models.rewards.updateOne({ partnerId }, { $set: { 'moves.0.at': longAgo } });
  const late = await partner.audit();
  t.deepEqual(late.checks.find((one) => one.name === name)?.faults, 1);
  await models.rewards.updateOne({ partnerId }, { pendingSince: longAgo });
  const pending = await partner.audit();
  t.is(
    pending.checks.find((one) => one.name === name)?.faults,
    0,
    'the pending move will announce it',
  );
});

test('an integration without test funding has rewards and no entries', async (t) => {
  const partner = database.partner();
  await partner.move(await partner.purchase(100, 'TEST'), 'FUND', 'CLAIM', 'REFUND', 'UPHOLD');
  await partner.move(await partner.purchase(100, 'TEST'), 'FUND', 'EXPIRE');
  t.deepEqual(failed(await partner.audit()), []);
});

test('a tampered amount is found and named', async (t) => {
  const partner = database.partner();
  const { reference } = await partner.topUp(500);
  await partner.topUp(100);
  const { _id } = await partner.tamper(reference, (postings) => {
    for (const posting of postings) if (posting.account === 'funding') posting.amount += 1;
  });
  const run = await partner.audit();
  assertFound(t, run, 'ledger: no posting is forged or changed', _id, 'account funding', 'seq ');
  assertFound(t, run, 'ledger: balances equal the sum of their entries', _id, 'account funding');
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
  assertFound(t, run, 'ledger: balances equal the sum of their entries', _id, 'account cash');
  assertFound(t, run, 'ledger: no posting is forged or changed', _id, 'account funding');
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
  for (const _id of changed) assertFound(t, run, 'ledger: no posting is forged or changed', _id);
});

test('a deleted entry in the middle is found, with its place', async (t) => {
  const partner = database.partner();
  await partner.topUp(1);
  const { _id } = await partner.topUp(2);
  const next = await partner.topUp(3);
  await database.models.ledger.deleteOne({ _id });
  const run = await partner.audit();
  assertFound(
    t,
    run,
    'ledger: chains are unbroken',
    next._id,
    'account funding',
    'number 2 before it',
  );
  assertFound(t, run, 'operators: the ledger has everything they moved', 'it is missing');
  t.is(failed(run).length, 2);
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
    'numbers 1 to 2 before it',
  );
});

test('a deleted newest entry that an earlier audit saw is found by every later one', async (t) => {
  const check = 'ledger: what earlier audits saw is still there';
  const partner = database.partner();
  await partner.topUp(1);
  const { _id } = await partner.topUp(2);
  t.is((await partner.audit()).faults, 0);
  await database.models.ledger.deleteOne({ _id });
  assertFound(t, await partner.audit(), check, partner.partnerId, 'account funding', 'seq 2');
  await partner.topUp(7);
  await partner.topUp(8);
  for (const _round of [1, 2])
    assertFound(t, await partner.audit(), check, 'account cash', 'seq 2');
});

test('a checkpoint changed to hide a deletion is found by every later audit', async (t) => {
  const check = 'ledger: what earlier audits saw is still there';
  const partner = database.partner();
  await partner.topUp(1);
  const { postings } = await partner.topUp(2);
  const { _id } = await partner.topUp(3);
  t.is((await partner.audit()).faults, 0);
  await database.models.ledger.deleteOne({ _id });
  const hidden = { partnerId: partner.partnerId, account: 'funding' };
  const { seq, hash } = postings.find(({ account }) => account === 'funding') ?? {};
  await database.models.auditCheckpoints.updateOne(hidden, { $set: { seq, hash } });
  for (const _round of [1, 2]) {
    assertFound(
      t,
      await partner.audit(),
      check,
      'account funding',
      'no audit wrote this checkpoint',
    );
  }
  const checkpoints: AnyCollection = database.models.auditCheckpoints.collection;
  await checkpoints.updateOne(hidden, { $set: { seenAt: 'never' } });
  assertFound(t, await partner.audit(), check, 'account funding', 'no audit wrote this checkpoint');
});

test('an audit without anywhere to write checkpoints to keeps none', async (t) => {
  const partner = database.partner();
  await partner.topUp(1);
  const { models, ledger, usage, customerHashKey } = database;
  const checkpoints = createCheckpoints(customerHashKey);
  const options = { partnerId: partner.partnerId, patienceMs: 0 };
  t.is((await runAudit({ models, ledger, usage, checkpoints }, options)).faults, 0);
  const ofPartner = { partnerId: partner.partnerId };
  t.is(await models.auditCheckpoints.countDocuments(ofPartner), 0);
  await partner.audit();
  t.true((await models.auditCheckpoints.countDocuments(ofPartner)) > 0);
});

test('an account whose every entry was deleted is found', async (t) => {
  const partner = database.partner();
  await partner.topUp(1);
  await partner.audit();
  await database.models.ledger.deleteMany({ partnerId: partner.partnerId });
  const run = await partner.audit();
  assertFound(t, run, 'ledger: what earlier audits saw is still there', 'account funding', 'seq 1');
});

test('a reward reveals its deleted newest reservation, claim, release or clawback', async (t) => {
  const check = 'rewards: the entries of each match its moves';
  for (const [moves, word] of [
    [['FUND'], 'reserve'],
    [['FUND', 'CLAIM'], 'claim'],
    [['FUND', 'EXPIRE'], 'release'],
    [['FUND', 'REFUND'], 'release'],
    [['FUND', 'CLAIM', 'REFUND', 'UPHOLD'], 'clawback'],
  ] as const) {
    for (const mode of word === 'reserve' ? (['LIVE'] as const) : (['LIVE', 'TEST'] as const)) {
      const partner = database.partner();
      await partner.topUp(1_000, mode);
      const { rewardId } = await partner.move(await partner.purchase(10, mode), ...moves);
      const { _id } = await partner.entry(`${word}:${rewardId}`, mode);
      await database.ledger.of(mode).model.deleteOne({ _id });
      assertFound(t, await partner.audit(), check, rewardId, `${word}`, 'missing');
    }
  }
});

test('a forged entry with a plausible hash is found and named', async (t) => {
  const partner = database.partner();
  await partner.topUp(500);
  const forged = await partner.forge(
    { reference: 'topUp:forged', kind: 'FUND' },
    [
      { account: 'cash', unit: 'CENTS', amount: -1_000 },
      { account: 'funding', unit: 'CENTS', amount: 1_000 },
    ],
    false,
  );
  const run = await partner.audit();
  assertFound(t, run, 'ledger: no posting is forged or changed', forged._id, 'account funding');
  assertFound(t, run, 'ledger: what operators moved is in the audit log', forged._id);
  t.is(failed(run).length, 2);
  await database.models.ledger.deleteOne({ _id: forged._id });
  t.is((await partner.audit()).faults, 0, 'removing it again is no fault');
});

test('a duplicate release is found and named', async (t) => {
  const partner = database.partner();
  await partner.topUp(1_000);
  await partner.move(await partner.purchase(100), 'FUND');
  const reward = await partner.move(await partner.purchase(100), 'FUND', 'EXPIRE');
  const { rewardId } = reward;
  const again = await partner.append(
    `release:${rewardId}:again`,
    'RELEASE',
    release(liveAccounts, reward),
    { rewardId },
  );
  const run = await partner.audit();
  assertFound(t, run, 'ledger: reward entries move what the reward is worth', again._id, rewardId);
});

test('a reward both paid out and released is found and named', async (t) => {
  const partner = database.partner();
  await partner.topUp(1_000);
  await partner.move(await partner.purchase(100), 'FUND');
  const reward = await partner.move(await partner.purchase(100), 'FUND', 'CLAIM');
  const { rewardId } = reward;
  await partner.append(`release:${rewardId}`, 'RELEASE', release(liveAccounts, reward), {
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
  await partner.move(await partner.purchase(100), 'FUND');
  const reward = await partner.move(await partner.purchase(100), 'FUND');
  const { rewardId } = reward;
  const more = { ...reward, liabilityCents: 150 };
  const { _id } = await partner.append(`claim:${rewardId}`, 'CLAIM', claim(liveAccounts, more), {
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
    reserve(liveAccounts, reward),
    {
      rewardId,
    },
  );
  assertFound(t, await partner.audit(), 'ledger: nothing TEST', _id, rewardId);
});

test('test funding in the ledger, and LIVE money in the test funding, are found and named', async (t) => {
  const partner = database.partner();
  const account = `funding:${partner.integrationId}`;
  const inLedger = await partner.append('topUp:test', 'FUND', [
    { account: 'cash', unit: 'CENTS', amount: -5 },
    { account, unit: 'CENTS', amount: 5 },
  ]);
  const live: [string, string] = ['cash', 'funding'];
  const inTest = await partner.append(
    'topUp:live',
    'FUND',
    live.map((name, side) => ({ account: name, unit: 'CENTS', amount: side ? 5 : -5 })),
    { mode: 'TEST' },
  );
  const run = await partner.audit();
  assertFound(t, run, 'ledger: nothing TEST', inLedger._id, account);
  assertFound(t, run, 'test funding: nothing LIVE', inTest._id, 'account cash');
});

test('an entry of a reward that does not exist is found and named', async (t) => {
  const partner = database.partner();
  await partner.topUp(1_000);
  const rewardId = newId('reward');
  const owed = { liabilityCents: 5, points: 5, customerId: 'cus_none' };
  const { _id } = await partner.append(
    `reserve:${rewardId}`,
    'RESERVE',
    reserve(liveAccounts, owed),
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
  const { rewardId, purchaseEventId } = await partner.move(await partner.purchase(100), 'FUND');
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
  const { rewardId } = await partner.purchase(100);
  await database.models.rewards.updateOne({ _id: rewardId }, { $set: { status: 'AVAILABLE' } });
  const check = 'rewards: the entries of each match its moves';
  assertFound(t, await partner.audit(), check, rewardId, 'PENDING', 'AVAILABLE');
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
    true,
  );
  await partner.topUp(1_000);
  const run = await partner.audit();
  assertFound(
    t,
    run,
    'ledger: nobody’s account is below zero',
    forged._id,
    'account funding',
    '-1',
  );
  assertFound(t, run, 'ledger: every invoice in it was issued', forged._id);
  t.is(failed(run).length, 2);
});

test('a transaction that does not balance is found and named, even with a valid key', async (t) => {
  const partner = database.partner();
  const forged = await partner.forge(
    { reference: 'topUp:one-sided', kind: 'FUND' },
    [{ account: 'funding', unit: 'CENTS', amount: 5 }],
    true,
  );
  const run = await partner.audit();
  assertFound(t, run, 'ledger: every transaction balances', forged._id, 'sums to 5 cents');
});

test('an operator’s move that is missing in the ledger is found and named', async (t) => {
  const check = 'operators: the ledger has everything they moved';
  const partner = database.partner();
  const { partnerId, integrationId } = partner;
  const amountCents = 100;
  await partner.operation('partner.top-up', partnerId, { reference: 'wire-1', amountCents });
  const granted = { reference: 'grant-1', amountCents };
  await partner.operation('integration.test-funding', integrationId, granted);
  await partner.operation('customer.redeem', 'cus_1', { reference: 'till-1', points: 100 });
  const run = await partner.audit();
  for (const reference of ['topUp:wire-1', `topUp:${integrationId}:grant-1`, 'redeem:till-1']) {
    assertFound(t, run, check, reference, 'missing');
  }
});

test('an operator’s move that is in the ledger is clean; another amount is found and named', async (t) => {
  const partner = database.partner();
  const { partnerId, integrationId } = partner;
  const live = await partner.topUp(100, 'LIVE', 'wire-1');
  const granted = await partner.topUp(100, 'TEST', 'wire-1');
  t.is((await partner.audit()).faults, 0);
  const reference = 'wire-1';
  await partner.operation('partner.top-up', partnerId, { reference, amountCents: 101 });
  await partner.operation('integration.test-funding', integrationId, {
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
  const bought = await partner.move(await partner.purchase(100), 'FUND', 'CLAIM');
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
  assertFound(t, run, 'test funding: what operators moved is in the audit log', granted._id);
  t.deepEqual(
    failed(run).map(({ faults }) => faults),
    [3, 1],
  );
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
  const claimed = await partner.move(await partner.purchase(10, 'TEST'), 'FUND', 'CLAIM');
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

test('a tampered usage entry is found and named', async (t) => {
  const partner = database.partner();
  const { counted } = await billedTwice(partner);
  const { _id, postings } = await partner.usageEntry(`usage:${counted.rewardId}`);
  const more = postings.map((one) => ({ ...one, amount: one.amount + 1 }));
  await database.models.usageEntries.updateOne({ _id }, { $set: { postings: more } });
  const run = await partner.audit();
  assertFound(t, run, 'usage: no posting is forged or changed', _id, 'account period:');
  assertFound(t, run, 'usage: balances equal the sum of their entries', _id);
  assertFound(
    t,
    run,
    'usage: every entry counts what its event is worth',
    _id,
    '1301 POINTS',
    '1300',
  );
});

test('a day that differs from its postings is found and named', async (t) => {
  const partner = database.partner();
  const { counted } = await billedTwice(partner);
  const { _id } = await partner.usageEntry(`usage:${counted.rewardId}`);
  await database.models.usageEntries.updateOne({ _id }, { $inc: { 'day.points': 1 } });
  const check = 'usage: every entry counts what its event is worth';
  assertFound(t, await partner.audit(), check, _id, '1301 points', '1300 points');
});

test('a deleted usage entry is found, and its reward named', async (t) => {
  const partner = database.partner();
  const { counted, givenBack } = await billedTwice(partner);
  const check = 'usage: every funded LIVE reward counts once';
  for (const [reference, rewardId, what] of [
    [`usage:${counted.rewardId}`, counted.rewardId, 'usage is missing'],
    [`giveBack:${givenBack.rewardId}`, givenBack.rewardId, 'giveBack is missing'],
  ] as const) {
    const { _id } = await partner.usageEntry(reference);
    await database.models.usageEntries.deleteOne({ _id });
    const run = await partner.audit();
    assertFound(t, run, check, rewardId, what);
  }
  assertFound(t, await partner.audit(), 'usage: chains are unbroken', 'account day:', 'is missing');
});

test('a forged usage entry is found and named', async (t) => {
  const partner = database.partner();
  const reward = await partner.purchase(100, 'TEST');
  await database.usage.meter(reward, new Date().toISOString());
  const { _id } = await partner.usageEntry(`usage:${reward.rewardId}`);
  const run = await partner.audit();
  assertFound(t, run, 'usage: every entry counts what its event is worth', _id, 'is TEST');
  assertFound(
    t,
    run,
    'usage: every funded LIVE reward counts once',
    reward.rewardId,
    'should not count',
  );
  const invented = {
    partnerId: partner.partnerId,
    rewardId: 'PNR_none',
    points: 1,
    liabilityCents: 1,
  };
  await database.usage.meter(invented, new Date().toISOString());
  const check = 'usage: every entry counts what its event is worth';
  assertFound(t, await partner.audit(), check, 'PNR_none does not exist');
});

test('usage of a reward that was given back is found and named', async (t) => {
  const partner = database.partner();
  await partner.topUp(1_000);
  const cancelled = await partner.move(await partner.purchase(100), 'RUN_SHORT', 'REFUND');
  await database.usage.meter(cancelled, new Date().toISOString());
  const check = 'usage: every funded LIVE reward counts once';
  assertFound(t, await partner.audit(), check, cancelled.rewardId, 'should not count');
});

test('a credit that differs from the saved overage is found and named', async (t) => {
  const partner = database.partner();
  const { first } = await billedTwice(partner);
  await database.models.invoices.updateOne(
    { _id: first._id },
    { $set: { 'terms.overageRateMicrosPerPoint': 20_000 } },
  );
  const run = await partner.audit();
  assertFound(
    t,
    run,
    'usage: every entry counts what its event is worth',
    'giveBack:',
    '400 CENTS',
  );
  const check = 'invoices: each bills what was counted, and is in the ledger';
  assertFound(t, run, check, first.number, 'OVERAGE is 500, and should be 1000');
});

test('an invoice that was changed, deleted or is missing in the ledger is found and named', async (t) => {
  const check = 'invoices: each bills what was counted, and is in the ledger';
  const partner = database.partner();
  const { first, second } = await billedTwice(partner);
  const { invoices, ledger } = database.models;
  await invoices.updateOne({ _id: first._id }, { $set: { totalCents: 1 } });
  assertFound(t, await partner.audit(), check, first.number, 'its lines are 1500, its total is 1');
  await invoices.updateOne({ _id: first._id }, { $set: { totalCents: first.totalCents } });
  t.is((await partner.audit()).faults, 0);
  const { _id } = await partner.entry(`invoice:${second._id}`);
  await ledger.deleteOne({ _id });
  assertFound(t, await partner.audit(), check, second.number, 'the ledger has nothing');
  await invoices.deleteOne({ _id: first._id });
  const run = await partner.audit();
  assertFound(t, run, 'ledger: every invoice in it was issued', first._id, 'does not exist');
  assertFound(
    t,
    run,
    'usage: every entry counts what its event is worth',
    'creditUsed:',
    first._id,
  );
});

test('work in flight is no fault: a discrepancy that is gone a moment later is not reported', async (t) => {
  const partner = database.partner();
  await partner.topUp(1_000);
  const reward = await partner.purchase(100);
  const { rewardId } = reward;
  // The state is written; the ledger entry follows.
  await partner.move(await partner.purchase(5), 'FUND');
  await database.models.rewards.updateOne(
    { _id: rewardId },
    {
      $set: { funded: true, version: 1 },
      $push: { moves: { move: 'FUND', at: new Date(), status: 'PENDING' } },
    },
  );
  let arriving: Promise<unknown> | undefined;
  const arrive = () =>
    Promise.all([
      partner.append(`reserve:${rewardId}`, 'RESERVE', reserve(liveAccounts, reward), { rewardId }),
      database.usage.meter(reward, new Date().toISOString()),
    ]);
  const run = await partner.audit({
    patienceMs: 60_000,
    onProgress(what) {
      if (what.endsWith('looking again')) arriving ??= arrive();
    },
  });
  t.truthy(arriving, 'the audit checks again');
  await arriving;
  t.deepEqual(failed(run), []);
});

test('at most twenty findings of a check are named, and all are counted', async (t) => {
  const partner = database.partner();
  const rewardIds: string[] = [];
  for (let made = 0; made < 25; made++) rewardIds.push((await partner.purchase(1)).rewardId);
  await database.models.rewards.deleteMany({ _id: { $in: rewardIds } });
  const [check] = failed(await partner.audit());
  t.is(check?.faults, 25);
  t.is(check?.culprits.length, 20);
  t.regex(summaryOf(check ? [check] : []), /^25 FAULTS\. purchases: one reward each \(25\): /);
});

test('an account with more postings than a page is read to its first one', async (t) => {
  const partner = database.partner();
  const made: EntryDoc[] = [];
  while (made.length < 260) {
    made.push(...(await Promise.all(Array.from({ length: 20 }, (_, n) => partner.topUp(n + 1)))));
  }
  const run = await partner.audit();
  t.is(run.faults, 0);
  const walked = run.checks.find(({ name }) => name === 'ledger: chains are unbroken');
  t.is(walked?.lookedAt, 520);
  const seq3 = made.find(({ postings }) => postings.some(({ seq }) => seq === 3));
  await database.models.ledger.deleteOne({ _id: seq3?._id ?? '' });
  assertFound(
    t,
    await partner.audit(),
    'ledger: chains are unbroken',
    'seq 4',
    'number 3 before it',
  );
});
