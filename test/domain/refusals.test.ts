import test from 'ava';
import { refusals } from '../../domain/answers.ts';

test('a key reused with different data is IDEMPOTENCY_CONFLICT', (t) => {
  const refused = refusals.conflict();
  t.is(refused.kind, 'REFUSED');
  t.is(refused.code, 'IDEMPOTENCY_CONFLICT');
});

test("a repeated externalOrderId is DUPLICATE_EXTERNAL_ORDER and names the first event's id", (t) => {
  const refused = refusals.duplicateOrder({ _id: 'evt_first', externalOrderId: 'A "1"\n' });
  t.is(refused.code, 'DUPLICATE_EXTERNAL_ORDER');
  t.true(refused.message.includes('evt_first'));
  t.true(refused.message.includes(JSON.stringify('A "1"\n')));
});

test("a repeated externalRefundId is DUPLICATE_EXTERNAL_REFUND and names the first event's id", (t) => {
  const refused = refusals.duplicateRefund({ _id: 'evt_first', externalRefundId: 'R1' });
  t.is(refused.code, 'DUPLICATE_EXTERNAL_REFUND');
  t.true(refused.message.includes('evt_first'));
  t.true(refused.message.includes('"R1"'));
});

test('a refund beyond an order’s limit is TOO_MANY_REFUNDS, with the limit', (t) => {
  const refused = refusals.tooManyRefunds({ externalOrderId: 'A1' });
  t.is(refused.code, 'TOO_MANY_REFUNDS');
  t.regex(refused.message, /^externalOrderId "A1" has had 100 refunds/);
});
