import { type Hash, peaksOf, type Range, rootOf } from '../../domain/merkle.ts';
import { sha256 } from '../../platform/hashing.ts';
import type { Models } from '../schemas/index.ts';
import { toText } from './leaf.ts';

/** How many leaves the log has. */
export async function logSize({ ledgerLeaves }: Models): Promise<number> {
  const newest = await ledgerLeaves.findOne({}, { _id: 1 }).sort({ _id: -1 });
  return newest === null ? 0 : newest._id + 1;
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

/** Of a complete subtree. */
export const levelOf = ({ start, end }: Range): number => Math.log2(end - start);

/** The root of the first leaves of the log. */
export async function readRoot(models: Models, size: number): Promise<string> {
  const [root] = await readHashes(models, [{ start: 0, end: size }]);
  return toText(root as Hash);
}
