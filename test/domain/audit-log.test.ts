import test from 'ava';
import { auditPatienceMs, isMoving, movingOperations } from '../../domain/operators.ts';

test('operations that move money themselves are listed', (t) => {
  for (const name of movingOperations) t.true(isMoving(name), name);
  t.false(isMoving('review.decide'));
});

test('an operation without an outcome after ten minutes is abandoned', (t) => {
  t.is(auditPatienceMs, 600_000);
});
