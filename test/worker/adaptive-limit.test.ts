import test from 'ava';
import { createAdaptiveLimit } from '../../worker/adaptive-limit.ts';

test('slow starts reduce the places once a second, and fast ones restore them', (t) => {
  const adaptiveLimit = createAdaptiveLimit(25);
  t.is(adaptiveLimit.places(), 25);
  for (let nth = 0; nth < 10; nth++) adaptiveLimit.note(3_000, 10_000);
  t.is(adaptiveLimit.places(), 17);
  for (let second = 11; second < 60; second++) adaptiveLimit.note(3_000, second * 1_000);
  t.is(adaptiveLimit.places(), 2, 'never none');
  for (let nth = 0; nth < 30; nth++) adaptiveLimit.note(100, 60_000);
  t.is(adaptiveLimit.places(), 25, 'and never more than there may be');
});

test('a limit of one stays at one', (t) => {
  const adaptiveLimit = createAdaptiveLimit(1);
  adaptiveLimit.note(9_000, 1_000);
  t.is(adaptiveLimit.places(), 1);
});
