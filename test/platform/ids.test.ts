import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { reviewIdOf } from '../../domain/review.ts';
import {
  correspondingId,
  type IdKind,
  idBound,
  isIdOf,
  newId,
  timeOfId,
} from '../../platform/ids.ts';

/** They are stored and shown, so none of them may change. */
const prefixes: Record<IdKind, string> = {
  partner: 'prt_',
  integration: 'int_',
  credential: 'key_',
  connection: 'con_',
  secret: 'sec_',
  dataKey: 'dek_',
  erasure: 'ers_',
  rule: 'rul_',
  policy: 'pol_',
  activation: 'act_',
  pointsEnd: 'pte_',
  event: 'evt_',
  loggedRequest: 'iev_',
  reviewNote: 'rvn_',
  reward: 'PNR_',
  redemption: 'red_',
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
};

for (const [kind, prefix] of Object.entries(prefixes)) {
  test(`the id of a new ${kind} starts with ${prefix}`, (t) => {
    t.regex(newId(kind as IdKind), new RegExp(`^${prefix}[0-9A-HJKMNP-TV-Z]{26}$`));
  });
}

test('no two kinds share a prefix', (t) => {
  t.is(new Set(Object.values(prefixes)).size, Object.keys(prefixes).length);
});

test('no two ids are the same', (t) => {
  const ids = Array.from({ length: 10_000 }, () => newId('event'));
  t.is(new Set(ids).size, ids.length);
});

test('ids of one kind sort by creation time', async (t) => {
  const ids: string[] = [];
  while (ids.length < 20) {
    ids.push(newId('event'));
    await delay(2);
  }
  t.deepEqual([...ids].sort(), ids);
});

test('a review is named after the refund that opened it', (t) => {
  t.is(reviewIdOf('evt_01ARZ3NDEKTSV4RRFFQ69G5FAV'), 'rev_01ARZ3NDEKTSV4RRFFQ69G5FAV');
});

test('an id contains its creation time, and a bound separates earlier ids from later ones', (t) => {
  const atMs = Date.parse('2026-03-01T00:00:00Z');
  const bound = idBound('event', atMs);
  t.true(newId('event', atMs - 1) < bound);
  t.true(bound < newId('event', atMs));
  t.is(timeOfId(newId('event', atMs)), atMs);
  t.is(timeOfId(bound), atMs);
  t.is(timeOfId(idBound('event', Date.parse('0001-01-01T00:00:00Z'))), 0);
  t.true(newId('event', Date.parse('9999-12-31T23:59:59Z')) < idBound('event', 8.64e15));
  t.is(
    correspondingId('reward', 'evt_01ARZ3NDEKTSV4RRFFQ69G5FAV'),
    'PNR_01ARZ3NDEKTSV4RRFFQ69G5FAV',
  );
});

test('an invalid id is detected', (t) => {
  t.true(isIdOf('request', newId('request')));
  const invalid = [
    '',
    'req_',
    'msg_',
    `${newId('request')}0`,
    newId('event'),
    'req_01ARZ3NDEKTSV4RRFFQ69G5FIL',
  ];
  for (const text of invalid) t.false(isIdOf('request', text), text);
});
