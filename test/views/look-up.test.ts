import { createSecretKey, randomBytes } from 'node:crypto';
import test from 'ava';
import { reviewIdOf } from '../../domain/review.ts';
import { loggedRequestOf } from '../../models/events/request-log.ts';
import type { Models } from '../../models/schemas/index.ts';
import { createRequestHashes } from '../../platform/hashing.ts';
import { correspondingId, newId } from '../../platform/ids.ts';
import { lookUp } from '../../views/names.ts';
import { scopeOf } from '../../views/partner-scope.ts';
import { type Database, openDatabase } from '../helpers/processes.ts';
import { aLoggedRequest, anOrderEvent } from '../helpers/signed-requests.ts';

const hashes = createRequestHashes(createSecretKey(randomBytes(32)));

/** @param _id a partner's, or `null` for all partners */
const scopeOrAll = (_id: string | null) => (_id === null ? null : scopeOf({ _id }));

/** A document of each kind for a partner, with the fields that a search reads. */
function everythingOf(partnerId: string) {
  const purchase = anOrderEvent({
    partnerId,
    integrationId: newId('integration'),
    credentialId: newId('credential'),
    externalOrderId: 'order 1',
    idempotencyKeyHash: hashes.ofIdempotencyKey('key 1'),
  });
  // Its workflow has not started.
  const reported = anOrderEvent({
    partnerId,
    requestId: newId('request', purchase.receivedAt.getTime() - 3),
  });
  const refund = anOrderEvent({
    partnerId,
    type: 'REFUND',
    externalOrderId: 'order 1',
    externalRefundId: 'refund 1',
    idempotencyKeyHash: hashes.ofIdempotencyKey('key 2'),
    purchaseEventId: purchase._id,
    rewardId: purchase.rewardId,
  });
  const refused = aLoggedRequest({
    _id: newId('loggedRequest'),
    requestId: newId('request'),
    partnerId,
    externalOrderId: 'order 2',
    code: 'VALIDATION_FAILED',
    eventId: null,
  });
  const reward = {
    _id: purchase.rewardId,
    partnerId,
    purchaseEventId: purchase._id,
    externalOrderId: 'order 1',
    workflowId: purchase.workflowId,
    customerId: `cus_${randomBytes(24).toString('base64url')}`,
    mode: 'LIVE',
  };
  const redemption = {
    _id: newId('redemption'),
    partnerId,
    externalRedemptionId: 'redemption 1',
    mode: 'LIVE',
  };
  const asked = {
    _id: newId('event'),
    partnerId,
    redemptionId: redemption._id,
    idempotencyKeyHash: hashes.ofIdempotencyKey('key 3'),
  };
  const { rewardId } = purchase;
  const review = { _id: reviewIdOf(refund._id), partnerId, rewardId, refundEventId: refund._id };
  return {
    purchase,
    reported,
    refund,
    refused,
    reward,
    redemption,
    asked,
    review,
    entry: {
      _id: newId('transaction'),
      partnerId,
      mode: 'LIVE',
      seq: 1,
      rewardId,
      kind: 'RESERVE',
      reference: 'one',
    },
    funding: {
      _id: newId('transaction'),
      partnerId,
      mode: 'LIVE',
      seq: 2,
      rewardId: null,
      kind: 'TOP_UP',
      reference: '',
    },
    invoice: { _id: newId('event').replace('evt_', 'inv_'), partnerId, number: '2026-0001' },
    credential: {
      _id: purchase.credentialId,
      partnerId,
      apiKey: `pk_live_${randomBytes(8).toString('hex')}`,
      mode: 'LIVE',
    },
    integration: { _id: purchase.integrationId, partnerId, name: 'web shop' },
    rule: { _id: newId('rule'), partnerId, kind: 'FIXED', currency: 'USD', mode: 'LIVE' },
    partner: { _id: partnerId, name: 'Corner Shop' },
  };
}

type Everything = ReturnType<typeof everythingOf>;

const partnerIds = [newId('partner'), newId('partner')].toSorted();
const [mine, theirs] = partnerIds.map(everythingOf) as [Everything, Everything];
let database: Database;
let models: Models;
test.before(async () => {
  database = await openDatabase();
  models = database.models;
  for (const one of [mine, theirs]) {
    const accepted = [one.purchase, one.reported, one.refund].map((event) =>
      loggedRequestOf(event),
    );
    const inserted: [keyof typeof models, object[]][] = [
      ['orderEvents', [one.purchase, one.reported, one.refund]],
      ['requestLog', [...accepted, one.refused]],
      ['rewards', [one.reward]],
      ['redemptions', [one.redemption]],
      ['redemptionEvents', [one.asked]],
      ['reviews', [{ ...one.review, externalOrderId: 'order 1', mode: 'LIVE' }]],
      ['ledger', [one.entry, one.funding]],
      ['invoices', [one.invoice]],
      ['credentials', [one.credential]],
      ['integrations', [one.integration]],
      ['earningRules', [one.rule]],
      ['partners', [one.partner]],
    ];
    for (const [name, documents] of inserted) {
      await models.connection
        .collection((models[name] as typeof models.rewards).collection.name)
        .insertMany(documents);
    }
  }
});
test.after.always(() => database?.close());

/** Every id by which a document can be found, and the expected results. */
const names = (of: Everything): [text: string, ...found: [kind: string, id: string][]][] => [
  [of.purchase._id, ['EVENT', of.purchase._id]],
  [of.reported._id, ['EVENT', of.reported._id]],
  [of.refund._id, ['EVENT', of.refund._id]],
  [correspondingId('loggedRequest', of.purchase._id), ['REQUEST', of.purchase.requestId]],
  [of.refused.requestId, ['REQUEST', of.refused.requestId]],
  [of.reported.requestId, ['REQUEST', of.reported.requestId]],
  [of.reward._id, ['REWARD', of.reward._id]],
  [of.reward.workflowId, ['REWARD', of.reward._id]],
  [of.redemption._id, ['REDEMPTION', of.redemption._id]],
  [of.asked._id, ['REDEMPTION', of.redemption._id]],
  [of.review._id, ['REVIEW', of.review._id]],
  [of.reward.customerId, ['CUSTOMER', of.reward.customerId]],
  [of.entry._id, ['TRANSACTION', of.entry._id]],
  [of.funding._id, ['TRANSACTION', of.funding._id]],
  [of.invoice._id, ['INVOICE', of.invoice._id]],
  [of.credential._id, ['CREDENTIAL', of.credential._id]],
  [of.credential.apiKey, ['CREDENTIAL', of.credential._id]],
  [of.integration._id, ['INTEGRATION', of.integration._id]],
  [`wallet/TEST/${of.integration._id}`, ['INTEGRATION', of.integration._id]],
  [of.rule._id, ['RULE', of.rule._id]],
  [of.partner._id, ['PARTNER', of.partner._id]],
  [`wallet/LIVE/${of.partner._id}`, ['PARTNER', of.partner._id]],
];

/** Names that partners choose, so that two partners can use the same one. */
const chosen = (of: Everything): ReturnType<typeof names> => [
  ['order 1', ['EVENT', of.purchase._id]],
  ['order 2', ['REQUEST', of.refused.requestId]],
  ['refund 1', ['EVENT', of.refund._id]],
  ['key 1', ['EVENT', of.purchase._id]],
  [' key 2\n', ['EVENT', of.refund._id]],
  ['redemption 1', ['REDEMPTION', of.redemption._id]],
  ['key 3', ['REDEMPTION', of.redemption._id]],
];

test('a search finds any kind of id, and reveals nothing of other partners', async (t) => {
  const deps = { models, hashes };
  const found = async (_id: string | null, text: string) =>
    (await lookUp(deps, scopeOrAll(_id), text)).map(({ kind, id }) => [kind, id]);
  for (const [text, ...expected] of names(mine)) {
    t.deepEqual(await found(mine.partner._id, text), expected, text);
    t.deepEqual(await found(null, text), expected, text);
    t.deepEqual(await found(theirs.partner._id, text), [], text);
  }
  for (const [index, [text, ...expected]] of chosen(mine).entries()) {
    t.deepEqual(await found(mine.partner._id, text), expected, text);
    const [, ...another] = chosen(theirs)[index] ?? [''];
    t.deepEqual(
      (await found(null, text)).toSorted(),
      [...expected, ...another].toSorted(),
      `${text}: operators find all partners’ documents`,
    );
  }
});

test('a result names its partner, and links to the event’s page', async (t) => {
  const { partner, purchase, refund, reward, review, entry } = mine;
  const of = async (text: string) => (await lookUp({ models, hashes }, null, text))[0];
  t.like(await of(reward._id), { eventId: purchase._id, partnerId: partner._id, mode: 'LIVE' });
  t.like(await of(review._id), { eventId: refund._id });
  t.like(await of(entry._id), { eventId: purchase._id, label: 'RESERVE', mode: 'LIVE' });
  t.like(await of(refund._id), { label: 'Refund refund 1', eventId: refund._id });
});

const strange = [
  '',
  '   ',
  'x'.repeat(256),
  'evt_01ARZ3NDEKTSV4RRFFQ69G5FAV',
  'req_zzzzzzzzzzzzzzzzzzzzzzzzzz',
  'req_7ZZZZZZZZZZZZZZZZZZZZZZZZZ',
  'xyz_01ARZ3NDEKTSV4RRFFQ69G5FAV',
  '__proto___01ARZ3NDEKTSV4RRFFQ69G5',
  'toS_01ARZ3NDEKTSV4RRFFQ69G5FAV',
  '{"$gt":""}',
  '$where',
];

test('text that matches nothing finds nothing', async (t) => {
  for (const text of strange) {
    for (const partnerId of [mine.partner._id, null]) {
      t.deepEqual(await lookUp({ models, hashes }, scopeOrAll(partnerId), text), [], text);
    }
  }
});

test.serial('no search scans a collection, however large', async (t) => {
  const partnerId = mine.partner._id;
  const many = Array.from({ length: 2_000 }, (_, n) =>
    anOrderEvent({ partnerId: n % 2 === 0 ? partnerId : 'prt_more', externalOrderId: `${n}` }),
  );
  await models.orderEvents.collection.insertMany(many);
  await models.requestLog.collection.insertMany(many.map((event) => loggedRequestOf(event)));
  await models.rewards.collection.insertMany(
    many.map(({ rewardId, partnerId: of, _id, workflowId }) => ({
      _id: rewardId,
      partnerId: of,
      purchaseEventId: _id,
      workflowId,
      customerId: _id,
    })) as never[],
  );
  const db = models.connection.db;
  await db?.command({ profile: 2 });
  for (const [text] of [...names(mine), ...chosen(mine), ...strange.map((one) => [one])]) {
    for (const owner of [partnerId, null])
      await lookUp({ models, hashes }, scopeOrAll(owner), text ?? '');
  }
  await db?.command({ profile: 0 });
  const reads = await db?.collection('system.profile').find({ op: 'query' }).toArray();
  t.true((reads?.length ?? 0) > 200);
  for (const { ns, command, planSummary, docsExamined, keysExamined } of reads ?? []) {
    const read = `${ns} ${planSummary} ${JSON.stringify(command.filter)}`;
    if (!/\.(partners|credentials|earning_rules|integrations)$/.test(ns)) {
      t.notRegex(planSummary, /COLLSCAN/, read);
    }
    t.true(docsExamined <= 5, `${docsExamined} documents examined: ${read}`);
    t.true(keysExamined <= 12, `${keysExamined} keys examined: ${read}`);
  }
});
