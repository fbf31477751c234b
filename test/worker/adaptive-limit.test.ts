import test from 'ava';
import { createPace } from '../../worker/pace.ts';

test('what is slow to begin leaves fewer places, once a second, and what is quick brings them back', (t) => {
  const pace = createPace(25);
  t.is(pace.places(), 25);
  for (let nth = 0; nth < 10; nth++) pace.note(3_000, 10_000);
  t.is(pace.places(), 17);
  for (let second = 11; second < 60; second++) pace.note(3_000, second * 1_000);
  t.is(pace.places(), 2, 'never none');
  for (let nth = 0; nth < 30; nth++) pace.note(100, 60_000);
  t.is(pace.places(), 25, 'and never more than there may be');
});

test('where one may be under way, one may be', (t) => {
  const pace = createPace(1);
  pace.note(9_000, 1_000);
  t.is(pace.places(), 1);
});
