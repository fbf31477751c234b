import test from 'ava';
import { walletIdOf, walletOf } from '../../domain/postings.ts';
import { roundRobin } from '../../domain/round-robin.ts';
import { jobWorkflowId, purchaseWorkflowId, slowQueueOf } from '../../domain/workflow-names.ts';

test('a partner has a wallet in each mode', (t) => {
  const whose = { partnerId: 'prt_1', integrationId: 'int_1' };
  const live = walletOf({ ...whose, mode: 'LIVE' });
  const testing = walletOf({ ...whose, mode: 'TEST' });
  t.deepEqual(live, { mode: 'LIVE', partnerId: 'prt_1' });
  t.deepEqual(testing, { mode: 'TEST', partnerId: 'prt_1' });
  t.is(walletIdOf(live), 'prt_1/LIVE');
  t.is(walletIdOf(testing), 'prt_1/TEST');
});

const orders: [externalOrderId: string, name: string][] = [
  ['A-1_b.2', 'A-1_b.2'],
  ['no 7 / 8', 'no_7_8'],
  ['Ü', '_'],
  ['a'.repeat(41), 'a'.repeat(40)],
];

for (const [externalOrderId, name] of orders) {
  test(`the purchase workflow of the order ${externalOrderId} begins with ${name}`, (t) => {
    t.is(purchaseWorkflowId(externalOrderId, 'TEST', 'h1'), `${name}/TEST/h1`);
  });
}

test('jobs and slow work have their own names', (t) => {
  t.is(jobWorkflowId('job_1'), 'job/job_1');
  t.is(slowQueueOf('rewards', 'mail'), 'rewards-mail');
});

const lists = [['a1', 'a2', 'a3', 'a4'], [], ['c1'], ['d1', 'd2']];

const turns: [atMost: number, taken: string[]][] = [
  [0, []],
  [1, ['a1']],
  [3, ['a1', 'c1', 'd1']],
  [4, ['a1', 'c1', 'd1', 'a2']],
  [7, ['a1', 'c1', 'd1', 'a2', 'd2', 'a3', 'a4']],
  [100, ['a1', 'c1', 'd1', 'a2', 'd2', 'a3', 'a4']],
];

for (const [atMost, taken] of turns) {
  test(`at most ${atMost} are taken from each list, round-robin`, (t) => {
    t.deepEqual(roundRobin(lists, atMost), taken);
  });
}

test('an empty list yields nothing', (t) => t.deepEqual(roundRobin([], 5), []));
