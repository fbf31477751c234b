import { createHash, randomFillSync } from 'node:crypto';
import { decodeTime, encodeTime, ulid } from 'ulid';

/** The typed prefixes of the domain's ids (docs/concepts/words.md). */
const prefixes = {
  partner: 'prt_',
  integration: 'int_',
  credential: 'key_',
  secret: 'sec_',
  dataKey: 'dek_',
  erasure: 'ers_',
  rule: 'rul_',
  policy: 'pol_',
  activation: 'act_',
  pointsEnd: 'pte_',
  event: 'evt_',
  loggedRequest: 'iev_',
  reward: 'PNR_',
  redemption: 'red_',
  reviewNote: 'rvn_',
  planVersion: 'pln_',
  subscription: 'sub_',
  planChange: 'chg_',
  usageEntry: 'use_',
  operator: 'opr_',
  operatorToken: 'tok_',
  user: 'usr_',
  invitation: 'ivt_',
  passkey: 'psk_',
  session: 'ses_',
  accessToken: 'pat_',
  serviceAccount: 'sva_',
  proposal: 'prp_',
  audit: 'aud_',
  auditRun: 'aur_',
  reconciliationRun: 'rcr_',
  job: 'job_',
  jobRows: 'jrw_',
  request: 'req_',
  message: 'msg_',
  transaction: 'txn_',
  webhookEndpoint: 'whe_',
  webhookEvent: 'whk_',
  webhookDelivery: 'whd_',
  rehearsal: 'rhs_',
  connection: 'con_',
} as const;

export type IdKind = keyof typeof prefixes;

const ulidChars = 26;
/** ULIDs until the year 6400. */
const ulidPattern = /^[0-3][0-9A-HJKMNP-TV-Z]{25}$/;

/**
 * A new id: the prefix of its type and a ULID, so that ids of one type sort by time.
 * @param atMs when what it identifies happened; now by default
 */
export function newId(kind: IdKind, atMs?: number): string {
  return prefixes[kind] + ulid(atMs, randomShare);
}

/** A pool of random bytes: an id takes sixteen, and each system call costs more than filling it. */
const pool = new Uint8Array(4_096);
let used = pool.length;

/** @returns one of 256 numbers in [0, 1); the library makes one of 32 digits from each */
function randomShare(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return (pool[used++] ?? 0) / 256;
}

/** Whether a text has the format of an id of this kind. */
export function isIdOf(kind: IdKind, text: string): boolean {
  return text.startsWith(prefixes[kind]) && ulidPattern.test(text.slice(prefixes[kind].length));
}

/** The earliest and the latest time that an id can contain. */
const [firstMs, lastMs] = [0, 2 ** 48 - 1];

/**
 * A bound that sorts after every id of a kind made before a given time, and before all others.
 * @param atMs any number: no id was made before 1970
 */
export function idBound(kind: IdKind, atMs: number): string {
  return prefixes[kind] + encodeTime(Math.min(Math.max(firstMs, atMs), lastMs));
}

/**
 * The time in an id or a bound.
 * @returns milliseconds since the epoch
 * @throws Error for a text that `newId` did not make
 */
export function timeOfId(id: string): number {
  return decodeTime(id.slice(id.indexOf('_') + 1).padEnd(ulidChars, '0'));
}

/**
 * The id that corresponds to an id of another kind, such as that of what a proposal creates: always
 * the same one. It sorts as the other does.
 */
export function correspondingId(kind: IdKind, id: string): string {
  return prefixes[kind] + id.slice(id.indexOf('_') + 1);
}

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A ULID whose random part is derived from a text, so that it is always the same one. */
export function derivedUlid(atMs: number, text: string): string {
  const digest = createHash('sha256').update(text).digest();
  const tail = [...digest.subarray(0, 16)].map((byte) => crockford[byte % 32]).join('');
  return encodeTime(atMs, 10) + tail;
}

/**
 * The id of what follows from something: always the same one, so that creating it twice creates one.
 * Like every id, it sorts by time.
 * @param atMs when that happened
 * @param cause identifies it among those of its kind
 */
export function derivedId(kind: IdKind, atMs: number, cause: string): string {
  return prefixes[kind] + derivedUlid(atMs, `${kind}\n${cause}`);
}
