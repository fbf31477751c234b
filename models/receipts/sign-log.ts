import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { append, type Complete, type Hash, peaksOf } from '../../domain/merkle.ts';
import type { AuditLog } from '../../platform/audit-log.ts';
import { sha256 } from '../../platform/hashing.ts';
import type { Sealer } from '../../platform/sealing.ts';
import { isGenuine } from '../ledger/index.ts';
import type { EntryDoc } from '../schemas/entries.ts';
import type { Models } from '../schemas/index.ts';
import type { LedgerLeafDoc } from '../schemas/receipts.ts';
import { insertOnce } from '../store/insert-once.ts';
import { createWriteLeaf, hashOfEntry, toText } from './leaf.ts';
import { levelOf, logSize, readHashes, readRoot } from './proofs.ts';
import { curve, findSigner, presentKey, type Signer, signJws } from './signing-keys.ts';
import type { TreeHead } from './tree-heads.ts';

const pageRows = 500;

/**
 * Appends every LIVE entry that the log does not have: partner by partner, each one's in the order of its chain, up
 * to one that was tampered with, which is never signed; the audit reports it, and that it is missing in the log.
 * What two processes append at once meets at the same place, and one of them fails; a repeat goes on from what
 * is stored.
 */
export async function growLog(
  { models, hashKey }: { models: Models; hashKey: KeyObject },
  onProgress: () => void = () => undefined,
): Promise<void> {
  const writeLeaf = createWriteLeaf(hashKey);
  let size = await logSize(models);
  let peaks = await readPeaks(models, size);
  for await (const { partnerId, seq: newest } of liveWallets(models)) {
    onProgress();
    for (let last = await loggedUpTo(models, partnerId); last < newest; ) {
      const entries = await models.ledger
        .find({ partnerId, mode: 'LIVE', seq: { $gt: last, $lte: newest } })
        .sort({ seq: 1 })
        .limit(pageRows);
      const leaves = genuine(hashKey, entries, last).map((entry): LedgerLeafDoc => {
        const grown = append(sha256, peaks, hashOfEntry(writeLeaf, entry));
        peaks = grown.peaks;
        return { _id: size++, partnerId, seq: entry.seq, hashes: grown.completed.map(toText) };
      });
      if (leaves.length === 0) break;
      await models.ledgerLeaves.collection.insertMany(leaves);
      last = leaves.at(-1)?.seq ?? newest;
      onProgress();
    }
  }
}

/** The entries up to the first that no commit wrote, or that does not follow the one before. */
function genuine(hashKey: KeyObject, entries: readonly EntryDoc[], last: number): EntryDoc[] {
  const end = entries.findIndex(
    (entry, place) => entry.seq !== last + 1 + place || !isGenuine(hashKey, entry),
  );
  return entries.slice(0, end === -1 ? entries.length : end);
}

async function readPeaks(models: Models, size: number): Promise<Complete[]> {
  const peaks = peaksOf({ start: 0, end: size });
  const hashes = await readHashes(models, peaks);
  return peaks.map((peak, place) => ({ level: levelOf(peak), hash: hashes[place] as Hash }));
}

async function loggedUpTo({ ledgerLeaves }: Models, partnerId: string): Promise<number> {
  const newest = await ledgerLeaves.findOne({ partnerId }, { seq: 1 }).sort({ seq: -1 });
  return newest?.seq ?? 0;
}

/** The wallets with LIVE entries, by id. */
async function* liveWallets({ wallets }: Models) {
  for (let last = ''; ; ) {
    const page = await wallets
      .find({ _id: { $gt: last }, mode: 'LIVE', seq: { $gt: 0 } }, { partnerId: 1, seq: 1 })
      .sort({ _id: 1 })
      .limit(pageRows);
    yield* page;
    const end = page.at(-1);
    if (end === undefined || page.length < pageRows) return;
    last = end._id;
  }
}

export interface SigningDeps {
  models: Models;
  sealer: Sealer;
  /** Each new key, and each tree head, is written outside the database first. */
  auditLog: AuditLog;
}

/**
 * Signs the head of the log, unless nothing was appended since the last one.
 * @returns how many leaves the newest head covers
 */
export async function signHead(
  deps: SigningDeps & { portalUrl: string },
  signedAt: Date,
): Promise<number> {
  const { models, auditLog, portalUrl: log } = deps;
  const size = await logSize(models);
  if (size === 0 || (await models.treeHeads.exists({ _id: size }))) return size;
  const rootHash = await readRoot(models, size);
  const head: TreeHead = { log, size, rootHash, signedAt: signedAt.toISOString() };
  const signer = await currentSigner(deps, signedAt);
  const { keyId } = signer;
  const signed = signJws(signer, head);
  await auditLog('treeHead', [signed]);
  await insertOnce(() => models.treeHeads.create({ _id: size, keyId, signedAt, signed }));
  return size;
}

/** The key that signs now; made if there is none. */
export async function currentSigner(deps: SigningDeps, now: Date): Promise<Signer> {
  for (;;) {
    const found = await findSigner(deps.models, deps.sealer);
    if (found !== null) return found;
    await makeKey(deps, now);
  }
}

/** Two processes may make one each: one of them is stored, and the other never signs. */
async function makeKey({ models, sealer, auditLog }: SigningDeps, createdAt: Date): Promise<void> {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const keyId = thumbprint(x);
  const key = { _id: keyId, publicKey: x, sealed: sealer.seal(d, keyId), createdAt };
  await auditLog('signingKey', [presentKey({ ...key, retiredAt: null })]);
  await insertOnce(() => models.signingKeys.create({ ...key, retiredAt: null }));
}

/** Of a public key (RFC 7638). */
const thumbprint = (x: string): string =>
  sha256(Buffer.from(JSON.stringify({ crv: curve.crv, kty: curve.kty, x }))).toString('base64url');
