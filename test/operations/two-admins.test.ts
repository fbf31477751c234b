import test from 'ava';
import { ServiceError } from '../../domain/errors.ts';
import { changeRole, createFirstOperator, revokeOperator } from '../../operations/operators.ts';
import { operate } from '../helpers/operate.ts';
import { takeDatabase } from '../helpers/test-database.ts';

test('the last two admins cannot both be revoked, even if they revoke each other at once', async (t) => {
  const database = await takeDatabase();
  t.teardown(() => database.giveBack());
  const { models } = database;
  const deps = { models, now: Date.now, config: { admin: { tokenDays: 90 } } };
  const made = async (role: 'admin' | 'viewer') =>
    (await operate(deps, createFirstOperator, { name: role, role })).operator._id;
  const [one, two, three] = [await made('admin'), await made('admin'), await made('admin')];
  const viewer = await made('viewer');
  const admins = async () =>
    (await models.operators.find({ role: 'admin', revokedAt: null }).sort({ _id: 1 })).map(
      ({ _id }) => _id,
    );
  const revoke = (operatorId: string) => operate(deps as never, revokeOperator, { operatorId });
  const lower = (operatorId: string) =>
    operate(deps as never, changeRole, { operatorId, role: 'viewer' }, { as: one });

  t.truthy((await revoke(viewer)).revokedAt);
  await Promise.allSettled([revoke(one), revoke(two), lower(three)]);
  t.true((await admins()).length >= 2);
  const left = await admins();
  for (const end of left.length > 2 ? left.slice(2) : []) await revoke(end);
  const last = await admins();
  t.is(last.length, 2);
  for (const operatorId of last) {
    for (const end of [revoke, lower]) {
      const refusal = await t.throwsAsync(end(operatorId), { instanceOf: ServiceError });
      t.is((refusal as ServiceError).code, 'CONFLICT');
    }
  }
  t.deepEqual(await admins(), last);
  t.truthy((await revoke(viewer)).revokedAt, 'a repeat still succeeds');
});
