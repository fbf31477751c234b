import { createHash, randomFillSync } from 'node:crypto';
import { decodeTime, encodeTime, ulid } from 'ulid';

/** The typed prefixes of the domain's ids (docs/domain.md, Words). */
const prefixes = {
  partner: 'prt_',
  integration: 'int_',
  credential: 'key_',
  secret: 'sec_',
  dataKey: 'dek_',
  erasure: 'ers_',
  rule: 'rul_',
  activation: 'act_',
  event: 'evt_',
  integrationEvent: 'iev_',
  reward: 'PNR_',
  reviewNote: 'rvn_',
  planVersion: 'pln_',
  subscription: 'sub_',
  planChange: 'chg_',
  testPeriod: 'tpd_',
  usageEntry: 'use_',
  operator: 'opr_',
  operatorToken: 'tok_',
  user: 'usr_',
  invitation: 'ivt_',
  session: 'ses_',
  savedView: 'svw_',
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
} as const;

export type IdKind = keyof typeof prefixes;

const ulidChars = 26;
/** A ULID of before the year 6400. */
const ulidPattern = /^[0-3][0-9A-HJKMNP-TV-Z]{25}$/;

/**
 * A new id: its type's prefix and a ULID, so that ids of one kind sort by time.
 * @param atMs when what it names happened; without it, now
 */
export function newId(kind: IdKind, atMs?: number): string {
  return prefixes[kind] + ulid(atMs, randomShare);
}

/** Random bytes ahead of their use: an id takes sixteen, and each call of the system costs more than all. */
const pool = new Uint8Array(4_096);
let used = pool.length;

/** @returns one of 256 numbers from 0 up to 1; the library makes one of 32 digits of each */
function randomShare(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return (pool[used++] ?? 0) / 256;
}

/** Whether a text is of the form that `newId` gives ids of this kind. */
export function isIdOf(kind: IdKind, text: string): boolean {
  return text.startsWith(prefixes[kind]) && ulidPattern.test(text.slice(prefixes[kind].length));
}

/** The first and the last instant that an id can say. */
const [firstMs, lastMs] = [0, 2 ** 48 - 1];

/**
 * What sorts after every id of a kind that was made before an instant, and before every other.
 * @param atMs may be any: nothing was made before 1970
 */
export function idBound(kind: IdKind, atMs: number): string {
  return prefixes[kind] + encodeTime(Math.min(Math.max(firstMs, atMs), lastMs));
}

/**
 * When what an id, or a bound, names happened.
 * @returns milliseconds since the epoch
 * @throws Error for what `newId` did not make
 */
export function timeOfId(id: string): number {
  return decodeTime(id.slice(id.indexOf('_') + 1).padEnd(ulidChars, '0'));
}

/**
 * The id that belongs to another one of its own kind, such as what a proposal makes: once, however
 * often. It sorts as the other one does.
 */
export function idAfter(kind: IdKind, id: string): string {
  return prefixes[kind] + id.slice(id.indexOf('_') + 1);
}

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * The id of what follows from a fact: whoever works it out gets the same, so that what is made twice is
 * there once. Like every id it sorts by its time.
 * @param atMs when the fact happened
 * @param fact what tells it from every other of its kind
 */
export function idOfFact(kind: IdKind, atMs: number, fact: string): string {
  const digest = createHash('sha256').update(`${kind}\n${fact}`).digest();
  const tail = [...digest.subarray(0, 16)].map((byte) => crockford[byte % 32]).join('');
  return prefixes[kind] + encodeTime(atMs, 10) + tail;
}

/** A review is opened by one refund and named after it, so that opening it twice opens one. */
export function reviewIdOf(refundEventId: string): string {
  return refundEventId.replace(/^evt_/, 'rev_');
}
