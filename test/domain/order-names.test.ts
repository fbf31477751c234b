import test from 'ava';
import { containsContact } from '../../domain/customer.ts';
import { orderNameOf, purchaseWorkflowId, shortOrderName } from '../../domain/workflow-names.ts';

const contacts = [
  ...[
    'jane@shop.example',
    'order-jane.doe+1@shop.example-7',
    'jane%40shop.example',
    'jane＠shop.example',
  ],
  ...['+14155552671', '+1 (415) 555-2671', '4155552671', '(415) 555-2671', '14155552671'],
  ...['A-415-555-2671', '+49 170 1234567', '00491701234567', 'no. +442079460000 again'],
];
const others = [
  ...['A1', '1000001', '1000234567', '5123456789012', '2026-11-23-0007', 'INV/2026/0001'],
  ...[
    'b3b0c442-98fc-4c14-9afb-f4c8996fb924',
    '41555526-7141-4555-a671-415555267100',
    '@home',
    '1@',
    'SO 10.000.001',
    '0000000000',
  ],
];

test('only order ids that contain a customer’s email or phone number are detected', (t) => {
  for (const one of contacts) t.true(containsContact(one, 'US'), one);
  for (const one of others) t.false(containsContact(one, 'US'), one);
});

test('a number without a country code is read as one of the partner’s country', (t) => {
  t.true(containsContact('0170 1234567', 'DE'));
  t.false(containsContact('0170 1234567', 'US'));
});

test('an order is named as its workflow is, by its short form or its id', (t) => {
  const short = shortOrderName('a'.repeat(26));
  const named = (name: string) => purchaseWorkflowId(name, 'LIVE', 'hash');
  t.is(orderNameOf({ externalOrderId: 'jane@a.co', workflowId: named(short) }), short);
  t.is(orderNameOf({ externalOrderId: 'order-7', workflowId: named('order-7') }), 'order-7');
  t.is(orderNameOf({ externalOrderId: 'A 1', workflowId: named('A 1') }), 'A 1');
});
