import { randomUUID } from 'node:crypto';
import test from 'ava';
import { type Diary, missingIn, newDiary, type Sent } from '../../dev/prove-crash/diary.ts';
import { prove } from '../../dev/prove-crash/proof.ts';
import { send } from '../../dev/prove-crash/send.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { aPurchase, type PartnerBackend } from '../helpers/partner-backend.ts';

let service: OwnService;
let partner: PartnerBackend;
test.before(async () => {
  service = await startOwnService();
  partner = await service.partner();
});
test.after.always(() => service?.stop());

const proofOf = (diary: Diary, patienceMs = 300_000) =>
  prove({ ...service, taskQueue: service.config.temporal.taskQueue }, diary, patienceMs);

/** A purchase as the traffic notes it; by default nobody has answered it. */
function aSent(): Sent {
  const { partnerId, mode, key, secret } = partner;
  const purchase = aPurchase();
  return {
    shop: { name: 'shop', partnerId, mode, key, secret, isTight: false },
    kind: 'purchases',
    orderId: purchase.externalOrderId,
    idempotencyKey: randomUUID(),
    body: JSON.stringify(purchase),
    answer: undefined,
  };
}

test.serial(
  'the proof passes what was kept, sends again what was not answered, and names what was lost',
  async (t) => {
    const diary = newDiary();
    const answered = aSent();
    answered.answer = await send(service.baseUrl, answered);
    diary.sent.push(answered, aSent());
    const { faults, replayed, retried } = await proofOf(diary);
    t.deepEqual({ faults, replayed, retried }, { faults: [], replayed: 1, retried: 1 });

    diary.told.endpoints.push({ partnerId: partner.partnerId, mode: partner.mode });
    diary.told.arrived.set('whk_invented', 1);
    const first = answered.answer;
    answered.answer = { status: 201, text: `${first?.text} ` };
    diary.sent.push({ ...aSent(), answer: { status: 201, text: '{"eventId":"evt_lost"}' } });
    diary.claimed.add('PNR_never');
    diary.decided.set('rev_never', 'UPHOLD');
    diary.breakdowns.push({ status: 500, text: 'oh' });
    const wrong = (await proofOf(diary, 1_000)).faults.join('\n');
    for (const named of [
      `purchases ${answered.idempotencyKey}: answered 201`,
      'its event evt_lost is lost',
      'the claim of PNR_never was confirmed and is lost',
      'UPHOLD of rev_never was confirmed',
      'the service broke down: 500 oh',
      'nobody was told of reward.funded',
      'whk_invented was told, and its move was never made',
    ]) {
      t.true(wrong.includes(named), `${named}\n${wrong}`);
    }
  },
);

test('what never happened proves nothing', (t) => {
  t.deepEqual(missingIn(newDiary()), [
    'there were no refunds',
    'there were no claims',
    'there were no decisions',
  ]);
  const diary = newDiary();
  diary.sent.push({ ...aSent(), kind: 'refunds' });
  diary.claimed.add('PNR_1');
  diary.decided.set('rev_1', 'UPHOLD');
  t.deepEqual(missingIn(diary), []);
});

test.serial('a reward that nobody looks after, and a fault of the books, are named', async (t) => {
  const diary = newDiary();
  const [{ _id } = { _id: '' }] = await service.models.rewards.find().limit(1).lean();
  await service.models.rewards.updateOne({ _id }, { $set: { status: 'AVAILABLE' } });
  const { faults } = await proofOf(diary, 1_000);
  const named = faults.join('\n');
  t.regex(named, /are open, and \d+ workflows run/);
  t.regex(named, /audit: .*rewards: each one’s entries tell what became of it/);
});
