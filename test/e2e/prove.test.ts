import test from 'ava';
import { checkService } from '../../prove/support/check.ts';
import {
  anEvent,
  missingTraffic,
  newTrafficLog,
  type SentEvent,
  send,
  type TrafficLog,
} from '../../prove/support/traffic-log.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { aPurchase, type PartnerBackend } from '../helpers/partner-backend.ts';

let service: OwnService;
let partner: PartnerBackend;
test.before(async () => {
  service = await startOwnService();
  partner = await service.partner();
});
test.after.always(() => service?.stop());

const proofOf = (trafficLog: TrafficLog, patienceMs = 300_000) =>
  checkService(
    { ...service, taskQueue: service.config.temporal.taskQueue },
    trafficLog,
    patienceMs,
  );

/** A purchase in the traffic log, by default without a response. */
function aSentPurchase(): SentEvent {
  const { partnerId, mode, key, secret } = partner;
  const purchase = aPurchase();
  const shop = { name: 'shop', partnerId, mode, key, secret, isTight: false };
  return anEvent('purchases', shop, purchase.externalOrderId, purchase);
}

test.serial(
  'the proof passes saved orders, resends unanswered ones, and names lost ones',
  async (t) => {
    const trafficLog = newTrafficLog();
    const answered = aSentPurchase();
    answered.response = await send(service.baseUrl, answered);
    trafficLog.sent.push(answered, aSentPurchase());
    const { faults, replayed, retried } = await proofOf(trafficLog);
    t.deepEqual({ faults, replayed, retried }, { faults: [], replayed: 1, retried: 1 });

    trafficLog.webhooks.endpoints.push({ partnerId: partner.partnerId, mode: partner.mode });
    trafficLog.webhooks.arrived.set('whk_invented', 1);
    const first = answered.response;
    answered.response = { status: 201, text: `${first?.text} ` };
    trafficLog.sent.push({
      ...aSentPurchase(),
      response: { status: 201, text: '{"eventId":"evt_lost"}' },
    });
    trafficLog.claimed.add('PNR_never');
    trafficLog.decided.set('rev_never', 'UPHOLD');
    trafficLog.breakdowns.push('500 oh');
    const wrong = (await proofOf(trafficLog, 1_000)).faults.join('\n');
    for (const named of [
      `purchases ${answered.idempotencyKey}: responded 201`,
      'its event evt_lost is lost',
      'the claim of PNR_never was confirmed, but is lost',
      'UPHOLD of rev_never was confirmed',
      'the service failed: 500 oh',
      'reward.funded was not announced',
      'whk_invented was announced, but its move was never made',
    ]) {
      t.true(wrong.includes(named), `${named}\n${wrong}`);
    }
  },
);

test.serial('the proof repeats operators’ requests without a response', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const trafficLog = newTrafficLog();
  trafficLog.interrupted.push({
    url: `${service.adminUrl}/partners/${partnerId}/top-ups`,
    headers: {
      authorization: `Bearer ${service.adminToken}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ amountCents: 500, currency: 'USD', externalReference: 'wire 1' }),
  });
  const { faults } = await proofOf(trafficLog);
  t.deepEqual(faults, []);
  t.deepEqual(trafficLog.interrupted, []);
  t.true(
    (await service.models.auditEntries.exists({ partnerId, action: 'partner.top-up' })) !== null,
  );
});

test('a run without refunds, claims or decisions is reported as no proof', (t) => {
  t.deepEqual(missingTraffic(newTrafficLog()), [
    'there were no refunds',
    'there were no claims',
    'there were no decisions',
  ]);
  const trafficLog = newTrafficLog();
  trafficLog.sent.push({ ...aSentPurchase(), kind: 'refunds' });
  trafficLog.claimed.add('PNR_1');
  trafficLog.decided.set('rev_1', 'UPHOLD');
  t.deepEqual(missingTraffic(trafficLog), []);
});

test.serial('an unattended reward and a fault of the ledger are named', async (t) => {
  const trafficLog = newTrafficLog();
  const [{ _id } = { _id: '' }] = await service.models.rewards.find().limit(1);
  await service.models.rewards.updateOne({ _id }, { $set: { state: 'AVAILABLE' } });
  const { faults } = await proofOf(trafficLog, 1_000);
  const named = faults.join('\n');
  t.regex(named, /are open, and \d+ workflows run/);
  t.regex(named, /audit: .*rewards: the entries of each match its moves/);
});
