import type { KeyObject } from 'node:crypto';
import {
  append,
  type Complete,
  type Hash,
  leafHash,
  peaksOf,
  type Range,
  rootOf,
} from '../../domain/merkle.ts';
import { sha256 } from '../../platform/hashing.ts';
import { isGenuine } from '../commit.ts';
import type { EntryDoc } from '../schemas/entries.ts';
import type { Models } from '../schemas/index.ts';
import type { LedgerLeafDoc } from '../schemas/receipts.ts';
import { createWriteLeaf, type WriteLeaf } from './leaf.ts';

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
        .find({ partnerId, walletId: partnerId, seq: { $gt: last, $lte: newest } })
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

/** The hash of an entry's leaf. */
export const hashOfEntry = (writeLeaf: WriteLeaf, entry: EntryDoc): Hash =>
  leafHash(sha256, Buffer.from(writeLeaf(entry), 'utf8'));

export const toText = (hash: Hash): string => Buffer.from(hash).toString('base64');

/** How many leaves the log has. */
export async function logSize({ ledgerLeaves }: Models): Promise<number> {
  const newest = await ledgerLeaves.findOne({}, { _id: 1 }).sort({ _id: -1 });
  return newest === null ? 0 : newest._id + 1;
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

/**
 * The hashes of subtrees, in one query. A proof consists of complete subtrees, of which each is one leaf, and at most
 * one other, at the end of the log: so of n leaves it reads at most 2 × log2 n.
 * @throws Error if the log is shorter
 */
export async function readHashes(
  { ledgerLeaves }: Models,
  subtrees: readonly Range[],
): Promise<Hash[]> {
  const complete = subtrees.map(peaksOf);
  const ids = [...new Set(complete.flat().map(({ end }) => end - 1))];
  const leaves = await ledgerLeaves.find({ _id: { $in: ids } }, { hashes: 1 });
  const hashesOf = new Map(leaves.map(({ _id, hashes }) => [_id, hashes]));
  return complete.map((peaks) =>
    rootOf(
      sha256,
      peaks.map((peak) => {
        const hash = hashesOf.get(peak.end - 1)?.[levelOf(peak)];
        if (hash === undefined) throw new Error(`the log has no leaf ${peak.end - 1}`);
        return Buffer.from(hash, 'base64');
      }),
    ),
  );
}

const levelOf = ({ start, end }: Range): number => Math.log2(end - start);

/** The root of the first leaves of the log. */
export async function readRoot(models: Models, size: number): Promise<string> {
  const [root] = await readHashes(models, [{ start: 0, end: size }]);
  return toText(root as Hash);
}
