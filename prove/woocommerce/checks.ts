import { setTimeout as delay } from 'node:timers/promises';
import { assertEqual } from '../../dev/demo/assertions.ts';
import { eventually } from '../medusa/eventually.ts';
import type { World } from './world.ts';

/** What is checked, in this order. Each returns what was seen, and throws if something is wrong. */
export const checks: Record<string, (world: World) => Promise<string>> = {
  'orders of several kinds': ordersOfKinds,
  'refunds of parts and then of the rest': refunds,
  'an order cancelled before and after its payment': cancellations,
  'a stop of the service is repaired from the list of orders': stopIsRepaired,
  'a rotation of the secret': rotation,
};

async function ordersOfKinds(world: World): Promise<string> {
  const kinds: [name: string, input: Record<string, unknown>, reported: string][] = [
    ['plain', {}, '4990'],
    ['with shipping', { shipping: '5.00' }, '4990'],
    ['discounted', { total: '40.00' }, '4000'],
    ['with a fee', { fees: ['2.50'] }, '4990'],
    ['with a negative fee', { fees: ['-9.90'] }, '4000'],
    ['completed', { status: 'completed' }, '4990'],
    ['not paid', { status: 'on-hold' }, ''],
    ['failed', { status: 'failed' }, ''],
    ['without a contact', { email: '' }, ''],
  ];
  const placed: { name: string; reported: string; id: number }[] = [];
  for (const [name, input, reported] of kinds) {
    placed.push({ name, reported, id: await world.order(input) });
  }
  await world.deliver();
  for (const { name, id, reported } of placed)
    assertEqual(name, await world.reported(id), reported);
  return `${placed.length} orders`;
}

async function refunds(world: World): Promise<string> {
  const id = await world.order({ shipping: '5.00' });
  await world.refund(id, '10.98');
  await world.deliver();
  assertEqual('a part', await world.reported(id), '4990 -998');
  await world.refund(id, '43.92');
  await world.deliver();
  assertEqual('the rest', await world.reported(id), '4990 -998 -3992');
  await world.deliver();
  return '998 and 3992 of 4990 cents';
}

async function cancellations(world: World): Promise<string> {
  const unpaid = await world.order({ status: 'pending' });
  await world.setStatus(unpaid, 'cancelled');
  const paid = await world.order({});
  await world.deliver();
  await world.setStatus(paid, 'cancelled');
  await world.deliver();
  assertEqual('never paid', await world.reported(unpaid), '');
  assertEqual('paid', await world.reported(paid), '4990 -4990');
  return 'one paid, one not';
}

async function stopIsRepaired(world: World): Promise<string> {
  const known = await world.order({});
  await world.deliver();
  world.setUp(false);
  const [first, second] = [await world.order({}), await world.order({ shipping: '5.00' })];
  await world.refund(second, '10.98');
  await world.refund(known, '49.90');
  await world.deliver();
  world.setUp(true);
  assertEqual('nothing arrived', await world.reported(first), '');
  // The shop writes seconds, and what happens in this one is asked for the next time.
  await delay(1_100);
  const run = await world.repair();
  assertEqual('the refund', await world.reported(known), '4990 -4990');
  assertEqual('the first order', await world.reported(first), '4990');
  assertEqual('the second order', await world.reported(second), '4990 -998');
  assertEqual('what was missing', [run?.missing, run?.reported, run?.problem], [4, 4, null]);
  const again = await world.repair();
  assertEqual('nothing is missing any more', [again?.missing, again?.problem], [0, null]);
  return `${run?.asked} orders asked for, ${run?.missing} missing, ${run?.reported} reported`;
}

async function rotation(world: World): Promise<string> {
  await world.addSecret('the-new-signing-secret');
  const before = await world.order({});
  await world.deliver();
  assertEqual('signed with the old secret', await world.reported(before), '4990');
  await world.signWith('the-new-signing-secret');
  const [between, after] = [await world.order({}), await world.order({})];
  await eventually('the new secret is known', async () => {
    await world.setStatus(between, world.refused() % 2 === 0 ? 'completed' : 'processing');
    await world.deliver();
    return (await world.reported(between)) === '4990';
  });
  await world.removeOldSecret();
  await world.signWith('made-up-signing-secret');
  const refused = world.refused();
  await eventually('the old secret is refused', async () => {
    await world.setStatus(after, world.refused() % 2 === 0 ? 'completed' : 'processing');
    await world.deliver();
    return world.refused() > refused;
  });
  await world.signWith('the-new-signing-secret');
  return 'the old one, both, the new one';
}
