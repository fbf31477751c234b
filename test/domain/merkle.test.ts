import { createHash } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import { isConsistent, rootOfInclusion } from '../../clients/typescript/merkle.ts';
import {
  append,
  type Complete,
  consistencyProof,
  type Hash,
  inclusionProof,
  leafHash,
  peaksOf,
  type Range,
  rootOf,
} from '../../domain/merkle.ts';

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();
const hex = (hash: Uint8Array): string => Buffer.from(hash).toString('hex');

/** A log that keeps the hashes of complete subtrees as the service does. */
function grow(leaves: readonly Uint8Array[]) {
  const complete = new Map<string, Hash>();
  let peaks: Complete[] = [];
  for (const [index, data] of leaves.entries()) {
    const grown = append(sha256, peaks, leafHash(sha256, data));
    peaks = grown.peaks;
    for (const [level, hash] of grown.completed.entries()) {
      complete.set(`${index + 1 - 2 ** level}-${index + 1}`, hash);
    }
  }
  const hashOf = (range: Range): Hash =>
    rootOf(
      sha256,
      peaksOf(range).map(({ start, end }) => complete.get(`${start}-${end}`) as Hash),
    );
  return {
    root: (size: number) => hashOf({ start: 0, end: size }),
    inclusion: (leaf: number, size: number) => inclusionProof(leaf, size).map(hashOf),
    consistency: (earlier: number, size: number) => consistencyProof(earlier, size).map(hashOf),
  };
}

// The vectors of Certificate Transparency's reference implementation (merkle_tree_test.cc).
const vectors = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657'].concat(
  '606162636465666768696a6b6c6d6e6f',
);
const known = grow(vectors.map((text) => Buffer.from(text, 'hex')));

const roots = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
for (const [place, root] of roots.entries()) {
  test(`the tree of ${place + 1} leaves has the root of the reference implementation`, (t) => {
    t.is(hex(known.root(place + 1)), root);
  });
}

const paths: [leaf: number, size: number, path: string[]][] = [
  [0, 1, []],
  [
    0,
    8,
    [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  ],
  [
    5,
    8,
    [
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
  [2, 3, ['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125']],
  [
    1,
    5,
    [
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  ],
];
for (const [leaf, size, path] of paths) {
  test(`the audit path of leaf ${leaf} of ${size} is that of the reference implementation`, (t) => {
    t.deepEqual(known.inclusion(leaf, size).map(hex), path);
  });
}

const proofs: [earlier: number, size: number, proof: string[]][] = [
  [1, 1, []],
  [
    1,
    8,
    [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  ],
  [
    6,
    8,
    [
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
  [
    2,
    5,
    [
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  ],
];
for (const [earlier, size, proof] of proofs) {
  test(`the consistency of ${earlier} and ${size} is that of the reference implementation`, (t) => {
    t.deepEqual(known.consistency(earlier, size).map(hex), proof);
  });
}

const someLeaves = fc.array(fc.uint8Array({ maxLength: 4 }), { minLength: 1, maxLength: 70 });
const part = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const bit = fc.nat();

/** A copy with one bit flipped. */
function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  const place = Math.floor(at / 8) % copy.length;
  copy[place] = (copy[place] ?? 0) ^ (1 << (at % 8));
  return copy;
}

test('the path of every leaf leads to the root, and to no other after any change', (t) => {
  fc.assert(
    fc.property(someLeaves, part, bit, (leaves, at, which) => {
      const [tree, size] = [grow(leaves), leaves.length];
      const index = Math.floor(at * size);
      const leaf = leafHash(sha256, leaves[index] as Uint8Array);
      const path = tree.inclusion(index, size);
      const root = hex(tree.root(size));
      const leadsTo = (...args: Parameters<typeof rootOfInclusion>) => {
        const found = rootOfInclusion(...args);
        return found !== null && hex(found) === root;
      };
      t.true(leadsTo(leaf, index, size, path));
      t.false(leadsTo(flipped(leaf, which), index, size, path));
      t.false(leadsTo(leaf, index, size, [...path, leaf]));
      if (path.length === 0) return;
      t.false(leadsTo(leaf, index, size, path.slice(1)));
      const place = which % path.length;
      const wrong = path.with(place, flipped(path[place] as Hash, which));
      t.false(leadsTo(leaf, index, size, wrong));
      t.false(leadsTo(leaf, size, size, path));
    }),
  );
});

test('any two sizes are consistent, and no longer after any change', (t) => {
  fc.assert(
    fc.property(someLeaves, part, bit, (leaves, at, which) => {
      const [tree, size] = [grow(leaves), leaves.length];
      const first = 1 + Math.floor(at * size);
      const earlier = { size: first, root: tree.root(first) };
      const later = { size, root: tree.root(size) };
      const proof = tree.consistency(earlier.size, size);
      t.true(isConsistent(earlier, later, proof));
      t.false(isConsistent({ ...earlier, root: flipped(earlier.root, which) }, later, proof));
      t.false(isConsistent(earlier, { ...later, root: flipped(later.root, which) }, proof));
      t.false(isConsistent(earlier, later, [...proof, later.root]));
      if (proof.length === 0) return;
      t.false(isConsistent(earlier, later, proof.slice(1)));
      const place = which % proof.length;
      const wrong = proof.with(place, flipped(proof[place] as Hash, which));
      t.false(isConsistent(earlier, later, wrong));
    }),
  );
});

test('a log in which an earlier leaf was changed is not consistent with what it was', (t) => {
  fc.assert(
    fc.property(someLeaves, part, bit, (leaves, at, which) => {
      const earlier = 1 + Math.floor(at * leaves.length);
      const place = which % earlier;
      const rewritten = grow(leaves.with(place, Buffer.from('rewritten')));
      t.false(
        isConsistent(
          { size: earlier, root: grow(leaves).root(earlier) },
          { size: leaves.length, root: rewritten.root(leaves.length) },
          rewritten.consistency(earlier, leaves.length),
        ),
      );
    }),
  );
});
