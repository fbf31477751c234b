import { generateKeyPairSync, randomBytes } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import type { LoggedHead } from '../../audit/index.ts';
import { InvalidReceiptError, verifyReceipt } from '../../clients/typescript/receipt.ts';
import type { Receipt } from '../../clients/typescript/types.ts';
import { entryHash } from '../../models/ledger/index.ts';
import { growLog, signHead } from '../../models/receipts/sign-log.ts';
import { readSigningKeys, signJws } from '../../models/receipts/signing-keys.ts';
import { headIn } from '../../models/receipts/tree-heads.ts';
import type { AuditRunDoc } from '../../models/schemas/audit.ts';
import { destroyKeysOf } from '../../models/store/data-keys.ts';
import { retireSigningKey } from '../../operations/signing-keys.ts';
import type { RecordKind } from '../../platform/audit-log.ts';
import { createSealer } from '../../platform/sealing.ts';
import { scopeOf } from '../../views/partner-scope.ts';
import { readReceipt } from '../../views/receipt.ts';
import { openAuditDatabase, type TestPartner } from '../audit/helpers/audit-database.ts';
import { operate } from '../helpers/operate.ts';

/** A database of its own, since the log is one for all partners. */
async function open(t: ExecutionContext) {
  const database = await openAuditDatabase();
  t.teardown(() => database.close());
  const { models, hashKey, customerHashKey } = database;
  const outside: Partial<Record<RecordKind, unknown[]>> = {};
  const deps = {
    models,
    hashKey,
    sealer: createSealer([{ id: 'test', key: customerHashKey }]),
    portalUrl: 'https://rewards.example',
    async auditLog(kind: RecordKind, records: readonly unknown[]) {
      outside[kind] = [...(outside[kind] ?? []), ...records];
    },
  };
  let day = 0;
  return {
    ...database,
    deps,
    outside,
    grow: () => growLog(deps),
    /** What the schedule does, on one day after the other. */
    async sign(): Promise<number> {
      await growLog(deps);
      return await signHead(deps, new Date(Date.now() + ++day * 86_400_000));
    },
    async receipt({ partnerId }: TestPartner, rewardId: string): Promise<Receipt> {
      const config = { customerHashKey };
      const { sealer } = deps;
      const found = await readReceipt(
        { models, sealer, config },
        scopeOf({ _id: partnerId }),
        rewardId,
      );
      if (found === null) throw new Error(`there is no receipt of ${rewardId}`);
      return found;
    },
  };
}

/** A partner with a claimed reward, and some other entries. */
async function trading({ partner }: Awaited<ReturnType<typeof open>>) {
  const shop = partner();
  await shop.topUp(10_000);
  const reward = await shop.move(await shop.purchase(100), 'CLAIM');
  await shop.purchase(50);
  return { shop, reward };
}

const kindsIn = (receipt: Receipt, keys = receipt.keys) =>
  verifyReceipt(receipt, keys).entries.map(({ kind }) => kind);

test.serial('a receipt proves each entry of a reward, by the keys that are served', async (t) => {
  const world = await open(t);
  const { shop, reward } = await trading(world);
  await trading(world);
  t.is(await world.sign(), 8);
  const keys = await readSigningKeys(world.models);
  const found = verifyReceipt(await world.receipt(shop, reward.rewardId), keys);
  t.like(found, { rewardId: reward.rewardId, pendingEntries: 0, previous: null });
  t.like(found.head, { log: 'https://rewards.example', size: 8, keyId: keys[0]?.kid ?? '' });
  t.deepEqual(
    found.entries.map(({ kind, postings }) => [kind, ...postings.map(({ amount }) => amount)]),
    [
      ['RESERVE', -100, 100],
      ['CLAIM', -100, 100, -100, 100],
    ],
  );
});

test.serial(
  'a receipt has no personal data and no balances, and outlives an erasure',
  async (t) => {
    const world = await open(t);
    const { shop, reward } = await trading(world);
    await world.sign();
    const before = await world.receipt(shop, reward.rewardId);
    const { customerId, partnerId } = { ...reward, partnerId: shop.partnerId };
    const text = JSON.stringify(before);
    t.false(text.includes(customerId));
    t.false(text.includes('balanceAfter'));
    const [, claimed] = verifyReceipt(before, before.keys).entries;
    const customers = claimed?.postings.flatMap(({ account }) => account.split(':')[1] ?? []);
    t.is(new Set(customers).size, 1, 'the same customer has the same name within a receipt');
    const erasedAt = new Date();
    await destroyKeysOf(world.models, { partnerId, customerId }, { upTo: erasedAt, erasedAt });
    t.deepEqual(await world.receipt(shop, reward.rewardId), before);
  },
);

test.serial(
  'a later head continues the earlier one, and what it does not cover is pending',
  async (t) => {
    const world = await open(t);
    const { shop, reward } = await trading(world);
    t.is(await world.sign(), 4);
    await shop.move(reward, 'REFUND', 'UPHOLD');
    const early = await world.receipt(shop, reward.rewardId);
    t.is(early.pendingEntries, 1);
    t.deepEqual(kindsIn(early), ['RESERVE', 'CLAIM']);
    t.is(await world.sign(), 5);
    const late = await world.receipt(shop, reward.rewardId);
    t.deepEqual(kindsIn(late), ['RESERVE', 'CLAIM', 'CLAWBACK']);
    t.is(late.previousTreeHead, early.treeHead);
    t.is(verifyReceipt(late, late.keys).previous?.size, 4);
    t.is(await world.sign(), 5, 'without new entries');
    t.is(await world.models.treeHeads.countDocuments(), 2);
  },
);

test.serial('without a head, or an entry under one, there is no receipt', async (t) => {
  const world = await open(t);
  const { shop, reward } = await trading(world);
  await t.throwsAsync(world.receipt(shop, reward.rewardId));
  await world.grow();
  await t.throwsAsync(world.receipt(shop, reward.rewardId));
  await world.sign();
  const { rewardId } = await shop.purchase(10);
  await t.throwsAsync(world.receipt(shop, rewardId));
  await t.throwsAsync(world.receipt(world.partner(), reward.rewardId), undefined, 'a stranger’s');
});

test.serial('a receipt in which anything was changed proves nothing', async (t) => {
  const world = await open(t);
  const { shop, reward } = await trading(world);
  await world.sign();
  await shop.move(reward, 'REFUND', 'UPHOLD');
  await world.sign();
  const receipt = await world.receipt(shop, reward.rewardId);
  const [first, ...others] = receipt.entries;
  if (first === undefined) throw new Error('there is an entry');
  const withFirst = (change: Partial<typeof first>) => ({
    entries: [{ ...first, ...change }, ...others],
  });
  const [header, , signature] = receipt.treeHead.split('.');
  const grown = { ...headIn(receipt.treeHead), size: 99 };
  const payload = Buffer.from(JSON.stringify(grown)).toString('base64url');
  const changes: [change: Partial<Receipt>, problem: RegExp][] = [
    [withFirst({ leaf: first.leaf.replace('-100', '-900') }), /is not in the log/],
    [withFirst({ index: first.index + 1 }), /is not in the log/],
    [withFirst({ inclusionProof: first.inclusionProof.slice(1) }), /is not in the log/],
    [{ entries: [first, first] }, /twice/],
    [{ entries: [] }, /no entries/],
    [{ rewardId: 'PNR_other' }, /another reward/],
    [{ treeHead: `${header}.${payload}.${signature}` }, /signature/],
    [
      { consistencyProof: [...receipt.consistencyProof, first.inclusionProof[0] ?? ''] },
      /continue/,
    ],
    [{ previousTreeHead: 'none' }, /not a receipt/],
    [{ entries: others }, /left out/],
    [{ entries: receipt.entries.slice(0, -1) }, /left out/],
    [{ pendingEntries: receipt.pendingEntries + 1 }, /stated other/],
    [{ statement: receipt.treeHead }, /stated other/],
    [{ format: 'other' as Receipt['format'] }, /format/],
  ];
  for (const [change, message] of changes) {
    const check = () => verifyReceipt({ ...receipt, ...change }, receipt.keys);
    t.throws(check, { instanceOf: InvalidReceiptError, message }, JSON.stringify(change));
  }
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const x = publicKey.export({ format: 'jwk' }).x ?? '';
  const [key] = receipt.keys;
  if (key === undefined) throw new Error('there is a key');
  const forged = signJws({ keyId: key.kid, privateKey }, headIn(receipt.treeHead));
  t.throws(() => verifyReceipt({ ...receipt, treeHead: forged }, [{ ...key, x }]), {
    message: /not the one that its id names/,
  });
  t.throws(() => verifyReceipt(receipt, []), { message: /not given/ });
});

test.serial('a retired key verifies what it signed, and signs nothing more', async (t) => {
  const world = await open(t);
  const { shop, reward } = await trading(world);
  await world.sign();
  const retirement = { models: world.models, now: () => Date.now() + 1.5 * 86_400_000 };
  const { retiredKeyId } = await operate(retirement, retireSigningKey, {});
  t.deepEqual(await operate(retirement, retireSigningKey, {}), { retiredKeyId: null });
  await shop.move(reward, 'REFUND', 'UPHOLD');
  await world.sign();
  const keys = await readSigningKeys(world.models);
  t.deepEqual(
    keys.map(({ kid, retiredAt }) => [kid === retiredKeyId, retiredAt !== null]),
    [
      [false, false],
      [true, true],
    ],
  );
  t.is(await world.models.signingKeys.countDocuments({ sealed: { $ne: null } }), 1);
  const receipt = await world.receipt(shop, reward.rewardId);
  const { head, previous } = verifyReceipt(receipt, keys);
  const early = { ...receipt, treeHead: receipt.previousTreeHead ?? '', previousTreeHead: null };
  t.throws(() => verifyReceipt(early, keys), {
    message: /was retired at .* get the receipt again/,
  });
  t.is(previous?.keyId, retiredKeyId ?? '');
  t.not(head.keyId, retiredKeyId);
  const retiredBefore = keys.map((key) =>
    key.retiredAt === null ? key : { ...key, retiredAt: '2026-01-01T00:00:00.000Z' },
  );
  t.throws(() => verifyReceipt(receipt, retiredBefore), { message: /after the key was retired/ });
});

test.serial('keys and heads are written outside the database before they are stored', async (t) => {
  const world = await open(t);
  await trading(world);
  await growLog(world.deps);
  const deps = {
    ...world.deps,
    auditLog: async () => {
      throw new Error('the disk is full');
    },
  };
  await t.throwsAsync(signHead(deps, new Date()), { message: /disk/ });
  t.is(await world.models.signingKeys.countDocuments(), 0);
  await world.sign();
  const [head] = await world.models.treeHeads.find();
  t.deepEqual(world.outside.treeHead, [head?.signed]);
  t.deepEqual(world.outside.signingKey, await readSigningKeys(world.models));
});

test.serial('processes that append at once log each entry once', async (t) => {
  const world = await open(t);
  for (const _ of [1, 2, 3]) await trading(world);
  await Promise.allSettled([world.grow(), world.grow(), world.grow()]);
  t.is(await world.sign(), 12);
  const leaves = await world.models.ledgerLeaves.find();
  t.is(new Set(leaves.map(({ partnerId, seq }) => `${partnerId}/${seq}`)).size, 12);
  t.is((await world.audit()).faults, 0);
});

test.serial(
  'an entry that was tampered with is never signed, and holds up no other partner',
  async (t) => {
    const world = await open(t);
    const { shop } = await trading(world);
    const { entry } = shop;
    const { reference } = await shop.topUp(5);
    await world.models.ledger.updateOne(
      { _id: (await entry(reference))._id },
      { $set: { kind: 'X' } },
    );
    const { shop: other, reward } = await trading(world);
    t.is(await world.sign(), 8);
    t.deepEqual(kindsIn(await world.receipt(other, reward.rewardId)), ['RESERVE', 'CLAIM']);
    await world.models.ledger.updateOne({ reference }, { $unset: { at: 1 } });
    t.is(await world.sign(), 8);
  },
);

const ofEntries = 'ledger: the log of receipts has each entry once, as it is';
const ofHeads = 'log of receipts: each tree head is signed, and continues the one before it';
const ofLogged = 'log: each of its tree heads is one of the log of receipts';
const namesOf = ({ checks }: AuditRunDoc) =>
  checks.flatMap(({ name, faults }) => (faults > 0 ? [name] : []));

test.serial('an audit finds the log right, and what is wrong with it', async (t) => {
  const world = await open(t);
  const { shop } = await trading(world);
  await world.sign();
  await trading(world);
  await world.sign();
  const { models } = world;
  t.deepEqual(namesOf(await world.audit()), []);

  const leaf = await models.ledgerLeaves.findOne({ partnerId: shop.partnerId, seq: 2 }).orFail();
  const { _id } = leaf;
  await models.ledgerLeaves.updateOne(
    { _id },
    { $set: { hashes: [randomBytes(32).toString('base64')] } },
  );
  t.deepEqual(namesOf(await world.audit()), [ofEntries, ofHeads]);
  await models.ledgerLeaves.deleteOne({ _id });
  t.deepEqual(namesOf(await world.audit()), [ofEntries, ofHeads]);
  await models.ledgerLeaves.create(leaf);
  t.deepEqual(namesOf(await world.audit()), []);

  const [head] = await models.treeHeads.find().sort({ _id: -1 });
  if (head === undefined) throw new Error('there is a head');
  const { privateKey } = generateKeyPairSync('ed25519');
  const { keyId } = head;
  const said = headIn(head.signed);
  const [, payload] = head.signed.split('.');
  for (const signed of [signJws({ keyId, privateKey }, said), `x.${payload}.x`, 'x']) {
    await models.treeHeads.updateOne({ _id: head._id }, { $set: { signed } });
    t.deepEqual(namesOf(await world.audit()), [ofHeads], signed);
  }
  await models.treeHeads.updateOne({ _id: head._id }, { $set: { signed: head.signed } });

  await models.ledgerLeaves.deleteOne({ _id: head._id - 1 });
  t.deepEqual(namesOf(await world.audit()), [ofEntries, ofHeads]);
});

test.serial(
  'an audit finds an entry that was kept out of the log, or is there without one',
  async (t) => {
    const world = await open(t);
    const { shop } = await trading(world);
    await world.grow();
    await shop.topUp(1);
    const dayLater = new Date(Date.now() + 86_400_000);
    await signHead(world.deps, dayLater);
    t.deepEqual(namesOf(await world.audit()), [ofEntries]);
    await world.sign();
    t.deepEqual(namesOf(await world.audit()), []);
    await world.models.ledger.deleteOne({ partnerId: shop.partnerId, seq: 4 });
    t.true(namesOf(await world.audit()).includes(ofEntries));
  },
);

test.serial(
  'the heads outside the database reveal a log that was rewritten as a whole',
  async (t) => {
    const world = await open(t);
    const { shop } = await trading(world);
    await world.sign();
    const { models } = world;
    async function* logged(): AsyncGenerator<LoggedHead> {
      for (const signed of world.outside.treeHead ?? []) yield { line: 1, signed: String(signed) };
    }
    const audit = async () => namesOf(await shop.audit({ loggedHeads: logged() }));
    t.deepEqual(await audit(), []);
    await models.treeHeads.deleteMany({});
    await models.ledgerLeaves.deleteMany({});
    t.deepEqual(await audit(), [ofLogged]);
    // By somebody who has the keys.
    const first = await models.ledger.findOne({ partnerId: shop.partnerId, seq: 1 }).orFail();
    const { _id } = first;
    const rewritten = { ...first, kind: 'OTHER' };
    const hash = entryHash(world.hashKey, rewritten);
    await models.ledger.updateOne({ _id }, { $set: { kind: 'OTHER', hash } });
    t.is(await world.sign(), 4);
    const names = await audit();
    t.true(names.includes(ofLogged));
    t.false(names.includes(ofEntries));
  },
);
