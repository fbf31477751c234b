import test from 'ava';
import { reinstateReward } from '../../operations/rewards.ts';
import { operate } from '../helpers/operate.ts';
import { type Service, startService } from '../helpers/service.ts';
import { townOf } from '../helpers/town.ts';

let service: Service;
test.before(async () => {
  service = await startService();
});
test.after.always(() => service.stop());

test('a reward whose refund was a mistake is reinstated, reserved anew, and can be claimed', async (t) => {
  const partner = await service.partner({ mode: 'LIVE', fundingCents: 10_000 });
  const town = townOf(service);
  const bought = await town.funded(partner);
  const { rewardId } = bought;
  await town.refund(bought);
  await service.carriedOut(partner);
  const input = { rewardId, reference: 'ticket 7' };
  const deps = { ...service, now: Date.now };
  const back = await operate(deps as never, reinstateReward, input);
  t.like(back, { state: 'FUNDED' });
  const again = await operate(deps as never, reinstateReward, input);
  t.is(again.version, back.version, 'a repeat does nothing');
  const { partnerId } = partner;
  const reserved = await service.models.ledger.find({ partnerId, rewardId }).sort({ seq: 1 });
  t.deepEqual(
    reserved.map(({ reference }) => reference),
    [`reserve:${rewardId}`, `release:${rewardId}`, `reserve:${rewardId}:2`],
  );
  await service.carriedOut(partner);
  t.is((await town.claim(bought)).status, 200);
  const refused = operate(deps as never, reinstateReward, { ...input, reference: 'ticket 8' });
  await t.throwsAsync(refused, { code: 'CONFLICT', message: /is AVAILABLE/ });
});
