/** The log of LIVE entries, whose head is signed once a day (docs/decisions/043). */
export { createWriteLeaf } from './leaf.ts';
export { growLog, hashOfEntry, logSize, readHashes, readRoot, toText } from './log.ts';
export { isSigned, readSigningKeys, retireSigner, type SigningDeps } from './signing-keys.ts';
export { headIn, readHeads, signHead } from './tree-heads.ts';
