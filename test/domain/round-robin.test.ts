import test from 'ava';
import { roundRobin } from '../../domain/round-robin.ts';

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
