import test from 'ava';
import fc from 'fast-check';
import { holderOf, missingCentsOf } from '../../domain/queue.ts';

const rows = [
  { of: 'one reward', availableCents: 4, waitingCents: 10, missing: 6 },
  { of: 'one that the money covers', availableCents: 10, waitingCents: 10, missing: 0 },
  { of: 'more money than all need', availableCents: 11, waitingCents: 10, missing: 0 },
  {
    of: 'a larger one that lets it pass',
    availableCents: 4,
    waitingCents: 10,
    passedCents: [11],
    missing: 6,
  },
  {
    of: 'a smaller one that lets it pass',
    availableCents: 4,
    waitingCents: 10,
    passedCents: [5],
    missing: 11,
  },
  { of: 'several', availableCents: 4, waitingCents: 10, passedCents: [90, 14, 5], missing: 25 },
];
for (const { of, missing, ...queue } of rows) {
  test(`what is missing: ${of}`, (t) => t.is(missingCentsOf(queue), missing));
}

test('what is missing funds the reward, whatever lets it pass is offered before', (t) => {
  const cents = fc.integer({ min: 0, max: 50 });
  const property = fc.property(
    cents,
    cents,
    fc.array(cents),
    (availableCents, cost, passedCents) => {
      const queue = { availableCents, waitingCents: cost, passedCents };
      let left = availableCents + missingCentsOf(queue);
      for (const passed of passedCents) if (passed <= left) left -= passed;
      // Of money that suffices for all anyway, nothing is missing.
      const isWaiting = passedCents.every((passed) => passed > availableCents);
      return !isWaiting || left >= cost;
    },
  );
  t.notThrows(() => fc.assert(property));
});

test('the first that lets nobody pass holds the queue', (t) => {
  const queue = ['a', 'b', 'c'].map((_id) => ({ _id, liabilityCents: 1 }));
  t.is(holderOf(queue, [])?._id, 'a');
  t.is(holderOf(queue, ['a', 'c'])?._id, 'b');
  t.is(holderOf(queue, ['a', 'b', 'c']), undefined);
  t.is(holderOf([], []), undefined);
});
