import { randomUUID } from 'node:crypto';
import test from 'ava';
import { modes } from '../../domain/mode.ts';
import { scopes } from '../../domain/partners.ts';
import { eraseCustomer, eraseUpTo } from '../../operations/customers.ts';
import { claimTokenOf } from '../helpers/claim-token.ts';
import { eventually } from '../helpers/eventually.ts';
import { operate } from '../helpers/operate.ts';
import type { PartnerBackend } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { townOf } from '../helpers/town.ts';
import { Browser, textOf } from './helpers/browser.ts';
import { aUser, operatorBrowser, partnerBrowser, signedIn } from './helpers/people.ts';
import { configOf, startPortal, type TestPortal } from './helpers/portal.ts';

let service: Service;
let portal: TestPortal;
test.before(async () => {
  service = await startService();
  portal = await startPortal(service, { config: configOf(service, { FOUR_EYES: 'on' }) });
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

const addressOf = (name: string) => `${name}.${randomUUID()}@customers.example`;

/** An unclaimed reward whose purchase gave a wrong contact. */
async function misaddressed(from: PartnerBackend) {
  const wrong = addressOf('wrong');
  const { rewardId, eventId } = await townOf(service).funded(from, { customer: { email: wrong } });
  const token = await claimTokenOf(service, eventId);
  return { rewardId, wrong, token, path: `/orders/${rewardId}/contact`, eventId };
}

const mailsTo = (address: string) => service.mails.filter(({ to }) => to === address);

test('an owner corrects the contact of a LIVE reward: a new link, the old one ends, and both are told', async (t) => {
  const partner = await service.partner({
    mode: 'LIVE',
    fundingCents: 100_000,
    scopes: [...scopes],
  });
  const { rewardId, wrong, token, path, eventId } = await misaddressed(partner);
  await eventually(async () => mailsTo(wrong).length === 1, 'the wrong contact has the link');
  const owner = await partnerBrowser(portal, partner.partnerId, 'owner');
  const event = async () => textOf((await owner.open(`/orders/${rewardId}`)).html);
  t.regex(await event(), /Correct contact …/);
  const right = addressOf('right');
  await owner.open(path);
  t.is((await owner.submit(path, { contact: right })).path, `/orders/${rewardId}`);

  t.is((await service.openClaim(token)).status, 404);
  t.is((await service.claim(token)).status, 404);
  await eventually(async () => mailsTo(right).length === 1, 'the right contact has a link');
  await eventually(async () => mailsTo(wrong).length === 2, 'the wrong contact is told');
  const fresh = await claimTokenOf(service, eventId);
  t.true(mailsTo(right)[0]?.text.includes(fresh));
  const told = mailsTo(wrong)[1]?.text ?? '';
  t.regex(told, /it no longer works/);
  t.false(told.includes(right) || told.includes('/claim/'));
  const shown = await event();
  t.regex(shown, /Corrected contact r•••@c•••\.example/);
  t.notRegex(shown, /Correct contact …/);

  t.is((await service.claim(fresh)).status, 200);
  const { models, temporal } = service;
  const reward = await models.rewards.findById(rewardId).orFail();
  const held = await models.customerBalances.findOne({ customerId: reward.customerId }).orFail();
  t.is(held.points, reward.points);
  const spent = { externalRedemptionId: 'till', customer: { email: right }, points: 1 };
  const redeemed = await partner.send(spent, { path: '/api/v1/partner/redemptions' });
  t.is(redeemed.status, 201, redeemed.text);
  await eventually(async () => mailsTo(right).length === 2, 'the right contact has a receipt');
  t.is(mailsTo(wrong).length, 2);
  const [entry, second] = await models.auditEntries.find({ targetId: rewardId });
  t.like(entry, { action: 'reward.correct-contact', status: 'DONE' });
  t.is(second, undefined);
  const { events } = await temporal.workflow.getHandle(reward.workflowId).fetchHistory();
  const kept = JSON.stringify([entry, events]);
  t.false(kept.includes(right) || kept.includes(wrong));
  t.false(kept.includes(Buffer.from(right).toString('base64').slice(4, 24)));
});

test('a contact is corrected only once, and not to what it is', async (t) => {
  const partner = await service.partner();
  const { wrong, path } = await misaddressed(partner);
  const owner = await partnerBrowser(portal, partner.partnerId, 'owner');
  const send = async (contact: string) => {
    await owner.open(path);
    return textOf((await owner.post(path, { contact })).html);
  };
  t.regex(await send(wrong), /The reward already has this contact/);
  t.regex(await send('nonsense'), /fewer than seven digits/);
  await send('+1 202 555 0143');
  t.regex(await send(addressOf('third')), /can be corrected once/);
});

test('where the partner delivers the links, the link stays, and leads to the right customer’s points', async (t) => {
  const partner = await service.partner({ mode: 'LIVE', fundingCents: 100_000 });
  const { partnerId, integrationId } = partner;
  const { models } = service;
  await models.integrations.updateOne(
    { partnerId, _id: integrationId },
    { $set: { delivery: 'PARTNER' } },
  );
  const { rewardId, wrong, token, path } = await misaddressed(partner);
  const before = await models.rewards.findById(rewardId).orFail();
  const owner = await partnerBrowser(portal, partnerId, 'owner');
  const right = addressOf('right');
  await owner.open(path);
  await owner.submit(path, { contact: right });
  t.is((await service.claim(token)).status, 200);
  await service.carriedOut(partner);
  const { customerId, points } = await models.rewards.findById(rewardId).orFail();
  t.not(customerId, before.customerId);
  t.is((await models.customerBalances.findOne({ customerId }))?.points, points);
  t.deepEqual([...mailsTo(wrong), ...mailsTo(right)], []);
});

test('once the right customer is erased, nobody reads the contact or the wrong one, who can be erased too', async (t) => {
  const partner = await service.partner();
  const { rewardId, path, eventId } = await misaddressed(partner);
  const { models } = service;
  const { customerId: stranger } = await models.rewards.findById(rewardId).orFail();
  const owner = await partnerBrowser(portal, partner.partnerId, 'owner');
  await owner.open(path);
  await owner.submit(path, { contact: addressOf('right') });
  const { customerId } = await models.rewards.findById(rewardId).orFail();
  const { config, log } = portal.deps;
  const deps = { models, now: Date.now, config, log };
  const shown = async () => textOf((await owner.open(`/orders/${rewardId}`)).html);
  t.regex(await shown(), /w•••@c•••/);
  t.regex(await shown(), /Corrected contact r•••@c•••/);
  await operate(deps, eraseCustomer, { customerId, reference: 'letter 1' });
  // The order is the right customer's now, so what it says of anybody is removed with them.
  t.regex(await shown(), /Corrected contact erased/);
  t.notRegex(await shown(), /[wr]•••@c•••/);
  t.is((await models.orderEvents.findById(eventId).orFail()).sealed, null);
  await operate(deps, eraseCustomer, { customerId: stranger, reference: 'letter 2' });
  t.notRegex(await shown(), /[wr]•••@c•••/);
  t.truthy(await models.erasures.exists({ customerId: stranger }));
  const admin = await operatorBrowser(portal, 'viewer');
  const { html } = await admin.open(`/admin/customers/${customerId}`);
  t.regex(textOf(html), /Erased .* letter 1 /);
});

test('only an owner corrects it, with a fresh second factor once LIVE', async (t) => {
  const partner = await service.partner({ mode: 'LIVE', fundingCents: 100_000 });
  const { path } = await misaddressed(partner);
  const { partnerId } = partner;
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  t.is((await developer.open(path)).status, 403);
  const weak = await signedIn(portal, await aUser(portal, { partnerId }), { isStrong: false });
  t.not((await weak.open(path)).path, path);
  const other = await service.partner({ mode: 'LIVE' });
  const stranger = await partnerBrowser(portal, other.partnerId, 'owner');
  t.is((await stranger.open(path)).status, 404);
});

test('operators correct a LIVE contact in twos', async (t) => {
  const partner = await service.partner({ mode: 'LIVE', fundingCents: 100_000 });
  const { rewardId } = await misaddressed(partner);
  const path = `/admin/rewards/${rewardId}/contact`;
  const operator = await operatorBrowser(portal, 'support');
  const right = addressOf('right');
  await operator.open(path);
  const proposed = await operator.submit(path, { contact: right });
  t.regex(proposed.path, /^\/admin\/approvals\//);
  const { models } = service;
  t.is((await models.rewards.findById(rewardId).orFail()).correction, undefined);
  const proposal = await models.proposals.findOne({ targetId: rewardId }).orFail();
  t.false(JSON.stringify(proposal).includes(right));
  const approver = await operatorBrowser(portal, 'support');
  await approver.open(proposed.path);
  await approver.submit(`${proposed.path}/approve`, {});
  const { correction } = await models.rewards.findById(rewardId).orFail();
  t.truthy(correction);
});

test('the claim link is sent again to the same contact, and once it is claimed, the link to the points, until the customer is erased', async (t) => {
  const partner = await service.partner({
    mode: 'LIVE',
    fundingCents: 100_000,
    scopes: [...scopes],
  });
  const { rewardId, wrong: contact, token } = await misaddressed(partner);
  await eventually(async () => mailsTo(contact).length === 1, 'the link is sent');
  const developer = await partnerBrowser(portal, partner.partnerId, 'developer');
  const order = `/orders/${rewardId}`;
  await developer.open(order);
  const sent = await developer.submit(`${order}/send-again`);
  t.regex(textOf(sent.html), /The claim link is being sent again/);
  await eventually(async () => mailsTo(contact).length === 2, 'it is sent again');
  const [first, again] = mailsTo(contact);
  t.not(again?.id, first?.id);
  t.true(again?.text.includes(token));
  const viewer = await partnerBrowser(portal, partner.partnerId, 'viewer');
  t.notRegex((await viewer.open(order)).html, /send-again/);
  t.is((await viewer.post(`${order}/send-again`)).status, 403);

  await service.claim(token);
  t.regex(textOf((await developer.open(order)).html), /Send the link to their points/);
  const points = await developer.submit(`${order}/send-again`);
  t.regex(textOf(points.html), /A link to their points is being sent to the customer/);
  await eventually(async () => mailsTo(contact).length === 3, 'the link to the points is sent');
  const link = /\/points\/[\w-]{43}/.exec(mailsTo(contact).at(-1)?.text ?? '')?.[0] ?? '';
  const customer = new Browser(portal, { accept: 'text/html' });
  t.regex(textOf((await customer.open(link)).html), /499 points .* Claimed/);

  const { customerId } = await service.rewardOf(rewardId);
  const erasure = { partnerId: partner.partnerId, customerId, reference: 'request 42' };
  await eraseUpTo({ models: service.models, now: Date.now }, erasure, new Date());
  const erased = await developer.open(order);
  t.notRegex(erased.html, /send-again/);
  t.regex(textOf(erased.html), /The customer’s data was erased: nothing can be sent to them/);
});

test('what an operator does to a reward says that it takes two operators, only where it does', async (t) => {
  const alone = await startPortal(service, { config: configOf(service, { FOUR_EYES: 'off' }) });
  t.teardown(() => alone.stop());
  for (const mode of modes) {
    const shop = await service.partner({ mode, fundingCents: 100_000 });
    const { rewardId } = await misaddressed(shop);
    for (const [asked, takesTwo] of [
      [portal, mode === 'LIVE'],
      [alone, false],
    ] as const) {
      const operator = await operatorBrowser(asked);
      for (const action of ['contact', 'cancel', 'reinstate']) {
        const { html, status } = await operator.open(`/admin/rewards/${rewardId}/${action}`);
        t.is(status, 200);
        t.is(textOf(html).includes('This needs two operators'), takesTwo, `${mode} ${action}`);
      }
    }
  }
});
