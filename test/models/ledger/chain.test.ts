import test from 'ava';
import type { Mode } from '../../../domain/mode.ts';
import { findCustomer } from '../../../models/ledger/index.ts';
import type { Models } from '../../../models/schemas/index.ts';
import { newId } from '../../../platform/ids.ts';
import { type TestDatabase, takeDatabase } from '../../helpers/test-database.ts';

let models: Models;
let giveBack: TestDatabase['giveBack'];
test.before(async () => {
  ({ models, giveBack } = await takeDatabase());
});
test.after.always(() => giveBack?.());

const aReward = (customerId: string, partnerId: string, mode: Mode) =>
  models.rewards.collection.insertOne({
    _id: newId('reward'),
    partnerId,
    purchaseEventId: newId('event'),
    customerId,
    mode,
  } as never);

const aPurchase = (customerId: string, partnerId: string, mode: Mode) =>
  models.orderEvents.collection.insertOne({
    _id: newId('event'),
    partnerId,
    mode,
    type: 'PURCHASE',
    purchase: { customerId },
    idempotencyKeyHash: newId('event'),
  } as never);

test('a customer is found by a reward, and before it exists by the purchase', async (t) => {
  const [rewarded, waiting] = [newId('partner'), newId('partner')];
  await aPurchase('cus_other', newId('partner'), 'LIVE');
  await aReward('cus_rewarded', rewarded, 'LIVE');
  await aPurchase('cus_waiting', waiting, 'LIVE');
  for (const [customerId, partnerId] of [
    ['cus_rewarded', rewarded],
    ['cus_waiting', waiting],
  ] as const) {
    t.deepEqual(await findCustomer(models, customerId), { partnerId, customerId });
  }
});

test('a customer without a purchase in the requested mode is not found', async (t) => {
  const partnerId = newId('partner');
  await aReward('cus_tester', partnerId, 'TEST');
  await aPurchase('cus_trying', partnerId, 'TEST');
  for (const customerId of ['cus_tester', 'cus_trying', 'cus_unknown']) {
    await t.throwsAsync(findCustomer(models, customerId), {
      code: 'NOT_FOUND',
      message: `There is no customer "${customerId}" with a LIVE purchase.`,
    });
  }
  for (const customerId of ['cus_tester', 'cus_trying']) {
    const found = await findCustomer(models, customerId, ['LIVE', 'TEST']);
    t.deepEqual(found, { partnerId, customerId });
  }
});
