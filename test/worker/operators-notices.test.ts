import { randomBytes } from 'node:crypto';
import test from 'ava';
import { Webhook } from 'standardwebhooks';
import { runAudit } from '../../audit/index.ts';
import type { Mail } from '../../messaging/message.ts';
import { announceDue } from '../../models/webhooks/announce-due.ts';
import { syncOperatorsEndpoint } from '../../models/webhooks/operators.ts';
import { propose } from '../../operations/proposals.ts';
import { answerReview, askPartner } from '../../operations/reviews.ts';
import { eventually } from '../helpers/eventually.ts';
import { asOperator, operate } from '../helpers/operate.ts';
import { Operator } from '../helpers/operator.ts';
import { type OwnService, startOwnService } from '../helpers/own-service.ts';
import { type Town, townOf } from '../helpers/town.ts';
import { startReceiver } from '../helpers/webhook-receiver.ts';
import { partnerInReview } from '../portal/helpers/partner-in-review.ts';
import { anOperator, aUser, signedIn } from '../portal/helpers/people.ts';
import { startPortal, type TestPortal } from '../portal/helpers/portal.ts';

const secret = `whsec_${randomBytes(32).toString('base64')}`;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let service: OwnService;
let town: Town;
let portal: TestPortal;
test.before(async () => {
  receiver = await startReceiver();
  service = await startOwnService({
    OPERATOR_WEBHOOK_URL: receiver.url,
    OPERATOR_WEBHOOK_SECRET: secret,
  });
  town = townOf(service);
  portal = await startPortal(service);
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
  await receiver?.stop();
});

test.serial(
  'operators are notified of pending work by email, as each chose, and by their own webhook',
  async (t) => {
    const { models } = service;
    const [ada, bob] = [await anOperator(portal), await anOperator(portal, 'viewer')];
    const choose = async (user: typeof ada, notices: string[]) => {
      const browser = await signedIn(portal, user);
      const { html } = await browser.open('/account/notices');
      t.false(html.includes('value="invoice.issued"'), 'notices for partners are not offered');
      return await browser.submit('/account/notices', { notices });
    };
    await choose(ada, [
      'review.waiting',
      'review.due',
      'approval.waiting',
      'go_live.requested',
      'audit.faults',
    ]);
    const saved = await choose(bob, ['audit.faults']);
    t.is([...saved.html.matchAll(/type="checkbox"[^>]*checked/g)].length, 1);
    const mailsTo = ({ email }: typeof ada): Mail[] =>
      service.mails.filter(({ to }) => to === email);
    const announced = (type: string) =>
      eventually(async () => receiver.of(type)[0]?.event as Record<string, unknown>, type);

    const partner = await service.partner({
      mode: 'LIVE',
      fundingCents: 10_000,
      partner: { name: 'Corner Shop' },
    });
    const { partnerId } = partner;
    const review = await town.reviewed(partner);
    const waiting = await announced('review.waiting');
    t.like(waiting, { mode: 'LIVE', data: { reviewId: review._id, partnerId } });
    t.regex(
      String(waiting.text),
      new RegExp(
        `^The review of order ${review.externalOrderId} of ${partnerId} must be decided by`,
      ),
    );
    const { sealer } = service;
    const answer = { reviewId: review._id, text: 'the parcel is here' };
    const writing = { models, sealer, now: Date.now };
    await operate(writing, askPartner, { ...answer, text: 'is it there?' });
    await operate(writing, answerReview, answer);
    const answered = await announced('review.answered');
    t.like(answered, { mode: 'LIVE', data: { reviewId: review._id, partnerId } });
    t.regex(String(answered.text), new RegExp(`order ${review.externalOrderId}\\.$`));
    await models.reviews.updateOne({ _id: review._id, partnerId }, { $set: { dueAt: new Date() } });
    await announceDue(models, new Date());
    await announced('review.due');

    // Now a proposal, a go-live request and audits, of which one finds faults.
    const proposer = { ...service, now: Date.now };
    const proposal = await propose(proposer, asOperator('opr_1'), {
      action: 'partner.top-up',
      partnerId,
      targetId: partnerId,
      customerId: null,
      details: {},
      input: { partnerId },
      shown: { amountCents: 50_000, currency: 'USD' },
    });
    const approval = await announced('approval.waiting');
    t.like(approval, { data: { proposalId: proposal._id } });
    t.regex(String(approval.text), /^Partner top-up of \$500\.00 for Corner Shop must be approved/);
    const { partnerId: requesting } = await partnerInReview(service, 'Next Shop');
    t.like(await announced('go_live.requested'), { data: { partnerId: requesting } });
    const audit = async () => (await runAudit(service, { patienceMs: 60_000 })).faults;
    t.is(await audit(), 0);
    await models.wallets.updateOne({ partnerId, mode: 'LIVE' }, { $inc: { seq: 1 } });
    const found = await audit();
    t.true(found > 0);
    const faults = await announced('audit.faults');
    t.regex(String(faults.text), new RegExp(`^The audit found ${found} faults?: `));

    const verifier = new Webhook(secret);
    for (const { headers, body: sent } of receiver.received) {
      t.notThrows(() => verifier.verify(sent, headers as Record<string, string>));
      t.false(sent.includes('@'), 'the body contains no email address');
    }
    t.is(
      new Set(receiver.received.map(({ event }) => event.id)).size,
      6,
      'each event is sent once',
    );
    const [one] = await eventually(
      async () => mailsTo(bob).length > 0 && mailsTo(bob),
      'Bob is emailed about the audit',
    );
    t.true(one && String(faults.text).startsWith(one.subject), one?.subject);
    // Notices of frequent events are collected, so the test makes them due.
    await models.webhookDeliveries.updateMany(
      { partnerId: 'operators', type: /^review/, state: 'PENDING' },
      { $set: { nextTryAt: new Date() } },
    );
    await eventually(async () => {
      const text = mailsTo(ada)
        .map((mail) => mail.text)
        .join('\n');
      return [
        /must be decided by/,
        /has been overdue since/,
        /second operator/,
        /requested go-live/,
        /The audit found/,
      ].every((sentence) => sentence.test(text));
    }, 'Ada is emailed about everything that she selected');

    // Deliveries can be listed and resent.
    const operator = new Operator(service, service.adminToken);
    const path = '/partners/operators/webhook-endpoints/whe_operators';
    const items = await eventually(async () => {
      const found = (await operator.get(`${path}/deliveries?state=DELIVERED`)).body.items;
      return found.length === 6 && found;
    }, 'all deliveries are recorded');
    t.is((await operator.post(`${path}/deliveries/${items[0].id}/resend`)).status, 202);
    await eventually(async () => receiver.received.length === 7, 'the event arrives again');
    // Its address and secret are the configuration's: partners' routes do not reach them.
    t.is((await operator.get(path)).status, 404);
    t.is((await operator.patch(path, { url: 'https://10.0.0.1/' })).status, 404);
    t.is((await operator.post(`${path}/secrets`)).status, 404);
    t.is((await operator.delete(path)).status, 404);

    // Users of a partner cannot select operators' notices.
    const browser = await signedIn(portal, await aUser(portal, { partnerId }));
    await browser.open('/account/notices');
    const refused = await browser.post('/account/notices', { notices: 'audit.faults' });
    t.is(refused.status, 400);

    // A revoked operator gets no more notices.
    await models.operators.updateOne(
      { _id: bob.operatorId ?? '' },
      { $set: { revokedAt: new Date() } },
    );
    t.true((await audit()) > 0);
    await eventually(
      async () => !(await models.webhookEndpoints.exists({ userId: bob._id })),
      'Bob’s notices end',
    );
    t.is(mailsTo(bob).length, 1);
  },
);

test.serial('the operators’ endpoint follows the configuration when a worker starts', async (t) => {
  const { models } = service;
  const own = () => models.webhookEndpoints.findOne({ partnerId: 'operators', slot: 0 });
  t.is((await own())?.url, receiver.url);
  await models.webhookEndpoints.updateOne(
    { partnerId: 'operators', slot: 0 },
    { $set: { status: 'DISABLED' } },
  );
  const elsewhere = { url: 'https://chat.example/', secret };
  await syncOperatorsEndpoint(models, service.sealer, elsewhere, new Date());
  t.like(await own(), { url: elsewhere.url, status: 'ACTIVE' });
  await syncOperatorsEndpoint(models, service.sealer, undefined, new Date());
  t.is(await own(), null);
});
