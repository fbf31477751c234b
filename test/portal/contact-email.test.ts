import test from 'ava';
import { dailyMailQuotas } from '../../models/store/mail-quotas.ts';
import { updatePartner } from '../../operations/partners.ts';
import { operate } from '../helpers/operate.ts';
import { type Service, startService } from '../helpers/service.ts';
import { textOf } from './helpers/browser.ts';
import { partnerBrowser } from './helpers/people.ts';
import { startPortal, type TestPortal } from './helpers/portal.ts';

let service: Service;
let portal: TestPortal;
test.before(async () => {
  service = await startService();
  portal = await startPortal(service, {}, { mailedCodes: 100 });
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

const path = '/profile/contact-email';

/** An owner whose partner's contact email is not verified. */
async function unverified(contactEmail: string) {
  const { partnerId } = await service.partner({ partner: { contactEmail } });
  const owner = await partnerBrowser(portal, partnerId, 'owner');
  const verified = async () =>
    (await service.models.partners.findById(partnerId))?.verifiedContactEmail ?? null;
  const codes = () =>
    portal.mails.flatMap(({ to, text }) =>
      to === contactEmail ? (/^\d{6}$/m.exec(text)?.[0] ?? []) : [],
    );
  /** Requests a code. @returns the newest one */
  const send = async (): Promise<string> => {
    await owner.open('/profile');
    await owner.submit(path, {});
    await owner.open('/profile');
    return codes().at(-1) ?? '';
  };
  return { partnerId, owner, verified, codes, send };
}

test('a contact is verified by an emailed code, until the contact changes', async (t) => {
  const to = 'verified@shop.example';
  const { partnerId, owner, verified, send } = await unverified(to);
  const profile = async () => textOf((await owner.open('/profile')).html);
  t.regex(await profile(), /verified@shop\.example Not verified/);
  const code = await send();
  t.is(await verified(), null);
  await owner.submit(`${path}/code`, { code });
  t.is(await verified(), to);
  t.notRegex(await profile(), /Not verified/);
  await service.models.partners.updateOne(
    { _id: partnerId },
    { $set: { contactEmail: 'other@shop.example' } },
  );
  t.regex(await profile(), /other@shop\.example Not verified/);
});

test('an address of somebody in the team, who joined by a link sent there, is verified', async (t) => {
  const { partnerId, verified } = await unverified('nobody@shop.example');
  const { email } = await service.models.users.findOne({ partnerId }).orFail();
  const change = (contactEmail: string | null) =>
    operate(portal.deps, updatePartner, { partnerId, contactEmail });
  await change(email);
  t.is(await verified(), email);
  await change('elsewhere@shop.example');
  t.is(await verified(), email);
});

test('customers’ replies go to the support address once its emailed code is entered', async (t) => {
  const supportEmail = 'help@shop.example';
  const partner = { contactEmail: 'owner@shop.example', supportEmail };
  const { partnerId } = await service.partner({ partner });
  const owner = await partnerBrowser(portal, partnerId, 'owner');
  const branding = async () => textOf((await owner.open('/branding')).html);
  t.regex(
    await branding(),
    /Replies to emails go to nobody until the support email is verified · Verify/,
  );
  const supportPath = '/profile/support-email';
  await owner.open('/profile');
  await owner.submit(supportPath, {});
  const { text = '' } = portal.mails.findLast(({ to }) => to === supportEmail) ?? {};
  const code = /^\d{6}$/m.exec(text)?.[0] ?? '';
  // The code does not verify the contact email.
  t.is((await owner.post(`${path}/code`, { code })).status, 400);
  await owner.open('/profile');
  t.is((await owner.submit(`${supportPath}/code`, { code })).path, '/profile');
  t.regex(await branding(), /Replies to emails go to help@shop\.example/);
  const { models } = service;
  t.is((await models.partners.findById(partnerId))?.verifiedContactEmail ?? null, null);
  await models.partners.updateOne({ _id: partnerId }, { supportEmail: 'new@shop.example' });
  t.regex(await branding(), /Replies to emails go to nobody/);
});

test('another address’s code, a wrong code and a sixth attempt verify nothing', async (t) => {
  const { partnerId, owner, verified, send } = await unverified('guessed@shop.example');
  const code = await send();
  const contactOf = (contactEmail: string) =>
    service.models.partners.updateOne({ _id: partnerId }, { $set: { contactEmail } });
  await contactOf('stranger@private.example');
  t.is((await owner.post(`${path}/code`, { code })).status, 409);
  await contactOf('guessed@shop.example');
  const again = await send();
  const wrong = again === '000000' ? '000001' : '000000';
  for (let tries = 0; tries < 5; tries++) {
    t.is((await owner.submit(`${path}/code`, { code: wrong })).status, 400);
  }
  t.is((await owner.submit(`${path}/code`, { code: again })).status, 400);
  t.is(await verified(), null);
});

test('an address gets a limited number of codes a day, and only owners can request them', async (t) => {
  const to = 'stranger-of-many@private.example';
  const owners = await Promise.all([unverified(to), unverified(to)]);
  for (let codes = 0; codes < dailyMailQuotas.CODE / 2; codes++) {
    for (const { send } of owners) await send();
  }
  const [{ owner, codes, partnerId }] = owners;
  t.is(codes().length, dailyMailQuotas.CODE);
  t.is((await owner.submit(path, {})).status, 429);
  t.is(codes().length, dailyMailQuotas.CODE);
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  t.is((await developer.post(path, {})).status, 403);
});

test('a code that could not be sent does not count', async (t) => {
  const to = 'away@shop.example';
  const { partnerId } = await service.partner({ partner: { contactEmail: to } });
  const sendMessage = async () => {
    throw new Error('the mail server is away');
  };
  const failing = await startPortal(service, { sendMessage }, { mailedCodes: 100 });
  t.teardown(() => failing.stop());
  const owner = await partnerBrowser(failing, partnerId, 'owner');
  for (let codes = 0; codes <= dailyMailQuotas.CODE; codes++) {
    await owner.open('/profile');
    t.is((await owner.submit(path, {})).status, 500);
  }
  const counts = await service.models.mailCounts.find({ _id: { $regex: to } });
  t.deepEqual(
    counts.map(({ count }) => count),
    [0],
  );
});
