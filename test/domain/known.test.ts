import test from 'ava';
import { countedOn, countOn, customerDayId, earningDayOf } from '../../domain/customer-days.ts';
import { Draft, readOf } from '../../domain/draft.ts';
import { Known, NotReadError } from '../../domain/known.ts';

const partnerId = 'prt_1';
const notRead = { instanceOf: NotReadError };
const kinds = [
  ...(['rewards', 'made', 'redemptions', 'customers', 'periods'] as const),
  ...(['subscriptions', 'invoices', 'customerDays'] as const),
];

for (const kind of kinds) {
  test(`${kind} that were not asked for are neither read nor replaced; one that does not exist is undefined`, (t) => {
    const asked = new Map([['asked for', undefined]]);
    const { [kind]: known } = new Draft(readOf({ partnerId, [kind]: asked }));
    t.is(known.get('asked for'), undefined);
    t.throws(() => known.get('another'), notRead);
    t.throws(() => known.set('another', {} as never), notRead);
    t.deepEqual(known.values(), []);
    const { [kind]: nothing } = new Draft(readOf({ partnerId }));
    t.throws(() => nothing.get('asked for'), notRead);
  });
}

test('accounts of a customer, a customer’s day and the newest invoice that were not read are not taken for empty', (t) => {
  const draft = new Draft(readOf({ partnerId }));
  for (const kind of ['payable', 'points', 'held', 'heldPoints']) {
    t.throws(() => draft.balanceOf(`${kind}:cus_1`), notRead);
  }
  const days = earningDayOf({ mode: 'LIVE', customerId: 'cus_1', customerDay: '2026-03-10' });
  t.throws(() => countedOn(draft, days), notRead);
  t.throws(() => countOn(draft, days, 1), notRead);
  t.throws(() => draft.numberInvoice(), notRead);
});

test('what was asked for and does not exist is empty', (t) => {
  const days = earningDayOf({ mode: 'LIVE', customerId: 'cus_1', customerDay: '2026-03-10' });
  const draft = new Draft(
    readOf({
      partnerId,
      customers: new Map([['cus_1', undefined]]),
      customerDays: new Map(days.map((day) => [customerDayId(day), undefined])),
      lastInvoice: 0,
    }),
  );
  t.is(draft.balanceOf('payable:cus_1'), 0);
  t.is(countedOn(draft, days), 0);
  t.is(draft.numberInvoice(), 1);
});

test('a layer changes what is beneath it only once it is kept', (t) => {
  const known = new Known<string>(
    'word',
    new Map([
      ['a', 'read'],
      ['b', undefined],
    ]),
  ).layer();
  const layer = known.layer();
  layer.set('a', 'changed');
  layer.set('b', 'made');
  layer.add('c', 'new');
  t.deepEqual(layer.values().toSorted(), ['changed', 'made', 'new']);
  t.deepEqual(known.values(), ['read']);
  t.deepEqual(known.changes(), []);
  known.keep(layer);
  const changes = [
    { before: 'read', after: 'changed' },
    { before: undefined, after: 'made' },
    { before: undefined, after: 'new' },
  ];
  t.deepEqual(known.changes(), changes);
});
