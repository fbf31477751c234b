/**
 * The Merkle tree of RFC 6962, section 2.1: a log that only grows. The hash function is passed in. The hash
 * of a complete subtree never changes, and every other hash follows from those.
 */
export type Hash = Uint8Array;
export type HashFunction = (bytes: Uint8Array) => Hash;

/** The subtree of the leaves from `start` to before `end`. */
export interface Range {
  start: number;
  end: number;
}

/** A complete subtree, of 2^level leaves. */
export interface Complete {
  level: number;
  hash: Hash;
}

/** The hash of a leaf. The prefixes keep a node from being passed off as a leaf. */
export const leafHash = (hash: HashFunction, data: Uint8Array): Hash => hash(joined([0], data));

const nodeHash = (hash: HashFunction, left: Hash, right: Hash): Hash =>
  hash(joined([1], left, right));

function joined(...parts: readonly ArrayLike<number>[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let place = 0;
  for (const part of parts) {
    bytes.set(part, place);
    place += part.length;
  }
  return bytes;
}

/**
 * Appends a leaf.
 * @param peaks the complete subtrees that the tree consists of, from left to right
 * @returns the hashes of the subtrees that it completes, by level, and the peaks with it
 */
export function append(
  hash: HashFunction,
  peaks: readonly Complete[],
  leaf: Hash,
): { completed: Hash[]; peaks: Complete[] } {
  const left = [...peaks];
  const completed = [leaf];
  let top: Complete = { level: 0, hash: leaf };
  for (let peak = left.at(-1); peak?.level === top.level; peak = left.at(-1)) {
    top = { level: top.level + 1, hash: nodeHash(hash, peak.hash, top.hash) };
    completed.push(top.hash);
    left.pop();
  }
  return { completed, peaks: [...left, top] };
}

/** The hash of a subtree, from the hashes of the complete ones that it consists of. */
export function rootOf(hash: HashFunction, peaks: readonly Hash[]): Hash {
  return peaks.reduceRight((right, left) => nodeHash(hash, left, right));
}

/** The complete subtrees that a subtree consists of, from left to right: at most one of each level. */
export function peaksOf({ start, end }: Range): Range[] {
  const peaks: Range[] = [];
  for (let next = start; next < end; ) {
    let size = 1;
    while (size * 2 <= end - next) size *= 2;
    peaks.push({ start: next, end: next + size });
    next += size;
  }
  return peaks;
}

/** The audit path of a leaf (RFC 6962, 2.1.1): the subtrees whose hashes lead from it to the root. */
export function inclusionProof(leaf: number, size: number): Range[] {
  return pathTo(leaf, { start: 0, end: size });
}

function pathTo(leaf: number, { start, end }: Range): Range[] {
  if (end - start <= 1) return [];
  const middle = middleOf({ start, end });
  const [left, right] = [
    { start, end: middle },
    { start: middle, end },
  ];
  return leaf < middle ? [...pathTo(leaf, left), right] : [...pathTo(leaf, right), left];
}

/** The proof that a tree began as an earlier one (RFC 6962, 2.1.2), as subtrees. */
export function consistencyProof(earlier: number, size: number): Range[] {
  return proofOf(earlier, { start: 0, end: size }, true);
}

/** @param isRoot whether the subtree's leaves up to `earlier` are all of the earlier tree, whose hash is known */
function proofOf(earlier: number, { start, end }: Range, isRoot: boolean): Range[] {
  if (earlier === end) return isRoot ? [] : [{ start, end }];
  const middle = middleOf({ start, end });
  const [left, right] = [
    { start, end: middle },
    { start: middle, end },
  ];
  return earlier <= middle
    ? [...proofOf(earlier, left, isRoot), right]
    : [...proofOf(earlier, right, false), left];
}

/** Where a subtree of two leaves or more is divided: its left part is the largest complete one. */
function middleOf({ start, end }: Range): number {
  let size = 1;
  while (size * 2 < end - start) size *= 2;
  return start + size;
}
