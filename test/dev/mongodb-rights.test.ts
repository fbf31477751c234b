import { readFile } from 'node:fs/promises';
import test from 'ava';
import { rightsFile, rightsOfProcesses } from '../../dev/mongodb-rights.ts';

const rights = rightsOfProcesses();
const processesWith = (right: 'insert' | 'update' | 'remove', collection: string) =>
  Object.keys(rights).filter((process) => rights[process]?.[collection]?.includes(right));

test('each process’s MongoDB rights match its code: npm run make -- docs', async (t) => {
  t.deepEqual(JSON.parse(await readFile(rightsFile, 'utf8')), rights);
});

test('no process can change or remove its ledger writes', (t) => {
  const collection = 'ledger_transactions';
  t.true(processesWith('insert', collection).includes('worker'));
  t.deepEqual([...processesWith('update', collection), ...processesWith('remove', collection)], []);
});

test('no process can remove evidence', (t) => {
  for (const collection of [
    'order_events',
    'rewards',
    'reviews',
    'audit_entries',
    'audit_checkpoints',
  ]) {
    t.true(processesWith('insert', collection).length > 0, collection);
    t.deepEqual(processesWith('remove', collection), [], collection);
  }
});

test('the worker can neither sign anyone in nor approve anything', (t) => {
  for (const identity of ['sessions', 'sign_in_links', 'access_tokens']) {
    t.true(processesWith('insert', identity).includes('portal'), identity);
    t.is(rights.worker?.[identity], undefined, identity);
  }
  // The audit reads who approved an operation, and who was an operator at the time.
  t.deepEqual(rights.worker?.proposals, ['find']);
  t.deepEqual(rights.worker?.operators, ['find']);
  for (const right of ['insert', 'update', 'remove'] as const) {
    for (const one of ['operators', 'proposals'])
      t.false(processesWith(right, one).includes('worker'), one);
  }
});
