import test from 'ava';
import type { Mail } from '../../messaging/message.ts';
import { createCredential } from '../../operations/credentials.ts';
import { requestGoLive } from '../../operations/go-live.ts';
import { eventually } from '../helpers/eventually.ts';
import { operate } from '../helpers/operate.ts';
import { Operator } from '../helpers/operator.ts';
import { aPurchase } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { startReceiver } from '../helpers/webhook-receiver.ts';
import { partnerInReview } from '../portal/helpers/partner-in-review.ts';
import { aUser, signedIn } from '../portal/helpers/people.ts';
import { startPortal, type TestPortal } from '../portal/helpers/portal.ts';

let service: Service;
let portal: TestPortal;
test.before(async () => {
  service = await startService();
  portal = await startPortal(service);
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

test('users are emailed about their selected LIVE events, individually, with frequent ones collected', async (t) => {
  const { models, sealer } = service;
  const partner = await service.partner({
    mode: 'LIVE',
    fundingCents: 600,
    partner: { lowBalanceThresholdCents: 300 },
  });
  const { partnerId, integrationId } = partner;
  const [ada, bob] = [
    await aUser(portal, { partnerId }),
    await aUser(portal, { partnerId, role: 'viewer' }),
  ];
  const choose = async (user: typeof ada, notices: string[]) => {
    const browser = await signedIn(portal, user);
    await browser.open('/account/notices');
    const shown = await browser.submit('/account/notices', { notices });
    t.is(shown.status, 200);
    return shown.html;
  };
  const html = await choose(ada, [
    'funding.low',
    'reward.awaiting_funding',
    'webhook-endpoint.news',
  ]);
  t.is([...html.matchAll(/type="checkbox"[^>]*checked/g)].length, 3);
  await choose(bob, ['credential.created']);
  const mailsTo = ({ email }: typeof ada): Mail[] => service.mails.filter(({ to }) => to === email);

  await partner.purchase(aPurchase());
  const [low] = await eventually(
    async () => mailsTo(ada).length > 0 && mailsTo(ada),
    'Ada is emailed about low funds',
  );
  t.is(
    low?.subject,
    'Your LIVE funding is down to $1.01, below $3.00, and lasts less than a day at the current rate',
  );
  await partner.purchase(aPurchase());
  await partner.purchase(aPurchase());
  const awaiting = { partnerId, type: 'reward.awaiting_funding', state: 'PENDING' as const };
  await eventually(
    async () => (await models.webhookDeliveries.countDocuments(awaiting)) === 2,
    'two notices wait to be emailed',
  );
  await models.webhookDeliveries.updateMany(awaiting, { $set: { nextTryAt: new Date() } });
  await eventually(async () => mailsTo(ada).length === 2, 'one email contains both notices');
  t.regex(mailsTo(ada)[1]?.text ?? '', /^2 rewards are waiting for funds: \$9\.98 in total\./);
  t.is(mailsTo(bob).length, 0);
  const fields = {
    partnerId,
    integrationId,
    mode: 'LIVE' as const,
    scopes: ['events:read' as const],
  };
  await operate({ models, sealer, now: Date.now }, createCredential, fields);
  await eventually(async () => mailsTo(bob).length === 1, 'Bob is emailed about the key');

  // A disabled user gets no more notices, and users who selected it are emailed about a disabled endpoint.
  await models.users.updateOne({ _id: bob._id }, { $set: { disabledAt: new Date(), email: null } });
  await operate({ models, sealer, now: Date.now }, createCredential, fields);
  await eventually(
    async () => !(await models.webhookEndpoints.exists({ userId: bob._id })),
    'Bob’s notices end',
  );
  const receiver = await startReceiver();
  t.teardown(() => receiver.stop());
  receiver.answerWith((response) => response.writeHead(410).end());
  const operator = new Operator(service, service.adminToken);
  const path = `/partners/${partnerId}/webhook-endpoints`;
  const { endpoint } = (await operator.post(path, { mode: 'TEST', url: receiver.url })).body;
  await operator.post(`${path}/${endpoint.id}/test`);
  const isOfEnd = ({ subject }: Mail) => /TEST webhook endpoint was disabled/.test(subject);
  await eventually(async () => mailsTo(ada).some(isOfEnd), 'Ada is emailed about the endpoint');
  const before = mailsTo(ada).length;
  t.is(
    (await operator.get(path)).body.items.length,
    1,
    'the API does not list notices as endpoints',
  );

  // Daily notices wait for their hour, and are then sent as one email.
  const open = await signedIn(portal, ada);
  await open.open('/account/notices');
  const { html: daily } = await open.submit('/account/notices', {
    notices: ['funding.topped_up', 'funding.recovered'],
    rhythm: 'DAILY',
  });
  t.regex(daily, /value="DAILY" selected/);
  const money = { amountCents: 50_000, externalReference: 'wire 1', currency: 'USD' };
  await operator.post(`/partners/${partnerId}/top-ups`, money);
  const selected = await models.webhookEndpoints.findOne({ userId: ada._id }).orFail();
  const waiting = { endpointId: selected._id, state: 'PENDING' as const };
  const [first] = await eventually(async () => {
    const found = await models.webhookDeliveries.find(waiting);
    return found.length === 2 && found;
  }, 'both notices wait');
  t.true((first?.nextTryAt?.getTime() ?? 0) > Date.now(), 'they wait for the hour of the day');
  t.is(mailsTo(ada).length, before);
  await models.webhookDeliveries.updateMany(waiting, { $set: { nextTryAt: new Date() } });
  await eventually(async () => mailsTo(ada).length > before, 'one email contains both notices');
  const sent = mailsTo(ada).slice(before);
  t.is(sent.length, 1);
  t.regex(sent[0]?.subject ?? '', /, and 1 more$/);

  await choose(ada, []);
  t.false(Boolean(await models.webhookEndpoints.exists({ userId: ada._id })));
});

test('an owner is emailed the outcome of the go-live request, and the reason for changes', async (t) => {
  const { partnerId } = await partnerInReview(service, 'Asking Ltd');
  const owner = await aUser(portal, { partnerId });
  const browser = await signedIn(portal, owner);
  await browser.open('/account/notices');
  await browser.submit('/account/notices', { notices: ['go_live.approved', 'go_live.returned'] });
  const operator = new Operator(service, service.adminToken);
  const path = `/partners/${partnerId}/go-live`;
  const subjects = () =>
    service.mails.filter(({ to }) => to === owner.email).map(({ subject }) => subject);
  await operator.post(`${path}/return`, { reason: 'Which shop is it?' });
  await eventually(
    async () => subjects().length === 1,
    'the owner is emailed about the changes needed',
  );
  await operate({ ...service, now: Date.now }, requestGoLive, { partnerId });
  await operator.post(`${path}/approval`);
  await eventually(async () => subjects().length === 2, 'the owner is emailed about the approval');
  t.deepEqual(subjects(), [
    'Your go-live request needs changes: Which shop is it?',
    'Your go-live request was approved. Create a LIVE key to start',
  ]);
});
