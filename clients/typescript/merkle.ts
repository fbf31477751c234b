import { createHash } from 'node:crypto';

/** Verifies the proofs of a Merkle tree as in RFC 6962 (the algorithms of RFC 9162, section 2.1), with SHA-256. */

const sha256 = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

export const leafHash = (data: Uint8Array): Buffer => sha256(Uint8Array.of(0), data);
const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer =>
  sha256(Uint8Array.of(1), left, right);

/**
 * The root that an inclusion proof leads to.
 * @returns null if the proof has not the length of one for this leaf
 */
export function rootOfInclusion(
  leaf: Uint8Array,
  index: number,
  size: number,
  proof: readonly Uint8Array[],
): Uint8Array | null {
  if (!isCount(index) || !isCount(size) || index >= size) return null;
  let [place, last] = [index, size - 1];
  let root: Uint8Array = leaf;
  for (const hash of proof) {
    if (last === 0) return null;
    if (isOdd(place) || place === last) {
      root = nodeHash(hash, root);
      while (!isOdd(place) && place !== 0) [place, last] = [half(place), half(last)];
    } else {
      root = nodeHash(root, hash);
    }
    [place, last] = [half(place), half(last)];
  }
  return last === 0 ? root : null;
}

/** Whether a proof shows that a tree began as an earlier one, of at least one leaf. */
export function isConsistent(
  earlier: { size: number; root: Uint8Array },
  later: { size: number; root: Uint8Array },
  proof: readonly Uint8Array[],
): boolean {
  const [first, second] = [earlier.size, later.size];
  if (!isCount(first) || !isCount(second) || first < 1 || first > second) return false;
  if (first === second) return proof.length === 0 && isSame(earlier.root, later.root);
  // A complete tree is itself the first subtree of the proof.
  const path = isPowerOf2(first) ? [earlier.root, ...proof] : [...proof];
  const [start, ...rest] = path;
  if (start === undefined) return false;
  let [place, last] = [first - 1, second - 1];
  while (isOdd(place)) [place, last] = [half(place), half(last)];
  let [before, after]: [Uint8Array, Uint8Array] = [start, start];
  for (const hash of rest) {
    if (last === 0) return false;
    if (isOdd(place) || place === last) {
      before = nodeHash(hash, before);
      after = nodeHash(hash, after);
      while (!isOdd(place) && place !== 0) [place, last] = [half(place), half(last)];
    } else {
      after = nodeHash(after, hash);
    }
    [place, last] = [half(place), half(last)];
  }
  return last === 0 && isSame(before, earlier.root) && isSame(after, later.root);
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
const isOdd = (value: number): boolean => value % 2 === 1;
const half = (value: number): number => Math.floor(value / 2);
const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

function isPowerOf2(value: number): boolean {
  let power = 1;
  while (power < value) power *= 2;
  return power === value;
}
