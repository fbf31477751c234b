import test from 'ava';
import { auditPatienceMs, isMoving, movingOperations } from '../../domain/audit-log.ts';

test('operations that move money by themselves are known by name', (t) => {
  for (const name of movingOperations) t.true(isMoving(name), name);
  t.false(isMoving('review.decide'));
});

test('an operation that is still intended after ten minutes was left behind', (t) => {
  t.is(auditPatienceMs, 600_000);
});
